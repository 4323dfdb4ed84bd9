/* SPDX-License-Identifier: MIT */
/*
 * LU factors with row pivoting, row-major (Golub and Van Loan, Matrix Computations, 3.4). Skips
 * zeros of a column: for a mechanical system (q, q̇), half of the matrix is a multiple of the
 * identity.
 */
#include "base/lu.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- real ------------------------------------------------------------------------------------ */

static void swap(size_t n, double *a, double *b)
{
    for (size_t j = 0; j < n; j++) {
        const double t = a[j];
        a[j] = b[j];
        b[j] = t;
    }
}

bool td_lu_factor(size_t n, double *A, size_t *pivot)
{
    for (size_t k = 0; k < n; k++) {
        double *row = A + k * n;
        size_t p = k;
        for (size_t i = k + 1; i < n; i++)
            p = fabs(A[i * n + k]) > fabs(A[p * n + k]) ? i : p;
        pivot[k] = p;
        if (!(fabs(A[p * n + k]) >= DBL_MIN && fabs(A[p * n + k]) <= DBL_MAX))
            return false;
        if (p != k)
            swap(n, row, A + p * n);
        for (size_t i = k + 1; i < n; i++) {
            double *other = A + i * n;
            if (other[k] == 0)
                continue;
            const double l = other[k] /= row[k];
            for (size_t j = k + 1; j < n; j++)
                other[j] -= l * row[j];
        }
    }
    return true;
}

void td_lu_solve(size_t n, const double *LU, const size_t *pivot, double *b)
{
    for (size_t k = 0; k < n; k++) {
        const double t = b[pivot[k]];
        b[pivot[k]] = b[k];
        b[k] = t;
    }
    for (size_t i = 0; i < n; i++) /* L y = b */
        for (size_t j = 0; j < i; j++)
            b[i] -= LU[i * n + j] * b[j];
    for (size_t i = n; i-- > 0;) { /* U x = y */
        for (size_t j = i + 1; j < n; j++)
            b[i] -= LU[i * n + j] * b[j];
        b[i] /= LU[i * n + i];
    }
}

/* ---- complex --------------------------------------------------------------------------------- */

static double size_of(const double *z)
{
    return fabs(z[0]) + fabs(z[1]);
}

/* Computes z ← z / d. */
static void divide(double *z, const double *d)
{
    const double s = size_of(d), a = d[0] / s, b = d[1] / s, square = a * a + b * b;
    const double real = (z[0] * a + z[1] * b) / square / s;
    z[1] = (z[1] * a - z[0] * b) / square / s;
    z[0] = real;
}

/* Computes z ← z − a b. */
static void subtract_product(double *z, const double *a, const double *b)
{
    z[0] -= a[0] * b[0] - a[1] * b[1];
    z[1] -= a[0] * b[1] + a[1] * b[0];
}

bool td_lu_factor_complex(size_t n, double *A, size_t *pivot)
{
    for (size_t k = 0; k < n; k++) {
        double *row = A + 2 * k * n;
        size_t p = k;
        for (size_t i = k + 1; i < n; i++)
            p = size_of(A + 2 * (i * n + k)) > size_of(A + 2 * (p * n + k)) ? i : p;
        pivot[k] = p;
        const double largest = size_of(A + 2 * (p * n + k));
        if (!(largest >= DBL_MIN && largest <= DBL_MAX))
            return false;
        if (p != k)
            swap(2 * n, row, A + 2 * p * n);
        for (size_t i = k + 1; i < n; i++) {
            double *other = A + 2 * i * n;
            if (other[2 * k] == 0 && other[2 * k + 1] == 0)
                continue;
            divide(other + 2 * k, row + 2 * k);
            const double l[2] = {other[2 * k], other[2 * k + 1]};
            for (size_t j = k + 1; j < n; j++)
                subtract_product(other + 2 * j, l, row + 2 * j);
        }
    }
    return true;
}

void td_lu_solve_complex(size_t n, const double *LU, const size_t *pivot, double *b)
{
    for (size_t k = 0; k < n; k++)
        if (pivot[k] != k)
            swap(2, b + 2 * k, b + 2 * pivot[k]);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            subtract_product(b + 2 * i, LU + 2 * (i * n + j), b + 2 * j);
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++)
            subtract_product(b + 2 * i, LU + 2 * (i * n + j), b + 2 * j);
        divide(b + 2 * i, LU + 2 * (i * n + i));
    }
}
