/* SPDX-License-Identifier: MIT */
/*
 * Tests simulations. Energy minus work stays constant, results agree with quadruple precision and
 * the literature, and each method has its order, also for quaternions. Prescribed motions are
 * followed, and user-supplied states are integrated.
 */
#include <math.h>

#include <string.h>

#include "functions.h"
#include "loop_robots.h"
#include "moving_robots.h"
#include "tandem/constraint.h"
#include "tandem/simulation.h"

enum { ROOM = 512 };

static td_integrator_options adaptive(double rtol)
{
    td_integrator_options o = td_integrator_options_default();
    o.rtol = rtol;
    return o;
}

static td_integrator_options fixed(td_method method, double step)
{
    td_integrator_options o = td_integrator_options_default();
    o.method = method;
    o.step = step;
    return o;
}

/* ---- balances -------------------------------------------------------------------------------- */

typedef struct balance {
    double error;     /* largest change of energy minus work */
    double exchanged; /* between the smallest and largest kinetic energy */
} balance;

/* Advances to a time and records the balance at the end of each step. */
static balance advance_balanced(td_simulation *s, double end)
{
    td_simulation_sample sample = td_simulation_sample_default();
    assert_ok(td_simulation_evaluate(s, td_simulation_time(s), &sample));
    const double start = sample.kinetic + sample.potential - sample.work;
    double least = sample.kinetic, most = sample.kinetic;
    balance b = {0, 0};
    while (td_simulation_time(s) < end) {
        td_status status = td_simulation_step(s, end);
        ck_assert_msg(status == TD_OK, "%s at %.17g", td_status_text(status),
                      td_simulation_time(s));
        assert_ok(td_simulation_evaluate(s, td_simulation_time(s), &sample));
        b.error = fmax(b.error, fabs(sample.kinetic + sample.potential - sample.work - start));
        least = fmin(least, sample.kinetic);
        most = fmax(most, sample.kinetic);
    }
    b.exchanged = most - least;
    return b;
}

/* The trees of 000 fall for 10 s, with and without the spring. */
TD_LOOP_TEST(falling_trees, 0, 4)
{
    td_model *model = y_tree(_i >= 2, _i % 2 ? 100 : 0);
    const td_integrator_options o = adaptive(1e-10);
    td_simulation_options options = td_simulation_options_default();
    options.integrator = &o;
    td_simulation *s = simulation_of(model, &options);
    const double y[4] = {1.2, 0.3, -0.4, 0.2};
    assert_ok(td_simulation_start(s, 0, y, NULL, NULL));
    balance b = advance_balanced(s, 10);
    ck_assert_msg(b.error <= 1e-9 * b.exchanged, "energy less work changes by %.3g of %.3g",
                  b.error, b.exchanged);
}

/* Methods agree to 1e-8 over the first 2 s. */
TD_LOOP_TEST(methods_agree, 0, 4)
{
    td_model *model = y_tree(_i >= 2, _i % 2 ? 100 : 0);
    double end[2][4];
    const td_integrator_options o[2] = {adaptive(1e-11), fixed(TD_METHOD_RK4, 1e-4)};
    for (int k = 0; k < 2; k++) {
        td_simulation_options options = td_simulation_options_default();
        options.integrator = &o[k];
        td_simulation *s = simulation_of(model, &options);
        const double y[4] = {1.2, 0.3, -0.4, 0.2};
        assert_ok(td_simulation_start(s, 0, y, NULL, NULL));
        assert_ok(td_simulation_advance(s, 2));
        td_simulation_sample sample = td_simulation_sample_default();
        sample.y = end[k];
        assert_ok(td_simulation_evaluate(s, 2, &sample));
    }
    td_assert_close(td_ny(model), end[0], end[1], 1e-8, 1);
}

/* Compares the sample's constraint forces with the library's at its state. */
static void check_constraint_forces(const td_model *model, td_simulation *s,
                                    const td_forces *forces)
{
    double y[ROOM], yd[ROOM], ydd[ROOM], tau_c[ROOM], expected[ROOM];
    td_simulation_sample sample = td_simulation_sample_default();
    sample.y = y, sample.yd = yd, sample.ydd = ydd, sample.tau_c = tau_c;
    assert_ok(td_simulation_evaluate(s, td_simulation_time(s), &sample));
    td_status status =
        td_constraint_force(model, td_simulation_workspace(s), y, yd, ydd, NULL, forces, expected);
    assert_ok(status);
    td_assert_close(td_nv(model), tau_c, expected, 1e-10, 1);
}

/* Tests random robots with dampers, friction, springs and rotors, including loops. */
TD_LOOP_TEST(random_robots, 0, 12)
{
    td_random random = {(uint64_t)(40 + _i)};
    td_builder *builder = regular_robot(&random, 5, _i % 2 ? 2 : 0, _i % 3 == 0,
                                        _i % 2 ? TD_BASE_FLOATING : TD_BASE_FIXED);
    td_load_options load = td_load_options_default();
    load.base = _i % 2 ? TD_BASE_FLOATING : TD_BASE_FIXED;
    td_model *model = model_of_builder(builder, &load);
    const td_integrator_options o = adaptive(1e-9);
    td_forces forces = td_forces_default();
    forces.passive = true;
    forces.friction_velocity = 0.1; /* the adaptive method is not for stiff systems */
    td_simulation_options options = td_simulation_options_default();
    options.integrator = &o;
    options.forces = &forces;
    td_simulation *s = simulation_of(model, &options);
    double y[ROOM];
    td_draw_configuration(&random, model, false, 1, y);
    assert_ok(td_simulation_start(s, 0, y, NULL, NULL));
    balance b = advance_balanced(s, 1);
    ck_assert_msg(b.error <= 1e-7 * b.exchanged, "energy less work changes by %.3g of %.3g",
                  b.error, b.exchanged);
    check_constraint_forces(model, s, &forces);
}

/* ---- comparison with quadruple precision ----------------------------------------------------- */

/* Returns the final coordinate of a joint, from y and ẏ. */
static double coordinate_at(const td_model *model, const td_integrator_options *o, double end,
                            const double *y, const double *yd, const char *joint)
{
    td_simulation_options options = td_simulation_options_default();
    options.integrator = o;
    td_simulation *s = simulation_of(model, &options);
    assert_ok(td_simulation_start(s, 0, y, yd, NULL));
    assert_ok(td_simulation_advance(s, end));
    double q[ROOM];
    td_simulation_sample sample = td_simulation_sample_default();
    sample.q = q;
    assert_ok(td_simulation_evaluate(s, end, &sample));
    return q[td_joint_place_at(model, td_joint_index(model, joint)).q];
}

TD_TEST(double_pendulum_in_quad)
{
    td_model *model = double_pendulum();
    double exact[2], y[2] = {2, -0.5};
    double_pendulum_quad(2, exact);
    const td_integrator_options fine = adaptive(1e-12);
    ck_assert(fabs(coordinate_at(model, &fine, 2, y, NULL, "shoulder") - exact[0]) < 1e-9);
    ck_assert(fabs(coordinate_at(model, &fine, 2, y, NULL, "elbow") - exact[1]) < 1e-9);
    /* orders of the methods with a fixed step */
    const double least[2] = {14, 1.8}, most[2] = {18, 2.2}, step[2] = {1.0 / 256, 1.0 / 8192};
    for (int method = 0; method < 2; method++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            const td_integrator_options o = fixed(
                method ? TD_METHOD_SEMI_IMPLICIT_EULER : TD_METHOD_RK4, step[method] / (1 + k));
            error[k] = fabs(coordinate_at(model, &o, 2, y, NULL, "elbow") - exact[1]);
        }
        ck_assert_msg(error[0] / error[1] > least[method] && error[0] / error[1] < most[method],
                      "errors %.3g and %.3g", error[0], error[1]);
    }
}

TD_TEST(heavy_top_in_quad)
{
    td_model *model = heavy_top();
    const td_integrator_options o = adaptive(1e-12);
    const double theta = coordinate_at(model, &o, 2, top_start, top_rate, "theta");
    ck_assert_msg(fabs(theta - heavy_top_tilt_quad(2)) < 1e-9, "%.17g, expected %.17g", theta,
                  heavy_top_tilt_quad(2));
}

TD_TEST(slider_crank_in_quad)
{
    td_model *model = slider_crank(false);
    const td_integrator_options o = adaptive(1e-12);
    const double start = 0.4, rate = 12; /* full turns */
    const double angle = coordinate_at(model, &o, 2, &start, &rate, "turn");
    const double exact = slider_crank_quad(2, start, rate);
    ck_assert_msg(fabs(angle - exact) < 1e-9 && fabs(exact) > 15, "%.17g, expected %.17g", angle,
                  exact);
}

/* With order 8 the accuracy is the same, with fewer evaluations if the tolerance is small.
   TD_METHOD_AUTO selects one of both by the tolerance of a step, a hundredth of the simulation's.
 */
TD_LOOP_TEST(order_8_takes_fewer_evaluations, 0, 5)
{
    static const td_method methods[] = {TD_METHOD_DORMAND_PRINCE, TD_METHOD_DORMAND_PRINCE_8,
                                        TD_METHOD_AUTO};
    static const struct {
        double rtol, gain;
    } cases[] = {{1e-6, 0}, {2e-7, 0}, {5e-8, 1.1}, {1e-8, 1.3}, {1e-10, 2}};
    td_model *models[] = {double_pendulum(), slider_crank(false)};
    const double rate[2] = {2, 3}, end = 3;
    for (int robot = 0; robot < 2; robot++) {
        size_t taken[3];
        double state[3][ROOM];
        for (int k = 0; k < 3; k++) {
            td_integrator_options o = adaptive(cases[_i].rtol);
            o.method = methods[k];
            td_simulation_options options = td_simulation_options_default();
            options.integrator = &o;
            td_simulation *s = simulation_of(models[robot], &options);
            assert_ok(td_simulation_start(s, 0, NULL, rate, NULL));
            assert_ok(td_simulation_advance(s, end));
            td_simulation_sample sample = td_simulation_sample_default();
            sample.y = state[k];
            assert_ok(td_simulation_evaluate(s, end, &sample));
            taken[k] = td_simulation_counts(s).evaluations;
        }
        const size_t ny = td_ny(models[robot]);
        const int chosen = cases[_i].gain > 0;
        ck_assert_mem_eq(state[2], state[chosen], ny * sizeof(double));
        ck_assert_uint_eq(taken[2], taken[chosen]);
        td_assert_close(ny, state[0], state[1], 10 * cases[_i].rtol, 1);
        ck_assert_msg((double)taken[0] > cases[_i].gain * (double)taken[1], "%zu against %zu",
                      taken[0], taken[1]);
    }
}

/* ---- quaternions ----------------------------------------------------------------------------- */

/* Computes the pose of a free asymmetric body after 2 s. */
static void turned(const td_model *model, const td_integrator_options *o, double y[7])
{
    td_simulation_options options = td_simulation_options_default();
    options.integrator = o;
    td_simulation *s = simulation_of(model, &options);
    const double yd[6] = {1, 3, -0.5, 0.2, -0.3, 0.4};
    assert_ok(td_simulation_start(s, 0, NULL, yd, NULL));
    while (td_simulation_time(s) < 2)
        assert_ok(td_simulation_step(s, 2));
    td_simulation_sample sample = td_simulation_sample_default();
    sample.y = y;
    assert_ok(td_simulation_evaluate(s, 2, &sample));
}

static const struct slope {
    td_method method;
    double step, least, most;
} slopes[] = {
    {TD_METHOD_SEMI_IMPLICIT_EULER, 1.0 / 1024, 1.85, 2.15},
    {TD_METHOD_RK4, 1.0 / 16, 14, 18},
    {TD_METHOD_DORMAND_PRINCE, 1.0 / 32, 27, 37},
    {TD_METHOD_DORMAND_PRINCE_8, 1.0 / 4, 200, 330},
    {TD_METHOD_EXPONENTIAL, 1.0 / 128, 3.8, 4.2},
    {TD_METHOD_EXPONENTIAL_LINEAR, 1.0 / 128, 3.8, 4.2},
};

TD_LOOP_TEST(order_on_the_manifold, 0, sizeof slopes / sizeof *slopes)
{
    td_model *model = free_body();
    const struct slope *p = &slopes[_i];
    const td_integrator_options fine = adaptive(1e-13);
    double exact[7], y[7], v[6], error[2];
    turned(model, &fine, exact);
    for (int k = 0; k < 2; k++) {
        td_integrator_options o = fixed(p->method, p->step / (1 + k));
        o.longest = o.step;
        o.rtol = 1e6;
        turned(model, &o, y);
        const double length = sqrt(y[3] * y[3] + y[4] * y[4] + y[5] * y[5] + y[6] * y[6]);
        ck_assert(fabs(length - 1) < 1e-15);
        td_difference(model, TD_COORDINATES_INDEPENDENT, exact, y, v);
        error[k] = td_largest(6, v);
    }
    ck_assert_msg(error[0] / error[1] > p->least && error[0] / error[1] < p->most,
                  "errors %.3g and %.3g", error[0], error[1]);
}

/* ---- prescribed motion and user-supplied states ---------------------------------------------- */

/* The shoulder follows 0.5 sin 3 t. */
static td_status follow(void *context, double t, double *y, double *yd, double *ydd)
{
    (void)context;
    y[0] = 0.5 * sin(3 * t);
    yd[0] = 1.5 * cos(3 * t);
    ydd[0] = -4.5 * sin(3 * t);
    return TD_OK;
}

/* The first joint has the prescribed motion. Torques equal inverse dynamics of the sampled motion.
 */
TD_TEST(prescribed)
{
    td_model *model = double_pendulum();
    const unsigned char given[2] = {1, 0};
    const td_integrator_options o = adaptive(1e-11);
    td_simulation_options options = td_simulation_options_default();
    options.integrator = &o;
    options.given = given;
    options.motion = follow;
    td_simulation *s = simulation_of(model, &options);
    assert_ok(td_simulation_start(s, 0, NULL, NULL, NULL));
    td_workspace *w = test_workspace(model);
    while (td_simulation_time(s) < 3) {
        assert_ok(td_simulation_step(s, 3));
        double y[2], yd[2], ydd[2], tau[2], expected[2], exact[3], v[3];
        td_simulation_sample sample = td_simulation_sample_default();
        sample.y = y, sample.yd = yd, sample.ydd = ydd, sample.tau_y = tau;
        const double t = 0.3 * td_simulation_begin(s) + 0.7 * td_simulation_time(s);
        assert_ok(td_simulation_evaluate(s, t, &sample));
        follow(NULL, t, exact, exact + 1, exact + 2);
        v[0] = y[0], v[1] = yd[0], v[2] = ydd[0];
        td_assert_close(3, v, exact, 1e-15, 1);
        ck_assert(tau[1] == 0);
        assert_ok(td_inverse_dynamics(model, w, y, yd, ydd, NULL, expected));
        td_assert_close(2, tau, expected, 1e-13, 1);
    }
    assert_ok(td_simulation_start(s, 0, NULL, NULL, NULL));
    balance b = advance_balanced(s, 3); /* the work is the work of the torque */
    ck_assert_msg(b.error <= 1e-9 * b.exchanged, "%.3g of %.3g", b.error, b.exchanged);
}

/* 001-b §5: an isolator with Bouc-Wen's hysteretic state w and a mass on a slide; m d̈ + 4 F = 0, F
   = k_x d + k_w w + k_3 d³, ẇ = ρ ḋ (1 + w² σ (1 − sgn(ḋ w) − 1/σ)). */
static td_status isolate(void *context, const td_action *a)
{
    (void)context;
    const double d = a->y[0], rate = a->yd[0], w = a->z[0], sigma = 2.5;
    const double sign = rate * w > 0 ? 1 : rate * w < 0 ? -1 : 0;
    a->tau_y[0] = -4 * (4200 * d + 16.065 * w + 2.7e6 * d * d * d);
    a->z_rate[0] = 333.33 * rate * (1 + w * w * sigma * (1 - sign - 1 / sigma));
    return TD_OK;
}

TD_TEST(isolator)
{
    td_builder *builder = test_builder("isolator");
    td_link ground = td_link_default("ground"), cabinet = td_link_default("cabinet");
    cabinet.has_inertial = true;
    cabinet.mass = 140;
    cabinet.inertia[0] = cabinet.inertia[3] = cabinet.inertia[5] = 20;
    td_joint slide = td_joint_default("slide", TD_JOINT_PRISMATIC, "ground", "cabinet");
    td_builder_add_link(builder, &ground);
    td_builder_add_link(builder, &cabinet);
    td_builder_add_joint(builder, &slide);
    td_model *model = model_of_builder(builder, NULL);
    const td_integrator_options o = adaptive(1e-9);
    td_simulation_options options = td_simulation_options_default();
    options.integrator = &o;
    options.act = isolate;
    options.states = 1;
    td_simulation *s = simulation_of(model, &options);
    const double d = 0.02;
    assert_ok(td_simulation_start(s, 0, &d, NULL, NULL));
    double extreme[2] = {0, 0}, at[2] = {0, 0};
    for (double t = 0; t < 0.6; t += 1e-4) {
        double y, z;
        assert_ok(td_simulation_advance(s, t));
        td_simulation_sample sample = td_simulation_sample_default();
        sample.y = &y;
        sample.z = &z;
        assert_ok(td_simulation_evaluate(s, t, &sample));
        ck_assert(fabs(z) <= 1 + 1e-6);
        const int side = t > 0.4;
        if (side ? y > extreme[1] : y < extreme[0])
            extreme[side] = y, at[side] = t;
    }
    ck_assert_msg(fabs(extreme[0] + 0.01397) < 5e-6 && fabs(at[0] - 0.2607) < 2e-4, "%.6f at %.4f",
                  extreme[0], at[0]);
    ck_assert_msg(fabs(extreme[1] - 0.00830) < 5e-6 && fabs(at[1] - 0.5147) < 2e-4, "%.6f at %.4f",
                  extreme[1], at[1]);
}

/* ---- many loops ------------------------------------------------------------------------------ */

static void fall(td_model *model, double end, double rtol, double speed)
{
    const td_integrator_options o = adaptive(rtol);
    td_simulation_options options = td_simulation_options_default();
    options.integrator = &o;
    td_simulation *s = simulation_of(model, &options);
    double yd[ROOM];
    for (size_t i = 0; i < td_nyd(model); i++)
        yd[i] = speed;
    assert_ok(td_simulation_start(s, 0, NULL, yd, NULL));
    balance b = advance_balanced(s, end);
    ck_assert_msg(b.error <= 1e-9 * b.exchanged, "energy less work changes by %.3g of %.3g",
                  b.error, b.exchanged);
}

/* sanitizers take some twenty times longer */
#if defined(__SANITIZE_ADDRESS__)
enum { LOOPS_OF_A_CHAIN = 4 };
#else
enum { LOOPS_OF_A_CHAIN = 40 };
#endif

/* 40 four-bars fall for 10 s. With iterated γ, gravity is a hundredth, to save time. */
TD_LOOP_TEST(chain_of_loops, 0, 2)
{
    td_builder *builder =
        chain_of_four_bars(LOOPS_OF_A_CHAIN, _i ? CHAIN_OF_PARALLELOGRAMS : CHAIN_OF_CRANK_ROCKERS);
    td_load_options load = td_load_options_default();
    load.gravity[2] = _i ? -9.81 : -0.0981;
    td_model *model = model_of_builder(builder, &load);
    fall(model, 10, 1e-8, _i ? 0.2 : 0.02);
}

/* ---- invalid input --------------------------------------------------------------------------- */

static td_status refuse(void *context, const td_action *action)
{
    (void)context;
    return action->t > 0.5 ? TD_ERROR_NAME : TD_OK;
}

TD_TEST(ends_and_arguments)
{
    td_model *model = double_pendulum();
    td_simulation *s = (td_simulation *)1;
    td_simulation_options options = td_simulation_options_default();
    const unsigned char given[2] = {1, 0};
    options.given = given;
    ck_assert_int_eq(test_simulation_new(model, &options, &s), TD_ERROR_ARGUMENT);
    ck_assert_ptr_null(s);
    ck_assert_int_eq(test_simulation_new(NULL, NULL, &s), TD_ERROR_ARGUMENT);
    options = td_simulation_options_default();
    options.act = refuse;
    s = simulation_of(model, &options);
    ck_assert_int_eq(td_simulation_step(s, 1), TD_ERROR_ARGUMENT);
    const double bad[2] = {NAN, 0};
    ck_assert_int_eq(td_simulation_start(s, 0, bad, NULL, NULL), TD_ERROR_NOT_FINITE);
    ck_assert_int_eq(td_simulation_step(s, 1), TD_ERROR_ARGUMENT);
    assert_ok(td_simulation_start(s, 0, NULL, NULL, NULL));
    ck_assert_int_eq(td_simulation_advance(s, 1), TD_ERROR_NAME);
    const double end = td_simulation_time(s);
    ck_assert(end <= 0.5 && end > 0.4999);
    td_simulation_sample sample = td_simulation_sample_default();
    assert_ok(td_simulation_evaluate(s, end, &sample));
    ck_assert_int_eq(td_simulation_evaluate(s, end + 1, &sample), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_simulation_advance(s, end - 0.1), TD_ERROR_ARGUMENT);
    ck_assert_uint_gt(td_simulation_counts(s).evaluations, 6);
    td_simulation_free(NULL);
}
