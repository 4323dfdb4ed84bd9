/* SPDX-License-Identifier: MIT */
/*
 * The linear quadratic regulator. It solves the Riccati equations, with G = B R⁻¹ Bᵀ,
 *
 *   Aᵀ X + X A − X G X + Q = 0          continuous, K = R⁻¹ Bᵀ X
 *   Aᵀ X (1 + G X)⁻¹ A + Q − X = 0      discrete, K = (R + Bᵀ X B)⁻¹ Bᵀ X A
 *
 * by doubling: E. K.-W. Chu, H.-Y. Fan, W.-W. Lin and C.-S. Wang, Structure-preserving
 * algorithms for periodic discrete-time algebraic Riccati equations, Int. J. Control 77 (2004),
 * and Chu, Fan and Lin, A structure-preserving doubling algorithm for continuous-time algebraic
 * Riccati equations, Linear Algebra Appl. 396 (2005). The latter converts the continuous
 * equation to a discrete one by a Cayley transform. Newton steps follow, whose linear equations
 * are solved in the same way with G = 0. They recover the digits lost in the transform, and
 * prove that the closed loop is stable.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/cholesky.h"
#include "base/dense.h"
#include "base/lu.h"
#include "base/stack.h"
#include "linear/linear.h"

enum { MOST_DOUBLINGS = 60, MOST_NEWTON = 6 };

typedef struct riccati {
    size_t n, m;
    bool discrete;
    const double *A0, *B0, *Q0; /* as given */
    double *G0;                 /* B R⁻¹ Bᵀ */
    double *RB;                 /* R⁻¹ Bᵀ, m × n */
    double *X;                  /* the solution */
    double *A, *G, *H;          /* of the doubling iteration */
    double *W, *P, *S, *T;      /* n × n each, scratch */
    double *loop;               /* the closed loop */
    double *inputs, *gain;      /* m × m, m × n */
    double *column;             /* n or m, scratch */
    size_t *pivot;
} riccati;

static void take(td_stack *stack, riccati *r)
{
    const size_t n = r->n, m = r->m, most = n > m ? n : m;
    double **const square[] = {&r->G0, &r->X, &r->A, &r->G, &r->H,
                               &r->W,  &r->P, &r->S, &r->T, &r->loop};
    for (size_t i = 0; i < sizeof square / sizeof *square; i++)
        *square[i] = td_take(stack, double, n *n);
    r->RB = td_take(stack, double, m *n);
    r->inputs = td_take(stack, double, m *m);
    r->gain = td_take(stack, double, m *n);
    r->column = td_take(stack, double, most);
    r->pivot = td_take(stack, size_t, most);
}

static void add_unit(size_t n, double x, double *A)
{
    for (size_t i = 0; i < n; i++)
        A[i * n + i] += x;
}

/* Computes out = A⁻¹, and overwrites A with its factors. */
static bool invert(riccati *r, double *A, double *out)
{
    memset(out, 0, r->n * r->n * sizeof *out);
    add_unit(r->n, 1, out);
    if (!td_lu_factor(r->n, A, r->pivot))
        return false;
    td_dense_solve(r->n, r->n, A, r->pivot, out, r->column);
    return true;
}

/* Converts A, G (linear: zero) and H of the continuous equation to a discrete one with the same
   X. γ exceeds all eigenvalues of A. With A_γ = A − γ and W = A_γᵀ + H A_γ⁻¹ G,
     A ← 1 + 2γ W⁻ᵀ,  G ← 2γ A_γ⁻¹ G W⁻¹,  H ← 2γ W⁻¹ H A_γ⁻¹ */
static bool transform(riccati *r, bool linear)
{
    const size_t n = r->n;
    double rows = 0, columns = 0;
    for (size_t i = 0; i < n; i++) {
        double row = 0, column = 0;
        for (size_t j = 0; j < n; j++) {
            row += fabs(r->A[i * n + j]);
            column += fabs(r->A[j * n + i]);
        }
        rows = fmax(rows, row);
        columns = fmax(columns, column);
    }
    const double bound = 1.1 * sqrt(rows * columns), gamma = bound > 0 ? bound : 1;
    add_unit(n, -gamma, r->A);
    td_dense_transpose(n, n, r->A, r->W);
    if (!invert(r, r->A, r->P)) /* P = A_γ⁻¹ */
        return false;
    if (!linear) {
        td_dense_product(n, n, n, r->P, r->G, r->S); /* S = A_γ⁻¹ G */
        td_dense_product(n, n, n, r->H, r->S, r->T);
        for (size_t i = 0; i < n * n; i++)
            r->W[i] += r->T[i];
    }
    if (!invert(r, r->W, r->T)) /* T = W⁻¹ */
        return false;
    td_dense_transpose(n, n, r->T, r->A);
    for (size_t i = 0; i < n * n; i++)
        r->A[i] *= 2 * gamma;
    add_unit(n, 1, r->A);
    if (!linear) {
        td_dense_product(n, n, n, r->S, r->T, r->G);
        for (size_t i = 0; i < n * n; i++)
            r->G[i] *= 2 * gamma;
        td_dense_symmetrize(n, r->G);
    }
    td_dense_product(n, n, n, r->H, r->P, r->S);
    td_dense_product(n, n, n, r->T, r->S, r->H);
    for (size_t i = 0; i < n * n; i++)
        r->H[i] *= 2 * gamma;
    td_dense_symmetrize(n, r->H);
    return true;
}

/* Does one doubling step. With W = 1 + G H (1 for a linear equation),
     A ← A W⁻¹ A,  G ← G + A W⁻¹ G Aᵀ,  H ← H + Aᵀ H W⁻¹ A */
static bool redouble(riccati *r, bool linear)
{
    const size_t n = r->n;
    memcpy(r->P, r->A, n * n * sizeof *r->P); /* P = W⁻¹ A */
    if (!linear) {
        td_dense_product(n, n, n, r->G, r->H, r->W);
        add_unit(n, 1, r->W);
        memcpy(r->S, r->G, n * n * sizeof *r->S); /* S = W⁻¹ G */
        if (!td_lu_factor(n, r->W, r->pivot))
            return false;
        td_dense_solve(n, n, r->W, r->pivot, r->P, r->column);
        td_dense_solve(n, n, r->W, r->pivot, r->S, r->column);
        td_dense_product(n, n, n, r->A, r->S, r->T);
        td_dense_product_transposed(n, n, n, r->T, r->A, r->S);
        for (size_t i = 0; i < n * n; i++)
            r->G[i] += r->S[i];
        td_dense_symmetrize(n, r->G);
    }
    td_dense_product(n, n, n, r->H, r->P, r->T);
    td_dense_transposed_product(n, n, n, r->A, r->T, r->S);
    for (size_t i = 0; i < n * n; i++)
        r->H[i] += r->S[i]; /* S: the increment of H */
    td_dense_symmetrize(n, r->H);
    td_dense_product(n, n, n, r->A, r->P, r->T);
    memcpy(r->A, r->T, n * n * sizeof *r->A);
    return true;
}

/* Solves the equation of A, G, H; H becomes X. Returns false if the iteration does not converge. */
static bool solve(riccati *r, bool linear)
{
    const size_t square = r->n * r->n;
    if (!r->discrete && !transform(r, linear))
        return false;
    for (int k = 0; k < MOST_DOUBLINGS; k++) {
        if (!redouble(r, linear))
            return false;
        const double all = td_dense_norm(square, r->H), grown = td_dense_norm(square, r->S);
        const double left = td_dense_norm(square, r->A);
        if (!isfinite(all) || !isfinite(left))
            return false;
        if (grown <= DBL_EPSILON * all && left < 1e-3)
            return true;
    }
    return false;
}

/* Computes the residual of X into r->T and the closed loop into r->loop. Returns the residual
   relative to its terms. */
static double residual(riccati *r)
{
    const size_t n = r->n, square = n * n;
    td_dense_transposed_product(n, n, n, r->A0, r->X, r->P); /* P = Aᵀ X */
    td_dense_product(n, n, n, r->G0, r->X, r->S);            /* S = G X */
    double scale = td_dense_norm(square, r->Q0);
    if (!r->discrete) {
        td_dense_product(n, n, n, r->X, r->S, r->W); /* X G X */
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                r->T[i * n + j] =
                    r->P[i * n + j] + r->P[j * n + i] - r->W[i * n + j] + r->Q0[i * n + j];
                r->loop[i * n + j] = r->A0[i * n + j] - r->S[i * n + j];
            }
        scale += 2 * td_dense_norm(square, r->P) + td_dense_norm(square, r->W);
    } else {
        add_unit(n, 1, r->S);
        memcpy(r->loop, r->A0, square * sizeof *r->loop);
        if (!td_lu_factor(n, r->S, r->pivot))
            return INFINITY;
        td_dense_solve(n, n, r->S, r->pivot, r->loop, r->column);
        td_dense_product(n, n, n, r->P, r->loop, r->T);
        scale += td_dense_norm(square, r->T) + td_dense_norm(square, r->X);
        for (size_t i = 0; i < square; i++)
            r->T[i] += r->Q0[i] - r->X[i];
    }
    td_dense_symmetrize(n, r->T);
    return scale > 0 ? td_dense_norm(square, r->T) / scale : 0;
}

/* Improves X by Newton steps: each adds the solution of the linear equation of the closed loop
   and the residual. */
static td_status improve(riccati *r)
{
    const size_t square = r->n * r->n;
    double before = INFINITY;
    for (int k = 0; k < MOST_NEWTON; k++) {
        const double now = residual(r);
        if (k > 0 && !(now < before / 2)) /* at rounding level; the loop was stable */
            return before < 1e-8 && now < 1e-8 ? TD_OK : TD_ERROR_RICCATI;
        before = now;
        memcpy(r->A, r->loop, square * sizeof *r->A);
        memcpy(r->H, r->T, square * sizeof *r->H);
        if (!isfinite(now) || !solve(r, true))
            return TD_ERROR_RICCATI;
        for (size_t i = 0; i < square; i++)
            r->X[i] += r->H[i];
        td_dense_symmetrize(r->n, r->X);
    }
    return residual(r) < 1e-8 ? TD_OK : TD_ERROR_RICCATI;
}

static void put_gain(riccati *r, const double *R, double *K)
{
    const size_t n = r->n, m = r->m;
    if (!r->discrete) {
        td_dense_product(m, n, n, r->RB, r->X, K);
        return;
    }
    td_dense_transposed_product(m, n, n, r->B0, r->X, r->gain); /* Bᵀ X */
    td_dense_product(m, n, m, r->gain, r->B0, r->inputs);
    for (size_t i = 0; i < m * m; i++)
        r->inputs[i] += R[i];
    td_dense_product(m, n, n, r->gain, r->A0, K);
    if (!td_lu_factor(m, r->inputs, r->pivot))
        td_dense_spoil(m * n, K);
    else
        td_dense_solve(m, n, r->inputs, r->pivot, K, r->column);
}

static td_status regulate(riccati *r, const double *R, double *K, double *S)
{
    const size_t n = r->n, m = r->m;
    memcpy(r->inputs, R, m * m * sizeof *R);
    td_dense_transpose(n, m, r->B0, r->RB);
    if (!td_lu_factor(m, r->inputs, r->pivot))
        return TD_ERROR_ARGUMENT;
    td_dense_solve(m, n, r->inputs, r->pivot, r->RB, r->column);
    td_dense_product(n, m, n, r->B0, r->RB, r->G0);
    td_dense_symmetrize(n, r->G0);
    memcpy(r->A, r->A0, n * n * sizeof *r->A);
    memcpy(r->G, r->G0, n * n * sizeof *r->G);
    memcpy(r->H, r->Q0, n * n * sizeof *r->H);
    if (!solve(r, false))
        return TD_ERROR_RICCATI;
    memcpy(r->X, r->H, n * n * sizeof *r->X);
    td_status status = improve(r);
    if (status == TD_OK)
        put_gain(r, R, K);
    if (status == TD_OK && S)
        memcpy(S, r->X, n * n * sizeof *S);
    return status;
}

/* Returns whether A is symmetric and A + shift · (its largest entry) is positive definite.
   Writes Cholesky factors into work (n × n). */
static bool is_positive(size_t n, const double *A, double shift, double *work)
{
    const double most = td_dense_largest(n * n, A);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (fabs(A[i * n + j] - A[j * n + i]) > 1e-9 * most)
                return false;
    memcpy(work, A, n * n * sizeof *A);
    add_unit(n, shift * (most > 0 ? most : 1), work);
    return td_cholesky(n, work);
}

td_status td_linear_regulator(size_t n, size_t m, const double *A, const double *B, const double *Q,
                              const double *R, bool discrete, double *K, double *S)
{
    if (!A || !B || !Q || !R || !K || n == 0 || m == 0)
        return TD_ERROR_ARGUMENT;
    riccati r = {.n = n, .m = m, .discrete = discrete, .A0 = A, .B0 = B, .Q0 = Q};
    td_stack stack = {0};
    td_status status = TD_OK;
    if (!td_dense_finite(n * n, A) || !td_dense_finite(n * m, B) || !td_dense_finite(n * n, Q) ||
        !td_dense_finite(m * m, R))
        status = TD_ERROR_NOT_FINITE;
    else if (!td_take_twice(&stack, take(&stack, &r)))
        status = TD_ERROR_MEMORY;
    else if (!is_positive(n, Q, 1e-12, r.W) || !is_positive(m, R, 0, r.inputs))
        status = TD_ERROR_ARGUMENT;
    else
        status = regulate(&r, R, K, S);
    if (status != TD_OK) {
        td_dense_spoil(m * n, K);
        td_dense_spoil(n * n, S);
    }
    td_stack_end(&stack);
    return status;
}
