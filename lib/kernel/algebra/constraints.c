/* SPDX-License-Identifier: MIT */
/*
 * Imposes constraints K q̈ = k on unconstrained accelerations (equation 5 of Kumar et al. 2017).
 * With the factors of H, Z = K H⁻¹ is computed row by row. The Schur complement is S = K Zᵀ, and λ
 * = S⁻¹ (k − K q̈), q̈ += Zᵀ λ. A row that depends on earlier ones leaves no pivot in S. Its
 * multiplier is zero and the earlier rows carry the load. S is factored row by row and keeps only
 * rows with a pivot, at most as many as there are velocities. Cost and memory are therefore linear
 * in the redundant rows.
 */
#include "kernel/algebra/ldlt.h"
#include "kernel/algebra/least_squares.h"
#include "kernel/algebra/ltdl.h"
#include "kernel/kernel.h"
#include "model/sparse.h"

/* A row is redundant if its pivot is below this fraction of its diagonal entry. A row that is only
   rounding error is redundant too, such as the rows that keep a planar loop in its plane. */
#define SMALLEST_CONSTRAINT 1e-11

/* Returns whether x is nonzero in any lane. */
TD_INLINE bool any_of(real x)
{
    for (size_t lane = 0; lane < TD_LANE_COUNT; lane++)
        if (real_get(x, lane) != 0)
            return true;
    return false;
}

typedef struct schur_room {
    size_t most;   /* largest number of pivots: the smaller of rows and velocities */
    real *z;       /* pivots × nv: rows of Z with a pivot */
    real *L, *x;   /* pivots², pivots */
    real *inverse; /* per row: the inverse pivot, 0 for a redundant row */
} schur_room;

static schur_room schur_take(td_stack *stack, size_t rows, size_t nv)
{
    schur_room r = {.most = rows < nv ? rows : nv};
    r.z = td_take(stack, real, r.most * nv);
    r.L = td_take(stack, real, r.most * r.most);
    r.x = td_take(stack, real, r.most);
    r.inverse = td_take(stack, real, rows);
    return r;
}

static void schur_measure(const td_scratch_sizes *sizes, td_stack *stack)
{
    if (sizes->matrices)
        schur_take(stack, sizes->constraints, sizes->tree->nv);
}

/* Imposes the constraints on qdd. If numbers are not finite, no row counts as redundant and the
   results are not finite. */
static void constrain(const td_pattern *pattern, const td_scratch *s, size_t rows,
                      const double *rounding, const td_reals *k, td_reals *qdd, td_reals *lambda)
{
    td_scope(s->stack, schur);
    const schur_room room = schur_take(s->stack, rows, pattern->size);
    size_t nv = pattern->size, most = room.most, taken = 0;
    const real *row = s->K, *wanted = k;
    real *z = room.z, *L = room.L, *x = room.x, *inverse = room.inverse;
    for (size_t i = 0; i < rows; i++, row += nv) {
        inverse[i] = splat(0);
        if (taken == most)
            continue;
        real *next = L + taken * most;
        copy(z + taken * nv, row, nv);
        solve(pattern, s->mass, z + taken * nv);
        real own = dense_dot(nv, row, z + taken * nv), square = dense_dot(nv, row, row);
        real bound = select_lt(splat(rounding[i] * rounding[i]), square, SMALLEST_CONSTRAINT * own,
                               2.0 * own);
        for (size_t j = 0; j < taken; j++)
            next[j] = dense_dot(nv, row, z + j * nv);
        real pivot = ldlt_append(taken, most, L, next, own);
        inverse[i] =
            select_lt(bound, pivot, 1.0 / select_lt(bound, pivot, pivot, splat(1)), 0.0 * pivot);
        if (!any_of(inverse[i]))
            continue;
        next[taken] = inverse[i];
        x[taken] = (k ? wanted[i] : splat(0)) - dense_dot(nv, row, qdd) - dense_dot(taken, next, x);
        taken++;
    }
    ldlt_back(taken, most, L, x);
    for (size_t i = 0; i < taken; i++)
        for (size_t j = 0; j < nv; j++)
            qdd[j] += z[i * nv + j] * x[i];
    real *multiplier = lambda;
    for (size_t i = 0; lambda && i < rows; i++)
        multiplier[i] = any_of(inverse[i]) ? *x++ : splat(0);
}

/* Computes φ and dense K of the linear closure's rows. */
static void linear_constraints(const td_closure_map *closure, size_t nv, const td_scratch *s,
                               const td_reals *coordinates)
{
    const td_csr *A = &closure->constraint;
    const real *q = coordinates;
    real *phi = s->phi, *row = s->K;
    clear(row, (size_t)A->rows * nv);
    for (int i = 0; i < A->rows; i++, row += nv) {
        phi[i] = splat(-closure->constraint_offset[i]);
        for (int e = A->row[i]; e < A->row[i + 1]; e++) {
            phi[i] += A->value[e] * q[closure->constraint_q[e]];
            row[A->column[e]] = splat(A->value[e]);
        }
    }
}

/* Replaces K̇ q̇ in drift by k = − K̇ q̇ − 2 α K q̇ − β² φ (Baumgarte). */
static void stabilize(size_t rows, size_t nv, const td_scratch *s, const td_reals *rates,
                      double alpha, double beta)
{
    const real *row = s->K, *residual = s->phi;
    real *k = s->drift;
    for (size_t i = 0; i < rows; i++, row += nv)
        k[i] = -(k[i] + 2 * alpha * dense_dot(nv, row, rates) + beta * beta * residual[i]);
}
