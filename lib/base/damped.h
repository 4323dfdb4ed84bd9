/* SPDX-License-Identifier: MIT */
/*
 * Damped least squares: the step of Levenberg's and Marquardt's method.
 */
#ifndef TD_DAMPED_H
#define TD_DAMPED_H

#include <stdbool.h>
#include <stddef.h>

/* Doubles that td_damped_step needs for m × n. */
size_t td_damped_room(size_t m, size_t n);

/* x = (Jᵀ J + damping)⁻¹ Jᵀ b = Jᵀ (J Jᵀ + damping)⁻¹ b for m × n columns J (column-major), by
   Cholesky's method on the smaller of the two matrices: O(m n min(m, n)), less where columns have
   zeros. False where rounding leaves no positive pivot, and x has no meaning then: damp more. */
bool td_damped_step(size_t m, size_t n, const double *J, const double *b, double damping,
                    double *capacity, double *x);

#endif
