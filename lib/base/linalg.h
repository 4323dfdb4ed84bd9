/* SPDX-License-Identifier: MIT */
/*
 * Dense linear algebra in double, for set-up and examinations. Singular vectors are LAPACK's where
 * OpenBLAS is there (lapack.c): for some ten coordinates it takes half the time of Jacobi's method
 * (lapack_absent.c), for a hundred a tenth. LAPACK locks and allocates, which keeps it out of the
 * dynamics calls. Jacobi's methods (jacobi.h) serve all else.
 */
#ifndef TD_LINALG_H
#define TD_LINALG_H

#include <stdbool.h>

#include "tandem/status.h"

/* Rank-revealing Q R of m × n columns (column-major, in place: Q, columns permuted), R n × n
   row-major, column[k] the column that came k-th. A column is taken as long as what is left of it
   exceeds tolerance times the largest column; those of a lower class come first, and within a
   class, of those at least 0.3 times as long as the longest, the last. Columns of a negative class
   are never taken. Returns the rank; 0 for a matrix that is not finite, whose A and R have no
   meaning. */
int td_pivoted_qr(int m, int n, double *A, const int *class_of, double tolerance, double *R,
                  int *column);

/* The n singular values, descending, and right singular vectors of m × n columns (column-major,
   used up), n ≤ m: the k-th vector is Vt[k], Vt[k + n], ... All are NaN for a matrix that is not
   finite. False without memory, or where LAPACK's iteration fails. */
bool td_right_vectors(int m, int n, double *A, double *values, double *Vt);

/* Eigenvalues of n × n columns (column-major, finite, used up), pairs of conjugates next to each
   other. TD_ERROR_MEMORY, or TD_ERROR_NOT_FINITE where the iteration fails. */
td_status td_eigenvalues(int n, double *A, double *real, double *imaginary);

/* The complex Schur form of n × n columns: A = Z T Zᴴ, T upper triangular, Z unitary. All are
   column-major; A is finite. Fails as td_eigenvalues. */
td_status td_schur(int n, const double *A, double _Complex *T, double _Complex *Z);

#endif
