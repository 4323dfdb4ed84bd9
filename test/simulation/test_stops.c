/* SPDX-License-Identifier: MIT */
/*
 * Tests bouncing that ends, and robots at many stops at once. A constant force presses a mass
 * against its stop; times agree with the closed form, for slow and fast motion, and down to speeds
 * that rounding limits. Also tests stops of followers and in loops. A robot with two arms and hands
 * starts with its fingers at their stops. Further tests cover friction of a loop joint, and of a
 * joint type without friction.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact_robots.h"
#include "moving_robots.h"
#include "tandem/simulation.h"

enum { ROOM = 128 };

static void add_link(td_builder *b, const char *name, double mass, double length)
{
    td_link link = td_link_default(name);
    link.has_inertial = mass > 0;
    link.mass = mass;
    link.inertial.position[2] = -0.5 * length;
    link.inertia[0] = link.inertia[3] = mass * length * length / 12 + 1e-9;
    link.inertia[5] = 0.2 * link.inertia[0];
    assert_ok(td_builder_add_link(b, &link));
}

/* ---- bouncing -------------------------------------------------------------------------------- */

/* Builds a mass on a slide with a stop at a position, on the side given by the sign. follows: the
   stop belongs to a massless joint that moves −2 times the slide's position plus 0.3. */
static td_model *slide(double at, int sign, bool follows)
{
    td_load_options options = td_load_options_default();
    memset(options.gravity, 0, sizeof options.gravity);
    td_builder *b = test_builder("slide");
    add_link(b, "ground", 0, 0);
    add_link(b, "block", 1e-3, 1e-3);
    if (follows)
        add_link(b, "indicator", 0, 0);
    td_joint z = td_joint_default("z", TD_JOINT_PRISMATIC, "ground", "block");
    td_joint f = td_joint_default("f", TD_JOINT_PRISMATIC, "ground", "indicator");
    const double of_follower = 0.3 - 2 * at;
    *(sign > 0 ? &z.limit.lower : &z.limit.upper) = follows ? (double)NAN : at;
    *(sign > 0 ? &f.limit.upper : &f.limit.lower) = follows ? of_follower : (double)NAN;
    *(sign > 0 ? &z.limit.upper : &z.limit.lower) = at + sign;
    f.mimic = "z";
    f.multiplier = -2;
    f.offset = 0.3;
    assert_ok(td_builder_add_joint(b, &z));
    if (follows)
        assert_ok(td_builder_add_joint(b, &f));
    return model_of_builder(b, &options);
}

typedef struct bounce {
    double at, a, e, rest; /* stop, acceleration, restitution, rest speed */
    int sign;
} bounce;

typedef struct outcome {
    double rest, worst; /* time of rest; largest distance from the stop at an impact */
    size_t impacts, steps;
} outcome;

/* Simulates from a distance of 0.01 m up to 1.2 times the time at which all bounces end. */
static outcome fall(const td_model *model, const bounce *k, double end)
{
    const double force = -k->sign * 1e-3 * k->a, start = k->at + 0.01 * k->sign;
    outcome o = {.rest = (double)NAN};
    td_simulation_options options = td_simulation_options_default();
    options.stops = TD_STOPS_IMPACT;
    options.restitution = k->e;
    options.rest_speed = k->rest;
    options.act = constant_force;
    options.context = (void *)(uintptr_t)&force;
    double y, yd;
    td_simulation_sample sample = td_simulation_sample_default();
    sample.y = &y, sample.yd = &yd;
    td_simulation *s = simulation_of(model, &options);
    assert_ok(td_simulation_start(s, 0, &start, NULL, NULL));
    while (td_simulation_time(s) < 1.2 * end && o.steps++ < 5000) {
        assert_ok(td_simulation_step(s, 1.2 * end));
        assert_ok(td_simulation_evaluate(s, td_simulation_time(s), &sample));
        for (size_t i = 0; i < td_simulation_event_count(s); i++) {
            const td_simulation_event event = td_simulation_event_at(s, i);
            ck_assert(isnan(o.rest));
            o.rest = event.kind == TD_EVENT_REST ? event.t : o.rest;
            o.impacts += event.impulse > 0;
            o.worst = fmax(o.worst, fabs(y - k->at));
        }
    }
    ck_assert_msg(td_simulation_time(s) == 1.2 * end,
                  "a %g, e %g, rest %g at %g: %zu impacts to %g s", k->a, k->e, k->rest, k->at,
                  o.impacts, td_simulation_time(s));
    ck_assert(fabs(y - k->at) <= o.worst && yd == 0);
    return o;
}

static const double accelerations[] = {1, 9.81, 1e3, 1e4, 1e5, 1e6};
static const double restitutions[] = {0, 0.1, 0.5, 0.9, 0.99};
enum { ACCELERATIONS = 6, RESTITUTIONS = 5 };

/* Impacts have speeds v₀ eⁿ, and the mass rests at the first one not above the rest speed. The time
   of rest is t₀ (1 + 2 e (1 − eᵏ)/(1 − e)); for a rest speed of zero its limit is t₀ (1 + e)/(1 −
   e). */
static void check_closed_form(const td_model *model, bounce k, double exact)
{
    for (int i = 0; i < RESTITUTIONS; i++) {
        k.e = restitutions[i];
        const double t0 = sqrt(0.02 / k.a), end = t0 * (1 + k.e) / (1 - k.e), v0 = k.a * t0;
        const outcome o = fall(model, &k, end);
        size_t n = 0;
        double v = v0;
        for (; v > k.rest; n++)
            v *= k.e;
        const double rest = t0 * (1 + 2 * k.e * (1 - pow(k.e, (double)n)) / (1 - k.e));
        ck_assert_msg(fabs(o.rest - rest) <= exact * rest,
                      "a %g, e %g, rest %g at %g: %.12g s, expected %.12g s", k.a, k.e, k.rest,
                      k.at, o.rest, rest);
        ck_assert_msg(o.worst == 0, "%g from the stop", o.worst);
        if (exact <= 1e-8)
            ck_assert_uint_eq(o.impacts, k.e > 0 ? n + 1 : 1);
    }
}

/* Near a stop at zero, even the smallest positions can be resolved. */
TD_LOOP_TEST(closed_form, 0, ACCELERATIONS)
{
    static const double rests[] = {1e-1, 1e-3, 1e-5, 1e-6, 1e-9, 1e-12};
    td_model *model = slide(0, _i % 2 ? -1 : 1, false);
    for (size_t i = 0; i < sizeof rests / sizeof *rests; i++) {
        const bounce k = {.a = accelerations[_i], .rest = rests[i], .sign = _i % 2 ? -1 : 1};
        check_closed_form(model, k, rests[i] > 1e-8 ? 4e-10 : 3e-8);
    }
}

/* Stops at other positions, of the joint or of a follower. The leader's coordinate decides whether
   the mass is at the stop. Rounding of positions ends bouncing earlier, by less than 1e-4 of the
   time. */
TD_LOOP_TEST(closed_form_elsewhere, 0, 8)
{
    const int sign = _i % 2 ? -1 : 1;
    td_model *model = slide(_i & 4 ? -3 : 1.3, sign, _i & 2);
    const td_effective_limit limit = td_effective_limit_at(model, 0);
    for (int a = 0; a < ACCELERATIONS; a++) {
        bounce k = {.at = sign > 0 ? limit.lower : limit.upper, .sign = sign};
        k.a = accelerations[a];
        k.rest = 1e-3 * sqrt(k.a);
        check_closed_form(model, k, 1e-8);
        k.rest = 1e-12;
        check_closed_form(model, k, 1e-4);
    }
}

/* ---- in loops -------------------------------------------------------------------------------- */

static void limit_way(void *context, td_joint_place place, td_joint *joint, td_loop *loop)
{
    const double *limits = context;
    (void)place;
    if (loop || strcmp(joint->name, "way") != 0)
        return;
    joint->limit.lower = limits[0];
    joint->limit.upper = limits[1];
}

/* A force on the crank moves its slider to a stop, which is a limit of a coordinate if the slider
   is independent. It rests there after the number of bounces that restitution permits at its speed.
 */
TD_LOOP_TEST(in_loops, 0, 6)
{
    const bool slider = _i % 2;
    const double force = (slider ? -1e3 : 1e2) * pow(1e3, _i / 2), yd0 = slider ? -1 : 5;
    double limits[2] = {slider ? -0.03 : -0.05, NAN};
    td_model *plain = slider_crank(slider);
    td_model *model = contact_robot_changed(plain, limit_way, limits);
    td_simulation_options options = td_simulation_options_default();
    options.stops = TD_STOPS_IMPACT;
    options.restitution = 0.5;
    options.rest_speed = 1e-6;
    options.act = constant_force;
    options.context = (void *)(uintptr_t)&force;
    td_simulation *s;
    double q[ROOM];
    td_simulation_sample sample = td_simulation_sample_default();
    sample.q = q;
    assert_ok(test_simulation_new(model, &options, &s));
    assert_ok(td_simulation_start(s, 0, NULL, &yd0, NULL));
    size_t impacts = 0, rests = 0, steps = 0;
    while (rests == 0 && td_simulation_time(s) < 1) {
        assert_ok(td_simulation_step(s, 1));
        ck_assert_uint_lt(steps++, 2000);
        for (size_t i = 0; i < td_simulation_event_count(s); i++) {
            impacts += td_simulation_event_at(s, i).impulse > 0;
            rests += td_simulation_event_at(s, i).kind == TD_EVENT_REST;
        }
    }
    ck_assert_msg(rests == 1 && impacts > 10 && impacts < 60, "%zu impacts", impacts);
    assert_ok(td_simulation_advance(s, td_simulation_time(s) + 0.1));
    assert_ok(td_simulation_evaluate(s, td_simulation_time(s), &sample));
    const double gap = q[td_joint_place_at(model, td_joint_index(model, "way")).q] - limits[0];
    ck_assert_msg(slider ? gap == 0 : fabs(gap) < 1e-10, "%g from the stop", gap);
}

/* Between two stops this close together, an elastic mass would have 3e10 impacts per second. */
TD_TEST(without_end)
{
    td_builder *b = test_builder("rattle");
    add_link(b, "ground", 0, 0);
    add_link(b, "block", 1, 0.1);
    td_joint z = td_joint_default("z", TD_JOINT_PRISMATIC, "ground", "block");
    z.axis[0] = 1, z.axis[2] = 0;
    z.limit.lower = -1.5e-9, z.limit.upper = 1.5e-9;
    assert_ok(td_builder_add_joint(b, &z));
    td_model *model = model_of_builder(b, NULL);
    td_simulation_options options = td_simulation_options_default();
    options.stops = TD_STOPS_IMPACT;
    options.restitution = 1;
    td_simulation *s;
    const double y = 1e-9, yd = 100;
    assert_ok(test_simulation_new(model, &options, &s));
    assert_ok(td_simulation_start(s, 0, &y, &yd, NULL));
    ck_assert_int_eq(td_simulation_advance(s, 1e-3), TD_ERROR_EVENTS);
    ck_assert(td_simulation_time(s) < 1e-6);
    ck_assert_str_eq(td_status_text(TD_ERROR_EVENTS), "events such as impacts repeat without end");
}

/* ---- friction -------------------------------------------------------------------------------- */

static void rub_in_loop(void *context, td_joint_place place, td_joint *joint, td_loop *loop)
{
    (void)place;
    if (joint)
        joint->limit.lower = joint->limit.upper = NAN;
    if (loop)
        loop->friction = *(const double *)context;
}

/* The first loop's joint sticks while the torque at the crank is within its friction, times its
   rate per unit rate of the crank. */
TD_TEST(friction_of_the_first_loop)
{
    double friction = 0.2, y = 0.7, rate = 1, q[3], qd[3], motion[3], ydd;
    td_model *plain = slider_crank(false);
    td_model *model = contact_robot_changed(plain, rub_in_loop, &friction);
    td_workspace *w = test_workspace(model);
    assert_ok(td_closure(model, w, &y, &rate, NULL, q, qd, NULL));
    assert_ok(TD_IN_TREE(w, td_loop_motion(model, w, 0, q, qd, NULL, motion)));
    ck_assert(fabs(motion[1]) > 0.1 && fabs(motion[1]) < 0.9);
    for (int k = 0; k < 4; k++) {
        double torque = (k & 1 ? -1 : 1) * (k & 2 ? 1.001 : 0.999) * friction * motion[1];
        td_simulation_options options = td_simulation_options_default();
        options.stiction = true;
        options.act = constant_force;
        options.context = &torque;
        td_simulation *s;
        td_simulation_sample sample = td_simulation_sample_default();
        sample.ydd = &ydd;
        assert_ok(test_simulation_new(model, &options, &s));
        const double none[3] = {0};
        assert_ok(td_set_gravity(td_simulation_workspace(s), none));
        assert_ok(td_simulation_start(s, 0, &y, NULL, NULL));
        assert_ok(td_simulation_evaluate(s, 0, &sample));
        ck_assert_msg(k & 2 ? ydd * torque > 0 : fabs(ydd) < 1e-9, "%g under %g", ydd, torque);
    }
}

/* Friction of a ball joint is ignored with a warning, and does not dissipate energy. */
TD_TEST(friction_of_a_ball)
{
    td_builder *b = test_builder("pendulum");
    add_link(b, "ground", 0, 0);
    add_link(b, "bob", 1, 0.4);
    td_joint ball = td_joint_default("ball", TD_JOINT_BALL, "ground", "bob");
    ball.friction = 0.5;
    ball.damping = 0.05;
    assert_ok(td_builder_add_joint(b, &ball));
    td_model *model = model_of_builder(b, NULL);
    td_simulation *s;
    td_simulation_sample sample = td_simulation_sample_default();
    const double y[4] = {sin(0.5), 0, 0, cos(0.5)}, yd[3] = {0, 2, 1};
    assert_ok(test_simulation_new(model, NULL, &s));
    assert_ok(td_simulation_start(s, 0, y, yd, NULL));
    assert_ok(td_simulation_evaluate(s, 0, &sample));
    const double start = sample.kinetic + sample.potential - sample.work;
    assert_ok(td_simulation_advance(s, 2));
    assert_ok(td_simulation_evaluate(s, 2, &sample));
    ck_assert(sample.work < -0.05);
    const double left = sample.kinetic + sample.potential - sample.work - start;
    ck_assert_msg(fabs(left) < 1e-7, "%g J are gone", -left);
}

/* ---- many stops ------------------------------------------------------------------------------ */

static void add_joint(td_builder *b, const char *name, const char *parent, int axis, double at,
                      double lower, double upper, double resistance)
{
    td_joint joint = td_joint_default(name, TD_JOINT_REVOLUTE, parent, name);
    for (int i = 0; i < 3; i++)
        joint.axis[i] = i == axis;
    joint.origin.position[2] = -at;
    joint.limit.lower = lower;
    joint.limit.upper = upper;
    joint.damping = joint.friction = resistance;
    assert_ok(td_builder_add_joint(b, &joint));
}

/* Adds an arm of seven joints with links of some kilograms. It has five fingers of eight joints
   with links of grams, which start at their lower stops. */
static void add_arm(td_builder *b, char side)
{
    char parent[16] = "torso", name[16];
    for (int i = 0; i < 7; i++) {
        snprintf(name, sizeof name, "%c%d", side, i);
        add_link(b, name, 2.5 - 0.3 * i, i == 0 ? 0.1 : 0.15);
        add_joint(b, name, parent, i % 3, i == 0 ? 0.1 : 0.15, i == 1 ? 0 : -1.5, 1.5, 0.3);
        memcpy(parent, name, sizeof parent);
    }
    for (int finger = 0; finger < 5; finger++) {
        char before[16];
        memcpy(before, parent, sizeof before);
        for (int i = 0; i < 8; i++) {
            snprintf(name, sizeof name, "%c_%d_%d", side, finger, i);
            add_link(b, name, 2e-3 / (1 + i), 0.02);
            add_joint(b, name, before, (i + finger) % 3, 0.02, 0, 1 + 0.1 * finger, 1e-4);
            memcpy(before, name, sizeof before);
        }
    }
}

static td_model *two_arms(bool floating)
{
    td_load_options options = td_load_options_default();
    options.gravity[0] = 3, options.gravity[1] = -5;
    options.base = floating ? TD_BASE_FLOATING : TD_BASE_FIXED;
    td_builder *b = test_builder("two_arms");
    add_link(b, "base", 30, 0.5);
    const char *const trunk[] = {"base", "lift", "turn", "torso"};
    for (int i = 1; i < 4; i++) {
        add_link(b, trunk[i], 10, 0.3);
        add_joint(b, trunk[i], trunk[i - 1], i - 1, -0.2, i == 1 ? 0 : -1, 1, 1);
    }
    add_arm(b, 'l');
    add_arm(b, 'r');
    return model_of_builder(b, &options);
}

static void check_sample(td_simulation *s, const td_model *model, double *balance)
{
    double q[ROOM];
    td_simulation_sample sample = td_simulation_sample_default();
    sample.q = q;
    assert_ok(td_simulation_evaluate(s, td_simulation_time(s), &sample));
    *balance = sample.kinetic + sample.potential - sample.work;
    for (size_t i = 0; i < td_joint_count(model); i++) {
        const td_joint_place place = td_joint_place_at(model, i);
        const td_limit *limit = &td_joint_at(model, i)->limit;
        if (place.nv == 1)
            ck_assert_msg(q[place.q] >= limit->lower - 1e-9 && q[place.q] <= limit->upper + 1e-9,
                          "%s at %.12g", td_joint_at(model, i)->name, q[place.q]);
    }
}

/* Simulates 0.2 s without stalling, with few events in view of the contacts: with smoothed
   friction, in free fall without friction, and with friction by events. */
TD_LOOP_TEST(many_stops, 0, 3)
{
    td_model *model = two_arms(_i % 2);
    td_forces forces = td_forces_default();
    forces.passive = _i != 1;
    td_simulation_options options = td_simulation_options_default();
    options.forces = &forces;
    options.stops = TD_STOPS_IMPACT;
    options.stiction = _i == 2;
    td_simulation *s;
    double start, now, yd[ROOM] = {0};
    for (size_t i = td_nyd(model) - 94; i < td_nyd(model); i++)
        yd[i] = i % 47 < 7 ? 0.5 : 0;
    ck_assert_uint_ge(td_nyd(model), 97);
    assert_ok(test_simulation_new(model, &options, &s));
    assert_ok(td_simulation_start(s, 0, NULL, yd, NULL));
    size_t events = 0, steps = 0;
    check_sample(s, model, &start);
    while (td_simulation_time(s) < 0.2) {
        assert_ok(td_simulation_step(s, 0.2));
        events += td_simulation_event_count(s);
        ck_assert_msg(steps++ < 1000, "%zu events to %.9g s", events, td_simulation_time(s));
        check_sample(s, model, &now);
        ck_assert_msg(fabs(now - start) < 1e-7, "%.3g J are gone", start - now);
    }
}

int main(void)
{
    return td_run_tests(0);
}
