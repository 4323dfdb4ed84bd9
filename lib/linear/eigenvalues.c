/* SPDX-License-Identifier: MIT */
/*
 * Computes the eigenvalues of a linear system. This is a separate file because it needs LAPACK,
 * which static programs may leave out.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dense.h"
#include "base/linalg.h"
#include "linear/linear.h"

/* Returns whether the second eigenvalue comes first. Magnitudes of λ and −λ, which undamped
   motions have, may differ by rounding, so they are compared with a tolerance. */
static bool is_before(double real, double imaginary, double other_real, double other_imaginary)
{
    const double size = hypot(real, imaginary), other = hypot(other_real, other_imaginary);
    return fabs(size - other) > 1e-9 * size ? other < size : other_real < real;
}

/* Sorts by insertion. Conjugate pairs, which compare equal, stay together. */
static void sort(size_t n, double *real, double *imaginary)
{
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j > 0 && is_before(real[j - 1], imaginary[j - 1], real[j], imaginary[j]);
             j--) {
            const double x = real[j], y = imaginary[j];
            real[j] = real[j - 1];
            imaginary[j] = imaginary[j - 1];
            real[j - 1] = x;
            imaginary[j - 1] = y;
        }
}

td_status td_linear_eigenvalues(size_t n, const double *A, double *real, double *imaginary)
{
    if (n > 0 && (!A || !real || !imaginary))
        return TD_ERROR_ARGUMENT;
    td_status status = TD_OK;
    double *copy = NULL;
    if (n > 0) {
        copy = malloc(n * n * sizeof *copy);
        status = !copy ? TD_ERROR_MEMORY : !td_dense_finite(n * n, A) ? TD_ERROR_NOT_FINITE : TD_OK;
    }
    if (status == TD_OK && n > 0) {
        td_dense_transpose(n, n, A, copy);
        status = td_eigenvalues((int)n, copy, real, imaginary);
    }
    free(copy);
    if (status == TD_OK) {
        sort(n, real, imaginary);
    } else {
        td_dense_spoil(n, real);
        td_dense_spoil(n, imaginary);
    }
    return status;
}
