/* SPDX-License-Identifier: MIT */
/*
 * Damped least squares: the step of Levenberg's and Marquardt's method.
 */
#ifndef TD_DAMPED_H
#define TD_DAMPED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/stack.h"

/* x = (Jᵀ J + damping)⁻¹ Jᵀ b = Jᵀ (J Jᵀ + damping)⁻¹ b for m × n columns J (column-major), by
   Cholesky's method on the smaller of the two matrices: O(m n min(m, n)), less where columns have
   zeros. False where rounding leaves no positive pivot, and x has no meaning then: damp more. */
bool td_damped_step(size_t m, size_t n, const double *J, const double *b, double damping,
                    td_stack *stack, double *x);
/* Takes what that takes, and gives it back: for the size of the stack. */
void td_damped_measure(size_t m, size_t n, td_stack *stack);
enum { TD_SCOPE_damped };

#endif
