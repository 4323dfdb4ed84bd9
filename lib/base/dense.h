/* SPDX-License-Identifier: MIT */
/*
 * Products and solutions of dense row-major matrices. Outputs must not alias inputs.
 */
#ifndef TD_DENSE_H
#define TD_DENSE_H

#include <stdbool.h>
#include <stddef.h>

/* C (m × n) = A (m × k) B (k × n) */
void td_dense_product(size_t m, size_t k, size_t n, const double *A, const double *B, double *C);
/* C (m × n) = Aᵀ B of A (k × m), B (k × n); = A Bᵀ of A (m × k), B (n × k) */
void td_dense_transposed_product(size_t m, size_t k, size_t n, const double *A, const double *B,
                                 double *C);
void td_dense_product_transposed(size_t m, size_t k, size_t n, const double *A, const double *B,
                                 double *C);
/* B (n × m) = Aᵀ of A (m × n) */
void td_dense_transpose(size_t m, size_t n, const double *A, double *B);
/* X (n × m) ← A⁻¹ X by the factors of lu.h; column: n numbers to work with */
void td_dense_solve(size_t n, size_t m, const double *LU, const size_t *pivot, double *X,
                    double *column);

/* Frobenius' norm */
double td_dense_norm(size_t count, const double *A);
/* the largest magnitude; 0 for none */
double td_dense_largest(size_t count, const double *A);
bool td_dense_finite(size_t count, const double *A);
/* NaN into count numbers; NULL: nothing */
void td_dense_spoil(size_t count, double *A);
/* (A + Aᵀ)/2 in place, n × n */
void td_dense_symmetrize(size_t n, double *A);

#endif
