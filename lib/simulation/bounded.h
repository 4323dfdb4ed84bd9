/* SPDX-License-Identifier: MIT */
/*
 * Bounded linear complementarity: the reactions of stops and sticking joints.
 */
#ifndef TD_BOUNDED_H
#define TD_BOUNDED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/stack.h"

/* Finds λ (n) within [lower, upper] and w = A λ + b with w = 0 where λ is inside, w ≥ 0 at a lower
   bound and w ≤ 0 at an upper bound, up to rounding of the whole system. A (n × n) is symmetric
   and, up to rounding, positive semidefinite. Linearly dependent rows share their load, to eight
   digits. Bounds may be infinite. Returns false without a solution: A is invalid, or a row of zeros
   has b ≠ 0 and no bounds. */
bool td_bounded_solve(size_t n, const double *A, const double *b, const double *lower,
                      const double *upper, double *lambda, td_stack *stack);
/* Measures the scratch that td_bounded_solve needs, for the size of the stack. */
void td_bounded_measure(size_t n, td_stack *stack);
enum { TD_SCOPE_bounded };

#endif
