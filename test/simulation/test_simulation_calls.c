/* SPDX-License-Identifier: MIT */
/*
 * Tests callers of libtandem-simulation. Steps do not allocate. Every failing allocation of a
 * constructor is reported and leaks nothing. Callers that were built with other versions of the
 * headers, with shorter or longer structs, get what they requested.
 */
#include <math.h>
#include <string.h>

#include "base/sized.h"
#include "failing.h"
#include "functions.h"
#include "loop_robots.h"
#include "moving_robots.h"
#include "owned_inside.h"
#include "tandem/simulation.h"
#include "tandem/trajectory.h"

enum { ROOM = 128, LONGER = 3 * sizeof(size_t) };

/* ---- robots ---------------------------------------------------------------------------------- */

/* Returns a tree with quaternions, limits, friction and dampers, or loops with dead points. */
static td_model *robot(int which)
{
    if (which == 0)
        return slider_crank(true);
    td_random random = {7};
    td_builder *builder = regular_robot(&random, 5, 1, true, TD_BASE_FLOATING);
    td_load_options load = td_load_options_default();
    load.base = TD_BASE_FLOATING;
    return model_of_builder(builder, &load);
}
enum { ROBOTS = 2 };

/* Integrates a user-supplied state and applies a force and a wrench. */
static td_status act(void *context, const td_action *action)
{
    (void)context;
    action->z_rate[0] = action->yd[0] - action->z[0];
    action->tau_y[0] = -action->z[0];
    action->wrenches[2] = 0.1;
    return TD_OK;
}

static td_simulation_options everything(const td_integrator_options *integrator)
{
    td_simulation_options o = td_simulation_options_default();
    o.integrator = integrator;
    o.act = act;
    o.states = 1;
    o.wrenches = true;
    o.stiction = true;
    o.stops = TD_STOPS_IMPACT;
    return o;
}

/* ---- allocations ----------------------------------------------------------------------------- */

TD_LOOP_TEST(steps_allocate_nothing, 0, 4 * ROBOTS)
{
    static const td_method methods[] = {TD_METHOD_DORMAND_PRINCE, TD_METHOD_RK4,
                                        TD_METHOD_SEMI_IMPLICIT_EULER, TD_METHOD_DORMAND_PRINCE_8};
    td_integrator_options integrator = td_integrator_options_default();
    integrator.method = methods[_i / ROBOTS];
    if (!failing_works)
        return;
    td_model *model = robot(_i % ROBOTS);
    const td_simulation_options options = everything(&integrator);
    td_simulation *s = simulation_of(model, &options);
    double array[9][ROOM], z;
    td_simulation_sample sample = td_simulation_sample_default();
    sample.y = array[0], sample.yd = array[1], sample.ydd = array[2], sample.tau_y = array[3];
    sample.q = array[4], sample.qd = array[5], sample.qdd = array[6], sample.tau_c = array[7];
    sample.z = &z;
    double yd[ROOM] = {0.3};
    assert_ok(td_simulation_start(s, 0, NULL, yd, NULL));
    td_status status = TD_OK;
    size_t events = 0;
    failing_left = 0;
    while (td_simulation_time(s) < 0.5 && status == TD_OK) {
        status = td_simulation_step(s, 0.5);
        events += td_simulation_event_count(s);
        if (status == TD_OK)
            status = td_simulation_evaluate(
                s, 0.5 * (td_simulation_begin(s) + td_simulation_time(s)), &sample);
        if (status == TD_OK)
            status = td_simulation_jump(s);
    }
    failing_left = -1;
    ck_assert_msg(status == TD_OK, "%s at %g", td_status_text(status), td_simulation_time(s));
    ck_assert_uint_gt(events + td_simulation_counts(s).steps, 0);
}

/* Makes an object with allocations that may fail. model: the model it belongs to, or NULL. */
typedef td_status maker(const td_model *model);

static td_status make_simulation(const td_model *model)
{
    td_simulation *s = NULL;
    const td_simulation_options options = everything(NULL);
    td_status status = test_simulation_new(model, &options, &s);
    if ((status == TD_OK) != (s != NULL))
        status = TD_ERROR_ARGUMENT;
    if (status == TD_OK)
        status = td_simulation_start(s, 0, NULL, NULL, NULL);
    return status;
}

static td_status rest(void *context, double t, double *y, double *yd, double *ydd)
{
    (void)context, (void)t, (void)y;
    yd[0] = ydd[0] = 0;
    return TD_OK;
}

static td_status make_prescribed(const td_model *model)
{
    unsigned char given[ROOM] = {1};
    td_simulation_options options = everything(NULL);
    options.given = given;
    options.motion = rest;
    td_simulation *s;
    td_status status = test_simulation_new(model, &options, &s);
    return status;
}

static const double points[6] = {0, 1, -1, 2, 0.5, 0}, times[6] = {0, 1, 2, 3, 4, 5};

/* Returns the status, or TD_ERROR_ARGUMENT unless there is an object exactly on success. */
static td_status made(td_status status, td_trajectory *trajectory)
{
    const bool whole = (status == TD_OK) == (trajectory != NULL);
    td_trajectory_free(trajectory);
    return whole ? status : TD_ERROR_ARGUMENT;
}

static td_status make_moves(const td_model *model)
{
    (void)model;
    static const double limits[1] = {2};
    td_trajectory *t;
    td_status status = td_trajectory_move(1, points, points + 1, TD_PROFILE_SEPTIC, 1, &t);
    status = made(status, t);
    if (status == TD_OK) {
        status = td_trajectory_limited(1, points, points + 1, limits, limits, limits, &t);
        status = made(status, t);
    }
    if (status == TD_OK) {
        status = td_trajectory_polynomial(1, 5, points, points + 3, 2, &t);
        status = made(status, t);
    }
    return status;
}

static td_status make_splines(const td_model *model)
{
    (void)model;
    td_status status = TD_OK;
    for (int i = 0; i < 6 && status == TD_OK; i++) {
        static const td_spline_kind kinds[] = {TD_SPLINE_NOT_A_KNOT, TD_SPLINE_CLAMPED,
                                               TD_SPLINE_B};
        td_trajectory *t;
        status =
            td_trajectory_spline(6, 1, times, points, i % 2 ? 5 : 3, kinds[i / 2], NULL, NULL, &t);
        status = made(status, t);
    }
    if (status == TD_OK) {
        td_trajectory *t;
        status = td_trajectory_hermite(6, 1, times, points, points, points, &t);
        status = made(status, t);
    }
    return status;
}

static td_status make_scale(const td_model *model)
{
    double from[ROOM] = {0}, to[ROOM];
    for (int i = 0; i < ROOM; i++)
        to[i] = 0.01;
    td_trajectory *t;
    td_workspace *w = test_workspace(model);
    td_time_scale scale = {.size_of = sizeof scale};
    td_time_scale_options options = td_time_scale_options_default();
    options.forces = true;
    td_status status = w ? TD_OK : TD_ERROR_MEMORY;
    if (status == TD_OK)
        status = td_trajectory_move(td_ny(model), from, to, TD_PROFILE_CUBIC, 1, &t);
    if (status == TD_OK) {
        status = td_trajectory_time_scale(model, w, t, &options, &scale);
        td_trajectory_free(t);
    }
    return status;
}

static const struct {
    maker *make;
    int robot;
} makers[] = {{make_simulation, 0}, {make_simulation, 1}, {make_prescribed, 0},
              {make_moves, 0},      {make_splines, 0},    {make_scale, 0}};

TD_LOOP_TEST(every_allocation_may_fail, 0, sizeof makers / sizeof *makers)
{
    td_model *model = robot(makers[_i].robot);
    assert_ok(makers[_i].make(model));
    for (long n = 0; failing_works; n++) {
        const size_t kept = owned_count();
        const long before = failing_pieces;
        failing_left = n;
        const td_status status = makers[_i].make(model);
        failing_left = -1;
        release_since(&kept);
        ck_assert_msg(failing_pieces == before, "%ld pieces lost at allocation %ld",
                      failing_pieces - before, n);
        if (status == TD_OK)
            break;
        ck_assert_msg(status == TD_ERROR_MEMORY, "%s at allocation %ld", td_status_text(status), n);
        ck_assert_int_lt(n, 1000);
    }
}

/* ---- versions of the structs ----------------------------------------------------------------- */

static td_status make_with(const td_model *model, void *options)
{
    td_simulation *s;
    const td_status status = test_simulation_new(model, options, &s);
    return status;
}

TD_TEST(options_of_other_versions)
{
    td_model *model = robot(0);
    td_simulation_options o = td_simulation_options_default();
    o.restitution = 2; /* the older version lacks this field */
    ck_assert_int_eq(make_with(model, struct_of_version(sizeof o, &o, sizeof o)),
                     TD_ERROR_ARGUMENT);
    const size_t before = offsetof(td_simulation_options, restitution);
    assert_ok(make_with(model, struct_of_version(before, &o, sizeof o)));
    o.restitution = 0.5;
    assert_ok(make_with(model, struct_of_version(sizeof o + LONGER, &o, sizeof o)));
    unsigned char *newer = struct_of_version(sizeof o + LONGER, &o, sizeof o);
    newer[sizeof o + LONGER - 1] = 1;
    ck_assert_int_eq(make_with(model, newer), TD_ERROR_ARGUMENT);
}

/* Samples of a caller that does not know tau_c, and of one that knows more than the library. */
TD_TEST(samples_of_other_versions)
{
    td_model *model = robot(0);
    td_simulation *s;
    assert_ok(test_simulation_new(model, NULL, &s));
    assert_ok(td_simulation_start(s, 0, NULL, NULL, NULL));
    double q[ROOM] = {NAN};
    td_simulation_sample ours = td_simulation_sample_default();
    ours.q = q;
    const size_t sizes[] = {offsetof(td_simulation_sample, tau_c), sizeof ours + LONGER};
    for (int i = 0; i < 2; i++) {
        td_simulation_sample *theirs = struct_of_version(sizes[i], &ours, sizeof ours);
        q[0] = NAN;
        assert_ok(td_simulation_evaluate(s, 0, theirs));
        ck_assert(theirs->size_of == sizes[i] && isfinite(q[0]) && theirs->q == q);
        ck_assert(theirs->potential != 0);
    }
    ours.size_of--;
    ck_assert_int_eq(td_simulation_evaluate(s, 0, &ours), TD_ERROR_ARGUMENT);
}

static td_status fall(void *context, double t, const double *x, double *rate)
{
    (void)context, (void)t;
    rate[0] = x[1];
    rate[1] = -9.81;
    return TD_OK;
}

TD_TEST(integrators_of_other_versions)
{
    td_ode ode = {0};
    ode.size = 2;
    ode.rate = fall;
    td_integrator_options o = td_integrator_options_default();
    o.event_parts = 0; /* refused if the library knows it */
    const size_t sizes[] = {offsetof(td_integrator_options, event_parts), sizeof o};
    for (int i = 0; i < 2; i++) {
        td_integrator_options *theirs = struct_of_version(sizes[i], &o, sizeof o);
        td_integrator *integrator;
        ck_assert_int_eq(test_integrator_new(&ode, theirs, &integrator),
                         i ? TD_ERROR_ARGUMENT : TD_OK);
    }
}

TD_TEST(time_scales_of_other_versions)
{
    td_model *model = robot(0);
    td_workspace *w = test_workspace(model);
    const double from = 0, to = 0.01;
    td_trajectory *t;
    assert_ok(td_trajectory_move(1, &from, &to, TD_PROFILE_CUBIC, 1, &t));
    td_time_scale_options o = td_time_scale_options_default();
    o.samples = 0; /* refused if the library knows it */
    const size_t sizes[] = {offsetof(td_time_scale_options, samples), sizeof o};
    for (int i = 0; i < 2; i++) {
        td_time_scale_options *theirs = struct_of_version(sizes[i], &o, sizeof o);
        td_time_scale scale = {.size_of = sizeof scale};
        ck_assert_int_eq(td_trajectory_time_scale(model, w, t, theirs, &scale),
                         i ? TD_ERROR_ARGUMENT : TD_OK);
    }
    td_trajectory_free(t);
}

/* ---- samples --------------------------------------------------------------------------------- */

enum { SAMPLED_ROOM = 200, SAMPLED_STEPS = 80 };

/* Computes the state after some steps, with or without sampling in each step, and with a jump. */
static void run_sampled(const td_model *model, td_method method, bool stops, bool sampled,
                        double *y, double *yd)
{
    double q[SAMPLED_ROOM], qdd[SAMPLED_ROOM];
    td_integrator_options o = td_integrator_options_default();
    o.method = method;
    td_simulation_options options = td_simulation_options_default();
    options.integrator = &o;
    options.stops = stops ? TD_STOPS_IMPACT : TD_STOPS_NONE;
    options.stiction = stops;
    td_simulation *s;
    assert_ok(test_simulation_new(model, &options, &s));
    for (size_t i = 0; i < td_nyd(model); i++)
        yd[i] = i % 2 ? -2 : 1.5;
    assert_ok(td_simulation_start(s, 0, NULL, yd, NULL));
    td_simulation_sample sample = td_simulation_sample_default();
    for (int k = 0; k < SAMPLED_STEPS && td_simulation_step(s, 2) == TD_OK; k++) {
        const double begin = td_simulation_begin(s), end = td_simulation_time(s);
        sample.q = q, sample.qdd = qdd;
        for (int part = 1; part <= 3 && sampled; part++)
            td_simulation_evaluate(s, part == 3 ? end : begin + part * (end - begin) / 3, &sample);
        if (sampled && k % 8 == 0)
            td_simulation_fastest(s, NULL);
        if (k == SAMPLED_STEPS / 2)
            assert_ok(td_simulation_jump(s));
    }
    sample.q = NULL, sample.qdd = NULL, sample.y = y, sample.yd = yd;
    assert_ok(td_simulation_evaluate(s, td_simulation_time(s), &sample));
}

/* Sampling does not change a simulation by a single bit, with any method: trees, loops, and loops
   near dead points, where other joints are integrated. */
TD_LOOP_TEST(samples_leave_no_trace, 0, 5)
{
    static const td_method methods[] = {TD_METHOD_DORMAND_PRINCE, TD_METHOD_RK4,
                                        TD_METHOD_SEMI_IMPLICIT_EULER, TD_METHOD_RADAU,
                                        TD_METHOD_DORMAND_PRINCE_8};
    td_model *const models[] = {double_pendulum(), slider_crank(true), slider_crank(false),
                                squeezer()};
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        for (int stops = 0; stops < 2; stops++) {
            double y[2][SAMPLED_ROOM], yd[2][SAMPLED_ROOM];
            for (int sampled = 0; sampled < 2; sampled++)
                run_sampled(models[k], methods[_i], stops, sampled, y[sampled], yd[sampled]);
            ck_assert_mem_eq(y[0], y[1], td_ny(models[k]) * sizeof(double));
            ck_assert_mem_eq(yd[0], yd[1], td_nyd(models[k]) * sizeof(double));
        }
    }
}

/* ---- callbacks that use the workspace -------------------------------------------------------- */

typedef struct looking {
    const td_model *model;
    bool looks;
    unsigned calls;
} looking;

/* Occasionally calls functions for other states, including states in which loops do not close.
   Applies no force. */
static td_status look_around(void *context, const td_action *action)
{
    looking *l = context;
    double y[SAMPLED_ROOM], q[SAMPLED_ROOM];
    if (!l->looks || l->calls++ % 8 > 0)
        return TD_OK;
    memcpy(y, action->y, td_ny(l->model) * sizeof *y);
    y[0] += l->calls % 16 ? 0.1 : -1.5;
    td_closure(l->model, action->workspace, y, NULL, NULL, q, NULL, NULL);
    return TD_OK;
}

/* Computes the configuration and velocities 0.1 s after a start. */
static void run_started(td_simulation *s, double *q, double *qd)
{
    const double yd[SAMPLED_ROOM] = {1.5, -2, 0.5, 1, -1, 0.3};
    assert_ok(td_simulation_start(s, 0, NULL, yd, NULL));
    td_simulation_advance(s, 0.1);
    td_simulation_sample sample = td_simulation_sample_default();
    sample.q = q, sample.qd = qd;
    assert_ok(td_simulation_evaluate(s, td_simulation_time(s), &sample));
}

/* Loops are followed along the simulated motion. No bit depends on what act computes in the
   workspace, nor on previous simulations: each begins at the configuration of td_closure_start. */
TD_LOOP_TEST(callers_leave_no_trace, 0, 4)
{
    static const td_method methods[] = {TD_METHOD_DORMAND_PRINCE, TD_METHOD_RK4, TD_METHOD_RADAU,
                                        TD_METHOD_DORMAND_PRINCE_8};
    td_model *const models[] = {squeezer(), slider_crank(true), slider_crank(false),
                                model_of_four_bars(2)};
    td_integrator_options o = td_integrator_options_default();
    o.method = methods[_i];
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        double q[4][SAMPLED_ROOM], qd[4][SAMPLED_ROOM];
        for (int looks = 0; looks < 2; looks++) {
            td_simulation_options options = td_simulation_options_default();
            options.integrator = &o;
            looking context = {models[k], looks, 0};
            options.act = look_around;
            options.context = &context;
            td_simulation *s;
            assert_ok(test_simulation_new(models[k], &options, &s));
            for (int again = 0; again < 2; again++)
                run_started(s, q[2 * looks + again], qd[2 * looks + again]);
        }
        for (int run = 1; run < 4; run++) {
            ck_assert_mem_eq(q[0], q[run], td_nq(models[k]) * sizeof(double));
            ck_assert_mem_eq(qd[0], qd[run], td_nv(models[k]) * sizeof(double));
        }
    }
}

/* ---- the fastest joint ----------------------------------------------------------------------- */

/* Applies a spring and a damper at the first joint. */
static td_status hold_joint(void *context, const td_action *action)
{
    const double *of = context;
    action->tau_y[0] = -of[0] * action->y[0] - of[1] * action->yd[0];
    return TD_OK;
}

TD_TEST(fastest_joint)
{
    td_model *model = double_pendulum();
    td_workspace *w = test_workspace(model);
    double inverse[4], zero[2] = {0, 0}, of[2];
    assert_ok(td_mass_matrix_inverse(model, w, zero, NULL, inverse));
    td_simulation_options o = td_simulation_options_default();
    o.act = hold_joint;
    o.context = of;
    td_simulation *s;
    assert_ok(test_simulation_new(model, &o, &s));
    double rate = NAN;
    ck_assert_uint_eq(td_simulation_fastest(NULL, &rate), TD_NONE);
    ck_assert(rate == 0);
    ck_assert_uint_eq(td_simulation_fastest(s, &rate), TD_NONE); /* not started */
    for (int spring = 0; spring < 2; spring++) {
        of[0] = spring ? 1e8 : 0, of[1] = spring ? 1 : 1e5;
        const double expected = spring ? sqrt(of[0] * inverse[0]) : of[1] * inverse[0];
        assert_ok(td_simulation_start(s, 0, zero, NULL, NULL));
        const size_t joint = td_simulation_fastest(s, &rate);
        ck_assert_uint_eq(joint, td_movable_joint(model, 0));
        ck_assert_msg(fabs(rate - expected) < 1e-5 * expected, "%g, not %g", rate, expected);
    }
}
