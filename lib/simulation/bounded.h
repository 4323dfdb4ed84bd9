/* SPDX-License-Identifier: MIT */
/*
 * Bounded linear complementarity: the reactions of stops and sticking joints.
 */
#ifndef TD_BOUNDED_H
#define TD_BOUNDED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/stack.h"

/* λ (n) within [lower, upper] and w = A λ + b with w = 0 where λ is inside, w ≥ 0 where it is at
   its lower and w ≤ 0 where it is at its upper bound, A (n × n) being symmetric and positive
   semidefinite, but for rounding: to rounding of the whole system. Rows that depend on each other
   share what they carry, to eight digits. Bounds may be infinite. False where no solution is found:
   A is not what it should be, or a row that nothing moves is not at rest and has no bounds. */
bool td_bounded_solve(size_t n, const double *A, const double *b, const double *lower,
                      const double *upper, double *lambda, td_stack *stack);
/* Takes what that takes, and gives it back: for the size of the stack. */
void td_bounded_measure(size_t n, td_stack *stack);
enum { TD_SCOPE_bounded };

#endif
