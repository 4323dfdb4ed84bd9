/* SPDX-License-Identifier: MIT */
/*
 * Tests integrators on equations unrelated to robots: the order of each method against quadruple
 * precision, the tolerance of the adaptive ones, the polynomial between steps, and events. Also
 * tests that nothing is allocated after the start.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/real/quad.h"
#include "owned_inside.h"
#include "td_test.h"

/* ---- allocations ----------------------------------------------------------------------------- */

static size_t allocations;

void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__real_realloc(void *, size_t);
void *__real_aligned_alloc(size_t, size_t);
void *__wrap_malloc(size_t);
void *__wrap_calloc(size_t, size_t);
void *__wrap_realloc(void *, size_t);
void *__wrap_aligned_alloc(size_t, size_t);

void *__wrap_malloc(size_t n)
{
    allocations++;
    return __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
    allocations++;
    return __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
    allocations++;
    return __real_realloc(p, n);
}

void *__wrap_aligned_alloc(size_t a, size_t n)
{
    allocations++;
    return __real_aligned_alloc(a, n);
}

/* ---- a driven pendulum ----------------------------------------------------------------------- */

/* Computes θ̈ = −sin θ − 0.1 θ̇ + 0.3 cos t. */
static td_status pendulum(void *context, double t, const double *x, double *rate)
{
    (void)context;
    rate[0] = x[1];
    rate[1] = -sin(x[0]) - 0.1 * x[1] + 0.3 * cos(t);
    return TD_OK;
}

/* Computes sin and cos in quadruple precision by their series, with the argument divided by 2⁸. */
static void sincos_quad(quad x, quad *sine, quad *cosine)
{
    quad r = x / 256, s = 0, c = 0, term = 1;
    for (int k = 0; k < 12; k++) {
        c += term;
        term *= r / (2 * k + 1);
        s += term;
        term *= -r / (2 * k + 2);
    }
    c -= 1; /* 1 − cos and sin keep their digits when the angle doubles */
    c = -c;
    for (int k = 0; k < 8; k++) {
        quad twice = 2 * s * (1 - c);
        c = 2 * s * s;
        s = twice;
    }
    *sine = s;
    *cosine = 1 - c;
}

static void pendulum_quad(quad t, const quad *x, quad *rate)
{
    quad s, c, drive_s, drive_c;
    sincos_quad(x[0], &s, &c);
    sincos_quad(t, &drive_s, &drive_c);
    rate[0] = x[1];
    rate[1] = -s - x[1] / 10 + 3 * drive_c / 10;
}

/* Takes classical Runge-Kutta steps in quadruple precision. */
static void runge_kutta_quad(quad *x, quad end, int steps)
{
    const quad h = end / steps;
    for (int n = 0; n < steps; n++) {
        quad k[4][2], y[2], t = n * h;
        pendulum_quad(t, x, k[0]);
        for (int s = 1; s < 4; s++) {
            quad part = s == 3 ? h : h / 2;
            for (int j = 0; j < 2; j++)
                y[j] = x[j] + part * k[s - 1][j];
            pendulum_quad(t + part, y, k[s]);
        }
        for (int j = 0; j < 2; j++)
            x[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
    }
}

static const double start[2] = {0.7, -0.2};

/* Computes the pendulum at a time to some 1e-18: extrapolation gains two orders over single runs.
 */
static void reference(double end, double x[2])
{
    quad coarse[2] = {(quad)start[0], (quad)start[1]}, fine[2] = {coarse[0], coarse[1]};
    runge_kutta_quad(coarse, (quad)end, 1000);
    runge_kutta_quad(fine, (quad)end, 2000);
    for (int j = 0; j < 2; j++)
        x[j] = (double)(fine[j] + (fine[j] - coarse[j]) / 15);
}

static td_integrator *integrator_of(td_ode *ode, td_integrator_options *options, const double *x)
{
    td_integrator *i;
    assert_ok(test_integrator_new(ode, options, &i));
    assert_ok(td_integrator_start(i, 0, x));
    return i;
}

static td_ode pendulum_ode(void)
{
    td_ode ode = {0};
    ode.size = 2;
    ode.positions = 1;
    ode.rate = pendulum;
    return ode;
}

static void run_to(td_integrator *i, double end)
{
    while (td_integrator_time(i) < end)
        assert_ok(td_integrator_step(i, end));
    ck_assert(td_integrator_time(i) == end);
}

enum { END = 3 };

/* Returns the error at the end with this step, which a wide tolerance imposes on adaptive methods.
   between receives the largest error of the polynomial. */
static double error_with_step(td_method method, double step, double *between)
{
    td_ode ode = pendulum_ode();
    td_integrator_options options = td_integrator_options_default();
    options.method = method;
    options.step = options.longest = step;
    options.rtol = 1e6;
    td_integrator *i = integrator_of(&ode, &options, start);
    double exact[2], x[2];
    *between = 0;
    while (td_integrator_time(i) < END) {
        assert_ok(td_integrator_step(i, END));
        if (td_integrator_begin(i) < 1.45 && td_integrator_time(i) >= 1.45) {
            const double t = 0.37 * td_integrator_begin(i) + 0.63 * td_integrator_time(i);
            assert_ok(td_integrator_evaluate(i, t, x));
            reference(t, exact);
            *between = fmax(*between, td_largest_difference(2, x, exact));
        }
    }
    reference(END, exact);
    const double error = td_largest_difference(2, td_integrator_state(i), exact);
    ck_assert_uint_eq(td_integrator_counts_of(i).steps, (size_t)lround(END / step));
    return error;
}

static const struct order {
    td_method method;
    double step;
    double least, most; /* range of the ratio of errors with a step and half of it */
    double between;     /* least ratio for the polynomial */
} orders[] = {
    {TD_METHOD_SEMI_IMPLICIT_EULER, 1.0 / 64, 1.9, 2.1, 1.5},
    {TD_METHOD_RK4, 1.0 / 8, 14.5, 17.5, 11.6},
    {TD_METHOD_DORMAND_PRINCE, 1.0 / 4, 28, 36, 14.5},    /* order 4 */
    {TD_METHOD_DORMAND_PRINCE_8, 1.0 / 2, 220, 330, 116}, /* order 7 */
    /* the pendulum is driven by a function of t */
    {TD_METHOD_EXPONENTIAL, 1.0 / 64, 1.9, 2.1, 1.5},
    {TD_METHOD_EXPONENTIAL_LINEAR, 1.0 / 32, 3.8, 4.2, 3},
};

TD_LOOP_TEST(order, 0, sizeof orders / sizeof *orders)
{
    const struct order *o = &orders[_i];
    double between[2], error[2];
    for (int k = 0; k < 2; k++)
        error[k] = error_with_step(o->method, o->step / (1 + k), &between[k]);
    ck_assert_msg(error[0] / error[1] > o->least && error[0] / error[1] < o->most,
                  "errors %.3g and %.3g", error[0], error[1]);
    ck_assert_msg(between[0] / between[1] > o->between, "between steps %.3g and %.3g", between[0],
                  between[1]);
}

static const td_method adaptive[] = {TD_METHOD_DORMAND_PRINCE, TD_METHOD_RADAU,
                                     TD_METHOD_DORMAND_PRINCE_8, TD_METHOD_AUTO};

TD_LOOP_TEST(tolerance, 0, sizeof adaptive / sizeof *adaptive)
{
    double exact[2];
    reference(END, exact);
    for (double rtol = 1e-4; rtol > 1e-13; rtol *= 0.1) {
        td_ode ode = pendulum_ode();
        td_integrator_options options = td_integrator_options_default();
        options.rtol = rtol;
        options.method = adaptive[_i];
        td_integrator *i = integrator_of(&ode, &options, start);
        run_to(i, END);
        const double error = td_largest_difference(2, td_integrator_state(i), exact);
        ck_assert_msg(error < 5 * rtol + 1e-15, "rtol %.0g: %.3g", rtol, error);
    }
}

/* ---- an oscillator --------------------------------------------------------------------------- */

static td_status oscillator(void *context, double t, const double *x, double *rate)
{
    (void)t;
    size_t *calls = context;
    if (calls)
        ++*calls;
    rate[0] = x[1];
    rate[1] = -x[0];
    return TD_OK;
}

static td_status crossings(void *context, double t, const double *x, double *values)
{
    (void)context, (void)t;
    values[0] = x[0];
    values[1] = -x[0];
    values[2] = x[0] + 0; /* at the same time as the first event */
    values[3] = 2 - x[0]; /* never */
    return TD_OK;
}

static td_ode oscillator_ode(void)
{
    td_ode ode = {0};
    ode.size = 2;
    ode.positions = 1;
    ode.rate = oscillator;
    ode.event = crossings;
    ode.events = 4;
    return ode;
}

/* v ← v − h p, p ← p + h v conserves p² + v² − h p v. */
TD_TEST(symplectic)
{
    td_ode ode = oscillator_ode();
    td_integrator_options options = td_integrator_options_default();
    options.method = TD_METHOD_SEMI_IMPLICIT_EULER;
    options.step = 0.05;
    const double x0[2] = {1, 0};
    td_integrator *i = integrator_of(&ode, &options, x0);
    for (int n = 0; n < 100000; n++) {
        assert_ok(td_integrator_step(i, INFINITY));
        const double *x = td_integrator_state(i);
        ck_assert(fabs(x[0] * x[0] + x[1] * x[1] - 0.05 * x[0] * x[1] - 1) < 1e-12);
    }
    ck_assert(fabs(td_integrator_time(i) - 5000) < 1e-9);
}

/* Finds each zero of cos t once, falling and rising in turn, and continues from there. */
TD_LOOP_TEST(events, 0, 3)
{
    td_ode ode = oscillator_ode();
    td_integrator_options options = td_integrator_options_default();
    static const td_method methods[] = {TD_METHOD_DORMAND_PRINCE, TD_METHOD_RK4,
                                        TD_METHOD_DORMAND_PRINCE_8};
    options.method = methods[_i];
    options.step = options.method == TD_METHOD_RK4 ? 1e-3 : 0;
    options.rtol = 1e-11;
    const double x0[2] = {1, 0}, pi = acos(-1);
    td_integrator *i = integrator_of(&ode, &options, x0);
    int found = 0;
    while (td_integrator_time(i) < 20) {
        double t;
        unsigned char happened[4];
        assert_ok(td_integrator_step(i, 20));
        assert_ok(td_integrator_locate(i, &t, happened));
        if (isinf(t))
            continue;
        ck_assert_msg(fabs(t - (found + 0.5) * pi) < 3e-10, "event %d at %.17g", found, t);
        ck_assert(happened[0] == (found % 2 == 0) && happened[2] == happened[0]);
        ck_assert(happened[1] == (found % 2 == 1) && !happened[3]);
        assert_ok(td_integrator_cut(i, t));
        ck_assert(td_integrator_time(i) == t);
        ck_assert(fabs(td_integrator_state(i)[0]) < 1e-13);
        found++;
    }
    ck_assert_int_eq(found, 6);
}

/* A step that is cut short has the same polynomial. */
TD_LOOP_TEST(cut, 0, 3)
{
    td_ode ode = oscillator_ode();
    td_integrator_options options = td_integrator_options_default();
    options.method = (const td_method[]){TD_METHOD_DORMAND_PRINCE, TD_METHOD_DORMAND_PRINCE_8,
                                         TD_METHOD_AUTO}[_i];
    const double x0[2] = {1, 0};
    td_integrator *i = integrator_of(&ode, &options, x0);
    run_to(i, 1);
    assert_ok(td_integrator_step(i, 3));
    const double a = td_integrator_begin(i), b = td_integrator_time(i);
    double before[2], after[2];
    assert_ok(td_integrator_evaluate(i, 0.8 * a + 0.2 * b, before));
    assert_ok(td_integrator_cut(i, 0.4 * a + 0.6 * b));
    assert_ok(td_integrator_evaluate(i, 0.8 * a + 0.2 * b, after));
    ck_assert(before[0] == after[0] && before[1] == after[1]);
    ck_assert_int_eq(td_integrator_evaluate(i, b, after), TD_ERROR_ARGUMENT);
    ck_assert(isnan(after[0]));
    run_to(i, 3);
    ck_assert(fabs(td_integrator_state(i)[0] - cos(3)) < 1e-7);
}

/* The polynomial of order 7 takes three evaluations, once, and only on request. */
TD_TEST(evaluations_of_the_polynomial)
{
    td_ode ode = oscillator_ode();
    td_integrator_options options = td_integrator_options_default();
    options.method = TD_METHOD_DORMAND_PRINCE_8;
    const double x0[2] = {1, 0};
    td_integrator *i = integrator_of(&ode, &options, x0);
    run_to(i, 1);
    for (int step = 0; step < 3; step++) {
        double x[2];
        const td_integrator_counts before = td_integrator_counts_of(i);
        assert_ok(td_integrator_step(i, 10));
        td_integrator_counts after = td_integrator_counts_of(i);
        const size_t tries = 1 + after.rejected - before.rejected;
        ck_assert_uint_eq(after.evaluations - before.evaluations, 12 * tries);
        assert_ok(td_integrator_evaluate(i, td_integrator_begin(i), x));
        assert_ok(td_integrator_evaluate(i, td_integrator_time(i), x));
        ck_assert_uint_eq(td_integrator_counts_of(i).evaluations, after.evaluations);
        for (int k = 1; k < 4 && step != 1; k++) {
            const double t = td_integrator_begin(i) +
                             0.25 * k * (td_integrator_time(i) - td_integrator_begin(i));
            assert_ok(td_integrator_evaluate(i, t, x));
            ck_assert_double_le(fabs(x[0] - cos(t)), 1e-7);
            ck_assert_uint_eq(td_integrator_counts_of(i).evaluations, after.evaluations + 3);
        }
    }
}

/* Computes ẋ = (v, −x₀ · stiffness); the stiffness changes between steps. */
static td_status sprung(void *context, double t, const double *x, double *rate)
{
    (void)t;
    const double *of = context;
    if (isnan(*of))
        return TD_ERROR_ASSEMBLY;
    rate[0] = x[1];
    rate[1] = -*of * x[0];
    return TD_OK;
}

/* After a jump of equations and state, the previous step can still be evaluated without calling the
   rate. This also holds if the rate fails in the evaluations of the polynomial. */
TD_LOOP_TEST(last_step_after_a_jump, 0, 4)
{
    double spring = 1;
    td_ode ode = {0};
    ode.size = 2;
    ode.rate = sprung;
    ode.context = &spring;
    td_integrator_options options = td_integrator_options_default();
    options.method = _i % 2 ? TD_METHOD_DORMAND_PRINCE_8 : TD_METHOD_DORMAND_PRINCE;
    options.rtol = 1e-10;
    const double x0[2] = {1, 0};
    td_integrator *i = integrator_of(&ode, &options, x0);
    run_to(i, 1);
    for (int step = 0; step < 4; step++) {
        double x[2];
        assert_ok(td_integrator_step(i, 10));
        const double begin = td_integrator_begin(i), end = td_integrator_time(i);
        const size_t before = td_integrator_counts_of(i).evaluations;
        memcpy(x, td_integrator_state(i), sizeof x);
        if (_i < 2) {
            spring = 1e4;
            const double kicked[2] = {x[0], x[1] + 5};
            assert_ok(td_integrator_jump(i, kicked));
        } else {
            spring = NAN;
        }
        double between[2];
        for (double part = 0.1; part < 1; part += 0.1) {
            const double t = begin + part * (end - begin);
            assert_ok(td_integrator_evaluate(i, t, between));
            ck_assert_double_le(fabs(between[0] - cos(t)), 1e-8);
        }
        ck_assert_uint_eq(td_integrator_counts_of(i).evaluations, before + (_i == 3));
        spring = 1;
        assert_ok(td_integrator_jump(i, x));
    }
    run_to(i, 6);
    ck_assert_double_le(fabs(td_integrator_state(i)[0] - cos(6)), 1e-8);
}

TD_TEST(memory_and_counts)
{
    for (int method = 0; method <= (int)TD_METHOD_EXPONENTIAL_LINEAR; method++) {
        size_t calls = 0;
        td_ode ode = oscillator_ode();
        ode.context = &calls;
        td_integrator_options options = td_integrator_options_default();
        options.method = (td_method)method;
        options.step = 0.01;
        const double x0[2] = {1, 0};
        td_integrator *i = integrator_of(&ode, &options, x0);
        const size_t before = allocations;
        double t;
        unsigned char happened[4];
        while (td_integrator_time(i) < 10) {
            td_integrator_step(i, 10);
            td_integrator_locate(i, &t, happened);
            if (isfinite(t))
                td_integrator_cut(i, t);
        }
        ck_assert_uint_eq(allocations, before);
        ck_assert_uint_eq(td_integrator_counts_of(i).evaluations, calls);
    }
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* ẋ = x², which is infinite at t = 1. */
static td_status explosion(void *context, double t, const double *x, double *rate)
{
    (void)context, (void)t;
    rate[0] = x[0] * x[0];
    return TD_OK;
}

/* ẋ = 1 up to a wall. */
static td_status wall(void *context, double t, const double *x, double *rate)
{
    (void)context, (void)t;
    rate[0] = 1;
    return x[0] > 0.5 ? TD_ERROR_ASSEMBLY : TD_OK;
}

TD_TEST(ends)
{
    td_ode ode = {0};
    ode.size = 1;
    ode.rate = explosion;
    const double one = 1, zero = 0;
    td_integrator *i = integrator_of(&ode, NULL, &one);
    td_status status = TD_OK;
    while (status == TD_OK)
        status = td_integrator_step(i, 2);
    ck_assert(status == TD_ERROR_STEP || status == TD_ERROR_NOT_FINITE);
    ck_assert(fabs(td_integrator_time(i) - 1) < 1e-6 && isfinite(td_integrator_state(i)[0]));

    ode.rate = wall;
    i = integrator_of(&ode, NULL, &zero);
    while ((status = td_integrator_step(i, 2)) == TD_OK)
        ;
    ck_assert_int_eq(status, TD_ERROR_ASSEMBLY);
    /* it stops before the wall by some billionths of a step, which would have covered the rest */
    const double before = 0.5 - td_integrator_state(i)[0];
    ck_assert_msg(before > 1e-10 && before < 2e-8, "ends %.3g before the wall", before);
    ck_assert(fabs(td_integrator_state(i)[0] - td_integrator_time(i)) < 1e-14);

    td_integrator_options options = td_integrator_options_default();
    options.method = TD_METHOD_RK4;
    options.step = 0.2;
    i = integrator_of(&ode, &options, &zero);
    for (int n = 0; n < 2; n++)
        assert_ok(td_integrator_step(i, INFINITY));
    for (int n = 0; n < 2; n++) { /* the state does not change */
        ck_assert_int_eq(td_integrator_step(i, INFINITY), TD_ERROR_ASSEMBLY);
        ck_assert(td_integrator_time(i) == 0.4);
    }
}

static void refused(const td_ode *ode, const td_integrator_options *options)
{
    td_integrator *i = (td_integrator *)1;
    ck_assert_int_eq(test_integrator_new(ode, options, &i), TD_ERROR_ARGUMENT);
    ck_assert_ptr_null(i);
}

TD_TEST(arguments)
{
    td_ode good = pendulum_ode(), ode = good;
    td_integrator_options options = td_integrator_options_default(), fine = options;
    refused(NULL, NULL);
    ck_assert_int_eq(test_integrator_new(&good, NULL, NULL), TD_ERROR_ARGUMENT);
    ode.rate = NULL, refused(&ode, NULL), ode = good;
    ode.size = 0, refused(&ode, NULL), ode = good;
    ode.positions = 3, refused(&ode, NULL), ode = good;
    ode.velocities = 2, refused(&ode, NULL), ode = good;
    ode.events = 1, refused(&ode, NULL), ode = good;
    options.rtol = -1, refused(&ode, &options), options = fine;
    options.rtol = 0, refused(&ode, &options), options = fine;
    options.step = NAN, refused(&ode, &options), options = fine;
    options.longest = INFINITY, refused(&ode, &options), options = fine;
    options.method = (td_method)17, refused(&ode, &options), options = fine;
    options.method = (td_method)(TD_METHOD_EXPONENTIAL_LINEAR + 1);
    refused(&ode, &options), options = fine;
    options.event_parts = 0, refused(&ode, &options), options = fine;

    td_integrator *i;
    double t, x[2] = {NAN, 0};
    unsigned char happened[1];
    assert_ok(test_integrator_new(&good, NULL, &i));
    ck_assert_int_eq(td_integrator_step(i, 1), TD_ERROR_ARGUMENT); /* not started */
    ck_assert_int_eq(td_integrator_start(i, 0, x), TD_ERROR_NOT_FINITE);
    ck_assert_int_eq(td_integrator_start(i, 0, NULL), TD_ERROR_ARGUMENT);
    assert_ok(td_integrator_start(i, 2, start));
    ck_assert_int_eq(td_integrator_step(i, 1), TD_ERROR_ARGUMENT); /* back in time */
    ck_assert_int_eq(td_integrator_step(i, NAN), TD_ERROR_ARGUMENT);
    assert_ok(td_integrator_step(i, 2));
    assert_ok(td_integrator_locate(i, &t, happened));
    ck_assert(isinf(t));
    ck_assert_int_eq(td_integrator_locate(i, NULL, happened), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_integrator_evaluate(i, 2, NULL), TD_ERROR_ARGUMENT);
    td_integrator_free(NULL);
}

/* ---- user-supplied Jacobians ----------------------------------------------------------------- */

enum { TWO = 2 };

/* ẋ = (x₁, −10⁴ (x₀ − cos t) − 200 x₁ − sin t). Its Jacobian is right, fails, is NaN or is inexact,
   as the context says. */
typedef enum answer { RIGHT, NONE, NAN_OF_IT, ROUGH } answer;

static td_status pulled_rate(void *context, double t, const double *x, double *rate)
{
    (void)context;
    rate[0] = x[1];
    rate[1] = -1e4 * (x[0] - cos(t)) - 200 * x[1] - sin(t);
    return TD_OK;
}

static td_status pulled_jacobian(void *context, double t, const double *x, double *J)
{
    const answer *how = context;
    (void)t, (void)x;
    J[0] = 0, J[1] = 1;
    J[2] = *how == NAN_OF_IT ? NAN : *how == ROUGH ? -1.02e4 : -1e4;
    J[3] = -200;
    return *how == NONE ? TD_ERROR_ARGUMENT : TD_OK;
}

/* The Jacobian is used if possible, and differences otherwise. Results do not depend on it. */
TD_TEST(own_jacobian)
{
    double x[4 + 1][TWO];
    td_integrator_counts counts[4 + 1];
    for (int how = RIGHT; how <= ROUGH + 1; how++) {
        answer given = (answer)how;
        const double begin[TWO] = {1, 0};
        td_ode ode = {0};
        ode.size = TWO;
        ode.rate = pulled_rate;
        ode.jacobian = how <= ROUGH ? pulled_jacobian : NULL;
        ode.context = &given;
        td_integrator_options options = td_integrator_options_default();
        options.method = TD_METHOD_RADAU;
        options.rtol = 1e-10;
        td_integrator *i = integrator_of(&ode, &options, begin);
        run_to(i, 1);
        memcpy(x[how], td_integrator_state(i), sizeof x[how]);
        counts[how] = td_integrator_counts_of(i);
        ck_assert_uint_gt(counts[how].jacobians, 0);
    }
    for (int how = RIGHT; how <= ROUGH; how++)
        td_assert_close(TWO, x[how], x[ROUGH + 1], 1e-7, 1);
    ck_assert_uint_lt(counts[RIGHT].evaluations, counts[ROUGH + 1].evaluations);
    for (int how = NONE; how <= NAN_OF_IT; how++) {
        ck_assert_uint_eq(counts[how].evaluations, counts[ROUGH + 1].evaluations);
        ck_assert_uint_eq(counts[how].jacobians, counts[ROUGH + 1].jacobians);
    }
}

/* ---- linear equations ------------------------------------------------------------------------ */

/* ẋ = A x + b with eigenvalues from −10⁵ to ± 30 i, and its Jacobian. */
static const double linear_A[3][3] = {{0, 1, 0}, {-900, 0, 1}, {0, 0, -1e5}};
static const double linear_b[3] = {0, 0, 2e5};

static td_status linear_rate(void *context, double t, const double *x, double *rate)
{
    (void)context, (void)t;
    for (int i = 0; i < 3; i++) {
        rate[i] = linear_b[i];
        for (int j = 0; j < 3; j++)
            rate[i] += linear_A[i][j] * x[j];
    }
    return TD_OK;
}

static td_status linear_jacobian(void *context, double t, const double *x, double *J)
{
    (void)context, (void)t, (void)x;
    memcpy(J, linear_A, sizeof linear_A);
    return TD_OK;
}

/* Exponential methods are exact for steps of any length: x₂ = 2 after its decay, and x₀ oscillates
   about 2/900. */
TD_LOOP_TEST(exact_where_linear, 0, 2)
{
    const double x0[3] = {0.5, 0, 2};
    td_ode ode = {0};
    ode.size = 3;
    ode.rate = linear_rate;
    ode.jacobian = linear_jacobian;
    td_integrator_options options = td_integrator_options_default();
    options.method = _i ? TD_METHOD_EXPONENTIAL_LINEAR : TD_METHOD_EXPONENTIAL;
    options.step = 0.25;
    td_integrator *i = integrator_of(&ode, &options, x0);
    run_to(i, 2);
    const double mean = 2.0 / 900,
                 exact[3] = {mean + (0.5 - mean) * cos(60), -30 * (0.5 - mean) * sin(60), 2};
    td_assert_close(3, td_integrator_state(i), exact, 1e-10, 15);
    const td_integrator_counts counts = td_integrator_counts_of(i);
    ck_assert_uint_eq(counts.jacobians, counts.steps);
    ck_assert_uint_eq(counts.evaluations, counts.steps * (size_t)(1 + _i));
}

/* ---- stiff equations ------------------------------------------------------------------------- */

/* ẋ = −λ (x − cos t) − sin t: x = cos t for any λ, from 1 on. */
static const double stiffness = 1e6;

static td_status stiff_rate(void *context, double t, const double *x, double *rate)
{
    (void)context;
    rate[0] = -stiffness * (x[0] - cos(t)) - sin(t);
    return TD_OK;
}

static td_status half(void *context, double t, const double *x, double *values)
{
    (void)context, (void)t;
    values[0] = x[0] - 0.5;
    return TD_OK;
}

static const td_method stiff_methods[] = {TD_METHOD_RADAU, TD_METHOD_AUTO};

static td_integrator *stiff_integrator(td_method method, double rtol)
{
    td_ode ode = {0};
    ode.size = 1;
    ode.rate = stiff_rate;
    ode.event = half;
    ode.events = 1;
    td_integrator_options options = td_integrator_options_default();
    options.method = method;
    options.rtol = rtol;
    options.longest = 0.1; /* between steps TD_METHOD_RADAU has only order 5 */
    const double x = 1;
    return integrator_of(&ode, &options, &x);
}

/* Stiff methods are accurate at the ends of steps and between, with a thousandth of the work of the
   explicit method. */
TD_LOOP_TEST(stiff, 0, 2)
{
    td_integrator *i = stiff_integrator(stiff_methods[_i], 1e-9),
                  *plain = stiff_integrator(TD_METHOD_DORMAND_PRINCE, 1e-9);
    double worst = 0, x;
    while (td_integrator_time(i) < 1) {
        assert_ok(td_integrator_step(i, 1));
        const double begin = td_integrator_begin(i), end = td_integrator_time(i);
        for (int k = 0; k <= 4; k++) {
            const double t = begin + 0.25 * k * (end - begin);
            assert_ok(td_integrator_evaluate(i, t, &x));
            worst = fmax(worst, fabs(x - cos(t)));
        }
    }
    ck_assert(td_integrator_time(i) == 1);
    ck_assert_double_le(worst, 1e-7); /* errors of some 300 steps */
    run_to(plain, 0.01);
    const size_t few = td_integrator_counts_of(i).evaluations;
    const size_t many = 100 * td_integrator_counts_of(plain).evaluations;
    ck_assert_msg(few * 300 < many, "%zu against %zu", few, many);
}

TD_LOOP_TEST(stiff_events, 0, 2)
{
    td_integrator *i = stiff_integrator(stiff_methods[_i], 1e-10);
    unsigned char happened = 0;
    double t = INFINITY, x;
    while (!happened) {
        assert_ok(td_integrator_step(i, 2));
        assert_ok(td_integrator_locate(i, &t, &happened));
    }
    ck_assert_double_le(fabs(t - acos(0.5)), 1e-8);
    assert_ok(td_integrator_cut(i, t));
    ck_assert(td_integrator_time(i) == t);
    x = cos(t) + 1e-3; /* continues from a state that has jumped */
    assert_ok(td_integrator_jump(i, &x));
    const double between = 0.5 * (td_integrator_begin(i) + t);
    assert_ok(td_integrator_evaluate(i, between, &x));
    ck_assert_double_le(fabs(x - cos(between)), 1e-8);
    run_to(i, 2);
    ck_assert_double_le(fabs(*td_integrator_state(i) - cos(2)), 1e-8);
    /* the shortest possible step, and one that begins after it */
    assert_ok(td_integrator_step(i, nextafter(2, 3)));
    ck_assert(td_integrator_time(i) == nextafter(2, 3));
    run_to(i, 2.5);
    ck_assert_double_le(fabs(*td_integrator_state(i) - cos(2.5)), 1e-8);
}

/* Robertson's reaction, with known values at t = 40. */
static td_status reaction(void *context, double t, const double *x, double *rate)
{
    (void)context, (void)t;
    rate[0] = -0.04 * x[0] + 1e4 * x[1] * x[2];
    rate[2] = 3e7 * x[1] * x[1];
    rate[1] = -rate[0] - rate[2];
    return TD_OK;
}

TD_TEST(robertson)
{
    static const double at_40[3] = {0.7158270688, 9.185534765e-6, 0.2841637457};
    td_ode ode = {0};
    ode.size = 3;
    ode.rate = reaction;
    td_integrator_options options = td_integrator_options_default();
    options.method = TD_METHOD_RADAU;
    options.rtol = 1e-8;
    options.atol = 1e-14;
    const double x0[3] = {1, 0, 0};
    td_integrator *i = integrator_of(&ode, &options, x0);
    run_to(i, 40);
    const double *x = td_integrator_state(i);
    for (int k = 0; k < 3; k++)
        ck_assert_double_le(fabs(x[k] / at_40[k] - 1), 1e-7);
    ck_assert_double_le(fabs(x[0] + x[1] + x[2] - 1), 1e-12);
    const size_t steps = td_integrator_counts_of(i).steps;
    ck_assert_msg(steps < 100, "%zu steps", steps);
}

static td_status fails_behind_one(void *context, double t, const double *x, double *rate)
{
    (void)context;
    rate[0] = -x[0];
    return t > 1 ? TD_ERROR_ASSEMBLY : TD_OK;
}

TD_LOOP_TEST(stiff_failures, 0, 2)
{
    td_ode ode = {0};
    ode.size = 1;
    ode.rate = fails_behind_one;
    td_integrator_options options = td_integrator_options_default();
    options.method = stiff_methods[_i];
    const double x = 1;
    td_integrator *i = integrator_of(&ode, &options, &x);
    td_status status = TD_OK;
    while (status == TD_OK && td_integrator_time(i) < 2)
        status = td_integrator_step(i, 2);
    ck_assert_int_eq(status, TD_ERROR_ASSEMBLY);
    ck_assert_double_le(td_integrator_time(i), 1);
    ck_assert_double_gt(td_integrator_time(i), 0.9);
    ck_assert_double_le(fabs(*td_integrator_state(i) - exp(-td_integrator_time(i))), 1e-6);
}

/* ---- switching between methods --------------------------------------------------------------- */

/* Van der Pol's oscillator with μ = 100: slow and stiff on two branches, and fast between them. */
static td_status relaxation(void *context, double t, const double *x, double *rate)
{
    (void)context, (void)t;
    rate[0] = x[1];
    rate[1] = 100 * (1 - x[0] * x[0]) * x[1] - x[0];
    return TD_OK;
}

static td_integrator *relaxing(td_method method, double rtol)
{
    td_ode ode = {0};
    ode.size = 2;
    ode.rate = relaxation;
    td_integrator_options options = td_integrator_options_default();
    options.method = method;
    options.rtol = rtol;
    const double x0[2] = {2, 0};
    return integrator_of(&ode, &options, x0);
}

TD_LOOP_TEST(goes_there_and_back, 0, 2)
{
    const double rtol = _i ? 1e-11 : 1e-9;
    td_integrator *i = relaxing(TD_METHOD_AUTO, rtol);
    td_integrator *plain =
        relaxing(_i ? TD_METHOD_DORMAND_PRINCE_8 : TD_METHOD_DORMAND_PRINCE, rtol);
    int changes = 0;
    bool was_stiff = false;
    while (td_integrator_time(i) < 400) {
        const size_t before = td_integrator_counts_of(i).stiff;
        double x[2];
        assert_ok(td_integrator_step(i, 400));
        const bool is_stiff = td_integrator_counts_of(i).stiff > before;
        changes += is_stiff != was_stiff;
        was_stiff = is_stiff;
        /* the polynomial of a step after which the method changes */
        const double end = td_integrator_time(i), begin = td_integrator_begin(i);
        assert_ok(td_integrator_evaluate(i, end, x));
        ck_assert_double_le(fabs(x[0] - td_integrator_state(i)[0]), 1e-12);
        assert_ok(td_integrator_evaluate(i, 0.5 * (begin + end), x));
        ck_assert_double_le(fabs(x[0]), 2.1);
    }
    run_to(plain, 400);
    const td_integrator_counts few = td_integrator_counts_of(i),
                               many = td_integrator_counts_of(plain);
    ck_assert_int_ge(changes, 4);
    ck_assert_uint_gt(few.stiff, 0);
    ck_assert_uint_lt(few.stiff, few.steps);
    ck_assert_uint_eq(many.stiff, 0);
    ck_assert_msg(few.evaluations * 5 < many.evaluations, "%zu against %zu", few.evaluations,
                  many.evaluations);
    ck_assert_double_le(fabs(td_integrator_state(i)[0] - td_integrator_state(plain)[0]), 1e-5);
}

/* Without stiffness, results equal the explicit method's to the bit: order 8 for tolerances below
   1e-9. */
TD_LOOP_TEST(stays_where_nothing_is_stiff, 0, 7)
{
    static const double tolerances[] = {1e-3, 1e-6, 1e-8, 1e-9, 9e-10, 1e-11, 1e-13};
    const double rtol = tolerances[_i];
    for (int damped = 0; damped < 2; damped++) {
        td_integrator *both[2];
        for (int k = 0; k < 2; k++) {
            td_ode ode = damped ? pendulum_ode() : oscillator_ode();
            td_integrator_options options = td_integrator_options_default();
            options.method = k             ? TD_METHOD_AUTO
                             : rtol < 1e-9 ? TD_METHOD_DORMAND_PRINCE_8
                                           : TD_METHOD_DORMAND_PRINCE;
            options.rtol = rtol;
            const double x0[2] = {1, 0};
            both[k] = integrator_of(&ode, &options, x0);
            run_to(both[k], 50);
        }
        ck_assert_mem_eq(td_integrator_state(both[0]), td_integrator_state(both[1]),
                         2 * sizeof(double));
        ck_assert_uint_eq(td_integrator_counts_of(both[1]).stiff, 0);
    }
}

enum { TOO_MANY = 401 };

static td_status many_rates(void *context, double t, const double *x, double *rate)
{
    (void)context, (void)t;
    for (int j = 0; j < TOO_MANY; j++)
        rate[j] = -1000 * x[j];
    return TD_OK;
}

/* Large systems use no stiff method unless requested, since its Jacobian would be too large. */
TD_TEST(many_numbers_stay_explicit)
{
    td_ode ode = {0};
    ode.size = TOO_MANY;
    ode.rate = many_rates;
    double x[TOO_MANY];
    for (int j = 0; j < TOO_MANY; j++)
        x[j] = 1;
    td_integrator *i = integrator_of(&ode, NULL, x);
    run_to(i, 0.5);
    ck_assert_uint_eq(td_integrator_counts_of(i).stiff, 0);
    ck_assert_uint_gt(td_integrator_counts_of(i).steps, 100);
}

TD_TEST(fixed_steps)
{
    ck_assert(td_method_is_fixed(TD_METHOD_RK4) &&
              td_method_is_fixed(TD_METHOD_SEMI_IMPLICIT_EULER));
    ck_assert(!td_method_is_fixed(TD_METHOD_DORMAND_PRINCE) &&
              !td_method_is_fixed(TD_METHOD_DORMAND_PRINCE_8) &&
              !td_method_is_fixed(TD_METHOD_RADAU) && !td_method_is_fixed(TD_METHOD_AUTO));
    ck_assert(td_method_is_fixed(TD_METHOD_EXPONENTIAL) &&
              td_method_is_fixed(TD_METHOD_EXPONENTIAL_LINEAR));
}

int main(void)
{
    return td_run_tests(60);
}
