/* SPDX-License-Identifier: MIT */
/*
 * Dense least squares over reals. Q R is computed by modified Gram-Schmidt without column pivoting,
 * so that all lanes take the same path.
 */
#ifndef TD_LEAST_SQUARES_H
#define TD_LEAST_SQUARES_H

#include "kernel/real/arrays.h"

TD_INLINE real dense_dot(size_t n, const real *a, const real *b)
{
    real sum = splat(0);
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* squared ratio of a pivot to its column's length below which a column counts as dependent */
#define NO_PIVOT 1e-30

/* Factors n columns of m reals as Q R in place; the diagonal of R is stored inverted. size (NULL
   for none) contains lower bounds of the squared column lengths that pivots are compared with.
   Stores the smallest ratio of a squared pivot to its squared length in least. A column with a
   ratio below tolerance is dropped: its part of every solution is zero. */
static void factor_columns(size_t m, size_t n, const real *size, double tolerance, real *Q, real *R,
                           real *least)
{
    *least = splat(1);
    for (size_t j = 0; j < n; j++) {
        real *q = Q + j * m;
        real before = dense_dot(m, q, q);
        if (size)
            before = select_lt(before, size[j], size[j], before);
        for (size_t k = 0; k < j; k++) {
            R[k * n + j] = dense_dot(m, Q + k * m, q);
            for (size_t i = 0; i < m; i++)
                q[i] -= R[k * n + j] * Q[k * m + i];
        }
        real after = dense_dot(m, q, q);
        real guard = tolerance * before + 1e-300;
        real sound = select_lt(guard, after, after, splat(1));
        real inverse = select_lt(guard, after, 1.0 / real_sqrt(sound), splat(0));
        R[j * n + j] = inverse;
        for (size_t i = 0; i < m; i++)
            q[i] *= inverse;
        real ratio =
            select_lt(guard, after, after / select_lt(guard, after, before, splat(1)), splat(0));
        *least = select_lt(ratio, *least, ratio, *least);
    }
}

/* Computes x = R⁻¹ x. The n entries of x are `stride` apart. */
TD_INLINE void solve_triangle(size_t n, const real *R, real *x, size_t stride)
{
    for (size_t j = n; j-- > 0;) {
        real sum = x[j * stride];
        for (size_t k = j + 1; k < n; k++)
            sum -= R[j * n + k] * x[k * stride];
        x[j * stride] = sum * R[j * n + j];
    }
}

/* Computes out = −A⁺ b. The n entries of out are `stride` apart. Overwrites b. */
static void solve_columns(size_t m, size_t n, const real *Q, const real *R, real *b, real *out,
                          size_t stride)
{
    for (size_t j = 0; j < n; j++) {
        real c = dense_dot(m, Q + j * m, b);
        for (size_t i = 0; i < m; i++)
            b[i] -= c * Q[j * m + i];
        out[j * stride] = -c;
    }
    solve_triangle(n, R, out, stride);
}

/* Computes the shortest out (m) with Aᵀ out = b (n). Overwrites b. */
static void solve_rows(size_t m, size_t n, const real *Q, const real *R, real *b, real *out)
{
    clear(out, m);
    for (size_t j = 0; j < n; j++) {
        for (size_t k = 0; k < j; k++)
            b[j] -= R[k * n + j] * b[k];
        b[j] *= R[j * n + j];
        for (size_t i = 0; i < m; i++)
            out[i] += b[j] * Q[j * m + i];
    }
}

/* Computes out = (Aᵀ A)⁻¹ b (n). No column may have been dropped. Overwrites b. */
static void solve_normal(size_t n, const real *R, real *b, real *out)
{
    for (size_t j = 0; j < n; j++) {
        for (size_t k = 0; k < j; k++)
            b[j] -= R[k * n + j] * b[k];
        b[j] *= R[j * n + j];
    }
    for (size_t j = n; j-- > 0;) {
        real x = b[j];
        for (size_t k = j + 1; k < n; k++)
            x -= R[j * n + k] * out[k];
        out[j] = x * R[j * n + j];
    }
}

#endif
