/* SPDX-License-Identifier: MIT */
/*
 * Dense linear algebra in double precision, for loading and analysis. With OpenBLAS, LAPACK
 * computes singular vectors (lapack.c). For about ten coordinates it takes half the time of
 * Jacobi's method (lapack_absent.c), for a hundred a tenth. LAPACK locks and allocates, so
 * dynamics calls do not use it; they use Jacobi's methods (jacobi.h).
 */
#ifndef TD_LINALG_H
#define TD_LINALG_H

#include <stdbool.h>

#include "tandem/status.h"

/* Computes the rank-revealing QR factorization of A (m × n, column-major). Overwrites A with Q;
   R is n × n, row-major, and column[k] is the index of pivot k. A column is a pivot while its
   remainder exceeds tolerance times the largest column. Lower classes come first. Within a
   class, the pivot is the last column that is at least 0.3 times as long as the longest. Columns
   of a negative class are never pivots. Returns the rank; 0 if the matrix is not finite, and A
   and R are then undefined. */
int td_pivoted_qr(int m, int n, double *A, const int *class_of, double tolerance, double *R,
                  int *column);

/* Computes the n singular values, descending, and right singular vectors of A (m × n, n ≤ m,
   column-major, overwritten). Vector k is Vt[k], Vt[k + n], ... All are NaN if A is not finite.
   Returns false if memory is exhausted or LAPACK's iteration fails. */
bool td_right_vectors(int m, int n, double *A, double *values, double *Vt);

/* Computes the eigenvalues of A (n × n, column-major, finite, overwritten), conjugate pairs next
   to each other. Returns TD_ERROR_MEMORY, or TD_ERROR_NOT_FINITE if the iteration fails. */
td_status td_eigenvalues(int n, double *A, double *real, double *imaginary);

/* Computes the complex Schur form A = Z T Zᴴ, with T upper triangular and Z unitary. All
   matrices are n × n, column-major; A must be finite. Fails like td_eigenvalues. */
td_status td_schur(int n, const double *A, double _Complex *T, double _Complex *Z);

#endif
