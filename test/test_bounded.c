/* SPDX-License-Identifier: MIT */
/*
 * Bounded linear complementarity, which finds impulses and reactions of stops and friction: its
 * conditions, on random problems with rows that depend on each other and on such as rounding alone
 * couples.
 */
#include <math.h>

#include "simulation/bounded.h"
#include "td_test.h"

enum { ROWS = 7, FREEDOMS = 4 };

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* λ and w = A λ + b between the bounds, to rounding */
static void check_solution(size_t n, const double *A, const double *b, const double *lower,
                           const double *upper)
{
    double lambda[ROWS], room[ROWS * (ROWS + 2)], size = 0;
    signed char state[ROWS];
    ck_assert(td_bounded_solve(n, A, b, lower, upper, lambda, room, state));
    for (size_t i = 0; i < n; i++) {
        ck_assert(lambda[i] >= lower[i] && lambda[i] <= upper[i]);
        size = fmax(size, fmax(fabs(b[i]), sqrt(A[i * n + i])));
        for (size_t j = 0; j < n; j++)
            size = fmax(size, fabs(A[i * n + j] * lambda[j]));
    }
    for (size_t i = 0; i < n; i++) {
        const double w = b[i] + dot(n, A + i * n, lambda), small = 1e-11 * size;
        ck_assert_msg((w > -small || lambda[i] == upper[i]) && (w < small || lambda[i] == lower[i]),
                      "row %zu of %zu: w = %.3g of %.3g, lambda %.12g in [%g, %g]", i, n, w, size,
                      lambda[i], lower[i], upper[i]);
    }
}

/* Rows that are the same, opposite, sums of each other or nothing, in units of their own, with b in
   their range, as rates have it; stops, friction and what has no bounds. */
START_TEST(bounded_problems)
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
            b[i] = dot(m, J[i], v);
            const double kind = td_random_number(&random);
            upper[i] = kind > 0.8 ? fabs(td_random_number(&random)) : INFINITY;
            lower[i] = kind > 0.8 ? -upper[i] : kind > 0.7 ? -INFINITY : 0;
        }
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                A[i * n + j] = dot(m, J[i], J[j]);
        check_solution(n, A, b, lower, upper);
    }
}
END_TEST

/* two stops of one joint beside another one, coupled by rounding alone, which is not symmetric */
START_TEST(rounding_decides_nothing)
{
    const double a = 4.6e-16, A[9] = {1.78, -1.78, -a, -1.78, 1.78, a, -1.01 * a, 1.01 * a, 3.6};
    const double b[3] = {0, -0.0, -1.8}, zero[3] = {0}, large = INFINITY;
    const double none[3] = {large, large, large}, friction[3] = {large, 1.4, large},
                 pull[3] = {0, -1.4, 0}, c[3] = {4e-7, -4e-7, -2800};
    check_solution(3, A, b, zero, none);
    check_solution(3, A, c, pull, friction);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("bounded");
    TCase *tests = tcase_create("bounded");
    tcase_add_loop_test(tests, bounded_problems, 0, 20);
    tcase_add_test(tests, rounding_decides_nothing);
    suite_add_tcase(suite, tests);
    return td_test_run(suite);
}
