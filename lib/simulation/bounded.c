/* SPDX-License-Identifier: MIT */
/*
 * Solves a bounded linear complementarity problem with a positive semidefinite matrix: minimizes ½
 * λᵀ A λ + bᵀ λ between the bounds. Rows are scaled to a unit diagonal of A, so that they are
 * comparable; for an impact the measure is kinetic energy. The solver has an outer and an inner
 * method. The proximal point method (Rockafellar 1976),
 *
 *   λ ← argmin ½ λᵀ A λ + bᵀ λ + ½ ε (λ − c)ᵀ (λ − c),   then c ← λ,
 *
 * makes each problem positive definite even if rows are linearly dependent, and is exact after a
 * few passes. Each of its problems is solved by principal pivots: on all violated rows at once
 * while that helps (Kostreva 1978; Júdice and Pires 1994), then on the violated row with the least
 * index (Murty 1974; Júdice and Pires 1992 for two bounds).
 *
 * The least-index rule terminates without cycling. When a row is examined, all rows before it are
 * satisfied and solve the smaller problem for that row's λ. There w of the row increases with λ,
 * because the matrix is positive definite. So the row moves from one bound to the inside and to the
 * other bound, and never back: at most two moves until a later row changes. The moves form a
 * counter in base 3 whose lowest digit is the first row. It only increases, even if rounding
 * decides a sign.
 */
#include "bounded.h"

#include <math.h>
#include <string.h>

#include "base/cholesky.h"
#include "base/dense.h"

/* ---- one problem ----------------------------------------------------------------------------- */

/* states of a row */
enum { AT_LOWER = -1, INSIDE = 0, AT_UPPER = 1 };

typedef struct problem {
    size_t n;
    double *A, *b, *lower, *upper; /* scaled */
    double *root;                  /* square roots of the original diagonal, which scale the rows */
    double *lambda, *c, *w;        /* w includes ε (λ − c) */
    double *L, *x;                 /* Cholesky factor for the inside rows, and the solution */
    signed char *state, *turns;
    double soft; /* ε */
} problem;

/* Returns w of row i. */
static double row_of(const problem *p, size_t i)
{
    double w = p->b[i];
    for (size_t j = 0; j < p->n; j++)
        w += p->A[i * p->n + j] * p->lambda[j];
    return w;
}

/* Returns the largest term of the whole system (entries of A are at most 1). Rounding is
   measured relative to it, because rounding of A couples the rows. */
static double size_of(const problem *p)
{
    double size = 0;
    for (size_t i = 0; i < p->n; i++)
        size = fmax(size, fmax(fabs(p->b[i]), fabs(p->lambda[i])));
    return size;
}

/* Computes λ and w from the states of the rows. Returns false if A is invalid. */
static bool find(problem *p)
{
    const size_t n = p->n;
    size_t m = 0, entry = 0;
    for (size_t i = 0; i < n; i++)
        if (p->state[i] != INSIDE)
            p->lambda[i] = p->state[i] == AT_LOWER ? p->lower[i] : p->upper[i];
        else
            m++;
    for (size_t i = 0, k = 0; i < n; i++) {
        if (p->state[i] != INSIDE)
            continue;
        double right = p->soft * p->c[i] - p->b[i];
        for (size_t j = 0; j < n; j++)
            if (p->state[j] == INSIDE)
                p->L[entry++] = p->A[i * n + j] + (i == j ? p->soft : 0);
            else
                right -= p->A[i * n + j] * p->lambda[j];
        p->x[k++] = right;
    }
    if (!td_cholesky(m, p->L))
        return false;
    td_cholesky_solve(m, p->L, p->x);
    for (size_t i = 0, k = 0; i < n; i++)
        if (p->state[i] == INSIDE)
            p->lambda[i] = p->x[k++];
    for (size_t i = 0; i < n; i++)
        p->w[i] = row_of(p, i) + p->soft * (p->lambda[i] - p->c[i]);
    return true;
}

/* Returns the state that row i should have; its current state if that is right. Rows with equal
   bounds are always right. */
static signed char better_of(const problem *p, size_t i, double rounding)
{
    if (p->state[i] == INSIDE)
        return p->lambda[i] < p->lower[i]   ? AT_LOWER
               : p->lambda[i] > p->upper[i] ? AT_UPPER
                                            : INSIDE;
    const double wrong = p->state[i] == AT_LOWER ? -p->w[i] : p->w[i];
    return wrong > rounding && p->lower[i] < p->upper[i] ? INSIDE : p->state[i];
}

/* Changes the state of the first wrong row. Returns false if no wrong row has a change left. */
static bool turn_least(problem *p, double rounding)
{
    enum { TURNS = 2 };
    for (size_t i = 0; i < p->n; i++) {
        const signed char better = better_of(p, i, rounding);
        if (better == p->state[i] || p->turns[i] == TURNS)
            continue;
        p->state[i] = better;
        p->turns[i]++;
        memset(p->turns, 0, i * sizeof *p->turns);
        return true;
    }
    return false;
}

static void turn_all(problem *p, double rounding)
{
    for (size_t i = 0; i < p->n; i++)
        p->state[i] = better_of(p, i, rounding);
}

static size_t count_wrong(const problem *p, double rounding)
{
    size_t wrong = 0;
    for (size_t i = 0; i < p->n; i++)
        wrong += better_of(p, i, rounding) != p->state[i];
    return wrong;
}

/* Clamps λ to its bounds, which it may exceed when rounding has prevented a change of state. */
static void clamp(problem *p)
{
    for (size_t i = 0; i < p->n; i++)
        p->lambda[i] = fmax(p->lower[i], fmin(p->upper[i], p->lambda[i]));
}

/* Solves one pass. Changes all wrong rows at once, until this has repeatedly failed to leave
   fewer of them. The least-index rule may take 3ⁿ pivots, too many for large n. */
static bool solve(problem *p)
{
    enum { TRIES = 5, MOST = 20000 };
    static const double ROUNDING = 1e-13;
    size_t fewest = p->n + 1;
    memset(p->turns, 0, p->n * sizeof *p->turns);
    for (int pivots = 0, tries = TRIES; pivots < MOST; pivots++) {
        if (!find(p))
            return false;
        const double rounding = ROUNDING * size_of(p);
        const size_t wrong = count_wrong(p, rounding);
        if (wrong == 0)
            return true;
        if (wrong < fewest && tries > 0) {
            fewest = wrong;
            tries = TRIES;
        }
        if (tries > 0) {
            tries--;
            turn_all(p, rounding);
        } else if (!turn_least(p, rounding)) {
            clamp(p);
            return true;
        }
    }
    return false;
}

/* ---- passes ---------------------------------------------------------------------------------- */

/* Returns the largest |w| of the rows inside their bounds. */
static double error_of(const problem *p)
{
    double error = 0;
    for (size_t i = 0; i < p->n; i++)
        if (p->lambda[i] > p->lower[i] && p->lambda[i] < p->upper[i])
            error = fmax(error, fabs(row_of(p, i)));
    return error;
}

/* Makes passes until λ settles. Linearly dependent rows share their load to eight digits. If
   almost dependent rows differ in b, ε decreases while that helps. If it does not, their b
   contradict each other and they share the error. */
static bool pass_on(problem *p)
{
    enum { PASSES = 100 };
    static const double SOFT = 1e-8, SOFTEST = 1e-13, EXACT = 1e-15, WORTH = 0.1;
    double before = INFINITY;
    bool lowered = false;
    p->soft = SOFT;
    for (int pass = 0; pass < PASSES; pass++) {
        memcpy(p->c, p->lambda, p->n * sizeof *p->c);
        if (!solve(p))
            return false;
        const double error = error_of(p), size = size_of(p);
        if (error <= EXACT * size)
            return true;
        if (lowered && error > 0.9 * before) {
            memcpy(p->lambda, p->c, p->n * sizeof *p->c);
            return true;
        }
        lowered = error > WORTH * before && p->soft > SOFTEST;
        if (lowered)
            p->soft *= 0.01;
        else if (error > 0.9 * before)
            return true;
        before = error;
    }
    return true;
}

/* Returns whether some rows cannot reach w = 0, such as rows that λ does not affect: w exceeds a
   small fraction of its own terms. Rows that share a freedom but differ in b are not a
   contradiction; they share the error. Stops that only share a freedom at this position have such
   accelerations. */
static bool is_contradiction(const problem *p)
{
    static const double CONTRADICTION = 1e-6, ROUNDING = 1e-12, NOTHING = 1e-9;
    const double whole = td_dense_largest(p->n, p->b);
    for (size_t i = 0; i < p->n; i++) {
        if (!(p->lambda[i] > p->lower[i] && p->lambda[i] < p->upper[i]))
            continue;
        const double w = fabs(row_of(p, i));
        double size = fabs(p->b[i]);
        for (size_t j = 0; j < p->n; j++)
            size = fmax(size, fabs(p->A[i * p->n + j] * p->lambda[j]));
        if (w * p->root[i] > NOTHING && w > ROUNDING * whole && w > CONTRADICTION * size)
            return true;
    }
    return false;
}

static problem problem_take(size_t n, td_stack *stack)
{
    problem p = {.n = n};
    double **const arrays[] = {&p.b, &p.lower, &p.upper, &p.root, &p.lambda, &p.c, &p.w, &p.x};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = td_take(stack, double, n);
    p.A = td_take(stack, double, n *n);
    p.L = td_take(stack, double, n *n);
    p.state = td_take(stack, signed char, n);
    p.turns = td_take(stack, signed char, n);
    return p;
}

void td_bounded_measure(size_t n, td_stack *stack)
{
    td_scope(stack, bounded);
    problem_take(n, stack);
}

static problem scale(size_t n, const double *A, const double *b, const double *lower,
                     const double *upper, td_stack *stack)
{
    problem p = problem_take(n, stack);
    for (size_t i = 0; i < n; i++) {
        p.root[i] = A[i * n + i] > 0 ? sqrt(A[i * n + i]) : 1;
        p.b[i] = b[i] / p.root[i];
        p.lower[i] = lower[i] * p.root[i];
        p.upper[i] = upper[i] * p.root[i];
        p.lambda[i] = fmax(p.lower[i], fmin(p.upper[i], 0));
        p.state[i] = p.lambda[i] == p.lower[i]   ? AT_LOWER
                     : p.lambda[i] == p.upper[i] ? AT_UPPER
                                                 : INSIDE;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            p.A[i * n + j] = 0.5 * (A[i * n + j] + A[j * n + i]) / (p.root[i] * p.root[j]);
    return p;
}

bool td_bounded_solve(size_t n, const double *A, const double *b, const double *lower,
                      const double *upper, double *lambda, td_stack *stack)
{
    td_scope(stack, bounded);
    problem p = scale(n, A, b, lower, upper, stack);
    if (!pass_on(&p) || is_contradiction(&p))
        return false;
    for (size_t i = 0; i < n; i++) {
        const double own = p.lambda[i] / p.root[i];
        lambda[i] = p.lambda[i] == p.lower[i]   ? lower[i]
                    : p.lambda[i] == p.upper[i] ? upper[i]
                                                : fmax(lower[i], fmin(upper[i], own));
    }
    return true;
}
