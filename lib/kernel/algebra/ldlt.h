/* SPDX-License-Identifier: MIT */
/*
 * A = L D Lᵀ of dense symmetric positive definite matrices over `real`, in place: of A the lower
 * triangle is read; L, whose diagonal of ones is not kept, takes its place, and 1 / D its diagonal.
 * Rows are stride apart. Nothing is permuted, so that all lanes take the same path; what pivots
 * must exceed is for callers to say, who see each before it is eliminated. Matrices with the
 * sparsity of a tree have factors of their own, without fill-in: ltdl.c.
 */
#ifndef TD_LDLT_H
#define TD_LDLT_H

#include "kernel/real/real.h"

/* Eliminates coordinate k, after all before it: column k of L, and A − l_k d_k l_kᵀ behind it.
   inverse: 1 / A(k, k), or what stands for it where that vanishes. */
TD_INLINE void ldlt_eliminate(size_t n, size_t stride, real *A, size_t k, real inverse)
{
    A[k * stride + k] = inverse;
    for (size_t i = k + 1; i < n; i++) {
        const real quotient = A[i * stride + k] * inverse;
        for (size_t j = i; j < n; j++)
            A[j * stride + i] -= quotient * A[j * stride + k];
    }
    for (size_t i = k + 1; i < n; i++)
        A[i * stride + k] *= inverse;
}

/* x = L⁻¹ x */
TD_INLINE void ldlt_forward(size_t n, size_t stride, const real *L, real *x)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            x[i] -= L[i * stride + j] * x[j];
}

/* x = (D Lᵀ)⁻¹ x */
TD_INLINE void ldlt_back(size_t n, size_t stride, const real *L, real *x)
{
    for (size_t i = n; i-- > 0;) {
        x[i] *= L[i * stride + i];
        for (size_t j = i + 1; j < n; j++)
            x[i] -= L[j * stride + i] * x[j];
    }
}

/* x = A⁻¹ x */
TD_INLINE void ldlt_solve(size_t n, size_t stride, const real *L, real *x)
{
    ldlt_forward(n, stride, L, x);
    ldlt_back(n, stride, L, x);
}

/* One row more: row holds A(n, 0..n−1), which become those of L, and own is A(n, n), which comes
   back as the pivot, 1 / which the caller puts behind the row if the row is kept. */
TD_INLINE real ldlt_append(size_t n, size_t stride, const real *L, real *row, real own)
{
    ldlt_forward(n, stride, L, row); /* L d of the new row */
    for (size_t j = 0; j < n; j++) {
        const real quotient = row[j] * L[j * stride + j];
        own -= quotient * row[j];
        row[j] = quotient;
    }
    return own;
}

#endif
