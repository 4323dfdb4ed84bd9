/* SPDX-License-Identifier: MIT */
/*
 * Vectors and matrices for tests. Matrices are row-major, and every product is the plain sum of its
 * definition.
 */
#ifndef TD_TEST_ALGEBRA_H
#define TD_TEST_ALGEBRA_H

#include <math.h>
#include <stddef.h>

static inline double vec_dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static inline void vec_cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* out = A x */
static inline void mat_times(size_t rows, size_t columns, const double *A, const double *x,
                             double *out)
{
    for (size_t i = 0; i < rows; i++)
        out[i] = vec_dot(columns, A + i * columns, x);
}

/* out = R x and out = Rᵀ x for a rotation R */
static inline void vec_turn(const double R[9], const double x[3], double out[3])
{
    mat_times(3, 3, R, x, out);
}

static inline void vec_turn_back(const double R[9], const double x[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2];
}

/* Returns the norm of an n × n matrix: the largest sum of absolute values in a row. */
static inline double mat_norm(size_t n, const double *A)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += fabs(A[i * n + j]);
        largest = fmax(largest, sum);
    }
    return largest;
}

#endif
