/* SPDX-License-Identifier: MIT */
/*
 * Dense linear algebra at load time: the only caller of BLAS and LAPACK, which lock and allocate
 * and so stay out of the dynamics calls.
 */
#ifndef TD_LINALG_H
#define TD_LINALG_H

#include <stdbool.h>

/* Eigenvalues of a symmetric 3 × 3 matrix xx, xy, xz, yy, yz, zz, ascending. False where LAPACK
   gives up (a matrix that is not finite). */
bool td_symmetric_eigenvalues(const double matrix[6], double values[3]);

/* The inverse of an n × n matrix, row-major, in place. Returns the reciprocal condition number
   (1-norm), 0 where the matrix is singular; −1 without memory. */
double td_invert(int n, double *matrix);

#endif
