/* SPDX-License-Identifier: MIT */
/*
 * Cholesky's factor of a symmetric positive definite matrix, small and dense.
 */
#ifndef TD_CHOLESKY_H
#define TD_CHOLESKY_H

#include <stdbool.h>
#include <stddef.h>

/* L of M = L Lᵀ (n × n, row-major) in place of M's lower half; the upper one is not looked at.
   False where a pivot is not positive. */
bool td_cholesky(size_t n, double *M);
/* x (n) ← L⁻¹ x, L⁻ᵀ x, M⁻¹ x */
void td_cholesky_lower(size_t n, const double *L, double *x);
void td_cholesky_upper(size_t n, const double *L, double *x);
void td_cholesky_solve(size_t n, const double *L, double *x);

#endif
