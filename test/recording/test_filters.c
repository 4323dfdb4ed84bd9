/* SPDX-License-Identifier: MIT */
/*
 * Tests filters of recorded motion (tools/recording/filters.h): their response to oscillations is
 * compared with the analytic one. Also tests cutoff, phase and ends.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "../lib/recording/filters.h"
#include "run.h"

static const double pi = 3.14159265358979323846;
static const td_filter kinds[] = {TD_FILTER_BUTTERWORTH, TD_FILTER_SPLINE};

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    ck_assert_ptr_nonnull(memory);
    return memory;
}

enum { COUNT = 4000 };

TD_LOOP_TEST(response, 0, 2)
{
    static const double rate = 120, frequencies[] = {0.5, 1, 2.5, 5, 9, 20, 45};
    double *t = allocate(COUNT, sizeof *t), *x = allocate(COUNT, sizeof *x);
    const td_filter kind = kinds[_i];
    for (size_t c = 1; c <= 3; c++) {
        const double cutoff = 2.5 * (double)(c * c);
        for (size_t k = 0; k < sizeof frequencies / sizeof *frequencies; k++) {
            const double f = frequencies[k];
            for (size_t i = 0; i < COUNT; i++) {
                t[i] = 3 + (double)i / rate;
                x[i] = cos(2 * pi * f * t[i] + 0.3);
            }
            ck_assert_int_eq(td_filter_apply(kind, COUNT, t, cutoff, x), TD_OK);
            const double left = td_filter_response(kind, rate, cutoff, f);
            /* pointwise, so that phase is tested too; far from the ends */
            for (size_t i = COUNT / 3; i < 2 * COUNT / 3; i++) {
                const double expected = left * cos(2 * pi * f * t[i] + 0.3);
                ck_assert_msg(fabs(x[i] - expected) < 1e-9, "%g Hz by %g Hz: %.12g, not %.12g", f,
                              cutoff, x[i], expected);
            }
        }
    }
    free(t);
    free(x);
}

/* Tests the analytic responses alone: the cutoff, and the slope of the Butterworth filter. */
TD_TEST(cutoff_is_half_power)
{
    for (size_t k = 0; k < 2; k++) {
        for (double cutoff = 0.5; cutoff < 50; cutoff *= 1.7) {
            ck_assert_double_eq_tol(td_filter_response(kinds[k], 120, cutoff, cutoff), sqrt(0.5),
                                    1e-12);
            ck_assert_double_eq_tol(td_filter_response(kinds[k], 120, cutoff, 0), 1, 1e-12);
        }
        /* with a low cutoff: two passes of the analog filter, 1/(1 + (√2 − 1) (f/fc)⁴) */
        for (double f = 0.1; f < 2; f += 0.3) {
            const double analog = 1 / (1 + (sqrt(2) - 1) * pow(f / 0.7, 4));
            ck_assert_double_eq_tol(td_filter_response(kinds[k], 4000, 0.7, f), analog, 1e-5);
        }
    }
}

TD_LOOP_TEST(lines_are_kept, 0, 2)
{
    enum { N = 300 };
    double t[N], x[N];
    const td_filter kind = kinds[_i];
    for (size_t i = 0; i < N; i++) {
        /* uneven steps for the spline */
        const double shift = kind == TD_FILTER_SPLINE ? 0.4 * sin((double)i * (double)i) : 0;
        t[i] = 0.01 * ((double)i + shift) - 1;
        x[i] = 5 - 3 * t[i];
    }
    ck_assert_int_eq(td_filter_apply(kind, N, t, 4, x), TD_OK);
    for (size_t i = 0; i < N; i++) {
        ck_assert_msg(fabs(x[i] - 5 + 3 * t[i]) < 1e-10, "%zu: %.15g", i, x[i] - 5 + 3 * t[i]);
    }
}

/* The filter follows a slow motion at its ends as well as in the middle. */
TD_LOOP_TEST(ends, 0, 2)
{
    enum { N = 500 };
    double t[N], x[N];
    for (size_t i = 0; i < N; i++) {
        t[i] = (double)i / 100;
        x[i] = sin(2 * pi * 0.3 * t[i] + 1);
    }
    ck_assert_int_eq(td_filter_apply(kinds[_i], N, t, 6, x), TD_OK);
    for (size_t i = 0; i < N; i++) {
        ck_assert_msg(fabs(x[i] - sin(2 * pi * 0.3 * t[i] + 1)) < 5e-3, "%zu", i);
    }
}

/* Tests a motion shorter than the transient of an end. */
TD_LOOP_TEST(few_points, 0, 2)
{
    for (size_t n = 4; n < 12; n++) {
        double t[12], x[12];
        for (size_t i = 0; i < n; i++) {
            t[i] = 0.1 * (double)i;
            x[i] = 1 + 2 * t[i];
        }
        ck_assert_int_eq(td_filter_apply(kinds[_i], n, t, 0.2, x), TD_OK);
        for (size_t i = 0; i < n; i++) {
            ck_assert_double_eq_tol(x[i], 1 + 2 * t[i], 1e-9);
        }
    }
}

int main(void)
{
    return td_run_tests(0);
}
