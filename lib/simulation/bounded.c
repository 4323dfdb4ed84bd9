/* SPDX-License-Identifier: MIT */
/*
 * Bounded linear complementarity with a positive semidefinite matrix: the least of ½ λᵀ A λ + bᵀ λ
 * between the bounds. Two methods, one within the other: the proximal point method (Rockafellar
 * 1976),
 *
 *   λ ← the least of that + ½ ε (λ − c)ᵀ D (λ − c),   D = diag A,   then c ← λ,
 *
 * makes every problem positive definite, whatever rows depend on each other, and is exact after a
 * few passes; each problem is solved by active sets (Lawson and Hanson 1974, chapter 23; Stark and
 * Parker 1995 for two bounds), whose value falls with every step, so that it ends also where
 * rounding decides a sign. Problems are as small as the number of joints at a stop or at rest.
 */
#include "bounded.h"

#include <math.h>
#include <string.h>

bool td_cholesky(size_t n, double *M)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = M[i * n + j];
            for (size_t k = 0; k < j; k++)
                sum -= M[i * n + k] * M[j * n + k];
            if (j < i)
                M[i * n + j] = sum / M[j * n + j];
            else if (sum > 0)
                M[i * n + i] = sqrt(sum);
            else
                return false;
        }
    return true;
}

void td_cholesky_solve(size_t n, const double *L, double *x)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            x[i] -= L[i * n + k] * x[k];
        x[i] /= L[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            x[i] -= L[k * n + i] * x[k];
        x[i] /= L[i * n + i];
    }
}

/* ---- one problem ----------------------------------------------------------------------------- */

/* of a row; refused: at a bound, from which rounding alone would move it */
enum { REFUSED_LOWER = -2, AT_LOWER = -1, INSIDE = 0, AT_UPPER = 1, REFUSED_UPPER = 2 };

/* ε: rows that depend on each other share what they carry, and where their b contradict each other
   the bounds decide. */
static const double SOFT = 1e-8;

typedef struct problem {
    size_t n, m; /* rows; those that are inside */
    const double *A, *b, *lower, *upper;
    double *lambda, *c;
    double *L, *x; /* the factor of what is inside (m × m), and a step of it */
    signed char *state;
    bool factored;
} problem;

static double diagonal(const problem *p, size_t i)
{
    return p->A[i * p->n + i] > 0 ? p->A[i * p->n + i] : 1;
}

/* w of a row */
static double row_of(const problem *p, size_t i)
{
    double w = p->b[i];
    for (size_t j = 0; j < p->n; j++)
        w += p->A[i * p->n + j] * p->lambda[j];
    return w;
}

/* The largest term of all rows, each divided by the root of its diagonal: rows have one measure
   then, which of an impact is that of the kinetic energy. */
static double size_of(const problem *p)
{
    double size = 0;
    for (size_t i = 0; i < p->n; i++) {
        const double root = sqrt(diagonal(p, i));
        size = fmax(size, fmax(fabs(p->b[i]) / root, fabs(p->lambda[i]) * root));
    }
    return size;
}

static double slope(const problem *p, size_t i)
{
    return row_of(p, i) + SOFT * diagonal(p, i) * (p->lambda[i] - p->c[i]);
}

/* False where A is not what it should be. */
static bool factor(problem *p)
{
    p->m = 0;
    for (size_t i = 0; i < p->n; i++)
        p->m += p->state[i] == INSIDE;
    for (size_t i = 0, entry = 0; i < p->n; i++)
        for (size_t j = 0; j < p->n && p->state[i] == INSIDE; j++)
            if (p->state[j] == INSIDE)
                p->L[entry++] = p->A[i * p->n + j] + (i == j ? SOFT * diagonal(p, i) : 0);
    p->factored = td_cholesky(p->m, p->L);
    return p->factored;
}

/* From λ to the least value with these rows inside, or to the first bound on the way, where its row
   is then: the index of that, n for none. */
static size_t move(problem *p)
{
    double part = 1;
    size_t first = p->n;
    for (size_t i = 0, k = 0; i < p->n; i++)
        if (p->state[i] == INSIDE)
            p->x[k++] = -slope(p, i);
    td_cholesky_solve(p->m, p->L, p->x);
    for (size_t i = 0, k = 0; i < p->n; i++) {
        if (p->state[i] != INSIDE)
            continue;
        const double x = p->x[k++], room = (x < 0 ? p->lower[i] : p->upper[i]) - p->lambda[i];
        if (fabs(x) > fabs(room) && room / x < part) {
            part = room / x;
            first = i;
        }
    }
    for (size_t i = 0, k = 0; i < p->n; i++) {
        if (p->state[i] != INSIDE)
            continue;
        const double x = p->x[k++], limit = x < 0 ? p->lower[i] : p->upper[i];
        p->lambda[i] += part * x;
        if (i != first && !(x < 0 ? p->lambda[i] < limit : p->lambda[i] > limit))
            continue;
        p->lambda[i] = limit;
        p->state[i] = x < 0 ? AT_LOWER : AT_UPPER;
        p->factored = false;
    }
    return first;
}

/* The row that should leave its bound most, n for none. */
static size_t worst_of(const problem *p)
{
    static const double ROUNDING = 1e-13;
    size_t worst = p->n;
    double most = ROUNDING * size_of(p);
    for (size_t i = 0; i < p->n; i++) {
        if ((p->state[i] != AT_LOWER && p->state[i] != AT_UPPER) || p->lower[i] == p->upper[i])
            continue;
        const double w = slope(p, i) / sqrt(diagonal(p, i));
        const double wrong = p->state[i] == AT_LOWER ? -w : w;
        if (wrong > most) {
            most = wrong;
            worst = i;
        }
    }
    return worst;
}

/* The least value of one pass, from λ within the bounds. */
static bool solve(problem *p)
{
    size_t entered = p->n;
    for (size_t pivots = 0; pivots < 100 * (p->n + 10); pivots++) {
        if (!p->factored && !factor(p))
            return false;
        const size_t first = move(p);
        if (first < p->n) {
            if (first == entered)
                p->state[first] *= 2; /* refused */
            continue;
        }
        for (size_t i = 0; i < p->n && entered < p->n; i++)
            if (p->state[i] == REFUSED_LOWER || p->state[i] == REFUSED_UPPER)
                p->state[i] /= 2; /* there was progress */
        entered = worst_of(p);
        if (entered == p->n)
            return true;
        p->state[entered] = INSIDE;
        p->factored = false;
    }
    return false;
}

/* ---- passes ---------------------------------------------------------------------------------- */

/* How far the rows that are inside are from w = 0, in the measure of size_of. */
static double error_of(const problem *p)
{
    double error = 0;
    for (size_t i = 0; i < p->n; i++)
        if (p->state[i] == INSIDE)
            error = fmax(error, fabs(row_of(p, i)) / sqrt(diagonal(p, i)));
    return error;
}

/* Whether rows cannot have w = 0, as those that λ does not change. Rows that share a freedom and
   differ in b, as accelerations of stops do that share it in this one position, are none: they
   share the error, too. */
static bool is_contradiction(const problem *p)
{
    static const double CONTRADICTION = 1e-6, NOTHING = 1e-9;
    for (size_t i = 0; i < p->n; i++) {
        if (p->state[i] != INSIDE)
            continue;
        const double w = fabs(row_of(p, i));
        double size = fabs(p->b[i]);
        for (size_t j = 0; j < p->n; j++)
            size = fmax(size, fabs(p->A[i * p->n + j] * p->lambda[j]));
        if (w > NOTHING && w > CONTRADICTION * size)
            return true;
    }
    return false;
}

bool td_bounded_solve(size_t n, const double *A, const double *b, const double *lower,
                      const double *upper, double *lambda, double *room, signed char *state)
{
    enum { PASSES = 100 };
    static const double EXACT = 1e-15, WORTH = 0.9;
    problem p = {.n = n, .A = A, .b = b, .lower = lower, .upper = upper, .lambda = lambda};
    p.c = room, p.x = room + n, p.L = room + 2 * n, p.state = state;
    for (size_t i = 0; i < n; i++) {
        lambda[i] = fmax(lower[i], fmin(upper[i], 0));
        state[i] = lambda[i] == lower[i] ? AT_LOWER : lambda[i] == upper[i] ? AT_UPPER : INSIDE;
    }
    double before = INFINITY;
    for (int pass = 0; pass < PASSES; pass++) {
        memcpy(p.c, lambda, n * sizeof *lambda);
        if (!solve(&p))
            return false;
        const double error = error_of(&p);
        if (error <= EXACT * size_of(&p) || error > WORTH * before)
            break;
        before = error;
    }
    return !is_contradiction(&p);
}
