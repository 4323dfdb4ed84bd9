/* SPDX-License-Identifier: MIT */
/*
 * Constrained motion of the tree by the closure at a configuration, closed or not, for those who go
 * on from it (dynamics/constrained_dynamics.c).
 */
#ifndef TD_CONSTRAINED_H
#define TD_CONSTRAINED_H

#include "dynamics/arguments.h"

/* qd and tau NULL: zero; lambda NULL: not wanted */
typedef struct td_constrained_arguments {
    const td_reals *q, *qd, *tau;
    const td_forces *forces;
    td_constraint_options options;
    td_reals *qdd, *lambda;
} td_constrained_arguments;

/* Takes td_constrained_arguments. The outcome says where G at that q is not good. */
void td_op_held(const td_eval *eval, const void *arguments);

/* whether G at q says all that K says wherever it is good: not where the user's functions close
   loops, or joints follow others by curves, whose K is that of another place where q is not closed
 */
bool td_is_held(const td_model *model);

/* out = H⁻¹ (tau − what the motion of the tree takes), tau NULL for zero; the factors of H stay */
void td_free_acceleration(const td_eval *eval, const void *q, const void *qd, const void *qdd,
                          const td_forces *forces, const void *tau, void *out);
/* onto qdd what makes K qdd = wanted (NULL: 0), with its multipliers (NULL: not wanted); needs the
   factors of H and the constraints */
void td_constrain(const td_eval *eval, const void *wanted, void *qdd, void *lambda);

#endif
