/* SPDX-License-Identifier: MIT */
/*
 * Jacobi methods: eigenvalues of a symmetric 3 × 3 matrix, and singular values and vectors by
 * one-sided rotations of columns (Hestenes 1958). They allocate nothing, and terminate for any
 * input after a bounded number of sweeps. Small singular values have a small relative error if
 * the matrix is well-conditioned up to a scaling of its columns. The same holds for small
 * eigenvalues of a positive definite matrix scaled in rows and columns (Demmel and Veselić
 * 1992).
 */
#ifndef TD_JACOBI_H
#define TD_JACOBI_H

#include <stdbool.h>
#include <stddef.h>

#include "base/private.h"

/* Computes the eigenvalues of a symmetric 3 × 3 matrix (xx, xy, xz, yy, yz, zz) in ascending
   order. Writes its unit eigenvectors one after the other (NULL: not wanted). Neither allocates
   nor locks. Returns false and writes nothing if the matrix is not finite. */
bool td_symmetric_eigen(const double matrix[6], double values[3], double vectors[9]);

/* Computes the extreme singular values of A (m × n, n ≤ m, column-major, overwritten) by
   one-sided Jacobi rotations. Neither allocates nor locks. Both are 0 for n = 0, and NaN if A is
   not finite. */
TD_PRIVATE void td_singular_values(int m, int n, double *A, double *smallest, double *largest);

/* Computes the n singular values of A (m × n, n ≤ m, column-major, overwritten) in descending
   order. V (n × n) receives the right singular vectors one after the other. All are NaN if A is
   not finite. Takes 6 to 12 sweeps of O(m n²). */
TD_PRIVATE void td_jacobi_svd(int m, int n, double *A, double *values, double *V);

/* Divides count entries by the power of two, 2^exponent, that brings the largest one into [1/2,
   1). A zero matrix stays, with exponent 0. Returns false and changes nothing if an entry is not
   finite. */
bool td_scale_matrix(size_t count, double *A, int *exponent);

#endif
