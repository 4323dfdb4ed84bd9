/* SPDX-License-Identifier: MIT */
/*
 * In-place factorization A = L D Lᵀ of dense symmetric positive definite matrices over `real`. It
 * reads the lower triangle of A and replaces it by L, whose unit diagonal is not stored; the
 * diagonal contains 1 / D. Rows are `stride` apart. There is no pivoting, so all lanes take the
 * same path. Callers see each pivot before its elimination and decide whether it is large enough.
 * Matrices with the sparsity of a tree use ltdl.c instead, which has no fill-in.
 */
#ifndef TD_LDLT_H
#define TD_LDLT_H

#include "kernel/real/real.h"

/* Eliminates coordinate k after all earlier ones: computes column k of L and subtracts l_k d_k l_kᵀ
   from the rest of A. inverse is 1 / A(k, k), or the caller's substitute if the pivot vanishes. */
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

/* Appends a row. On entry row contains A(n, 0..n−1), on return the row of L. own is A(n, n).
   Returns the pivot; a caller that keeps the row stores 1 / pivot after it. */
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
