/* SPDX-License-Identifier: MIT */
/*
 * Dense systems of equations by factors L U with row pivoting, of real and of complex matrices.
 * All matrices are n × n by rows; complex numbers are pairs of real and imaginary part, which
 * compilers take through loops faster than the type of C, whose products look for infinities.
 */
#ifndef TD_LU_H
#define TD_LU_H

#include <stdbool.h>
#include <stddef.h>

/* A (n × n) becomes its factors, pivot (n) the order of rows. False where A is singular or not
   finite. */
bool td_lu_factor(size_t n, double *A, size_t *pivot);
/* b (n) ← A⁻¹ b by the factors */
void td_lu_solve(size_t n, const double *LU, const size_t *pivot, double *b);

/* The same of a complex matrix (n × n × 2), and b (n × 2). */
bool td_lu_factor_complex(size_t n, double *A, size_t *pivot);
void td_lu_solve_complex(size_t n, const double *LU, const size_t *pivot, double *b);

#endif
