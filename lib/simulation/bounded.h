/* SPDX-License-Identifier: MIT */
/*
 * Bounded linear complementarity: the reactions of stops and sticking joints.
 */
#ifndef TD_BOUNDED_H
#define TD_BOUNDED_H

#include <stdbool.h>
#include <stddef.h>

/* λ (n) within [lower, upper] and w = A λ + b with w = 0 where λ is inside, w ≥ 0 where it is at
   its lower and w ≤ 0 where it is at its upper bound, A (n × n) being symmetric and positive
   semidefinite: rows that depend on each other share what they carry, to eight digits. Bounds may
   be infinite. room has n × (n + 2) numbers, state n. False where no solution is found: A is not
   what it should be, or rows contradict each other and have no bounds. */
bool td_bounded_solve(size_t n, const double *A, const double *b, const double *lower,
                      const double *upper, double *lambda, double *room, signed char *state);

/* The factor L of a symmetric positive definite matrix, M = L Lᵀ, in its lower half, by rows;
   false for another one. And x = M⁻¹ x. */
bool td_cholesky(size_t n, double *M);
void td_cholesky_solve(size_t n, const double *L, double *x);

#endif
