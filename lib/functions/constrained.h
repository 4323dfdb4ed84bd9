/* SPDX-License-Identifier: MIT */
/*
 * Constrained motion of the tree by the closure at a configuration, closed or not, for those who go
 * on from it (functions/constrained_dynamics.c).
 */
#ifndef TD_CONSTRAINED_H
#define TD_CONSTRAINED_H

#include "functions/arguments.h"

typedef struct td_constrained_context {
    td_arguments with;
    td_constraint_options options;
} td_constrained_context;

/* q, q̇ and τ (NULL for zero) → q̈ and λ (NULL: not wanted). The outcome says where G at that q is
   not good. */
void td_op_held(const td_eval *eval, const void *const *in, void *const *out, const void *context);

/* whether G at q says all that K says wherever it is good: not where the user's functions close
   loops, or joints follow others by curves, whose K is that of another place where q is not closed
 */
bool td_is_held(const td_model *model);

#endif
