/* SPDX-License-Identifier: MIT */
/*
 * Cholesky factors of small dense symmetric positive definite matrices.
 */
#ifndef TD_CHOLESKY_H
#define TD_CHOLESKY_H

#include <stdbool.h>
#include <stddef.h>

/* Computes L of M = L Lᵀ (n × n, row-major) in place of M's lower triangle; does not read the
   upper one. Returns false if a pivot is not positive. */
bool td_cholesky(size_t n, double *M);
/* Compute x (n) ← L⁻¹ x, L⁻ᵀ x and M⁻¹ x. */
void td_cholesky_lower(size_t n, const double *L, double *x);
void td_cholesky_upper(size_t n, const double *L, double *x);
void td_cholesky_solve(size_t n, const double *L, double *x);

#endif
