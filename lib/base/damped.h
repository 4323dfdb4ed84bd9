/* SPDX-License-Identifier: MIT */
/*
 * Damped least squares: the step of the Levenberg-Marquardt method.
 */
#ifndef TD_DAMPED_H
#define TD_DAMPED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/stack.h"

/* Computes x = (Jᵀ J + damping)⁻¹ Jᵀ b = Jᵀ (J Jᵀ + damping)⁻¹ b for J (m × n, column-major).
   Factors the smaller of the two matrices by Cholesky: O(m n min(m, n)), less if columns have
   zeros. Returns false if rounding makes a pivot nonpositive; x is then undefined, and more
   damping is needed. */
bool td_damped_step(size_t m, size_t n, const double *J, const double *b, double damping,
                    td_stack *stack, double *x);
/* Measures the scratch that td_damped_step needs, for the size of the stack. */
void td_damped_measure(size_t m, size_t n, td_stack *stack);
enum { TD_SCOPE_damped };

#endif
