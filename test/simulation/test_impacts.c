/* SPDX-License-Identifier: MIT */
/*
 * Tests impacts on random trees and mechanisms in contact with any number of stops, including stops
 * of followers and of joints that loops determine. With the rows J of all stops in contact, the
 * state after an impact is compared with Newton's law
 *
 *   M Δẏ = Jᵀ p,   0 ≤ p ⊥ J ẏ⁺ + e J ẏ⁻ ≥ 0
 *
 * and with its energy loss, ½ pᵀ J (ẏ⁻ + ẏ⁺). M and J come from functions of the library.
 */
#include <math.h>
#include <string.h>

#include "algebra.h"
#include "contact_robots.h"
#include "tandem/simulation.h"

enum { ROOM = CONTACT_ROOM, MOST = 24 /* coordinates */ };

/* ---- robots and stops ------------------------------------------------------------------------ */

/* A robot with its motion into, along and away from its stops. */
typedef struct impact {
    td_random *random;
    td_model *model;
    td_workspace *w;
    size_t n, count;         /* coordinates, stops */
    double y[ROOM], q[ROOM]; /* the configuration, at all of its stops */
    double G[ROOM * MOST];   /* nv × n */
    double M[MOST * MOST], yd[MOST], after[MOST];
    int joint[ROOM];       /* of each stop */
    double J[ROOM * MOST]; /* count × n: rates at which gaps open */
    double p[ROOM];        /* impulses of the stops, as reported */
    bool leaves;           /* the motion leaves some stop */
} impact;

/* The side of each joint's stop: -1 lower, 1 upper, 0 none, 2 both. */
typedef struct sides {
    const double *q;
    int side[ROOM]; /* indexed by place.q */
} sides;

static void add_stops(void *context, td_joint_place place, td_joint *joint, td_loop *loop)
{
    const sides *s = context;
    if (loop)
        return;
    joint->limit.lower = joint->limit.upper = NAN;
    if (place.nv != 1)
        return;
    if (joint->type == TD_JOINT_CONTINUOUS)
        joint->type = TD_JOINT_REVOLUTE;
    if (s->side[place.q] == -1 || s->side[place.q] == 2)
        joint->limit.lower = s->q[place.q];
    if (s->side[place.q] == 1 || s->side[place.q] == 2)
        joint->limit.upper = s->q[place.q];
}

/* Stops a joint of the plain robot: projects its row out of ẏ, after orthogonalizing the row
   against the joints that are already at rest. */
static void stand_still(impact *m, double *basis, size_t *rank, const double *row)
{
    double *own = basis + *rank * m->n;
    memcpy(own, row, m->n * sizeof *own);
    const double size = sqrt(vec_dot(m->n, row, row));
    for (int twice = 0; twice < 2; twice++)
        for (size_t k = 0; k < *rank; k++) {
            const double part = vec_dot(m->n, own, basis + k * m->n);
            for (size_t j = 0; j < m->n; j++)
                own[j] -= part * basis[k * m->n + j];
        }
    const double left = sqrt(vec_dot(m->n, own, own));
    if (!(left > 1e-6 * size) || *rank == MOST)
        return;
    for (size_t j = 0; j < m->n; j++)
        own[j] /= left;
    (*rank)++;
    for (int twice = 0; twice < 2; twice++) {
        const double part = vec_dot(m->n, m->yd, own);
        for (size_t j = 0; j < m->n; j++)
            m->yd[j] -= part * own[j];
    }
}

/* Draws a motion with some joints at rest, up to rounding, and stops that block the motion. Some
   joints have stops on both sides. With leaves, some stops are on the opposite side. */
static void draw_motion(impact *m, const td_model *plain, bool leaves, sides *s)
{
    double basis[MOST * MOST];
    size_t rank = 0;
    for (size_t i = 0; i < m->n; i++)
        m->yd[i] = 3 * td_random_number(m->random);
    for (size_t i = 0; i < td_movable_count(plain); i++) {
        const td_joint_place place = td_joint_place_at(plain, td_movable_joint(plain, i));
        if (place.nv == 1 && rank + 1 < m->n && td_random_number(m->random) > 0.4)
            stand_still(m, basis, &rank, m->G + place.qd * m->n);
    }
    for (size_t i = 0; i < td_movable_count(plain); i++) {
        const td_joint_place place = td_joint_place_at(plain, td_movable_joint(plain, i));
        const double rate = vec_dot(m->n, m->G + place.qd * m->n, m->yd);
        const bool rests = fabs(rate) < 1e-12;
        const double draw = td_random_number(m->random);
        s->side[place.q] = draw > 0.6 ? 0 : rests ? (draw > 0 ? 1 : -1) : rate > 0 ? 1 : -1;
        if (rests && draw < -0.8)
            s->side[place.q] = 2;
        if (leaves && td_random_number(m->random) > 0)
            s->side[place.q] = -s->side[place.q];
    }
}

static td_model *draw_robot(impact *m, int seed)
{
    td_model *plain = contact_robot_plain(m->random, seed);
    m->n = td_nyd(plain);
    if (m->n > MOST || m->n == 0)
        return NULL;
    sides s = {.q = m->q};
    contact_robot_start(plain, m->y, m->q);
    td_workspace *w = test_workspace(plain);
    assert_ok(td_closure_jacobian(plain, w, m->y, m->G));
    draw_motion(m, plain, seed % 5 == 0, &s);
    td_model *model = contact_robot_changed(plain, add_stops, &s);
    return model;
}

/* ---- stops in contact ------------------------------------------------------------------------ */

/* Lists all stops: stops of followers in addition to the stops of their leaders. */
static void list_stops(impact *m)
{
    m->count = 0;
    m->leaves = false;
    for (size_t i = 0; i < td_movable_count(m->model); i++) {
        const size_t joint = td_movable_joint(m->model, i);
        const td_joint_place place = td_joint_place_at(m->model, joint);
        const td_joint *record = td_joint_at(m->model, joint);
        const double at[2] = {record->limit.lower, record->limit.upper};
        for (int side = 0; side < 2 && place.nv == 1; side++) {
            if (isnan(at[side]))
                continue;
            td_assert_close(1, &at[side], &m->q[place.q], 1e-12, 1);
            m->joint[m->count] = (int)joint;
            double *row = m->J + m->count++ * m->n;
            for (size_t j = 0; j < m->n; j++)
                row[j] = (side ? -1 : 1) * m->G[place.qd * m->n + j];
            m->leaves |= vec_dot(m->n, row, m->yd) > 1e-12;
        }
    }
}

/* Computes the row of the stop that an event reports. A stop of a follower is reported for its
   leader, which may have no limit there. */
static void row_of_event(const impact *m, td_simulation_event e, double *row)
{
    const td_joint_place place = td_joint_place_at(m->model, (size_t)e.joint);
    ck_assert(e.kind == TD_EVENT_LOWER_STOP || e.kind == TD_EVENT_UPPER_STOP);
    for (size_t j = 0; j < m->n; j++)
        row[j] = (e.kind == TD_EVENT_UPPER_STOP ? -1 : 1) * m->G[place.qd * m->n + j];
}

/* ---- Newton's law ---------------------------------------------------------------------------- */

typedef struct outcome {
    double e, speed;            /* restitution, largest rate */
    double impulse[MOST], work; /* Jᵀ p, ½ pᵀ J (ẏ⁻ + ẏ⁺) */
} outcome;

static void check_events(const impact *m, td_simulation *s, outcome *o)
{
    double row[MOST];
    for (size_t i = 0; i < td_simulation_event_count(s); i++) {
        const td_simulation_event e = td_simulation_event_at(s, i);
        if (e.kind != TD_EVENT_LOWER_STOP && e.kind != TD_EVENT_UPPER_STOP)
            continue;
        ck_assert(e.impulse > 0);
        for (size_t k = 0; k < i; k++)
            ck_assert_msg(td_simulation_event_at(s, k).kind != e.kind ||
                              td_simulation_event_at(s, k).joint != e.joint,
                          "%s is at its stop twice at once",
                          td_joint_at(m->model, (size_t)e.joint)->name);
        row_of_event(m, e, row);
        const double before = vec_dot(m->n, row, m->yd), after = vec_dot(m->n, row, m->after);
        if (!m->leaves)
            ck_assert_msg(fabs(after + o->e * before) <= 1e-9 * o->speed,
                          "%s: from %.12g to %.12g, restitution %g",
                          td_joint_at(m->model, (size_t)e.joint)->name, before, after, o->e);
        o->work += 0.5 * e.impulse * (before + after);
        for (size_t j = 0; j < m->n; j++)
            o->impulse[j] += row[j] * e.impulse;
    }
}

static double energy_of(const impact *m, const double *yd)
{
    double sum = 0;
    for (size_t i = 0; i < m->n; i++)
        sum += 0.5 * yd[i] * vec_dot(m->n, m->M + i * m->n, yd);
    return sum;
}

static void check_law(const impact *m, td_simulation *s, double e)
{
    outcome o = {.e = e, .speed = td_largest(m->n, m->yd)};
    for (size_t i = 0; i < m->count; i++) {
        const double *row = m->J + i * m->n;
        o.speed = fmax(o.speed,
                       fmax(fabs(vec_dot(m->n, row, m->yd)), fabs(vec_dot(m->n, row, m->after))));
    }
    check_events(m, s, &o);
    for (size_t i = 0; i < m->count; i++) {
        const double *row = m->J + i * m->n;
        const double least = m->leaves ? 0 : -e * vec_dot(m->n, row, m->yd);
        ck_assert_msg(vec_dot(m->n, row, m->after) >= least - 1e-9 * o.speed,
                      "%s: %.12g after %.12g, restitution %g",
                      td_joint_at(m->model, (size_t)m->joint[i])->name,
                      vec_dot(m->n, row, m->after), vec_dot(m->n, row, m->yd), e);
    }
    double change[MOST], momentum[MOST], size = 0;
    for (size_t j = 0; j < m->n; j++)
        change[j] = m->after[j] - m->yd[j];
    for (size_t j = 0; j < m->n; j++) {
        momentum[j] = vec_dot(m->n, m->M + j * m->n, change);
        size = fmax(size, fabs(vec_dot(m->n, m->M + j * m->n, m->yd)));
    }
    td_assert_close(m->n, momentum, o.impulse, 1e-8, size); /* 1e-9 rad/s counts as rest */
    const double before = energy_of(m, m->yd), after = energy_of(m, m->after);
    ck_assert_msg(after <= before * (1 + 1e-10), "energy grows from %.12g to %.12g", before, after);
    if (!m->leaves)
        ck_assert(fabs(after - before - o.work) <= 1e-9 * before);
}

/* ---- random impacts -------------------------------------------------------------------------- */

static const double restitutions[] = {0, 0.3, 0.5, 0.85, 1};

static void strike(impact *m, double e)
{
    td_simulation_options options = td_simulation_options_default();
    options.stops = TD_STOPS_IMPACT;
    options.restitution = e;
    options.rest_speed = 1e-9;
    td_simulation *s = simulation_of(m->model, &options);
    assert_ok(td_simulation_start(s, 0, m->y, m->yd, NULL));
    td_simulation_sample sample = td_simulation_sample_default();
    sample.yd = m->after;
    assert_ok(td_simulation_evaluate(s, 0, &sample));
    check_law(m, s, e);
}

/* sanitizers take some twenty times longer */
#if defined(__SANITIZE_ADDRESS__)
enum { GROUPS = 20, ROBOTS = 5 };
#else
enum { GROUPS = 20, ROBOTS = 125 };
#endif

/* Tests every robot with several restitutions, and a second impact on the resulting motion. */
TD_LOOP_TEST(random_impacts, 0, GROUPS)
{
    size_t count = 0, stops = 0;
    for (int k = 0; k < ROBOTS; k++) {
        const int seed = _i * ROBOTS + k;
        td_random random = {(uint64_t)(500 + seed)};
        impact m = {.random = &random};
        m.model = draw_robot(&m, seed);
        if (!m.model)
            continue;
        m.w = test_workspace(m.model);
        td_forces forces = td_forces_default();
        forces.passive = true;
        assert_ok(td_closure_jacobian(m.model, m.w, m.y, m.G));
        assert_ok(td_mass_matrix(m.model, m.w, m.y, &forces, m.M));
        list_stops(&m);
        stops += m.count;
        for (size_t e = 0; e < sizeof restitutions / sizeof *restitutions; e++, count++)
            strike(&m, restitutions[e]);
    }
    ck_assert_uint_ge(count, (size_t)ROBOTS * 4);
    ck_assert_uint_ge(stops, (size_t)ROBOTS);
}
