/* SPDX-License-Identifier: MIT */
/*
 * Textbook dynamics of a tree, as R. Featherstone has them (Rigid Body Dynamics Algorithms, 2008):
 * spatial vectors of six numbers, angular before linear, in the coordinates of each body, and one
 * statement for each equation. They are slow, are built for the tests alone, and say what the fast
 * kernels of kernel/tree/ compute. Read them first.
 *
 *   rnea.c   inverse dynamics: tau from qdd                   (his table 5.1)
 *   crba.c   the mass matrix H                                (table 6.2)
 *   aba.c    forward dynamics: qdd from tau                   (table 7.1)
 *
 * All numbers are reals of the type that the file is compiled for (kernel/real/real.h): double, or
 * __float128. Forces of f_ext (bodies × 6, NULL: none) act on bodies, in their coordinates.
 */
#ifndef TD_REFERENCE_H
#define TD_REFERENCE_H

#include "model/tree.h"

typedef struct td_textbook {
    /* tau (nv) = H(q) qdd + C(q, qd) − Σ Jᵀ f_ext, gravity included */
    void (*rnea)(const td_tree *tree, const void *q, const void *qd, const void *qdd,
                 const void *f_ext, void *tau);
    /* H, nv × nv, row-major */
    void (*crba)(const td_tree *tree, const void *q, void *H);
    /* qdd (nv) = H(q)⁻¹ (tau − C(q, qd) + Σ Jᵀ f_ext) */
    void (*aba)(const td_tree *tree, const void *q, const void *qd, const void *tau,
                const void *f_ext, void *qdd);
} td_textbook;

#endif
