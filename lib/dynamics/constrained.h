/* SPDX-License-Identifier: MIT */
/*
 * Constrained motion of the tree, computed with the closure at a configuration whether loops are
 * closed there or not (dynamics/constrained_dynamics.c).
 */
#ifndef TD_CONSTRAINED_H
#define TD_CONSTRAINED_H

#include "dynamics/arguments.h"

/* Arguments of constrained motion. qd and tau may be NULL for zero, lambda if not wanted. */
typedef struct td_constrained_arguments {
    const td_reals *q, *qd, *tau;
    const td_forces *forces;
    td_constraint_options options;
    td_reals *qdd, *lambda;
} td_constrained_arguments;

/* Computes constrained motion for td_constrained_arguments. The outcome reports a G that is
   ill-conditioned at q. */
void td_op_held(const td_eval *eval, const void *arguments);

/* Returns whether a well-conditioned G at q implies the same constraints as K. This is false if
   user-supplied functions close loops, or if joints follow others by curves. G then belongs to
   another configuration if q is not closed. */
bool td_is_held(const td_model *model);

/* Computes out = H⁻¹ (tau − inverse dynamics of the tree at q̈). tau may be NULL for zero.
   Leaves the factors of H in the scratch. */
void td_free_acceleration(const td_eval *eval, const void *q, const void *qd, const void *qdd,
                          const td_forces *forces, const void *tau, void *out);
/* Corrects qdd so that K qdd = wanted (NULL: 0), and computes the multipliers (NULL: not
   wanted). Needs the factors of H and the constraints. */
void td_constrain(const td_eval *eval, const void *wanted, void *qdd, void *lambda);

#endif
