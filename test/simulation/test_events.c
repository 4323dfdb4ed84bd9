/* SPDX-License-Identifier: MIT */
/*
 * Tests stops and friction: a ball between two floors against its closed form, Zeno bouncing,
 * several impacts at once, limits of dependent joints, and springs at stops. Also tests joints that
 * stick and slip, alone and together, and the criteria for rest.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "moving_robots.h"
#include "tandem/simulation.h"

enum { ROOM = 64 };

/* ---- robots ---------------------------------------------------------------------------------- */

static void add_mass(td_builder *b, const char *name, double mass)
{
    td_link link = td_solid_link(name, mass, 0.01 * mass);
    assert_ok(td_builder_add_link(b, &link));
}

static td_joint slide(const char *name, const char *parent, const char *child, char axis,
                      double lower, double upper, double friction)
{
    td_joint joint = td_joint_default(name, TD_JOINT_PRISMATIC, parent, child);
    for (int i = 0; i < 3; i++)
        joint.axis[i] = axis == 'x' + i;
    joint.limit.lower = lower;
    joint.limit.upper = upper;
    joint.friction = friction;
    return joint;
}

/* Builds a mass that falls along z between a floor at 0 and a ceiling at 2. */
static td_model *ball(double friction)
{
    td_builder *b = test_builder("ball");
    add_mass(b, "ground", 0);
    add_mass(b, "mass", 1.5);
    td_joint z = slide("z", "ground", "mass", 'z', 0, 2, friction);
    td_builder_add_joint(b, &z);
    return model_of_builder(b, NULL);
}

/* Builds a row of masses on slides of the ground, or stacked on each other. */
static td_model *row_of(size_t n, const double *mass, const double *lower, const double *upper,
                        const double *friction, bool stacked, char axis)
{
    td_builder *b = test_builder("row");
    char link[ROOM], joint[ROOM], parent[ROOM] = "ground";
    add_mass(b, "ground", 0);
    for (size_t i = 0; i < n; i++) {
        snprintf(link, sizeof link, "m%zu", i);
        snprintf(joint, sizeof joint, "j%zu", i);
        add_mass(b, link, mass[i]);
        td_joint record = slide(joint, parent, link, axis, lower ? lower[i] : NAN,
                                upper ? upper[i] : NAN, friction ? friction[i] : 0);
        td_builder_add_joint(b, &record);
        if (stacked)
            memcpy(parent, link, sizeof parent);
    }
    return model_of_builder(b, NULL);
}

/* ---- balance --------------------------------------------------------------------------------- */

/* Returns energy minus work. Resets the sample, whose arrays may be out of scope. */
static double balance_of(td_simulation *s, td_simulation_sample *sample)
{
    *sample = td_simulation_sample_default();
    assert_ok(td_simulation_evaluate(s, td_simulation_time(s), sample));
    return sample->kinetic + sample->potential - sample->work;
}

/* ---- impacts --------------------------------------------------------------------------------- */

/* From height h with restitution e, impacts are at t₀ (1 + 2 e (1 − eⁿ)/(1 − e)), t₀ = √(2 h/g),
   with speeds v₀ eⁿ. The ball rests below the rest speed. Energy minus work stays constant. */
TD_LOOP_TEST(bouncing, 0, 3)
{
    td_model *model = ball(0);
    const double e = _i ? 0.5 : 0.9, h = 1.3, g = 9.81, rest = 1e-3;
    td_integrator_options fixed = td_integrator_options_default();
    fixed.method = TD_METHOD_RK4;
    fixed.step = 1e-3;
    td_simulation_options options = td_simulation_options_default();
    options.stops = TD_STOPS_IMPACT;
    options.restitution = e;
    options.rest_speed = rest;
    options.integrator = _i == 2 ? &fixed : NULL;
    td_simulation *s = simulation_of(model, &options);
    assert_ok(td_simulation_start(s, 0, &h, NULL, NULL));
    td_simulation_sample sample = td_simulation_sample_default();
    const double start = balance_of(s, &sample), fall = sqrt(2 * h / g), speed = g * fall;
    int impacts = 0;
    bool rests = false;
    while (td_simulation_time(s) < 15) {
        assert_ok(td_simulation_step(s, 15));
        ck_assert(fabs(balance_of(s, &sample) - start) < 1e-8);
        for (size_t i = 0; i < td_simulation_event_count(s); i++) {
            const td_simulation_event event = td_simulation_event_at(s, i);
            ck_assert(event.joint == 0 && !rests);
            rests = event.kind == TD_EVENT_REST;
            if (rests)
                continue;
            ck_assert_int_eq(event.kind, TD_EVENT_LOWER_STOP);
            const double t = fall * (1 + 2 * e * (1 - pow(e, impacts)) / (1 - e));
            ck_assert_msg(fabs(event.t - t) < 1e-7, "impact %d at %.15g, expected %.15g", impacts,
                          event.t, t);
            const double before = speed * pow(e, impacts);
            const double after = before > rest ? e * before : 0;
            ck_assert_msg(fabs(event.impulse - 1.5 * (before + after)) < 1e-6,
                          "impulse %d %.12g, expected %.12g; %.12g", impacts, event.impulse,
                          1.5 * (before + after), before);
            impacts++;
        }
        double y;
        sample.y = &y;
        assert_ok(td_simulation_evaluate(s, td_simulation_time(s), &sample));
        ck_assert(y > -1e-9);
        if (rests)
            ck_assert(fabs(y) < 1e-9 && sample.kinetic < 1e-20);
    }
    ck_assert(rests);
    ck_assert_int_eq(impacts, (int)ceil(log(rest / speed) / log(e)) + 1);
}

/* Evaluates a step before the event at its end: a ball hits the floor, another hits a spring, and a
   block slides until it sticks. */
TD_LOOP_TEST(before_an_event, 0, 3)
{
    const double friction = _i == 2 ? 20 : 0, g = 9.81, high = 1, up = 3, m = 1.5;
    td_model *model = ball(friction);
    td_simulation_options options = td_simulation_options_default();
    options.stops = _i == 1 ? TD_STOPS_SPRING : TD_STOPS_IMPACT;
    options.stiction = true;
    td_simulation *s = simulation_of(model, &options);
    assert_ok(td_simulation_start(s, 0, &high, _i == 2 ? &up : NULL, NULL));
    td_simulation_sample sample;
    const double start = balance_of(s, &sample);
    while (td_simulation_event_count(s) == 0)
        assert_ok(td_simulation_step(s, 10));
    const double begin = td_simulation_begin(s), end = td_simulation_time(s);
    ck_assert(end - begin > 1e-3);
    for (int k = 0; k < 10; k++) {
        double ydd;
        sample.ydd = &ydd;
        assert_ok(td_simulation_evaluate(s, begin + 0.1 * k * (end - begin), &sample));
        const double expected = -g - friction / m;
        ck_assert_msg(fabs(ydd / expected - 1) < 1e-9, "%.9g, not %.9g", ydd, expected);
        ck_assert(fabs(sample.kinetic + sample.potential - sample.work - start) < 1e-8);
    }
}

/* A ball barely reaches the ceiling. Under a constant force, one step covers the whole flight, and
   the ball is beyond the ceiling for a small part of it. */
TD_LOOP_TEST(grazing, 0, 2)
{
    td_model *model = ball(0);
    td_integrator_options stiff = td_integrator_options_default();
    stiff.method = TD_METHOD_RADAU;
    td_simulation_options options = td_simulation_options_default();
    options.stops = TD_STOPS_IMPACT;
    options.integrator = _i ? &stiff : NULL;
    td_simulation *s = simulation_of(model, &options);
    for (int k = 0; k < 40; k++) {
        const double from = 0.05 * k, beyond = 0.1 * pow(0.8, k);
        const double up = sqrt(2 * 9.81 * (2 - from + beyond));
        bool reached = false;
        assert_ok(td_simulation_start(s, 0, &from, &up, NULL));
        while (td_simulation_time(s) < 1.1 * up / 9.81 && !reached) {
            assert_ok(td_simulation_step(s, 1.6 * up / 9.81));
            for (size_t e = 0; e < td_simulation_event_count(s); e++)
                reached |= td_simulation_event_at(s, e).kind == TD_EVENT_UPPER_STOP;
        }
        const double when = (up - sqrt(2 * 9.81 * beyond)) / 9.81;
        ck_assert_msg(reached && fabs(td_simulation_time(s) - when) < 1e-9,
                      "%g m beyond from %g m: %.12g s, not %.12g s", beyond, from,
                      td_simulation_time(s), when);
    }
}

/* Several impacts at once. Separate masses reach their stops at the same time, or, in a stack, the
   impact of the lower mass drives the upper one into its stop. */
TD_LOOP_TEST(several_impacts, 0, 2)
{
    const double mass[3] = {1, 2, 3}, lower[3] = {-1, -1, -1}, upper[3] = {1, 1, 1};
    td_model *model = row_of(3, mass, lower, upper, NULL, _i, 'x');
    td_simulation_options options = td_simulation_options_default();
    options.stops = TD_STOPS_IMPACT;
    options.restitution = 1;
    td_simulation *s = simulation_of(model, &options);
    const double y[3] = {0, 0, 0}, yd[3] = {-0.5, -0.5, -0.5};
    assert_ok(td_simulation_start(s, 0, y, yd, NULL));
    td_simulation_sample sample = td_simulation_sample_default();
    const double start = balance_of(s, &sample), kinetic = sample.kinetic;
    size_t events = 0;
    while (td_simulation_time(s) < 20) {
        assert_ok(td_simulation_step(s, 20));
        double now[3];
        ck_assert(fabs(balance_of(s, &sample) - start) < 1e-12);
        sample.y = now;
        assert_ok(td_simulation_evaluate(s, td_simulation_time(s), &sample));
        ck_assert(fabs(sample.kinetic - kinetic) < 1e-11); /* e = 1 conserves energy */
        for (int i = 0; i < 3; i++)
            ck_assert(fabs(now[i]) <= 1 + 1e-8);
        const size_t count = td_simulation_event_count(s);
        if (events == 0 && count > 0) {
            ck_assert_uint_eq(count, 3);
            ck_assert(fabs(td_simulation_event_at(s, 0).t - 2) < 1e-9);
        }
        events += count;
    }
    ck_assert(events >= 15);
}

/* A limit of a dependent joint acts along its row of G. A crank's slider has one, and the impulse
   is the change of momentum along the slider. */
TD_TEST(stop_of_a_dependent_joint)
{
    td_model *model = slider_crank(false);
    ck_assert_ptr_nonnull(model);
    td_simulation_options options = td_simulation_options_default();
    options.stops = TD_STOPS_IMPACT;
    options.restitution = 0.7;
    td_simulation *s = simulation_of(model, &options);
    const double y = 0.3, yd = 2;
    assert_ok(td_simulation_start(s, 0, &y, &yd, NULL));
    td_simulation_sample sample = td_simulation_sample_default();
    const double start = balance_of(s, &sample);
    const size_t way = td_joint_place_at(model, td_joint_index(model, "way")).q;
    const double limit = td_joint_at(model, td_joint_index(model, "way"))->limit.lower;
    size_t events = 0;
    while (td_simulation_time(s) < 3) {
        assert_ok(td_simulation_step(s, 3));
        double q[3], qd[3];
        ck_assert(fabs(balance_of(s, &sample) - start) < 1e-8);
        sample.q = q, sample.qd = qd;
        assert_ok(td_simulation_evaluate(s, td_simulation_time(s), &sample));
        ck_assert(q[way] >= limit - 1e-8);
        for (size_t i = 0; i < td_simulation_event_count(s); i++)
            events += td_simulation_event_at(s, i).joint == td_joint_index(model, "way");
    }
    ck_assert(events > 2);
}

/* A stop with a spring. Without damping, energy is conserved and determines the deepest point. With
   damping, the mass comes to rest where the spring carries the weight. */
TD_LOOP_TEST(springs, 0, 2)
{
    td_model *model = ball(0);
    const double h = 0.5, weight = 1.5 * 9.81, k = 2e4;
    td_simulation_options options = td_simulation_options_default();
    options.stops = TD_STOPS_SPRING;
    options.stop_stiffness = k;
    options.stop_damping = _i ? 100 : 0;
    td_simulation *s = simulation_of(model, &options);
    assert_ok(td_simulation_start(s, 0, &h, NULL, NULL));
    td_simulation_sample sample = td_simulation_sample_default();
    const double start = balance_of(s, &sample);
    double deepest = 0, y;
    size_t events = 0;
    while (td_simulation_time(s) < 5) {
        const double begin = td_simulation_time(s);
        assert_ok(td_simulation_step(s, 5));
        /* this sample requests no forces */
        td_simulation_sample within = td_simulation_sample_default();
        for (int part = 1; part < 4; part++) {
            const double t = begin + part * (td_simulation_time(s) - begin) / 4;
            assert_ok(td_simulation_evaluate(s, t, &within));
            const double all = within.kinetic + within.potential - within.work;
            ck_assert_msg(fabs(all - start) < 1e-6, "%.3g J are gone at %.9g s", start - all, t);
        }
        ck_assert(fabs(balance_of(s, &sample) - start) < 1e-7);
        sample.y = &y;
        assert_ok(td_simulation_evaluate(s, td_simulation_time(s), &sample));
        deepest = fmin(deepest, y);
        events += td_simulation_event_count(s);
    }
    ck_assert(events > (_i ? 3 : 10));
    const double expected = -(weight + sqrt(weight * weight + 2 * k * weight * h)) / k;
    if (_i)
        ck_assert(fabs(y + weight / k) < 1e-6 && deepest > expected);
    else
        ck_assert(deepest > expected - 1e-9 && deepest < 0.9 * expected);
}

/* ---- friction -------------------------------------------------------------------------------- */

/* Applies the force amplitude · sin t to one joint. */
static td_status push(void *context, const td_action *a)
{
    const double *amplitude = context;
    a->tau_y[0] = *amplitude * sin(a->t);
    return TD_OK;
}

/* A block with initial velocity stops after v/μ with μ = f/m, at v²/2 μ, and stays there. This is
   the shake table of 001-a §11 without its damping. */
TD_TEST(stops_by_friction)
{
    const double mass = 441.32, friction = 1405.57;
    td_model *model = row_of(1, &mass, NULL, NULL, &friction, false, 'x');
    td_simulation_options options = td_simulation_options_default();
    options.stiction = true;
    td_simulation *s = simulation_of(model, &options);
    const double v = 1, rate = friction / mass;
    assert_ok(td_simulation_start(s, 0, NULL, &v, NULL));
    td_simulation_sample sample = td_simulation_sample_default();
    const double start = balance_of(s, &sample);
    int sticks = 0;
    while (td_simulation_time(s) < 2) {
        assert_ok(td_simulation_step(s, 2));
        ck_assert(fabs(balance_of(s, &sample) - start) < 1e-8);
        for (size_t i = 0; i < td_simulation_event_count(s); i++) {
            ck_assert_int_eq(td_simulation_event_at(s, i).kind, TD_EVENT_STICK);
            ck_assert(fabs(td_simulation_event_at(s, i).t - v / rate) < 1e-9);
            sticks++;
        }
    }
    double y, yd;
    sample.y = &y, sample.yd = &yd;
    td_simulation_evaluate(s, 2, &sample);
    ck_assert(sticks == 1 && fabs(yd) < 1e-12 && fabs(y - v * v / (2 * rate)) < 1e-8);
}

/* A force jumps between steps. Without friction every method is exact for a constant force. With
   friction, a sticking block is released, and work continues to add up. */
TD_LOOP_TEST(forces_that_jump, 0, 4)
{
    const double mass = 2, friction = _i == 2 ? 3 : 0;
    double force = 0;
    td_model *model = row_of(1, &mass, NULL, NULL, &friction, false, 'x');
    td_integrator_options integrator = td_integrator_options_default();
    integrator.method = _i == 1   ? TD_METHOD_RK4
                        : _i == 3 ? TD_METHOD_DORMAND_PRINCE_8
                                  : TD_METHOD_DORMAND_PRINCE;
    td_simulation_options options = td_simulation_options_default();
    options.integrator = &integrator;
    options.stiction = true;
    options.act = constant_force;
    options.context = &force;
    td_simulation *s = simulation_of(model, &options);
    ck_assert_int_eq(td_simulation_jump(s), TD_ERROR_ARGUMENT); /* not started */
    ck_assert_int_eq(td_simulation_jump(NULL), TD_ERROR_ARGUMENT);
    assert_ok(td_simulation_start(s, 0, NULL, NULL, NULL));
    td_simulation_sample sample = td_simulation_sample_default();
    const double start = balance_of(s, &sample), duration = 0.25;
    double y = 0, v = 0, got[2], slips = 0;
    for (int k = 0; k < 8; k++) {
        force = k % 3 == 0 ? 10 : 2; /* the velocity never reverses */
        assert_ok(td_simulation_jump(s));
        for (size_t i = 0; i < td_simulation_event_count(s); i++)
            slips += td_simulation_event_at(s, i).kind == TD_EVENT_SLIP;
        assert_ok(td_simulation_advance(s, duration * (k + 1)));
        const double a = (force - friction) / mass;
        y += v * duration + 0.5 * a * duration * duration;
        v += a * duration;
        ck_assert(fabs(balance_of(s, &sample) - start) < 1e-9);
        sample.y = &got[0], sample.yd = &got[1];
        assert_ok(td_simulation_evaluate(s, td_simulation_time(s), &sample));
        ck_assert(fabs(got[0] - y) < 1e-10 && fabs(got[1] - v) < 1e-10);
    }
    ck_assert(slips == (_i == 2 ? 1 : 0));
    if (_i == 0) /* nothing to detect again: few steps */
        ck_assert_uint_eq(td_simulation_counts(s).rejected, 0);
}

/* Under a growing force the block slips when the force exceeds friction, at asin(f/a), and sticks
   again later. In between v = (a (cos t₀ − cos t) − f (t − t₀))/m. */
TD_TEST(sticks_and_slips)
{
    const double mass = 2, friction = 3;
    double amplitude = 5;
    td_model *model = row_of(1, &mass, NULL, NULL, &friction, false, 'x');
    td_simulation_options options = td_simulation_options_default();
    options.stiction = true;
    options.act = push;
    options.context = &amplitude;
    td_simulation *s = simulation_of(model, &options);
    assert_ok(td_simulation_start(s, 0, NULL, NULL, NULL));
    const double slip = asin(friction / amplitude);
    double began = 0;
    int events = 0;
    const double pi = acos(-1);
    while (td_simulation_time(s) < 20) {
        assert_ok(td_simulation_step(s, 20));
        for (size_t i = 0; i < td_simulation_event_count(s); i++) {
            const td_simulation_event e = td_simulation_event_at(s, i);
            const td_event_kind expected = events % 2 ? TD_EVENT_STICK : TD_EVENT_SLIP;
            ck_assert_int_eq(e.kind, expected);
            if (events % 2 == 0) {
                began = slip + pi * (events / 2); /* the direction alternates */
                ck_assert_msg(fabs(e.t - began) < 1e-8, "slips at %.12g, expected %.12g", e.t,
                              began);
            } else {
                const double v =
                    (amplitude * (fabs(cos(began)) + cos(e.t - pi * (events / 2) - pi)) -
                     friction * (e.t - began)) /
                    mass;
                ck_assert_msg(fabs(v) < 1e-8, "stops at %.12g, where v is %.3g", e.t, v);
            }
            events++;
        }
    }
    ck_assert_int_eq(events, 13);
}

/* Blocks lie on top of each other with friction between them, and a force acts on the lowest. All
   stick until the lowest slips. Friction drags the upper ones along as far as it can. */
TD_TEST(several_stick)
{
    const double mass[3] = {2, 1, 0.5}, friction[3] = {2, 2, 0.3};
    double amplitude = 7;
    td_model *model = row_of(3, mass, NULL, NULL, friction, true, 'x');
    td_simulation_options options = td_simulation_options_default();
    options.stiction = true;
    options.act = push;
    options.context = &amplitude;
    td_simulation *s = simulation_of(model, &options);
    assert_ok(td_simulation_start(s, 0, NULL, NULL, NULL));
    td_simulation_sample sample = td_simulation_sample_default();
    const double start = balance_of(s, &sample);
    int stuck[3] = {1, 1, 1};
    size_t events = 0;
    while (td_simulation_time(s) < 15) {
        assert_ok(td_simulation_step(s, 15));
        ck_assert(fabs(balance_of(s, &sample) - start) < 1e-7);
        double yd[3], ydd[3];
        sample.yd = yd, sample.ydd = ydd;
        for (size_t i = 0; i < td_simulation_event_count(s); i++, events++) {
            const td_simulation_event e = td_simulation_event_at(s, i);
            stuck[e.joint] = e.kind == TD_EVENT_STICK;
        }
        assert_ok(td_simulation_evaluate(s, td_simulation_time(s), &sample));
        double above = 0; /* forces above each joint, from the top */
        for (int i = 2; i >= 0; i--) {
            double a = 0;
            for (int j = 0; j <= i; j++)
                a += ydd[j];
            above += mass[i] * a;
            const double force = above - (i == 0 ? amplitude * sin(td_simulation_time(s)) : 0);
            if (stuck[i])
                ck_assert(fabs(yd[i]) < 1e-9 && fabs(force) <= friction[i] * (1 + 1e-9));
            else if (fabs(yd[i]) > 1e-6)
                ck_assert(fabs(force + friction[i] * (yd[i] > 0 ? 1 : -1)) < 1e-9);
        }
    }
    ck_assert_uint_gt(events, 8);
}

/* ---- criteria for rest ----------------------------------------------------------------------- */

static size_t count_of(const td_simulation *s, td_event_kind kind, size_t joint)
{
    size_t count = 0;
    for (size_t i = 0; i < td_simulation_event_count(s); i++) {
        const td_simulation_event e = td_simulation_event_at(s, i);
        count += e.kind == kind && e.joint == joint;
    }
    return count;
}

/* A velocity of 5e-7 m/s is real motion. Friction stops it after the expected time, regardless of
   other events, and it can leave a stop. */
TD_TEST(slow_motion_is_no_rest)
{
    const double mass[2] = {1, 1}, friction[2] = {1e-6, 0}, v = 5e-7, lower[2] = {-1, 0};
    td_model *model = row_of(2, mass, lower, NULL, friction, false, 'x');
    td_simulation_options options = td_simulation_options_default();
    options.stops = TD_STOPS_IMPACT;
    options.stiction = true;
    td_simulation *s = simulation_of(model, &options);
    const double y[2] = {0, 0.1}, yd[2] = {v, -1}, at_stop[2] = {0, 0}, leaves[2] = {0, 0.1 * v};
    assert_ok(td_simulation_start(s, 0, y, yd, NULL));
    ck_assert_uint_eq(count_of(s, TD_EVENT_STICK, 0), 0);
    double when = 0;
    size_t impacts = 0;
    while (td_simulation_time(s) < 1) {
        assert_ok(td_simulation_step(s, 1));
        impacts += count_of(s, TD_EVENT_LOWER_STOP, 1);
        if (count_of(s, TD_EVENT_STICK, 0)) {
            ck_assert(when == 0);
            when = td_simulation_time(s);
        }
    }
    ck_assert_uint_eq(impacts, 1);
    ck_assert_msg(fabs(when - v / friction[0]) < 1e-2, "sticks at %.9g", when);
    assert_ok(td_simulation_start(s, 0, at_stop, leaves, NULL));
    ck_assert_uint_eq(count_of(s, TD_EVENT_REST, 1), 0);
    assert_ok(td_simulation_advance(s, 1));
    double now[2];
    td_simulation_sample sample = td_simulation_sample_default();
    sample.y = now;
    assert_ok(td_simulation_evaluate(s, 1, &sample));
    ck_assert_double_le(fabs(now[1] - leaves[1]), 1e-12);
}

/* On the floor a velocity of 5e-10 m/s is rounding: the ball rests there at once. */
TD_TEST(rounding_is_rest)
{
    td_model *model = ball(0);
    td_simulation_options options = td_simulation_options_default();
    options.stops = TD_STOPS_IMPACT;
    td_simulation *s = simulation_of(model, &options);
    const double y = 0, yd = 5e-10;
    assert_ok(td_simulation_start(s, 0, &y, &yd, NULL));
    ck_assert_uint_eq(td_simulation_event_count(s), 1);
    ck_assert_uint_eq(count_of(s, TD_EVENT_REST, 0), 1);
    while (td_simulation_time(s) < 1) {
        assert_ok(td_simulation_step(s, 1));
        ck_assert_uint_eq(td_simulation_event_count(s), 0);
    }
}

/* At a late time, friction stops a block so quickly that between two adjacent numbers t the
   velocity changes by more than the rest speed. The block must still stick, once. */
TD_TEST(sticks_however_time_is_rounded)
{
    const double mass = 1, friction = 1e6, begin = 1000;
    td_model *model = row_of(1, &mass, NULL, NULL, &friction, false, 'x');
    td_simulation_options options = td_simulation_options_default();
    options.stiction = true;
    td_simulation *s = simulation_of(model, &options);
    for (int k = 1; k <= 8; k++) {
        const double v = 0.37 * k * (k % 2 ? 1 : -1);
        size_t sticks = 0, slips = 0;
        assert_ok(td_simulation_start(s, begin, NULL, &v, NULL));
        while (td_simulation_time(s) < begin + 0.1) {
            assert_ok(td_simulation_step(s, begin + 0.1));
            sticks += count_of(s, TD_EVENT_STICK, 0);
            slips += count_of(s, TD_EVENT_SLIP, 0);
        }
        ck_assert(sticks == 1 && slips == 0);
        double yd;
        td_simulation_sample sample = td_simulation_sample_default();
        sample.yd = &yd;
        assert_ok(td_simulation_evaluate(s, td_simulation_time(s), &sample));
        ck_assert_double_eq(yd, 0);
    }
}

/* A mass moves between two ends with springs and dampers. At depth x, m ẍ = −k x − d ẋ while the
   force pushes. This begins with v at x = 0 and ends at k x + d ẋ = 0, at tan ωt = −2 δ ω/(ω₀² − 2
   δ²) with δ = d/2m, ω₀² = k/m, ω² = ω₀² − δ². The mass leaves with the same fraction of v at both
   ends. */
TD_TEST(springs_at_both_ends)
{
    const double mass = 2, lower = -1, upper = 0.5, k = 5000, d = 40, start = 3;
    td_model *model = row_of(1, &mass, &lower, &upper, NULL, false, 'x');
    td_simulation_options options = td_simulation_options_default();
    options.stops = TD_STOPS_SPRING;
    options.stop_stiffness = k;
    options.stop_damping = d;
    td_simulation *s = simulation_of(model, &options);
    const double delta = d / (2 * mass), square = k / mass, w = sqrt(square - delta * delta);
    const double turn = atan2(2 * delta * w, -(square - 2 * delta * delta));
    const double part =
        -exp(-delta * turn / w) * (cos(turn) - delta / w * sin(turn)); /* −ẋ/v there */
    double speed = start;
    ck_assert(part > 0.5 && part < 1);
    assert_ok(td_simulation_start(s, 0, NULL, &start, NULL));
    td_simulation_sample sample;
    const double balance = balance_of(s, &sample);
    size_t left = 0;
    while (td_simulation_time(s) < 8) {
        assert_ok(td_simulation_step(s, 8));
        ck_assert(fabs(balance_of(s, &sample) - balance) < 1e-7);
        for (size_t i = 0; i < td_simulation_event_count(s); i++) {
            const td_event_kind kind = td_simulation_event_at(s, i).kind;
            const double sign = left % 2 ? -1 : 1;
            double yd;
            sample.yd = &yd;
            assert_ok(td_simulation_evaluate(s, td_simulation_time(s), &sample));
            if (kind == TD_EVENT_RELEASE) {
                speed *= part;
                left++;
                ck_assert_msg(fabs(yd + sign * speed) < 1e-5, "%.9g, not %.9g", -yd, sign * speed);
            } else {
                ck_assert_int_eq(kind, left % 2 ? TD_EVENT_LOWER_STOP : TD_EVENT_UPPER_STOP);
                ck_assert_msg(fabs(yd - sign * speed) < 1e-5, "%.9g, not %.9g", yd, sign * speed);
            }
        }
    }
    ck_assert_uint_ge(left, 4);
}

/* A mass that starts inside its spring stop is pushed out of it. This is reported once, whatever
   other joints do. */
TD_TEST(begun_within_a_spring)
{
    const double mass[2] = {2, 1}, lower[2] = {-1, -0.01}, upper[2] = {1, 0.01}, k = 800;
    td_model *model = row_of(2, mass, lower, upper, NULL, false, 'x');
    td_simulation_options options = td_simulation_options_default();
    options.stops = TD_STOPS_SPRING;
    options.stop_stiffness = k;
    options.stop_damping = 0;
    td_simulation *s = simulation_of(model, &options);
    for (int sign = -1; sign <= 1; sign += 2) {
        const double y[2] = {sign * 1.05, 0}, yd[2] = {0, 3};
        const td_event_kind kind = sign < 0 ? TD_EVENT_LOWER_STOP : TD_EVENT_UPPER_STOP;
        assert_ok(td_simulation_start(s, 0, y, yd, NULL));
        size_t told = count_of(s, kind, 0), others = 0, released = 0;
        td_simulation_sample sample;
        const double start = balance_of(s, &sample);
        double ydd[2];
        sample.ydd = ydd;
        assert_ok(td_simulation_evaluate(s, 0, &sample));
        ck_assert_double_le(fabs(ydd[0] + sign * k * 0.05 / mass[0]), 1e-12);
        const double leaves = acos(-1) / 2 * sqrt(mass[0] / k);
        while (td_simulation_time(s) < 2 * leaves) {
            assert_ok(td_simulation_step(s, 2 * leaves));
            ck_assert(fabs(balance_of(s, &sample) - start) < 1e-8);
            told += count_of(s, kind, 0);
            others += td_simulation_event_count(s);
            if (count_of(s, TD_EVENT_RELEASE, 0)) {
                released++;
                ck_assert_double_le(fabs(td_simulation_time(s) - leaves), 1e-7);
            }
        }
        ck_assert(told == 1 && released == 1 && others > 3);
    }
}

/* The limits leave no gap. An impact at one limit causes one at the other, endlessly without losses
   and otherwise until it is slow: impulses of m v (1 + e) eⁿ in turn. In the end the mass rests.
   Impulses match its momentum and energy: p₋ − p₊ = −m v and −m v²/2. */
TD_LOOP_TEST(impacts_without_a_way, 0, 2)
{
    const double mass = 2, limit = 0, v = 1, e = _i ? 0.5 : 1;
    td_model *model = row_of(1, &mass, &limit, &limit, NULL, false, 'x');
    td_simulation_options options = td_simulation_options_default();
    options.stops = TD_STOPS_IMPACT;
    options.restitution = e;
    td_simulation *s = simulation_of(model, &options);
    assert_ok(td_simulation_start(s, 0, NULL, &v, NULL));
    double impulse[2] = {0}; /* of the lower stop and the upper one */
    for (size_t i = 0; i < td_simulation_event_count(s); i++) {
        const td_simulation_event event = td_simulation_event_at(s, i);
        impulse[event.kind == TD_EVENT_UPPER_STOP] += event.impulse;
    }
    ck_assert_double_le(fabs(impulse[0] - impulse[1] + mass * v), 1e-12);
    if (e < 1)
        ck_assert_double_le(fabs(impulse[0] + impulse[1] - mass * v * (1 + e) / (1 - e)), 0.01);
    td_simulation_sample sample;
    for (int k = 0; k < 2; k++) {
        balance_of(s, &sample);
        ck_assert_double_eq(sample.kinetic, 0);
        ck_assert_double_le(fabs(sample.work + 0.5 * mass * v * v), 1e-12);
        assert_ok(td_simulation_advance(s, 1));
    }
}

/* d = a (1 - b/W) + b² (b - W)² of three slides. a moves d at b = 0; nothing does at a = 0, b = W.
 */
static const double way = 1.5;

static int hump(const void *context, const double *y, const double *yd, double *x, double *G,
                double *G_rate)
{
    (void)context;
    const double a = y[0], b = y[1], u = b * (b - way), v = 2 * b - way;
    x[0] = a * (1 - b / way) + u * u;
    G[0] = 1 - b / way;
    G[1] = 2 * u * v - a / way;
    if (yd) {
        G_rate[0] = -yd[1] / way;
        G_rate[1] = (2 * v * v + 4 * u) * yd[1] - yd[0] / way;
    }
    return 0;
}

static td_status straight(void *context, double t, double *y, double *yd, double *ydd)
{
    (void)context;
    y[2] = t, yd[2] = 1, ydd[2] = 0;
    return TD_OK;
}

/* d rests at its stop, supported by a, while b moves. The middle stage of a much too long step is
   exactly where d accelerates and nothing moves it, so that no reaction can keep it there. The step
   fails without changing the state; the status depends on whether a motion is prescribed. */
TD_LOOP_TEST(nothing_holds_what_rests, 0, 2)
{
    static const char *const dependent[] = {"d"}, *const independent[] = {"a", "b"};
    static const unsigned char given[] = {0, 0, 1};
    const td_closure_function closure = {.size_of = sizeof closure,
                                         .name = "hump",
                                         .dependents = 1,
                                         .independents = 2,
                                         .dependent = dependent,
                                         .independent = independent,
                                         .solve = hump};
    td_builder *b = test_builder("hump");
    add_mass(b, "ground", 0);
    const char name[4][2] = {"a", "b", "c", "d"}, link[4][2] = {"A", "B", "C", "D"};
    for (int i = 0; i < 4; i++) {
        add_mass(b, link[i], 1);
        td_joint joint = slide(name[i], "ground", link[i], 'x', NAN, i == 3 ? 0 : NAN, 0);
        assert_ok(td_builder_add_joint(b, &joint));
    }
    td_load_options load = td_load_options_default();
    load.closures = &closure;
    load.closure_count = 1;
    td_model *model = model_of_builder(b, &load);
    td_integrator_options fixed = td_integrator_options_default();
    fixed.method = TD_METHOD_RK4;
    fixed.step = 2 * way;
    td_simulation_options options = td_simulation_options_default();
    options.integrator = &fixed;
    options.stops = TD_STOPS_IMPACT;
    options.given = _i ? given : NULL;
    options.motion = _i ? straight : NULL;
    td_simulation *s = simulation_of(model, &options);
    const double y[3] = {0}, yd[3] = {0, 1, 1};
    assert_ok(td_simulation_start(s, 0, y, yd, NULL));
    ck_assert_uint_eq(count_of(s, TD_EVENT_REST, td_joint_index(model, "d")), 1);
    td_simulation_sample sample;
    const double before = balance_of(s, &sample);
    ck_assert_int_eq(td_simulation_step(s, fixed.step), _i ? TD_ERROR_STOP : TD_ERROR_REACTION);
    ck_assert_double_eq(td_simulation_time(s), 0);
    ck_assert_double_eq(balance_of(s, &sample), before);
}

/* Two carriages on a rail are connected by a loop joint with friction f. It stops their relative
   motion after v m/f with 1/m = 1/m₁ + 1/m₂, and dissipates m v²/2; momentum is conserved. The
   balance is the same with smoothed friction, without events. */
TD_LOOP_TEST(friction_between_carriages, 0, 2)
{
    const double mass[2] = {2, 3}, f = 1.5, yd[2] = {1, -0.4}, v = yd[1] - yd[0];
    const double m = mass[0] * mass[1] / (mass[0] + mass[1]);
    td_builder *b = test_builder("carriages");
    add_mass(b, "ground", 0);
    for (int i = 0; i < 2; i++) {
        add_mass(b, i ? "B" : "A", mass[i]);
        td_joint joint = slide(i ? "b" : "a", "ground", i ? "B" : "A", 'x', NAN, NAN, 0);
        assert_ok(td_builder_add_joint(b, &joint));
    }
    td_loop loop = td_loop_default("between", "A", "B");
    loop.type = TD_LOOP_PRISMATIC;
    loop.friction = f;
    assert_ok(td_builder_add_loop(b, &loop));
    td_model *model = model_of_builder(b, NULL);
    ck_assert_uint_eq(td_nyd(model), 2);
    td_simulation_options options = td_simulation_options_default();
    options.stiction = _i == 0;
    td_simulation *s = simulation_of(model, &options);
    assert_ok(td_simulation_start(s, 0, NULL, yd, NULL));
    td_simulation_sample sample;
    const double start = balance_of(s, &sample), kinetic = sample.kinetic;
    double sticks = 0;
    while (td_simulation_time(s) < 2) {
        assert_ok(td_simulation_step(s, 2));
        ck_assert(fabs(balance_of(s, &sample) - start) < 1e-8);
        double now[2];
        sample.yd = now;
        assert_ok(td_simulation_evaluate(s, td_simulation_time(s), &sample));
        const double momentum = mass[0] * now[0] + mass[1] * now[1];
        ck_assert_double_le(fabs(momentum - (mass[0] * yd[0] + mass[1] * yd[1])), 1e-9);
        for (size_t i = 0; i < td_simulation_event_count(s); i++) {
            ck_assert_int_eq(td_simulation_event_at(s, i).kind, TD_EVENT_STICK);
            ck_assert(td_simulation_event_at(s, i).loop == 0 && sticks == 0);
            sticks = td_simulation_time(s);
        }
    }
    const double lost = 0.5 * m * v * v;
    ck_assert_double_le(fabs(kinetic - sample.kinetic - lost), _i ? 1e-3 : 1e-8);
    ck_assert_double_le(fabs(sample.work + lost), _i ? 1e-3 : 1e-8);
    if (_i == 0)
        ck_assert_double_le(fabs(sticks - fabs(v) * m / f), 1e-8);
}

TD_TEST(texts_and_arguments)
{
    ck_assert_str_eq(td_event_text(TD_EVENT_STICK), "stick");
    ck_assert_str_eq(td_event_text((td_event_kind)99), "unknown event");
    td_model *model = ball(0);
    td_simulation *s;
    td_simulation_options options = td_simulation_options_default();
    options.restitution = 1.1;
    ck_assert_int_eq(test_simulation_new(model, &options, &s), TD_ERROR_ARGUMENT);
    options.restitution = 0;
    options.stop_stiffness = -1;
    ck_assert_int_eq(test_simulation_new(model, &options, &s), TD_ERROR_ARGUMENT);
    options.stop_stiffness = 1;
    options.stops = (td_stops)7;
    ck_assert_int_eq(test_simulation_new(model, &options, &s), TD_ERROR_ARGUMENT);
    ck_assert_uint_eq(td_simulation_event_count(NULL), 0);
    ck_assert_uint_eq(td_simulation_event_at(NULL, 0).joint, TD_NONE);
}
