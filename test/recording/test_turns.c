/* SPDX-License-Identifier: MIT */
/*
 * Tests unwrapping of recorded angles (lib/recording/turns.h). Known motions are wrapped in several
 * ways, with noise, gaps and spikes. Also tests multi-turn angles, and motions that are ambiguous.
 */
#include <check.h>
#include <math.h>
#include <string.h>

#include "../lib/recording/turns.h"
#include "run.h"

static const double pi = 3.14159265358979323846;

enum { N = 2000 };

/* Wraps x to [low, low + 2π). */
static double modulo(double x, double low)
{
    return x - 2 * pi * floor((x - low) / (2 * pi));
}

/* A motion through several turns and back, at 100 Hz and up to 6 rad/s. */
static double goes(double t)
{
    return 4 * sin(1.5 * t) - 0.8 * t + 1;
}

static unsigned state = 1;

static double noise(void)
{
    state = state * 1664525u + 1013904223u;
    return (double)state / 4294967296.0 - 0.5;
}

/* Checks that x differs from a motion by a constant. */
static void is_motion(size_t n, const double *x, const double *motion, double tolerance)
{
    for (size_t i = 0; i < n; i++) {
        const double by = x[i] - motion[i] - (x[0] - motion[0]);
        ck_assert_msg(fabs(by) < tolerance, "%zu: %.15g, not %.15g", i, x[i], motion[i]);
    }
}

TD_TEST(modulo_a_turn)
{
    static const double lows[] = {-3.14159265358979323846, 0, -1};
    double t[N], x[N], motion[N];
    for (size_t k = 0; k < 3; k++) {
        for (int noisy = 0; noisy < 2; noisy++) {
            size_t jumps = 0, first = 0;
            for (size_t i = 0; i < N; i++) {
                t[i] = 0.01 * (double)i;
                motion[i] = goes(t[i]) + 0.02 * noisy * noise();
                x[i] = modulo(motion[i], lows[k]);
                if (i > 0 && fabs(x[i] - x[i - 1]) > pi && jumps++ == 0) {
                    first = i;
                }
            }
            td_turns found;
            ck_assert_int_eq(td_unwrap(N, t, x, &found), TD_OK);
            is_motion(N, x, motion, 1e-12);
            ck_assert_uint_eq(found.jumps, jumps);
            ck_assert_uint_eq(found.first, first);
            ck_assert_uint_eq(found.doubtful, 0);
            ck_assert_uint_gt(jumps, 4);
        }
    }
}

/* Noise was added before wrapping. The motion ends at rest at the wrapping angle, and jumps back
   and forth. */
TD_TEST(rest_at_the_end)
{
    double t[N], x[N];
    for (size_t i = 0; i < N; i++) {
        t[i] = 0.01 * (double)i;
        x[i] = modulo(pi + 0.1 * noise(), -pi) + 1e-3 * noise();
    }
    td_turns found;
    ck_assert_int_eq(td_unwrap(N, t, x, &found), TD_OK);
    for (size_t i = 1; i < N; i++) {
        ck_assert_msg(fabs(x[i] - x[0]) < 0.11, "%zu: %g after %g", i, x[i], x[0]);
    }
    ck_assert_uint_gt(found.jumps, N / 4);
    ck_assert_uint_eq(found.doubtful, 0);
}

/* Multi-turn angles stay unchanged to the bit: slow ones, ones with steps of more than half a turn,
   and faster ones. */
TD_TEST(counted)
{
    static const double speeds[] = {0.3, 90, 360, 500, 1400};
    double t[N], x[N], before[N];
    for (size_t k = 0; k < 5; k++) {
        for (size_t i = 0; i < N; i++) {
            t[i] = 0.01 * (double)i;
            before[i] = x[i] = speeds[k] * (t[i] + 0.1 * t[i] * t[i]);
        }
        td_turns found;
        ck_assert_int_eq(td_unwrap(N, t, x, &found), TD_OK);
        ck_assert_int_eq(memcmp(x, before, sizeof x), 0);
        ck_assert_uint_eq(found.jumps, 0);
        ck_assert_uint_eq(found.sure, 0);
        ck_assert_uint_eq(found.doubtful, 0);
    }
}

/* Tests a counter of eight turns that wraps, and one so fast that steps exceed half a turn. */
TD_TEST(several_turns)
{
    static const double speeds[] = {40, 500};
    double t[N], x[N], motion[N];
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < N; i++) {
            t[i] = 0.01 * (double)i;
            motion[i] = speeds[k] * t[i];
            x[i] = modulo(motion[i] / 8, 0) * 8;
        }
        td_turns found;
        ck_assert_int_eq(td_unwrap(N, t, x, &found), TD_OK);
        is_motion(N, x, motion, 1e-8);
        ck_assert_uint_eq(found.jumps, (size_t)(motion[N - 1] / (16 * pi)));
        ck_assert_uint_eq(found.sure, found.jumps);
    }
}

/* Rows are missing while the joint moves by more than half a turn. The motion continues at its
   speed. */
TD_TEST(gaps)
{
    double t[N], x[N], motion[N];
    size_t n = 0;
    for (size_t i = 0; i < N; i++) {
        if (i % 200 < 190) {
            t[n] = 0.01 * (double)i;
            motion[n] = 40 * t[n];
            x[n] = modulo(motion[n], -pi);
            n++;
        }
    }
    td_turns found;
    ck_assert_int_eq(td_unwrap(n, t, x, &found), TD_OK);
    is_motion(n, x, motion, 1e-10);
    ck_assert_uint_ge(found.doubtful, 9); /* reported as doubtful: other motions are possible */
}

/* A step of nearly half a turn is ambiguous, and so is an outlier between two values. */
TD_TEST(doubtful)
{
    static const double steps[] = {2.5, 3, 3.3, 3.8};
    double t[N], x[N];
    td_turns found;
    for (size_t k = 0; k < 4; k++) {
        for (size_t i = 0; i < N; i++) {
            t[i] = 0.01 * (double)i;
            x[i] = modulo(steps[k] * (double)i, -pi);
        }
        ck_assert_int_eq(td_unwrap(N, t, x, &found), TD_OK);
        ck_assert_uint_gt(found.doubtful, N / 2);
        ck_assert_uint_le(found.first_doubtful, 5);
    }
    /* one step is reversed: −2 rad may also be two thirds of a turn forward */
    for (size_t i = 0; i < N; i++) {
        x[i] = modulo(2 * (double)i - (i < N / 2 ? 0 : 4), -pi);
    }
    ck_assert_int_eq(td_unwrap(N, t, x, &found), TD_OK);
    ck_assert_uint_eq(found.doubtful, 1);
    ck_assert_uint_eq(found.first_doubtful, N / 2);
    ck_assert_double_eq_tol(x[N / 2] - x[N / 2 - 1], -2, 1e-12);
    for (size_t i = 0; i < N; i++) {
        t[i] = 0.01 * (double)i;
        x[i] = modulo(2 * t[i], -pi);
    }
    x[157] = 0; /* replaces a jump from π to −π */
    ck_assert_int_eq(td_unwrap(N, t, x, &found), TD_OK);
    ck_assert_uint_eq(found.doubtful, 2);
    ck_assert_uint_eq(found.first_doubtful, 157);
}

/* Spikes in a multi-turn angle are not turns, and remain for other filters. */
TD_TEST(spikes)
{
    double t[N], x[N], before[N];
    for (size_t i = 0; i < N; i++) {
        t[i] = 0.01 * (double)i;
        before[i] = x[i] = 3 * t[i] + (i == 700 ? 10 : 0);
    }
    td_turns found;
    ck_assert_int_eq(td_unwrap(N, t, x, &found), TD_OK);
    ck_assert_int_eq(memcmp(x, before, sizeof x), 0);
    ck_assert_uint_eq(found.sure, 0);
    ck_assert_uint_eq(found.doubtful, 2);
    ck_assert_uint_eq(found.first_doubtful, 700);
}

TD_TEST(few_values)
{
    double t[3] = {0, 0.1, 0.2}, x[3] = {3.1, -3.1, -3};
    td_turns found;
    ck_assert_int_eq(td_unwrap(2, t, x, &found), TD_OK);
    ck_assert_double_eq_tol(x[1], 2 * pi - 3.1, 1e-15);
    x[1] = -3.1;
    ck_assert_int_eq(td_unwrap(3, t, x, &found), TD_OK);
    ck_assert_double_eq_tol(x[2], 2 * pi - 3, 1e-15);
    ck_assert_uint_eq(found.jumps, 1);
    ck_assert_uint_eq(found.sure, 1);
}

int main(void)
{
    return td_run_tests(0);
}
