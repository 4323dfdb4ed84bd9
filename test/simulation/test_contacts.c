/* SPDX-License-Identifier: MIT */
/*
 * Tests stops, sticking friction and impacts on random trees and mechanisms. No joint passes its
 * limits, and sticking joints do not move. Impulses only push and satisfy Newton's law. Energy
 * minus work stays constant, and only a singular loop ends a simulation.
 */
#include <math.h>

#include "contact_robots.h"
#include "tandem/constraint.h"
#include "tandem/simulation.h"

/* sanitizers take some twenty times longer */
#if defined(__SANITIZE_ADDRESS__)
enum { SEEDS = 16 };
#else
enum { SEEDS = 160 };
#endif

enum { ROOM = CONTACT_ROOM };

/* ---- robots ---------------------------------------------------------------------------------- */

typedef struct room_to_move {
    td_random *random;
    const double *q;
} room_to_move;

/* Sets limits around the joints' positions q, and friction of some joints, including loop joints.
 */
static void add_contacts(void *context, td_joint_place place, td_joint *joint, td_loop *loop)
{
    const room_to_move *r = context;
    if (loop) {
        if (loop->type == TD_LOOP_REVOLUTE && td_random_number(r->random) > 0)
            loop->friction = 0.2;
        return;
    }
    joint->spring_stiffness = joint->damping = joint->friction = 0;
    const bool one = place.nv == 1;
    const double draw[4] = {td_random_number(r->random), td_random_number(r->random),
                            td_random_number(r->random), td_random_number(r->random)};
    if (one && joint->type == TD_JOINT_CONTINUOUS)
        joint->type = TD_JOINT_REVOLUTE;
    joint->limit.lower = joint->limit.upper = NAN;
    if (one && draw[0] > -0.2)
        joint->limit.lower = r->q[place.q] - 0.05 - 0.3 * fabs(draw[1]);
    if (one && draw[0] < 0.2)
        joint->limit.upper = r->q[place.q] + 0.05 + 0.3 * fabs(draw[2]);
    if (one && draw[3] > 0.4)
        joint->friction = 0.5 * draw[3];
}

static td_model *draw_robot(td_random *random, int seed)
{
    td_model *plain = contact_robot_plain(random, seed);
    double q[ROOM], y[ROOM];
    contact_robot_start(plain, y, q);
    room_to_move room = {random, q};
    td_model *model = contact_robot_changed(plain, add_contacts, &room);
    return model;
}

/* ---- invariants ------------------------------------------------------------------------------ */

typedef struct contacts {
    const td_model *model;
    td_simulation *s;
    bool sticks[ROOM], loop_sticks[ROOM];
    double start, least, most, worst; /* energy minus work, kinetic energy, J */
} contacts;

static void check_limits(const contacts *c, const double *q, const double *qd, double t)
{
    for (size_t i = 0; i < td_joint_count(c->model); i++) {
        const td_joint_place place = td_joint_place_at(c->model, i);
        const td_joint *joint = td_joint_at(c->model, i);
        if (place.nv != 1)
            continue;
        const double x = q[place.q];
        ck_assert_msg(!(x < joint->limit.lower - 1e-7) && !(x > joint->limit.upper + 1e-7),
                      "%s at %.12g of [%.12g, %.12g] at t = %.9g", joint->name, x,
                      joint->limit.lower, joint->limit.upper, t);
        if (c->sticks[i])
            ck_assert_msg(fabs(qd[place.qd]) < 1e-6, "%s sticks and moves by %g at t = %.9g",
                          joint->name, qd[place.qd], t);
    }
}

static void check(contacts *c, double t)
{
    double q[ROOM], qd[ROOM], y[ROOM], tau_c[ROOM];
    td_simulation_sample sample = td_simulation_sample_default();
    sample.q = q, sample.qd = qd, sample.y = y, sample.tau_c = tau_c;
    assert_ok(td_simulation_evaluate(c->s, t, &sample));
    const double balance = sample.kinetic + sample.potential - sample.work;
    if (isnan(c->start))
        c->start = balance, c->least = c->most = sample.kinetic;
    c->least = fmin(c->least, sample.kinetic);
    c->most = fmax(c->most, sample.kinetic);
    c->worst = fmax(c->worst, fabs(balance - c->start));
    check_limits(c, q, qd, t);
    for (size_t i = 0; i < td_loop_count(c->model); i++) {
        double motion[3];
        if (c->loop_sticks[i]) {
            assert_ok(TD_IN_TREE(
                td_simulation_workspace(c->s),
                td_loop_motion(c->model, td_simulation_workspace(c->s), i, q, qd, NULL, motion)));
            ck_assert(fabs(motion[1]) < 1e-6);
        }
    }
}

static void note(contacts *c)
{
    for (size_t i = 0; i < td_simulation_event_count(c->s); i++) {
        const td_simulation_event e = td_simulation_event_at(c->s, i);
        if (e.kind == TD_EVENT_STICK || e.kind == TD_EVENT_SLIP)
            *(e.joint != TD_NONE ? &c->sticks[e.joint] : &c->loop_sticks[e.loop]) =
                e.kind == TD_EVENT_STICK;
        else
            ck_assert(e.impulse >= 0);
    }
}

/* Returns whether a joint moves away from a stop that it is at. */
static bool leaves(const contacts *c, const double *q, const double *qd)
{
    for (size_t i = 0; i < td_joint_count(c->model); i++) {
        const td_joint_place place = td_joint_place_at(c->model, i);
        const td_joint *joint = td_joint_at(c->model, i);
        if (place.nv != 1)
            continue;
        const double x = q[place.q], rate = qd[place.qd];
        if ((fabs(x - joint->limit.lower) < 1e-8 && rate > 1e-9) ||
            (fabs(x - joint->limit.upper) < 1e-8 && rate < -1e-9))
            return true;
    }
    return false;
}

/* Checks Newton's law at the end of a step, even if other joints rest at their stops. */
static void check_impacts(contacts *c, double e)
{
    const double t = td_simulation_time(c->s);
    double q[ROOM], before[ROOM], after[ROOM];
    td_simulation_sample sample = td_simulation_sample_default();
    sample.q = q, sample.qd = before;
    assert_ok(td_simulation_evaluate(c->s, nextafter(t, 0), &sample));
    const double energy = sample.kinetic;
    sample.qd = after;
    assert_ok(td_simulation_evaluate(c->s, t, &sample));
    ck_assert(sample.kinetic <= energy * (1 + 1e-9) + 1e-15);
    for (size_t i = 0; i < td_simulation_event_count(c->s); i++) {
        const td_simulation_event event = td_simulation_event_at(c->s, i);
        if (event.impulse == 0 || leaves(c, q, before))
            continue;
        const size_t qd = td_joint_place_at(c->model, (size_t)event.joint).qd;
        if (fabs(before[qd]) < 3e-3) /* other stops in contact may have stopped it as well */
            continue;
        ck_assert_msg(fabs(after[qd] + e * before[qd]) <= 1e-6 * fabs(before[qd]) + 1e-9,
                      "%s at %.9g: from %.12g to %.12g, restitution %g",
                      td_joint_at(c->model, (size_t)event.joint)->name, t, before[qd], after[qd],
                      e);
    }
}

TD_LOOP_TEST(random_robots, 0, SEEDS)
{
    td_random random = {(uint64_t)(100 + _i)};
    td_model *model = draw_robot(&random, _i);
    td_integrator_options o = td_integrator_options_default();
    td_simulation_options options = td_simulation_options_default();
    options.integrator = &o;
    options.stiction = true;
    options.stops = TD_STOPS_IMPACT;
    options.restitution = _i % 4 == 0 ? 0 : 0.2 * (_i % 4);
    contacts c = {.model = model, .start = NAN};
    assert_ok(test_simulation_new(model, &options, &c.s));
    double yd[ROOM];
    for (size_t i = 0; i < td_nyd(model); i++)
        yd[i] = 2 * td_random_number(&random);
    assert_ok(td_simulation_start(c.s, 0, NULL, yd, NULL));
    note(&c);
    td_status status = TD_OK;
    while (td_simulation_time(c.s) < 1) {
        status = td_simulation_step(c.s, 1);
        if (status != TD_OK)
            break;
        check(&c, 0.5 * (td_simulation_begin(c.s) + td_simulation_time(c.s)));
        note(&c);
        check(&c, td_simulation_time(c.s));
        check_impacts(&c, options.restitution);
    }
    ck_assert_msg(status == TD_OK || (status == TD_ERROR_CLOSURE_SINGULAR &&
                                      td_simulation_failed_loop(c.s) != TD_NONE),
                  "%s at %g", td_status_text(status), td_simulation_time(c.s));
    ck_assert_msg(c.worst <= 1e-7 * (c.most - c.least) + 1e-12,
                  "energy less work changes by %.3g of %.3g", c.worst, c.most - c.least);
}

static void damp(void *context, td_joint_place place, td_joint *joint, td_loop *loop)
{
    (void)context;
    if (joint && place.nv == 1)
        joint->damping = 1e5;
    else if (loop)
        loop->friction = 0;
}

/* Trees with steps much longer than the time constants of damping diverge. No loop is reported as
   the cause. */
TD_LOOP_TEST(fixed_step_diverges, 0, 12)
{
    td_random random = {(uint64_t)(200 + _i)};
    td_model *plain = contact_robot_plain(&random, 4 * _i);
    td_model *model = contact_robot_changed(plain, damp, NULL);
    td_integrator_options o = td_integrator_options_default();
    o.method = _i % 2 ? TD_METHOD_RK4 : TD_METHOD_SEMI_IMPLICIT_EULER;
    o.step = 0.01;
    td_simulation_options options = td_simulation_options_default();
    options.integrator = &o;
    td_simulation *s = simulation_of(model, &options);
    double yd[ROOM];
    for (size_t i = 0; i < td_nyd(model); i++)
        yd[i] = 0.01 * td_random_number(&random);
    assert_ok(td_simulation_start(s, 0, NULL, yd, NULL));
    const td_status status = td_simulation_advance(s, 10);
    ck_assert_msg(status == TD_ERROR_DIVERGED, "%s at %g", td_status_text(status),
                  td_simulation_time(s));
    ck_assert_uint_eq(td_simulation_failed_loop(s), TD_NONE);
}
