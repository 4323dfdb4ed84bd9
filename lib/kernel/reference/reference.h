/* SPDX-License-Identifier: MIT */
/*
 * Textbook dynamics of a tree after R. Featherstone (Rigid Body Dynamics Algorithms, 2008). Spatial
 * vectors have six numbers, angular part first, in body coordinates. Each equation is one
 * statement. These slow versions are built only for tests. They state in equations the results of
 * the fast kernels of kernel/tree/, so read them first.
 *
 *   rnea.c   inverse dynamics: tau from qdd                   (his table 5.1)
 *   crba.c   the mass matrix H                                (table 6.2)
 *   aba.c    forward dynamics: qdd from tau                   (table 7.1)
 *
 * All numbers are reals (kernel/real/real.h) of the type that the file is compiled for, double or
 * __float128. The forces f_ext (bodies × 6, NULL: none) act on bodies, in body coordinates.
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
