/* SPDX-License-Identifier: MIT */
/*
 * Tests the bounded linear complementarity solver, which computes impulses and reactions of stops
 * and friction. Its conditions are checked on random problems whose rows are linearly dependent or
 * coupled by rounding only.
 */
#include <math.h>

#include "algebra.h"
#include "simulation/bounded.h"
#include "td_test.h"

/* a run with a thousand seeds had no failure */
#ifndef SEEDS
#define SEEDS 20
#endif

enum { ROWS = 7, FREEDOMS = 4 };

static void solve(size_t n, const double *A, const double *b, const double *lower,
                  const double *upper, double *lambda)
{
    td_stack stack = {0};
    ck_assert(td_take_twice(&stack, td_bounded_measure(n, &stack)));
    ck_assert(td_bounded_solve(n, A, b, lower, upper, lambda, &stack));
    td_stack_end(&stack);
}

/* Checks λ and w = A λ + b against the bounds, to rounding. */
static void check_solution(size_t n, const double *A, const double *b, const double *lower,
                           const double *upper)
{
    double lambda[ROWS], size = 0;
    solve(n, A, b, lower, upper, lambda);
    for (size_t i = 0; i < n; i++) {
        ck_assert(lambda[i] >= lower[i] && lambda[i] <= upper[i]);
        size = fmax(size, fmax(fabs(b[i]), sqrt(A[i * n + i])));
        for (size_t j = 0; j < n; j++)
            size = fmax(size, fabs(A[i * n + j] * lambda[j]));
    }
    for (size_t i = 0; i < n; i++) {
        const double w = b[i] + vec_dot(n, A + i * n, lambda), small = 1e-11 * size;
        ck_assert_msg((w > -small || lambda[i] == upper[i]) && (w < small || lambda[i] == lower[i]),
                      "row %zu of %zu: w = %.3g of %.3g, lambda %.12g in [%g, %g]", i, n, w, size,
                      lambda[i], lower[i], upper[i]);
    }
}

/* Rows are equal, opposite, zero or sums of others, in different units. b is in their range, like
   rates. Rows are stops, friction or unbounded. */
TD_LOOP_TEST(bounded_problems, 0, 20)
{
    td_random random = {(uint64_t)(77 + _i)};
    for (int k = 0; k < 500; k++) {
        const size_t n = 1 + td_random_below(&random, ROWS),
                     m = 1 + td_random_below(&random, FREEDOMS);
        double J[ROWS][FREEDOMS], A[ROWS * ROWS], b[ROWS], lower[ROWS], upper[ROWS], v[FREEDOMS];
        td_random_fill(&random, m, v);
        for (size_t i = 0; i < n; i++) {
            td_random_fill(&random, m, J[i]);
            const size_t a = td_random_below(&random, i + 1), c = td_random_below(&random, i + 1);
            const double unit = pow(10, td_random_number(&random));
            const bool depends = i > 0 && a < i && c < i && td_random_number(&random) > 0;
            const double sign = td_random_number(&random) > 0 ? 1 : -1;
            for (size_t j = 0; j < m; j++)
                J[i][j] = depends ? sign * (J[a][j] + (a == c ? 0 : J[c][j])) : unit * J[i][j];
            b[i] = vec_dot(m, J[i], v);
            const double kind = td_random_number(&random);
            upper[i] = kind > 0.8 ? fabs(td_random_number(&random)) : INFINITY;
            lower[i] = kind > 0.8 ? -upper[i] : kind > 0.7 ? -INFINITY : 0;
        }
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                A[i * n + j] = vec_dot(m, J[i], J[j]);
        check_solution(n, A, b, lower, upper);
    }
}

/* ---- enumeration of all active sets ---------------------------------------------------------- */

enum { FEW = 5 };

typedef struct small_problem {
    size_t n;
    double A[FEW * FEW], b[FEW], lower[FEW], upper[FEW];
} small_problem;

/* Draws a row of integers, or the sum or double of earlier rows. */
static void draw_row(td_random *random, size_t m, size_t i, double J[][3])
{
    const size_t a = td_random_below(random, i + 1), c = td_random_below(random, i + 1);
    const bool depends = a < i && c < i && td_random_below(random, 2) == 0;
    for (size_t j = 0; j < m; j++)
        J[i][j] = depends ? J[a][j] + J[c][j] : (double)td_random_below(random, 7) - 3;
}

/* Draws rows of integers in power-of-two units, so that A and b are exact and linear dependence is
   exact too. Units, velocities and bounds vary by a factor of 1e12. In every second problem the
   first two rows are a joint at its stop and its friction, and the others are stops under load. */
static void draw_small(td_random *random, small_problem *p)
{
    const size_t m = 1 + td_random_below(random, 3);
    const bool pair = td_random_below(random, 2) == 0;
    double J[FEW][3] = {{0}}, v[3], unit[FEW];
    p->n = 2 + td_random_below(random, FEW - 1);
    for (size_t j = 0; j < m; j++)
        v[j] =
            ldexp((double)td_random_below(random, 15) - 7, (int)td_random_below(random, 41) - 20);
    for (size_t i = 0; i < p->n; i++) {
        draw_row(random, m, i, J);
        unit[i] = ldexp(1, (int)td_random_below(random, 41) - 20);
        for (size_t j = 0; j < m && pair && i == 1; j++)
            J[1][j] = -J[0][j];
        p->b[i] = unit[i] * vec_dot(m, J[i], v);
        const bool friction = pair ? i == 1 : td_random_below(random, 10) < 3;
        p->upper[i] = friction ? ldexp(1, (int)td_random_below(random, 41) - 20) : INFINITY;
        p->lower[i] = friction ? -p->upper[i] : 0;
    }
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < p->n; j++)
            p->A[i * p->n + j] = unit[i] * unit[j] * vec_dot(m, J[i], J[j]);
}

/* Computes x = A⁻¹ x by elimination. Returns false if A is singular. */
static bool eliminate(size_t n, long double A[FEW][FEW], long double *x)
{
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            best = fabsl(A[i][k]) > fabsl(A[best][k]) ? i : best;
        if (fabsl(A[best][k]) < 1e-13L)
            return false;
        for (size_t j = 0; j < n; j++) {
            const long double other = A[k][j];
            A[k][j] = A[best][j], A[best][j] = other;
        }
        const long double right = x[k];
        x[k] = x[best], x[best] = right;
        for (size_t i = 0; i < n; i++) {
            const long double factor = i == k ? 0 : A[i][k] / A[k][k];
            for (size_t j = k; j < n && i != k; j++)
                A[i][j] -= factor * A[k][j];
            x[i] -= factor * x[k];
        }
    }
    for (size_t k = 0; k < n; k++)
        x[k] /= A[k][k];
    return true;
}

/* Computes w of the rows, scaled to a unit diagonal, for one active set: digit i in base 3 is the
   state of row i. Returns false if this is no solution. size: the largest term. */
static bool try_set(const small_problem *p, size_t set, double *w, double *size)
{
    const size_t n = p->n;
    long double A[FEW][FEW], x[FEW], lambda[FEW], root[FEW];
    size_t inside[FEW], m = 0, at[FEW];
    for (size_t i = 0; i < n; i++, set /= 3) {
        at[i] = set % 3;
        root[i] = p->A[i * n + i] > 0 ? sqrtl(p->A[i * n + i]) : 1;
        lambda[i] = at[i] == 0 ? 0 : (at[i] == 1 ? p->lower[i] : p->upper[i]) * root[i];
        if (at[i] == 0)
            inside[m++] = i;
        else if (!isfinite((double)lambda[i]))
            return false;
    }
    for (size_t k = 0; k < m; k++) {
        x[k] = -p->b[inside[k]] / root[inside[k]];
        for (size_t j = 0; j < n; j++)
            x[k] -= p->A[inside[k] * n + j] / (root[inside[k]] * root[j]) * lambda[j];
        for (size_t j = 0; j < m; j++)
            A[k][j] = p->A[inside[k] * n + inside[j]] / (root[inside[k]] * root[inside[j]]);
    }
    if (!eliminate(m, A, x))
        return false;
    for (size_t k = 0; k < m; k++)
        lambda[inside[k]] = x[k];
    *size = 0;
    for (size_t i = 0; i < n; i++)
        *size = fmax(*size, fmax(fabs(p->b[i] / (double)root[i]), fabs((double)lambda[i])));
    const double small = 1e-15 * *size;
    for (size_t i = 0; i < n; i++) {
        long double sum = p->b[i] / root[i];
        for (size_t j = 0; j < n; j++)
            sum += p->A[i * n + j] / (root[i] * root[j]) * lambda[j];
        w[i] = (double)sum;
        const double own = (double)lambda[i], r = (double)root[i];
        if (own < p->lower[i] * r - small || own > p->upper[i] * r + small ||
            (at[i] == 1 && w[i] < -small) || (at[i] == 2 && w[i] > small))
            return false;
    }
    return true;
}

/* All solutions have the same w. */
TD_LOOP_TEST(all_active_sets, 0, SEEDS)
{
    td_random random = {(uint64_t)(770 + _i)};
    for (int k = 0; k < 1000; k++) {
        small_problem p;
        draw_small(&random, &p);
        double w[FEW], size = 0, lambda[FEW];
        size_t sets = 1, set = 0;
        for (size_t i = 0; i < p.n; i++)
            sets *= 3;
        while (set < sets && !try_set(&p, set, w, &size))
            set++;
        ck_assert_uint_lt(set, sets);
        solve(p.n, p.A, p.b, p.lower, p.upper, lambda);
        for (size_t i = 0; i < p.n; i++) {
            const double own = p.b[i] + vec_dot(p.n, p.A + i * p.n, lambda);
            const double root = p.A[i * p.n + i] > 0 ? sqrt(p.A[i * p.n + i]) : 1;
            ck_assert(lambda[i] >= p.lower[i] && lambda[i] <= p.upper[i]);
            ck_assert_msg(fabs(own / root - w[i]) <= 1e-11 * size,
                          "problem %d, row %zu of %zu: w = %.9g, by sets %.9g, size %.3g", k, i,
                          p.n, own / root, w[i], size);
        }
    }
}

/* Tests two stops of one joint next to another joint, coupled by asymmetric rounding only. */
TD_TEST(rounding_decides_nothing)
{
    const double a = 4.6e-16, A[9] = {1.78, -1.78, -a, -1.78, 1.78, a, -1.01 * a, 1.01 * a, 3.6};
    const double b[3] = {0, -0.0, -1.8}, zero[3] = {0}, large = INFINITY;
    const double none[3] = {large, large, large}, friction[3] = {large, 1.4, large},
                 pull[3] = {0, -1.4, 0}, c[3] = {4e-7, -4e-7, -2800};
    check_solution(3, A, b, zero, none);
    check_solution(3, A, c, pull, friction);
}

/* Tests rows that are linearly dependent up to a small angle, which affects b. */
TD_LOOP_TEST(small_angles, 0, 7)
{
    const double angle = pow(10, -2 - 0.5 * _i), large = INFINITY;
    const double A[4] = {1, 1, 1, 1 + angle * angle}, b[2] = {-1, -1 - 0.1 * angle};
    const double none[2] = {-large, -large}, zero[2] = {0}, most[2] = {large, large};
    check_solution(2, A, b, none, most);
    check_solution(2, A, b, zero, most);
}
