/* SPDX-License-Identifier: MIT */
/*
 * Dense matrices, see dense.h. Loops run along rows so that compilers vectorize them.
 */
#include "base/dense.h"

#include <math.h>
#include <string.h>

#include "base/lu.h"

/* Computes c (n) += a b (n). */
static void add_row(size_t n, double a, const double *b, double *c)
{
    for (size_t j = 0; j < n && a != 0; j++)
        c[j] += a * b[j];
}

void td_dense_product(size_t m, size_t k, size_t n, const double *A, const double *B, double *C)
{
    memset(C, 0, m * n * sizeof *C);
    for (size_t i = 0; i < m; i++)
        for (size_t p = 0; p < k; p++)
            add_row(n, A[i * k + p], B + p * n, C + i * n);
}

void td_dense_transposed_product(size_t m, size_t k, size_t n, const double *A, const double *B,
                                 double *C)
{
    memset(C, 0, m * n * sizeof *C);
    for (size_t p = 0; p < k; p++)
        for (size_t i = 0; i < m; i++)
            add_row(n, A[p * m + i], B + p * n, C + i * n);
}

void td_dense_product_transposed(size_t m, size_t k, size_t n, const double *A, const double *B,
                                 double *C)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++)
            C[i * n + j] = td_dense_dot(k, A + i * k, B + j * k);
}

void td_dense_transpose(size_t m, size_t n, const double *A, double *B)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++)
            B[j * m + i] = A[i * n + j];
}

void td_dense_solve(size_t n, size_t m, const double *LU, const size_t *pivot, double *X,
                    double *column)
{
    for (size_t j = 0; j < m; j++) {
        for (size_t i = 0; i < n; i++)
            column[i] = X[i * m + j];
        td_lu_solve(n, LU, pivot, column);
        for (size_t i = 0; i < n; i++)
            X[i * m + j] = column[i];
    }
}

double td_dense_dot(size_t count, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

double td_dense_norm(size_t count, const double *A)
{
    return sqrt(td_dense_dot(count, A, A));
}

double td_dense_largest(size_t count, const double *A)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(A[i]));
    return most;
}

bool td_dense_finite(size_t count, const double *A)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(A[i]))
            return false;
    return true;
}

void td_dense_spoil(size_t count, double *A)
{
    for (size_t i = 0; i < count && A; i++)
        A[i] = NAN;
}

void td_dense_symmetrize(size_t n, double *A)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            A[i * n + j] = A[j * n + i] = (A[i * n + j] + A[j * n + i]) / 2;
}
