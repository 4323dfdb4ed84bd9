/* SPDX-License-Identifier: MIT */
/*
 * Jacobi's methods: eigenvalues of a symmetric 3 × 3 matrix, and singular values and
 * vectors by rotations of columns (one-sided, Hestenes 1958). They need no memory but the caller's,
 * and end after a bounded number of sweeps whatever they are given. Small singular values of a
 * well-conditioned matrix whose columns were scaled have a small error relative to themselves, and
 * small eigenvalues of a positive definite one whose rows and columns were (Demmel and Veselić
 * 1992).
 */
#ifndef TD_JACOBI_H
#define TD_JACOBI_H

#include <stdbool.h>
#include <stddef.h>

/* Eigenvalues of a symmetric 3 × 3 matrix xx, xy, xz, yy, yz, zz, ascending, and its eigenvectors
   of length 1, one after the other (NULL: not wanted), by Jacobi's method: no memory, no lock.
   False for a matrix that is not finite, and nothing is written then. */
bool td_symmetric_eigen(const double matrix[6], double values[3], double vectors[9]);

/* The extreme singular values of m × n columns (column-major, used up), n ≤ m, by one-sided Jacobi
   rotations: no memory, no lock. 0 and 0 for n = 0; NaN for a matrix that is not finite. */
void td_singular_values(int m, int n, double *A, double *smallest, double *largest);

/* The n singular values, descending, of m × n columns (column-major, used up), n ≤ m, and the right
   singular vectors in V (n × n, one after the other). All are NaN for a matrix that is not finite.
   O(m n²) for each of 6 to 12 sweeps. */
void td_jacobi_svd(int m, int n, double *A, double *values, double *V);

/* Divides count entries by the power of two, 2^exponent, that brings the largest one into [1/2, 1);
   zeros stay, with the exponent 0. False, and nothing is changed, where an entry is not finite. */
bool td_scale_matrix(size_t count, double *A, int *exponent);

#endif
