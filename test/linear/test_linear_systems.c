/* SPDX-License-Identifier: MIT */
/*
 * Tests linear systems with arbitrary A and B. The matrix exponential is compared with its series
 * in long double. Gains are compared with Kleinman's iteration, whose linear equations are solved
 * as n² equations in long double. Reachable subspaces are compared with systems of known structure.
 * For tens of states they are compared with the rank of (B, A B, A² B, ...) in exact arithmetic.
 * Eigenvalues are compared with known block forms. None of these calls raises a floating-point
 * trap.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "linear/linear.h"
#include "td_test.h"

enum { MOST = 8, SQUARE = MOST * MOST };

#define TD_PRIME UINT64_C(4294967291)

/* ---- matrices in long double ----------------------------------------------------------------- */

static void times(size_t m, size_t k, size_t n, const long double *A, const long double *B,
                  long double *C)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            long double sum = 0;
            for (size_t p = 0; p < k; p++)
                sum += A[i * k + p] * B[p * n + j];
            C[i * n + j] = sum;
        }
}

static void turned(size_t m, size_t n, const long double *A, long double *B)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++)
            B[j * m + i] = A[i * n + j];
}

static void widen(size_t count, const double *x, long double *y)
{
    for (size_t i = 0; i < count; i++)
        y[i] = x[i];
}

/* Computes x ← A⁻¹ x in place by Gaussian elimination with pivoting. */
static void eliminate(size_t n, long double *A, long double *x)
{
    for (size_t k = 0; k < n; k++) {
        size_t p = k;
        for (size_t i = k + 1; i < n; i++)
            p = fabsl(A[i * n + k]) > fabsl(A[p * n + k]) ? i : p;
        for (size_t j = 0; j < n; j++) {
            const long double t = A[k * n + j];
            A[k * n + j] = A[p * n + j];
            A[p * n + j] = t;
        }
        const long double t = x[k];
        x[k] = x[p];
        x[p] = t;
        for (size_t i = k + 1; i < n; i++) {
            const long double l = A[i * n + k] / A[k * n + k];
            for (size_t j = k; j < n; j++)
                A[i * n + j] -= l * A[k * n + j];
            x[i] -= l * x[k];
        }
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++)
            x[i] -= A[i * n + j] * x[j];
        x[i] /= A[i * n + i];
    }
}

/* Solves Fᵀ X + X F + C = 0 or Fᵀ X F + C − X = 0 for X, as n² equations. */
static void solve_linear(size_t n, bool discrete, const long double *F, const long double *C,
                         long double *X)
{
    const size_t all = n * n;
    long double *M = test_calloc(all * all, sizeof *M);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            long double *row = M + (i * n + j) * all;
            for (size_t p = 0; p < n; p++)
                for (size_t q = 0; q < n; q++)
                    row[p * n + q] = discrete ? F[p * n + i] * F[q * n + j] - (p == i && q == j)
                                              : (q == j) * F[p * n + i] + (p == i) * F[q * n + j];
            X[i * n + j] = -C[i * n + j];
        }
    eliminate(all, M, X);
}

/* Kleinman's (discrete: Hewer's) iteration from a stabilizing gain. Updates K (m × n) in place; X
   receives its cost. */
static void iterate(size_t n, size_t m, bool discrete, const double *A, const double *B,
                    const double *Q, const double *R, double *K)
{
    long double a[SQUARE], b[SQUARE], q[SQUARE], r[SQUARE], k[SQUARE], X[SQUARE], F[SQUARE],
        C[SQUARE], t[SQUARE], s[SQUARE], bt[SQUARE];
    widen(n * n, A, a), widen(n * m, B, b), widen(n * n, Q, q), widen(m * m, R, r);
    widen(m * n, K, k);
    turned(n, m, b, bt);
    for (int step = 0; step < 40; step++) {
        times(n, m, n, b, k, F); /* F = A − B K, C = Q + Kᵀ R K */
        times(m, m, n, r, k, t);
        turned(m, n, k, s);
        times(n, m, n, s, t, C);
        for (size_t i = 0; i < n * n; i++) {
            F[i] = a[i] - F[i];
            C[i] += q[i];
        }
        solve_linear(n, discrete, F, C, X);
        times(m, n, n, bt, X, t); /* R K = Bᵀ X, or (R + Bᵀ X B) K = Bᵀ X A */
        memcpy(s, r, sizeof s);
        if (discrete) {
            times(m, n, m, t, b, s);
            for (size_t i = 0; i < m * m; i++)
                s[i] += r[i];
            times(m, n, n, t, a, C);
            memcpy(t, C, sizeof t);
        }
        for (size_t j = 0; j < n; j++) {
            long double copy[SQUARE], column[MOST];
            memcpy(copy, s, sizeof copy);
            for (size_t i = 0; i < m; i++)
                column[i] = t[i * n + j];
            eliminate(m, copy, column);
            for (size_t i = 0; i < m; i++)
                k[i * n + j] = column[i];
        }
    }
    for (size_t i = 0; i < m * n; i++)
        K[i] = (double)k[i];
}

/* ---- exponential ----------------------------------------------------------------------------- */

/* Computes exp(M) by the series of M / 2^6 and squaring. */
static void series(size_t n, long double *M)
{
    long double term[4 * SQUARE], sum[4 * SQUARE], next[4 * SQUARE];
    enum { HALVINGS = 6 };
    for (size_t i = 0; i < n * n; i++) {
        M[i] = ldexpl(M[i], -HALVINGS);
        term[i] = sum[i] = i / n == i % n;
    }
    for (int k = 1; k < 40; k++) {
        times(n, n, n, term, M, next);
        for (size_t i = 0; i < n * n; i++) {
            term[i] = next[i] / k;
            sum[i] += term[i];
        }
    }
    for (int k = 0; k < HALVINGS; k++) {
        times(n, n, n, sum, sum, next);
        memcpy(sum, next, n * n * sizeof *sum);
    }
    memcpy(M, sum, n * n * sizeof *M);
}

TD_LOOP_TEST(steps_are_exponentials, 0, 60)
{
    td_random random = {70 + (uint64_t)_i};
    const size_t n = 1 + td_random_below(&random, 6), m = td_random_below(&random, 3), all = n + m;
    double A[SQUARE], B[SQUARE], Ad[SQUARE], Bd[SQUARE];
    long double M[4 * SQUARE] = {0};
    const double dt = _i % 3 == 0 ? 1e-3 : _i % 3 == 1 ? 0.3 : 4;
    td_random_fill(&random, n * n, A);
    td_random_fill(&random, n * m, B);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            M[i * all + j] = (long double)A[i * n + j] * dt;
        for (size_t j = 0; j < m; j++)
            M[i * all + n + j] = (long double)B[i * m + j] * dt;
    }
    series(all, M);
    assert_ok(td_linear_discrete(n, m, A, B, dt, Ad, Bd));
    double expected[SQUARE];
    for (size_t i = 0; i < n * n; i++)
        expected[i] = (double)M[i / n * all + i % n];
    td_assert_close(n * n, Ad, expected, 1e-13, td_largest(n * n, expected));
    for (size_t i = 0; i < n * m; i++)
        expected[i] = (double)M[i / m * all + n + i % m];
    td_assert_close(n * m, Bd, expected, 1e-13, td_largest(n * m, expected));
}

TD_TEST(steps_of_a_double_integrator)
{
    const double A[] = {0, 1, 0, 0}, B[] = {0, 1}, dt = 0.25;
    double Ad[4], Bd[2];
    assert_ok(td_linear_discrete(2, 1, A, B, dt, Ad, Bd));
    const double expected_A[] = {1, dt, 0, 1}, expected_B[] = {dt * dt / 2, dt};
    td_assert_close(4, Ad, expected_A, 1e-15, 1);
    td_assert_close(2, Bd, expected_B, 1e-15, 1);
    ck_assert_int_eq(td_linear_discrete(2, 1, A, B, NAN, Ad, Bd), TD_ERROR_NOT_FINITE);
    ck_assert(isnan(Ad[0]) && isnan(Bd[1]));
    ck_assert_int_eq(td_linear_discrete(2, 1, A, B, 1, NULL, Bd), TD_ERROR_ARGUMENT);
}

/* ---- regulators ------------------------------------------------------------------------------ */

/* Draws W = M Mᵀ + least · 1. */
static void draw_weight(td_random *random, size_t n, double least, double *W)
{
    double M[SQUARE];
    td_random_fill(random, n * n, M);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            W[i * n + j] = i == j ? least : 0;
            for (size_t k = 0; k < n; k++)
                W[i * n + j] += M[i * n + k] * M[j * n + k];
        }
}

TD_LOOP_TEST(gains_are_those_of_kleinman, 0, 60)
{
    td_random random = {170 + (uint64_t)_i};
    const bool discrete = _i % 2;
    const size_t n = 1 + td_random_below(&random, 5), m = 1 + td_random_below(&random, 3);
    double A[SQUARE], B[SQUARE], Q[SQUARE], R[SQUARE], other[SQUARE], K[SQUARE], S[SQUARE];
    td_random_fill(&random, n * n, A);
    td_random_fill(&random, n * m, B);
    for (size_t i = 0; i < n * n; i++)
        A[i] *= _i % 5 > 0 ? 2 : discrete ? 3 : 100; /* mostly unstable */
    draw_weight(&random, n, 0.1, Q);
    draw_weight(&random, m, 0.1, R);
    draw_weight(&random, n, 1, other);
    double from_other[SQUARE];
    assert_ok(td_linear_regulator(n, m, A, B, other, R, discrete, from_other, NULL));
    assert_ok(td_linear_regulator(n, m, A, B, Q, R, discrete, K, S));
    iterate(n, m, discrete, A, B, Q, R, from_other);
    td_assert_close(m * n, K, from_other, 1e-9, td_largest(m * n, K));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            ck_assert_double_eq(S[i * n + j], S[j * n + i]);
}

/* Double integrator with Q = 1, R = 1: K = (1, √3), S = (√3, 1; 1, √3). */
TD_TEST(gain_of_a_double_integrator)
{
    const double A[] = {0, 1, 0, 0}, B[] = {0, 1}, one[] = {1, 0, 0, 1};
    double K[2], S[4];
    assert_ok(td_linear_regulator(2, 1, A, B, one, one, false, K, S));
    const double gain[] = {1, sqrt(3)}, cost[] = {sqrt(3), 1, 1, sqrt(3)};
    td_assert_close(2, K, gain, 1e-14, 1);
    td_assert_close(4, S, cost, 1e-14, 1);
}

/* ẋ = a x + b u has s = (a + √(a² + b² q / r)) r / b². Tests many magnitudes. */
TD_TEST(gain_of_one_state)
{
    const double one = 1;
    for (int a = -6; a <= 6; a++)
        for (int b = -4; b <= 4; b++)
            for (int sign = -1; sign <= 1; sign += 2) {
                const double A = sign * pow(10, a), B = pow(10, b);
                double K, S;
                assert_ok(td_linear_regulator(1, 1, &A, &B, &one, &one, false, &K, &S));
                const double c = hypot(A, B);
                const double expected = A > 0 ? (A + c) / B : B / (c - A);
                td_assert_close(1, &K, &expected, 1e-12, 0);
            }
}

/* A pole of 0.3 kg at 0.5 m stands upright. It is on a cart of 2 kg with an applied force, or on a
   hinge with a motor. Gains for some weights are the start of the iteration for others. */
TD_TEST(gains_that_hold_a_pole)
{
    const double mass = 0.3, l = 0.5, J = 0.004 + mass * l * l, moment = mass * 9.81 * l;
    const double H[] = {2 + mass, mass * l, mass * l, J}, d = H[0] * H[3] - H[1] * H[2];
    const double cart[16] = {[2] = 1, [7] = 1, [9] = -H[1] / d * moment, [13] = H[0] / d * moment};
    const double push[4] = {[2] = H[3] / d, [3] = -H[2] / d};
    const double hinge[4] = {0, 1, moment / J, 0}, turn[2] = {0, 1 / J};
    for (int which = 0; which < 4; which++) {
        const bool discrete = which % 2;
        const size_t n = which < 2 ? 4 : 2;
        double A[16], B[4], Q[16] = {0}, other[16] = {0}, R = 0.1, K[4], expected[4];
        memcpy(A, n == 4 ? cart : hinge, n * n * sizeof *A);
        memcpy(B, n == 4 ? push : turn, n * sizeof *B);
        if (discrete)
            assert_ok(
                td_linear_discrete(n, 1, n == 4 ? cart : hinge, n == 4 ? push : turn, 0.02, A, B));
        for (size_t i = 0; i < n; i++) {
            Q[(n + 1) * i] = i < n / 2 ? 10 : 0.5;
            other[(n + 1) * i] = 1;
        }
        assert_ok(td_linear_regulator(n, 1, A, B, other, &R, discrete, expected, NULL));
        assert_ok(td_linear_regulator(n, 1, A, B, Q, &R, discrete, K, NULL));
        iterate(n, 1, discrete, A, B, Q, &R, expected);
        td_assert_close(n, K, expected, 1e-11, 0);
    }
}

TD_TEST(what_cannot_be_regulated)
{
    td_trap_no_more(); /* overflow on the way to an error status may trap: docs/abi.md */
    const double unreached[] = {1, 0, 0, -1}, marginal[] = {0, 0, 0, -1}, B[] = {0, 1};
    const double one[] = {1, 0, 0, 1}, none[] = {0, 0, 0, 0}, minus[] = {-1, 0, 0, 1};
    const double skew[] = {1, 1, 0, 1}, zero = 0, stable[] = {-1, 0, 0, -2};
    double K[2], S[4];
    for (int discrete = 0; discrete < 2; discrete++) {
        const double twice[] = {2, 0, 0, 0.5}, still[] = {1, 0, 0, 0.5};
        ck_assert_int_eq(
            td_linear_regulator(2, 1, discrete ? twice : unreached, B, one, one, discrete, K, S),
            TD_ERROR_RICCATI);
        ck_assert(isnan(K[0]) && isnan(K[1]) && isnan(S[3]));
        ck_assert_int_eq(
            td_linear_regulator(2, 1, discrete ? still : marginal, B, one, one, discrete, K, S),
            TD_ERROR_RICCATI);
    }
    /* zero cost: zero gain */
    assert_ok(td_linear_regulator(2, 1, stable, B, none, one, false, K, S));
    ck_assert(K[0] == 0 && K[1] == 0);
    ck_assert_int_eq(td_linear_regulator(2, 1, stable, B, minus, one, false, K, S),
                     TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_linear_regulator(2, 1, stable, B, skew, one, false, K, S),
                     TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_linear_regulator(2, 1, stable, B, one, &zero, false, K, S),
                     TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_linear_regulator(2, 1, stable, B, one, NULL, false, K, S),
                     TD_ERROR_ARGUMENT);
    const double wrong[] = {NAN, 0, 0, 1};
    ck_assert_int_eq(td_linear_regulator(2, 1, wrong, B, one, one, false, K, S),
                     TD_ERROR_NOT_FINITE);
}

/* ---- reachable subspaces --------------------------------------------------------------------- */

/* Draws random systems in which B and A reach the first k states, in transformed coordinates T⁻¹ A
   T, T⁻¹ B. */
TD_LOOP_TEST(reach_is_that_of_the_block, 0, 100)
{
    td_random random = {270 + (uint64_t)_i};
    const size_t n = 1 + td_random_below(&random, MOST), m = 1 + td_random_below(&random, 2);
    const size_t k = td_random_below(&random, n + 1);
    double A[SQUARE], B[SQUARE], T[SQUARE];
    td_random_fill(&random, n * n, A);
    td_random_fill(&random, n * m, B);
    td_random_fill(&random, n * n, T);
    for (size_t i = k; i < n; i++) {
        for (size_t j = 0; j < k; j++)
            A[i * n + j] = 0;
        for (size_t j = 0; j < m; j++)
            B[i * m + j] = 0;
    }
    for (size_t i = 0; i < n; i++)
        T[i * n + i] += 3;
    long double t[SQUARE], a[SQUARE], product[SQUARE];
    widen(n * n, T, t), widen(n * n, A, a);
    times(n, n, n, a, t, product);
    for (size_t j = 0; j < n + m; j++) {
        long double copy[SQUARE], column[MOST];
        memcpy(copy, t, sizeof copy);
        for (size_t i = 0; i < n; i++)
            column[i] = j < n ? product[i * n + j] : (long double)B[i * m + j - n];
        eliminate(n, copy, column);
        for (size_t i = 0; i < n; i++)
            *(j < n ? &A[i * n + j] : &B[i * m + j - n]) =
                (double)column[i] * pow(10, (double)i - 3);
    }
    for (size_t i = 0; i < n * n; i++) /* change the units of the states */
        A[i] *= pow(10, -(double)(i % n) + 3);
    size_t reached, most;
    assert_ok(td_linear_controllable(n, m, A, B, 0, &reached, &most, NULL));
    ck_assert_uint_eq(most, reached);
    ck_assert_uint_eq(reached, k);
}

/* A force on one of two masses with one spring reaches all states. The same force on two equal
   oscillators reaches half of them. */
TD_TEST(reach_of_oscillators)
{
    const double chain[] = {0, 0, 1, 0, 0, 0, 0, 1, -1e6, 1e6, 0, 0, 1e6, -1e6, 0, 0};
    const double equal[] = {0, 0, 1, 0, 0, 0, 0, 1, -4, 0, 0, 0, 0, -4, 0, 0};
    const double one[] = {0, 0, 1, 0}, both[] = {0, 0, 1, 1};
    double margin[4];
    size_t reached, most;
    assert_ok(td_linear_controllable(4, 1, chain, one, 0, &reached, &most, NULL));
    ck_assert_uint_eq(reached, 4);
    assert_ok(td_linear_controllable(4, 1, equal, both, 0, &reached, NULL, margin));
    ck_assert_uint_eq(reached, 2);
    for (size_t i = 0; i < 4; i += 2) /* only one of the two equal pairs */
        ck_assert(margin[i] == margin[i + 1] && (margin[i] < 1e-15 || margin[i] > 0.1));
    ck_assert((margin[0] < 0.1) != (margin[2] < 0.1));
    assert_ok(td_linear_controllable(4, 0, equal, NULL, 0, &reached, &most, NULL));
    ck_assert_uint_eq(reached, 0);
    ck_assert_int_eq(td_linear_controllable(4, 1, equal, both, -1, &reached, NULL, NULL),
                     TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_linear_controllable(4, 1, NULL, both, 0, &reached, NULL, NULL),
                     TD_ERROR_ARGUMENT);
}

/* Changes the units of A (n × n) and B (n × m): state i by 10 to the −power[i], time by 10 to the
   −clock. */
static void change_units(size_t n, size_t m, const int *power, int clock, double *A, double *B)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            A[i * n + j] *= pow(10, power[i] - power[j] - clock);
        for (size_t j = 0; j < m; j++)
            B[i * m + j] *= pow(10, power[i] - clock);
    }
}

static void check_reach(size_t n, size_t m, const double *A, const double *B, size_t expected)
{
    static const int same[6] = {0}, other[] = {2, -1, 0, 1, 2, -2}, rates[] = {0, 0, 0, 3, 3, 3};
    static const int *const power[] = {same, other, rates};
    static const int clock[] = {0, 0, 3, -3, 100, -100};
    for (size_t k = 0; k < 3 * sizeof clock / sizeof *clock; k++) {
        double a[36], b[12];
        size_t reached, most;
        memcpy(a, A, n * n * sizeof *A);
        memcpy(b, B, n * m * sizeof *B);
        change_units(n, m, power[k % 3], clock[k / 3], a, b);
        assert_ok(td_linear_controllable(n, m, a, b, 0, &reached, &most, NULL));
        ck_assert_uint_eq(most, reached);
        ck_assert_msg(reached == expected, "units %zu, clock 1e%d: %zu of %zu states, not %zu",
                      k % 3, clock[k / 3], reached, n, expected);
    }
}

/* An arm of three joints, whose first axis is vertical. Gravity does not act on that joint, except
   for rounding (column 0 of A below, and row 3). */
TD_LOOP_TEST(reach_beside_rounding, 0, 6)
{
    static const double noise[] = {0, 1e-15, -1e-17, 1e-19, 1e-25, -1e-40};
    const double e = noise[_i];
    const double A[] = {0, 0, 0, 1, 0, 0, 0, 0,  0,    0, 1, 0, 0, 0,   0, 0, 0, 1,
                        e, e, e, 0, 0, 0, e, 23, -1.2, 0, 0, 0, e, -37, 7, 0, 0, 0};
    const double two[] = {0, 0, 0, 0, 0, 0, 1.3, e, e, 1.2, e, -2.2};
    const double one[] = {0, 0, 0, e, 1.2, -2.2};
    check_reach(6, 2, A, two, 6); /* the second joint's acceleration reaches the last joint */
    check_reach(6, 1, A, one, 4); /* the first joint is not reached */
}

/* Reachable subspaces in exact arithmetic modulo a prime: the rank of (B, A B, A² B, ...) of
   exactly the numbers in memory, of any magnitude. The prime is near a power of two but not one
   less than it, since then powers of two would take few values. */
static uint64_t reduced(uint64_t x)
{
    return x % TD_PRIME;
}

static uint64_t power(uint64_t x, uint64_t exponent)
{
    uint64_t y = 1;
    for (; exponent > 0; exponent >>= 1, x = reduced(x * x))
        y = exponent & 1 ? reduced(y * x) : y;
    return y;
}

static uint64_t residue(double x)
{
    int exponent;
    const double mantissa = ldexp(frexp(fabs(x), &exponent), 53);
    exponent -= 53;
    const uint64_t two = exponent < 0 ? (TD_PRIME + 1) / 2 : 2;
    const uint64_t y = reduced(reduced((uint64_t)mantissa) *
                               power(two, (uint64_t)(exponent < 0 ? -exponent : exponent)));
    return x < 0 && y > 0 ? TD_PRIME - y : y;
}

/* Adds v to the rows if it is linearly independent of them. place[i] is the row whose first nonzero
   number is at i. */
static bool take_row(size_t n, uint64_t *v, uint64_t *rows, size_t *place, size_t count)
{
    for (size_t i = 0; i < n; i++) {
        if (v[i] == 0)
            continue;
        if (place[i] == SIZE_MAX) {
            const uint64_t inverse = power(v[i], TD_PRIME - 2);
            for (size_t j = 0; j < n; j++)
                rows[count * n + j] = reduced(v[j] * inverse);
            place[i] = count;
            return true;
        }
        const uint64_t factor = TD_PRIME - v[i], *row = rows + place[i] * n;
        for (size_t j = i; j < n; j++)
            v[j] = reduced(factor * row[j] + v[j]);
    }
    return false;
}

static size_t exact_reach(size_t n, size_t m, const double *A, const double *B)
{
    uint64_t *a = test_calloc(n * n, sizeof *a), *rows = test_calloc(n * n, sizeof *rows);
    uint64_t *v = test_calloc(n, sizeof *v);
    size_t *place = test_malloc(n * sizeof *place), count = 0;
    for (size_t i = 0; i < n * n; i++)
        a[i] = residue(A[i]);
    for (size_t i = 0; i < n; i++)
        place[i] = SIZE_MAX;
    for (size_t j = 0; j < m; j++) {
        for (size_t i = 0; i < n; i++)
            v[i] = residue(B[i * m + j]);
        count += take_row(n, v, rows, place, count);
    }
    for (size_t k = 0; k < count; k++) {
        for (size_t i = 0; i < n; i++) {
            v[i] = 0;
            for (size_t j = 0; j < n; j++)
                v[i] = reduced(a[i * n + j] * rows[k * n + j] + v[i]);
        }
        count += take_row(n, v, rows, place, count);
    }
    return count;
}

/* Fills A and B of a chain of n masses and springs with 2 n states and damping in the springs. If
   grounded, a spring connects the first mass to the ground. B applies a force to mass driven. */
static void fill_chain(size_t n, const double *k, const double *mass, bool grounded, double damping,
                       size_t driven, double *A, double *B)
{
    const size_t all = 2 * n;
    memset(A, 0, all * all * sizeof *A);
    memset(B, 0, all * sizeof *B);
    for (size_t i = 0; i < n; i++) {
        double *row = A + (n + i) * all;
        A[i * all + n + i] = 1;
        const double before = i > 0 ? k[i - 1] : grounded ? k[0] : 0, after = i + 1 < n ? k[i] : 0;
        row[i] = -(before + after) / mass[i];
        if (i > 0)
            row[i - 1] = before / mass[i];
        if (i + 1 < n)
            row[i + 1] = after / mass[i];
        for (size_t j = 0; j < n; j++)
            row[n + j] = damping * row[j];
    }
    B[n + driven] = 1 / mass[driven];
}

enum { LONGEST = 61, MOST_STATES = 4 * LONGEST };

typedef struct long_system {
    size_t n;
    double A[MOST_STATES * MOST_STATES], B[MOST_STATES];
} long_system;

static void check_exact(const long_system *s, const char *what)
{
    const size_t expected = exact_reach(s->n, 1, s->A, s->B);
    double *margin = test_malloc(s->n * sizeof *margin);
    size_t reached, most, low = 0;
    assert_ok(td_linear_controllable(s->n, 1, s->A, s->B, 0, &reached, &most, margin));
    ck_assert_msg(reached == expected && most == expected, "%s: %zu to %zu of %zu states, not %zu",
                  what, reached, most, s->n, expected);
    for (size_t i = 0; i < s->n; i++) { /* no singular value is near the tolerance */
        low += margin[i] < 1e-12;
        ck_assert_msg(margin[i] < 1e-12 || margin[i] > 1e-6, "%s: margin %g", what, margin[i]);
    }
    ck_assert_uint_eq(low, s->n - expected);
}

static const size_t lengths[] = {3, 5, 11, 21, 41, LONGEST};

/* A force at its end reaches all modes of a uniform chain. A force in the middle of a symmetric
   chain does not reach modes with a node there. The staircase algorithm had reported 42 of 42
   states for the chain of 21 masses. */
TD_LOOP_TEST(reach_of_long_chains, 0, 6)
{
    td_random random = {470 + (uint64_t)_i};
    const size_t n = lengths[_i];
    static long_system s;
    double k[LONGEST], mass[LONGEST];
    for (int grounded = 0; grounded < 2; grounded++)
        for (int damped = 0; damped < 2; damped++) {
            for (size_t i = 0; i < n; i++) {
                k[i] = 1000;
                mass[i] = 1;
            }
            s.n = 2 * n;
            fill_chain(n, k, mass, grounded, damped ? 0x1p-10 : 0, 0, s.A, s.B);
            check_exact(&s, "even chain");
            ck_assert_uint_eq(exact_reach(s.n, 1, s.A, s.B), s.n);
            if (grounded)
                continue;
            for (size_t i = 0; i < n / 2; i++) { /* not uniform, but symmetric */
                k[i] = k[n - 2 - i] = ldexp(1024 + (double)td_random_below(&random, 512), -2);
                mass[i] = mass[n - 1 - i] = ldexp(1, (int)td_random_below(&random, 2));
            }
            fill_chain(n, k, mass, false, damped ? 0x1p-10 : 0, n / 2, s.A, s.B);
            ck_assert_uint_eq(exact_reach(s.n, 1, s.A, s.B), n + 1);
            const size_t localized =
                n > 11; /* modes whose motion in the middle is below rounding, see below */
            if (!localized)
                check_exact(&s, "chain alike on both sides");
            for (size_t i = 0; i < n; i++)
                k[i] = mass[i] = 1;
            fill_chain(n, k, mass, false, damped ? 0x1p-10 : 0, n / 2, s.A, s.B);
            check_exact(&s, "even chain, pushed in the middle");
        }
}

/* Adds an uncontrolled oscillator or a free mass to a chain, or duplicates the chain with the same
   force, which reaches half of it. */
TD_LOOP_TEST(reach_beside_long_chains, 0, 6)
{
    const size_t n = lengths[_i], all = 2 * n;
    static long_system s;
    static double A[4 * LONGEST * LONGEST], B[2 * LONGEST];
    double k[LONGEST], mass[LONGEST];
    for (size_t i = 0; i < n; i++)
        k[i] = 1024, mass[i] = 1;
    fill_chain(n, k, mass, true, 0, 0, A, B);
    for (int what = 0; what < 3; what++) {
        memset(&s, 0, sizeof s);
        s.n = what < 2 ? all + 2 : 2 * all;
        for (size_t i = 0; i < all; i++) {
            memcpy(s.A + i * s.n, A + i * all, all * sizeof *A);
            s.B[i] = B[i];
            if (what == 2) {
                memcpy(s.A + (all + i) * s.n + all, A + i * all, all * sizeof *A);
                s.B[all + i] = B[i];
            }
        }
        if (what < 2) {
            s.A[all * s.n + all + 1] = 1;
            s.A[(all + 1) * s.n + all] = what == 0 ? -7 : 0;
        }
        ck_assert_uint_eq(exact_reach(s.n, 1, s.A, s.B), all);
        check_exact(&s, what == 0 ? "an oscillator alone" : what == 1 ? "a mass alone" : "twice");
    }
}

/* Distinct rates with an input each share: all are reached, however close or far apart they are. */
TD_TEST(reach_of_rates)
{
    static long_system s;
    static const size_t counts[] = {10, 20, 40, 60};
    for (size_t c = 0; c < 4; c++)
        for (int kind = 0; kind < 3; kind++) {
            memset(&s, 0, sizeof s);
            s.n = counts[c];
            for (size_t i = 0; i < s.n; i++) {
                s.A[i * s.n + i] = kind == 0   ? -(double)(i + 1)
                                   : kind == 1 ? -exp2((double)i / 2)
                                               : cos(acos(-1) * ((double)i + 0.5) / (double)s.n);
                s.B[i] = 1;
            }
            check_exact(&s, kind == 0 ? "even rates" : kind == 1 ? "octaves" : "Chebyshev's");
        }
}

/* Free carts with the same force: only one double zero eigenvalue is reached. In a Jordan block, an
   input in the middle reaches the states from there on. */
TD_TEST(reach_of_blocks)
{
    static long_system s;
    for (size_t count = 2; count < 6; count++) {
        memset(&s, 0, sizeof s);
        s.n = 2 * count;
        for (size_t i = 0; i < count; i++) {
            s.A[i * s.n + count + i] = 1;
            s.B[count + i] = 1;
        }
        ck_assert_uint_eq(exact_reach(s.n, 1, s.A, s.B), 2);
        check_exact(&s, "carts");
    }
    for (size_t n = 2; n <= 60; n += 7)
        for (int rate = 0; rate < 2; rate++) {
            memset(&s, 0, sizeof s);
            s.n = n;
            for (size_t i = 0; i < n; i++) {
                s.A[i * n + i] = -rate;
                if (i > 0)
                    s.A[i * n + i - 1] = 1;
            }
            s.B[n / 2] = 1;
            check_exact(&s, "a block");
        }
}

/* Systems of small integers, repeated up to three times, whose inputs reach a known block.
   Eigenvalues coincide, also in Jordan blocks. The exact dimension lies between the two returned
   numbers, which are usually equal. */
TD_LOOP_TEST(reach_of_integers, 0, 10)
{
    enum { TRIALS = 200 };
    td_random random = {670 + (uint64_t)_i};
    static long_system s;
    size_t unsure = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        const size_t n = 1 + td_random_below(&random, 7), k = td_random_below(&random, n + 1);
        const size_t copies = 1 + td_random_below(&random, 3);
        const bool mechanical = trial % 2;
        double A[49], B[7];
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++)
                A[i * n + j] =
                    i >= k && j < k
                        ? 0
                        : (double)td_random_below(&random, 3 + 2 * ((size_t)trial % 4)) - 1;
            B[i] = i < k ? (double)td_random_below(&random, 3) - 1 : 0;
        }
        memset(&s, 0, sizeof s);
        const size_t each = mechanical ? 2 * n : n;
        s.n = copies * each;
        for (size_t c = 0; c < copies; c++)
            for (size_t i = 0; i < n; i++) {
                const size_t from = c * each, row = from + (mechanical ? n : 0) + i;
                if (mechanical)
                    s.A[(from + i) * s.n + from + n + i] = 1;
                for (size_t j = 0; j < n; j++)
                    s.A[row * s.n + from + j] = A[i * n + j];
                s.B[row] = B[i];
            }
        size_t reached, most;
        const size_t expected = exact_reach(s.n, 1, s.A, s.B);
        assert_ok(td_linear_controllable(s.n, 1, s.A, s.B, 0, &reached, &most, NULL));
        ck_assert_msg(reached <= expected && expected <= most, "%d: %zu to %zu of %zu, not %zu",
                      trial, reached, most, s.n, expected);
        unsure += reached < most;
    }
    /* 1 to 8 with LAPACK's eigenvalues, 8 to 21 with our own, which are less accurate for multiple
       ones */
    ck_assert_uint_le(unsure, TRIALS / 6);
}

/* Builds vibrations from modes: M q̈ + K q = b u with mode shapes Φ. Some modes have no spring, two
   are equal, and the input does not reach some. Of equal modes at most one pair is reached. */
TD_LOOP_TEST(reach_of_modes, 0, 100)
{
    td_random random = {970 + (uint64_t)_i};
    const size_t n = 2 + td_random_below(&random, MOST - 1);
    const size_t still = td_random_below(&random, 3);
    double frequency[MOST], share[MOST], shape[SQUARE];
    long double modes[SQUARE], springs[SQUARE], A[SQUARE], column[MOST], copy[SQUARE];
    static long_system s;
    memset(&s, 0, sizeof s);
    s.n = 2 * n;
    td_random_fill(&random, n, frequency);
    td_random_fill(&random, n, share);
    td_random_fill(&random, n * n, shape);
    for (size_t i = 0; i < n; i++) {
        frequency[i] = i < still ? 0 : pow(10, frequency[i]);
        share[i] = td_random_below(&random, 10) < 3 ? 0 : share[i];
        shape[i * n + i] += 2;
    }
    if (_i % 2 && n > still + 1)
        frequency[n - 1] = frequency[n - 2];
    size_t expected = 0;
    for (size_t i = 0; i < n; i++) {
        bool found = share[i] != 0;
        for (size_t j = 0; j < i; j++)
            found = found && (share[j] == 0 || frequency[j] != frequency[i]);
        expected += 2 * found;
    }
    /* Aᵀ = Φ⁻ᵀ (Ω² Φᵀ), one column at a time */
    widen(n * n, shape, modes);
    turned(n, n, modes, springs);
    for (size_t i = 0; i < n; i++) {
        memcpy(copy, springs, sizeof copy);
        for (size_t j = 0; j < n; j++)
            column[j] = modes[i * n + j] * (long double)frequency[j] * (long double)frequency[j];
        eliminate(n, copy, column);
        memcpy(A + i * n, column, n * sizeof *A);
    }
    for (size_t i = 0; i < n; i++) {
        s.A[i * s.n + n + i] = 1;
        for (size_t j = 0; j < n; j++) {
            s.A[(n + i) * s.n + j] = (double)-A[i * n + j];
            s.A[(n + i) * s.n + n + j] = _i % 3 ? 0 : (double)-A[i * n + j] / 128;
            s.B[n + i] += shape[i * n + j] * share[j];
        }
    }
    size_t reached, most;
    ck_assert_int_eq(td_linear_controllable(s.n, 1, s.A, s.B, 0, &reached, &most, NULL), TD_OK);
    ck_assert_msg(reached == expected && most == expected, "%zu to %zu of %zu, not %zu", reached,
                  most, s.n, expected);
}

/* Ten masses become lighter and their springs stiffer with the distance from the force. Modes at
   the far end move the near mass less and less. The component of the driven mass in each
   mass-normalized mode was computed with 60 digits (mpmath). Margins agree in magnitude down to
   rounding; smaller ones do not count as reached. */
TD_TEST(reach_of_a_graded_chain)
{
    enum { N = 10 };
    static const double frequency[] = {0,     3.497, 7.04,  12.23, 21.2,
                                       36.92, 64.83, 115.6, 212.3, 420.3};
    static const double share[] = {6.3e-1, 7.3e-1, 2.6e-1,  2.8e-2,  8.3e-4,
                                   7.4e-6, 1.9e-8, 1.3e-11, 1.5e-15, 1.3e-20};
    static long_system s;
    double k[N], mass[N], real[2 * N], imaginary[2 * N], margin[2 * N];
    for (size_t i = 0; i < N; i++) {
        k[i] = 1000 * pow(100, (double)i / 8 - 0.5);
        mass[i] = pow(100, 0.5 - (double)i / 9);
    }
    s.n = 2 * N;
    fill_chain(N, k, mass, false, 0, 0, s.A, s.B);
    size_t reached, most;
    ck_assert_uint_eq(exact_reach(s.n, 1, s.A, s.B), s.n);
    assert_ok(td_linear_controllable(s.n, 1, s.A, s.B, 0, &reached, &most, margin));
    assert_ok(td_linear_eigenvalues(s.n, s.A, real, imaginary));
    for (size_t i = 0; i < N; i++) {
        ck_assert_double_lt(fabs(hypot(real[2 * i], imaginary[2 * i]) - frequency[i]), 0.1);
        ck_assert_double_le(margin[2 * i], fmax(10 * share[i], 1e-14));
        ck_assert_double_ge(margin[2 * i], i < 9 ? share[i] / 2 : 0);
        ck_assert_double_eq(margin[2 * i], margin[2 * i + 1]);
    }
    ck_assert_uint_eq(reached, 14);
    ck_assert_uint_eq(most, 14);
}

/* Two oscillators are coupled by a weak spring. The margin of the one without a force is
   proportional to its stiffness and decides whether it counts as reached. */
TD_TEST(reach_through_a_weak_spring)
{
    double first = 0;
    for (int power = 3; power <= 13; power++) {
        const double weak = pow(10, -power);
        const double A[] = {0, 0, 1, 0, 0, 0, 0, 1, -1 - weak, weak, 0, 0, weak, -3 - weak, 0, 0};
        const double B[] = {0, 0, 1, 0};
        double margin[4];
        size_t reached, most;
        assert_ok(td_linear_controllable(4, 1, A, B, 0, &reached, &most, margin));
        first = power == 3 ? margin[2] / weak : first;
        ck_assert_double_gt(first, 0.1);
        ck_assert_double_lt(fabs(margin[2] / weak - first), 0.02 * first + 1e-15 / weak);
        ck_assert_double_gt(margin[0], 0.1);
        ck_assert_uint_eq(reached, margin[2] > 1e-8 ? 4 : 2);
        ck_assert_uint_eq(most, margin[2] > 1e-10 ? 4 : 2);
    }
}

/* ---- eigenvalues ----------------------------------------------------------------------------- */

TD_TEST(eigenvalues_are_those_of_blocks)
{
    /* eigenvalues −1 ± 2i, 0.5, 3 in block form, transformed by a similarity of integers */
    const double A[] = {-1, 2, 1, 4, -2, -1, 3, 5, 0, 0, 0.5, 7, 0, 0, 0, 3};
    double real[4], imaginary[4];
    td_status status = td_linear_eigenvalues(4, A, real, imaginary);
    const double expected[] = {0.5, -1, -1, 3}, parts[] = {0, 2, -2, 0};
    assert_ok(status);
    td_assert_close(4, real, expected, 1e-13, 1);
    td_assert_close(4, imaginary, parts, 1e-13, 1);
    const double wrong = INFINITY;
    ck_assert_int_eq(td_linear_eigenvalues(1, &wrong, real, imaginary), TD_ERROR_NOT_FINITE);
    ck_assert(isnan(real[0]) && isnan(imaginary[0]));
    ck_assert_int_eq(td_linear_eigenvalues(4, NULL, real, imaginary), TD_ERROR_ARGUMENT);
    assert_ok(td_linear_eigenvalues(0, NULL, NULL, NULL));
}

int main(void)
{
    td_trap();
    return td_run_tests(120);
}
