/* SPDX-License-Identifier: MIT */
/*
 * Operational-space inertia of a link. With the Jacobian J and the factors of H, Λ⁻¹ = J H⁻¹ Jᵀ, Λ
 * = (J H⁻¹ Jᵀ)⁻¹ and J̄ = H⁻¹ Jᵀ Λ (Khatib 1987). Λ⁻¹ is factored row by row. A row that depends
 * linearly on earlier rows, or is no longer than its rounding error, has no pivot: its row and
 * column of Λ are zero. All lanes take the same path.
 */
#include "kernel/algebra/ldlt.h"
#include "kernel/algebra/least_squares.h"
#include "kernel/algebra/ltdl.h"
#include "kernel/real/arrays.h"
#include "kernel/tree/link_state.h"

/* A pivot below this part of its diagonal entry belongs to a linearly dependent row. */
#define SMALLEST_AXIS 1e-11

/* Computes the squared rounding error of a zero row of J, for rotations and for translations. Loops
   may fix a link, so that J is zero although the columns that it is summed from are not.
   Translations also contain the rounding error of positions between the root and the point. */
static void row_rounding(const td_tree *tree, const td_scratch *s, int link, const double point[3],
                         const real *columns, real square[2])
{
    const td_vec3 at = tree->link[link].position;
    real reach = splat(point[0] * point[0] + point[1] * point[1] + point[2] * point[2] +
                       at.x * at.x + at.y * at.y + at.z * at.z);
    for (int b = tree->link[link].body; b >= 0; b = tree->body[b].parent) {
        const vec3 p = origin_in((const axes *)s->pose + b);
        reach += dot(p, p);
    }
    const size_t half = 3 * tree->nv;
    const real turning = dense_dot(half, columns, columns);
    const real moving = dense_dot(half, columns + half, columns + half);
    square[0] = 1e-18 * turning;
    square[1] = 1e-18 * (moving + reach * turning);
}

/* Factors the wanted rows of A (6 × 6) as L D Lᵀ. For the other rows, and for rows without a pivot,
   1 / D and the columns of L are zero. */
static void factor_axes(const real *A, const unsigned char *wanted, const real *J, size_t n,
                        const real rounding[2], real *L)
{
    for (size_t i = 0; i < 6; i++) {
        const real square = dense_dot(n, J + i * n, J + i * n), own = A[6 * i + i];
        copy(L + 6 * i, A + 6 * i, i);
        const real pivot = ldlt_append(i, 6, L, L + 6 * i, own);
        const real bound = select_lt(rounding[i / 3], square, SMALLEST_AXIS * own, splat(2) * own);
        L[6 * i + i] = wanted && !wanted[i]
                           ? splat(0)
                           : select_lt(bound, pivot, 1.0 / select_lt(bound, pivot, pivot, splat(1)),
                                       0.0 * pivot);
    }
}

/* Computes the inverse from the factors. */
static void invert_axes(const real *L, real *inverse)
{
    real x[6];
    for (size_t k = 0; k < 6; k++) {
        clear(x, 6);
        x[k] = splat(1);
        ldlt_solve(6, 6, L, x);
        for (size_t i = k; i < 6; i++)
            inverse[6 * i + k] = inverse[6 * k + i] = x[i];
    }
}

static void operational_inertia(const td_tree *tree, const td_pattern *pattern, const td_scratch *s,
                                const td_reals *factored, const td_link_point *of, td_reals *work,
                                const td_operational_terms *terms)
{
    const size_t n = pattern->size;
    const real *J = terms->J;
    real *Z = work, *out = terms->generalized, A[36], L[36], lambda[36], rounding[2];
    copy(Z, J, 6 * n);
    for (size_t i = 0; i < 6; i++)
        solve(pattern, factored, Z + i * n);
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j <= i; j++)
            A[6 * i + j] = A[6 * j + i] = dense_dot(n, J + i * n, Z + j * n);
    if (terms->mobility)
        copy(terms->mobility, A, 36);
    if (!terms->inertia && !out)
        return;
    row_rounding(tree, s, of->link, of->point, terms->columns, rounding);
    factor_axes(A, terms->wanted, J, n, rounding, L);
    invert_axes(L, lambda);
    if (terms->inertia)
        copy(terms->inertia, lambda, 36);
    for (size_t i = 0; out && i < n; i++)
        for (size_t k = 0; k < 6; k++) {
            out[6 * i + k] = splat(0);
            for (size_t a = 0; a < 6; a++)
                out[6 * i + k] += Z[a * n + i] * lambda[6 * a + k];
        }
}
