/* SPDX-License-Identifier: MIT */
/*
 * Products and linear systems with dense row-major matrices. Outputs must not alias inputs.
 */
#ifndef TD_DENSE_H
#define TD_DENSE_H

#include <stdbool.h>
#include <stddef.h>

/* Computes C (m × n) = A (m × k) B (k × n). */
void td_dense_product(size_t m, size_t k, size_t n, const double *A, const double *B, double *C);
/* Compute C (m × n) = Aᵀ B for A (k × m), B (k × n), and C = A Bᵀ for A (m × k), B (n × k). */
void td_dense_transposed_product(size_t m, size_t k, size_t n, const double *A, const double *B,
                                 double *C);
void td_dense_product_transposed(size_t m, size_t k, size_t n, const double *A, const double *B,
                                 double *C);
/* Computes B (n × m) = Aᵀ for A (m × n). */
void td_dense_transpose(size_t m, size_t n, const double *A, double *B);
/* Computes X (n × m) ← A⁻¹ X from the factors of lu.h. `column` is scratch of n numbers. */
void td_dense_solve(size_t n, size_t m, const double *LU, const size_t *pivot, double *X,
                    double *column);

/* Returns Σ a b. */
double td_dense_dot(size_t count, const double *a, const double *b);
/* Returns the Frobenius norm. */
double td_dense_norm(size_t count, const double *A);
/* Returns the largest magnitude, or 0 if count is 0. */
double td_dense_largest(size_t count, const double *A);
bool td_dense_finite(size_t count, const double *A);
/* Fills count numbers with NaN. NULL is allowed. */
void td_dense_spoil(size_t count, double *A);
/* Computes (A + Aᵀ)/2 in place, n × n. */
void td_dense_symmetrize(size_t n, double *A);

#endif
