/* SPDX-License-Identifier: MIT */
/*
 * Dense linear systems by LU factors with row pivoting, for real and complex matrices. All
 * matrices are n × n, row-major. Complex numbers are pairs (real, imaginary). Compilers optimize
 * these better than C's complex type, whose products check for infinities.
 */
#ifndef TD_LU_H
#define TD_LU_H

#include <stdbool.h>
#include <stddef.h>

/* Overwrites A (n × n) with its factors, and writes row pivots into pivot (n). Returns false if
   A is singular or not finite. */
bool td_lu_factor(size_t n, double *A, size_t *pivot);
/* Computes b (n) ← A⁻¹ b from the factors. */
void td_lu_solve(size_t n, const double *LU, const size_t *pivot, double *b);

/* Do the same for a complex matrix (n × n × 2) and b (n × 2). */
bool td_lu_factor_complex(size_t n, double *A, size_t *pivot);
void td_lu_solve_complex(size_t n, const double *LU, const size_t *pivot, double *b);

#endif
