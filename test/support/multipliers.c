/* SPDX-License-Identifier: MIT */
/*
 * Solves H q̈ = τ − C + Kᵀ λ with K q̈ = k − 2 α K q̇ − β² φ by Cholesky factors of H and of K H⁻¹ Kᵀ.
 * The second factorization selects the largest pivot first, so redundant rows come last and are
 * dropped.
 */
#include "multipliers.h"

#include <math.h>

#include "td_test.h"

/* Rows whose diagonal entry is below this fraction of the largest one are pure rounding. Rows that
   constrain a planar loop to its plane are examples. */
static const long double ROUNDING = 1e-26L;

static long double *wide(size_t n)
{
    long double *x = test_calloc(n + 1, sizeof *x);
    return x;
}

static double *narrow(size_t n)
{
    double *x = doubles(n);
    return x;
}

/* Computes the lower Cholesky factor in place and the order of its rows. Stops at the first pivot
   below `least` times its diagonal entry. Returns the rank. */
static size_t factor(size_t n, long double *A, size_t *order, long double least)
{
    long double *own = wide(n);
    size_t rank = 0;
    long double largest = 0;
    for (size_t i = 0; i < n; i++) {
        own[i] = A[i * n + i], order[i] = i;
        largest = fmaxl(largest, own[i]);
    }
    for (; rank < n; rank++) {
        size_t best = rank;
        long double most = 0;
        for (size_t i = rank; i < n; i++) {
            const size_t r = order[i];
            const long double part = own[r] > ROUNDING * largest ? A[r * n + r] / own[r] : 0;
            if (part > most)
                most = part, best = i;
        }
        if (!(most > least))
            break;
        const size_t p = order[best];
        order[best] = order[rank], order[rank] = p;
        const long double root = sqrtl(A[p * n + p]);
        A[p * n + p] = root;
        for (size_t i = rank + 1; i < n; i++)
            A[order[i] * n + p] /= root;
        for (size_t i = rank + 1; i < n; i++)
            for (size_t j = rank + 1; j < n; j++)
                A[order[i] * n + order[j]] -= A[order[i] * n + p] * A[order[j] * n + p];
    }
    return rank;
}

/* x = A⁻¹ x for the first `rank` rows; other entries become 0 */
static void solve(size_t n, size_t rank, const long double *A, const size_t *order, long double *x)
{
    for (size_t i = 0; i < rank; i++) {
        for (size_t j = 0; j < i; j++)
            x[order[i]] -= A[order[i] * n + order[j]] * x[order[j]];
        x[order[i]] /= A[order[i] * n + order[i]];
    }
    for (size_t i = rank; i < n; i++)
        x[order[i]] = 0;
    for (size_t i = rank; i-- > 0;) {
        for (size_t j = i + 1; j < rank; j++)
            x[order[i]] -= A[order[j] * n + order[i]] * x[order[j]];
        x[order[i]] /= A[order[i] * n + order[i]];
    }
}

/* terms of the equations at a state */
typedef struct state {
    size_t nv, rows;
    double *H, *C, *K, *k, *phi;
} state;

static state look(const td_model *model, td_workspace *w, const double *q, const double *qd,
                  const td_forces *forces)
{
    const size_t nv = td_nv(model), rows = td_constraint_count(model);
    state s = {nv,           rows,        narrow(nv * nv), narrow(nv), narrow(rows * nv),
               narrow(rows), narrow(rows)};
    double *zero = narrow(nv);
    assert_ok(TD_IN_TREE(w, td_mass_matrix(model, w, q, forces, s.H)));
    assert_ok(TD_IN_TREE(w, td_inverse_dynamics(model, w, q, qd, zero, forces, s.C)));
    assert_ok(td_constraint_jacobian(model, w, q, s.K));
    assert_ok(td_constraint_drift(model, w, q, qd, s.k));
    assert_ok(td_constraint_residual(model, w, q, s.phi));
    return s;
}

bool multipliers_accelerations(const td_model *model, td_workspace *w, const double *q,
                               const double *qd, const double *tau, const td_forces *forces,
                               double alpha, double beta, double *qdd, double *tau_c)
{
    OWNED_HERE;
    state s = look(model, w, q, qd, forces);
    const size_t nv = s.nv, rows = s.rows;
    long double *L = wide(nv * nv), *Z = wide(rows * nv), *S = wide(rows * rows);
    long double *a = wide(nv), *lambda = wide(rows);
    size_t *order = test_calloc(nv + rows + 1, sizeof *order), *row_order = order + nv;
    for (size_t i = 0; i < nv * nv; i++)
        L[i] = s.H[i];
    const bool regular = factor(nv, L, order, 1e-11L) == nv;
    for (size_t i = 0; i < nv; i++)
        a[i] = (long double)tau[i] - s.C[i];
    solve(nv, nv, L, order, a);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < nv; j++)
            Z[i * nv + j] = s.K[i * nv + j];
        solve(nv, nv, L, order, Z + i * nv); /* H⁻¹ Kᵀ */
        lambda[i] = s.k[i] - (long double)beta * beta * s.phi[i];
        for (size_t j = 0; j < nv; j++)
            lambda[i] -= s.K[i * nv + j] * (2 * (long double)alpha * qd[j] + a[j]);
        for (size_t m = 0; m < rows; m++)
            for (size_t j = 0; j < nv; j++)
                S[m * rows + i] += s.K[m * nv + j] * Z[i * nv + j];
    }
    const size_t rank = factor(rows, S, row_order, 1e-12L);
    solve(rows, rank, S, row_order, lambda);
    for (size_t j = 0; j < nv; j++) {
        long double force = 0;
        for (size_t i = 0; i < rows; i++) {
            a[j] += Z[i * nv + j] * lambda[i];
            force += s.K[i * nv + j] * lambda[i];
        }
        qdd[j] = (double)a[j];
        if (tau_c)
            tau_c[j] = (double)force;
    }
    return regular;
}
