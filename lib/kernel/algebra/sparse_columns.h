/* SPDX-License-Identifier: MIT */
/*
 * The least squares of least_squares.h, and L D Lᵀ, for columns that mostly share no rows with each
 * other. Operations on zeros of the structure found at load are skipped. The remaining ones keep
 * their order, so the results are identical.
 */
#ifndef TD_SPARSE_COLUMNS_H
#define TD_SPARSE_COLUMNS_H

#include "kernel/algebra/least_squares.h"
#include "model/loops.h"

/* Returns whether columns j and k may have entries in the same row. */
TD_INLINE bool columns_meet(const td_loop_sparsity *s, size_t j, size_t k)
{
    return s->first[j] < s->end[k] && s->first[k] < s->end[j];
}

/* Returns the dot product of column j of A and column k of B, which have m rows each. */
TD_INLINE real sparse_dot(size_t m, const td_loop_sparsity *s, const real *A, size_t j,
                          const real *B, size_t k)
{
    const size_t first = (size_t)(s->first[j] > s->first[k] ? s->first[j] : s->first[k]);
    const size_t end = (size_t)(s->end[j] < s->end[k] ? s->end[j] : s->end[k]);
    return first < end ? dense_dot(end - first, A + j * m + first, B + k * m + first) : splat(0);
}

/* factor_columns with size NULL and tolerance NO_PIVOT */
static void sparse_factor(size_t m, size_t n, const td_loop_sparsity *s, real *Q, real *R,
                          real *least)
{
    *least = splat(1);
    for (size_t j = 0; j < n; j++) {
        real *q = Q + j * m;
        const size_t lead = (size_t)s->lead[j];
        const real before = sparse_dot(m, s, Q, j, Q, j);
        for (size_t k = 0; k < lead; k++)
            R[k * n + j] = splat(0);
        for (size_t k = lead; k < j; k++) {
            R[k * n + j] = splat(0);
            if (!columns_meet(s, j, k))
                continue;
            R[k * n + j] = sparse_dot(m, s, Q, k, Q, j);
            for (size_t i = (size_t)s->first[k]; i < (size_t)s->end[k]; i++)
                q[i] -= R[k * n + j] * Q[k * m + i];
        }
        const real after = sparse_dot(m, s, Q, j, Q, j);
        const real guard = NO_PIVOT * before + 1e-300;
        const real sound = select_lt(guard, after, after, splat(1));
        const real inverse = select_lt(guard, after, 1.0 / real_sqrt(sound), splat(0));
        R[j * n + j] = inverse;
        for (size_t i = (size_t)s->first[j]; i < (size_t)s->end[j]; i++)
            q[i] *= inverse;
        const real ratio =
            select_lt(guard, after, after / select_lt(guard, after, before, splat(1)), splat(0));
        *least = select_lt(ratio, *least, ratio, *least);
    }
}

/* solve_columns for sparse columns. Not inlined, since few groups are sparse. */
__attribute__((noinline)) static void sparse_solve(size_t m, size_t n, const td_loop_sparsity *s,
                                                   const real *Q, const real *R, real *b, real *out,
                                                   size_t stride)
{
    for (size_t j = 0; j < n; j++) {
        const size_t first = (size_t)s->first[j], end = (size_t)s->end[j];
        const real c = dense_dot(end - first, Q + j * m + first, b + first);
        for (size_t i = first; i < end; i++)
            b[i] -= c * Q[j * m + i];
        out[j * stride] = -c;
    }
    solve_triangle(n, R, out, stride);
}

/* ldlt_eliminate for a matrix whose row i has no entries before lead[i]; rows are n apart */
static void sparse_eliminate(size_t n, const td_loop_sparsity *s, real *A, size_t k, real inverse)
{
    A[k * n + k] = inverse;
    for (size_t i = k + 1; i < n; i++) {
        if ((size_t)s->lead[i] > k)
            continue;
        const real quotient = A[i * n + k] * inverse;
        for (size_t j = i; j < n; j++)
            if ((size_t)s->lead[j] <= k)
                A[j * n + i] -= quotient * A[j * n + k];
    }
    for (size_t i = k + 1; i < n; i++)
        A[i * n + k] *= inverse;
}

/* Adds Rᵀ R to the lower triangle of A. Here the diagonal of R is not inverted. */
static void sparse_square(size_t n, const td_loop_sparsity *s, const real *R, real *A)
{
    for (size_t k = 0; k < n; k++)
        for (size_t i = k; i < n; i++)
            for (size_t j = k; j <= i && columns_meet(s, k, i); j++)
                if (columns_meet(s, k, j))
                    A[i * n + j] += R[k * n + i] * R[k * n + j];
}

#endif
