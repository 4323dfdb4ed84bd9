/* SPDX-License-Identifier: MIT */
/*
 * Tests stops, sticking friction and prescribed motion in loops. A four-bar that is cut at each of
 * its joints in turn has the same motion and the same events. The joint that sticks or stops may be
 * independent, dependent or the loop joint. Motions pass dead points of the independent joint too.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tandem/simulation.h"
#include "td_test.h"

enum { JOINTS = 4, ROOM = 8, MOST_LINKS = JOINTS + 2, MOST_EVENTS = 400 };

/* ---- the four-bar ---------------------------------------------------------------------------- */

/* A four-bar of ground, crank, coupler and rocker with the joints a, b, c, d in the plane x, z. It
   is on a carriage, which can slide along x if ride is set. */
typedef struct bar {
    char cut;         /* the loop joint */
    char independent; /* one of the other joints */
    bool ride;
    double friction[JOINTS];
    double rocker_limits[2]; /* of d, relative to the reference; NAN: none */
    bool by_follower;        /* the limits belong to joint e, which follows d: e = 0.5 - 2 d */
    bool weightless;
} bar;

static const char *const links[JOINTS] = {"ground", "crank", "coupler", "rocker"};
static const char names[JOINTS][2] = {"a", "b", "c", "d"};
static const double crank = 0.1, coupler = 0.3, rocker = 0.25, base = 0.3;

/* Returns x and z of the joints in the reference configuration. */
static void reference_points(double p[JOINTS][2])
{
    const double angle = 1;
    memset(p, 0, JOINTS * sizeof p[0]);
    p[1][0] = crank * cos(angle), p[1][1] = crank * sin(angle);
    p[3][0] = base;
    const double x = base - p[1][0], z = -p[1][1], length = hypot(x, z);
    const double along = (coupler * coupler - rocker * rocker + length * length) / (2 * length);
    const double up = sqrt(coupler * coupler - along * along);
    p[2][0] = p[1][0] + (along * x - up * z) / length;
    p[2][1] = p[1][1] + (along * z + up * x) / length;
}

static const double mass[JOINTS] = {2, 0.5, 0.8, 0.6};

/* Adds a link with its frame at a joint and its center of mass halfway between its joints. */
static void add_link(td_builder *b, int i, double p[JOINTS][2], const double frame[2])
{
    td_link link = td_link_default(links[i]);
    const int first = (i + 3) % 4;
    link.has_inertial = true;
    link.mass = mass[i];
    link.inertial.position[0] = 0.5 * (p[first][0] + p[i][0]) - frame[0];
    link.inertial.position[2] = 0.5 * (p[first][1] + p[i][1]) - frame[1];
    link.inertia[0] = link.inertia[3] = link.inertia[5] = 0.002 * mass[i];
    assert_ok(td_builder_add_link(b, &link));
}

/* Adds the joint i between link i and the next one, as parent and child in either order. */
static void add_joint(td_builder *b, const bar *k, int i, bool forward, double p[JOINTS][2],
                      const double parent_frame[2])
{
    const int from = forward ? i : (i + 1) % 4, to = forward ? (i + 1) % 4 : i;
    td_joint joint = td_joint_default(names[i], TD_JOINT_REVOLUTE, links[from], links[to]);
    joint.axis[0] = 0;
    joint.axis[1] = forward ? 1 : -1; /* positive angles rotate the next link */
    joint.origin.position[0] = p[i][0] - parent_frame[0];
    joint.origin.position[2] = p[i][1] - parent_frame[1];
    joint.friction = k->friction[i];
    joint.independent = names[i][0] == k->independent;
    joint.limit.lower = i == 3 && !k->by_follower ? k->rocker_limits[0] : NAN;
    joint.limit.upper = i == 3 && !k->by_follower ? k->rocker_limits[1] : NAN;
    assert_ok(td_builder_add_joint(b, &joint));
}

static void add_pointer(td_builder *b, const bar *k)
{
    td_link link = td_link_default("pointer");
    td_joint joint = td_joint_default("e", TD_JOINT_REVOLUTE, "world", "pointer");
    joint.mimic = "d";
    joint.multiplier = -2;
    joint.offset = 0.5;
    joint.limit.lower = -2 * k->rocker_limits[1] + 0.5;
    joint.limit.upper = -2 * k->rocker_limits[0] + 0.5;
    assert_ok(td_builder_add_link(b, &link));
    assert_ok(td_builder_add_joint(b, &joint));
}

static td_model *four_bar(const bar *k)
{
    double p[JOINTS][2];
    reference_points(p);
    static const double origin[2] = {0, 0};
    const double *frame[JOINTS] = {origin};
    const int cut = k->cut - 'a';
    td_builder *b = test_builder("four_bar");
    td_link world = td_link_default("world");
    td_builder_add_link(b, &world);
    for (int i = 1; i < JOINTS; i++) /* up from the ground on both sides */
        frame[i] = i <= cut ? p[i - 1] : p[i];
    for (int i = 0; i < JOINTS; i++)
        add_link(b, i, p, frame[i]);
    td_joint ride =
        td_joint_default("ride", k->ride ? TD_JOINT_PRISMATIC : TD_JOINT_FIXED, "world", "ground");
    assert_ok(td_builder_add_joint(b, &ride));
    for (int i = 0; i < cut; i++)
        add_joint(b, k, i, true, p, frame[i]);
    for (int i = 3; i > cut; i--)
        add_joint(b, k, i, false, p, frame[(i + 1) % 4]);
    td_loop loop = td_loop_default(names[cut], links[cut], links[(cut + 1) % 4]);
    loop.type = TD_LOOP_REVOLUTE;
    loop.axis[0] = 0;
    loop.axis[1] = 1;
    for (int d = 0; d < 2; d++) {
        loop.predecessor_origin.position[2 * d] = p[cut][d] - frame[cut][d];
        loop.successor_origin.position[2 * d] = p[cut][d] - frame[(cut + 1) % 4][d];
    }
    loop.friction = k->friction[cut];
    assert_ok(td_builder_add_loop(b, &loop));
    if (k->by_follower)
        add_pointer(b, k);
    td_load_options load = td_load_options_default();
    load.gravity[2] = k->weightless ? 0 : load.gravity[2];
    return model_of_builder(b, &load);
}

/* ---- its motion ------------------------------------------------------------------------------ */

/* Moments between ground and crank: a constant, an oscillation and a ramp. */
typedef struct drive {
    double constant, amplitude, frequency, ramp;
    size_t crank;
} drive;

static double moment_at(const drive *d, double t)
{
    return d->constant + d->amplitude * sin(d->frequency * t) + d->ramp * t;
}

static td_status act(void *context, const td_action *action)
{
    const drive *d = context;
    action->wrenches[6 * d->crank + 1] = moment_at(d, action->t);
    return TD_OK;
}

static td_status shake(void *context, double t, double *y, double *yd, double *ydd)
{
    (void)context;
    y[0] = 0.05 * (1 - cos(8 * t));
    yd[0] = 0.4 * sin(8 * t);
    ydd[0] = 3.2 * cos(8 * t);
    return TD_OK;
}

typedef struct event {
    double t, impulse;
    td_event_kind kind;
    char joint;
} event;

typedef struct course {
    double turned[JOINTS][9], velocity[JOINTS][3]; /* final rotations and rad/s of the links */
    double balance, kinetic;                       /* largest change, and largest kinetic energy */
    double ride_force;
    size_t half_turns; /* of the crank */
    event events[MOST_EVENTS];
    size_t count;
} course;

/* Sorts events by time, and events at the same time by joint. */
static int by_time(const void *a, const void *b)
{
    const event *x = a, *y = b;
    return x->t != y->t ? (x->t > y->t) - (x->t < y->t) : x->joint - y->joint;
}

static void note_events(const td_simulation *s, const td_model *model, course *c)
{
    for (size_t i = 0; i < td_simulation_event_count(s); i++) {
        const td_simulation_event e = td_simulation_event_at(s, i);
        ck_assert((e.joint == TD_NONE) != (e.loop == TD_NONE));
        const char *name =
            e.loop == TD_NONE ? td_joint_at(model, e.joint)->name : td_loop_at(model, e.loop)->name;
        ck_assert_uint_lt(c->count, MOST_EVENTS);
        c->events[c->count++] = (event){e.t, e.impulse, e.kind, name[0]};
    }
}

/* Checks Gᵀ τ_c = 0 including reactions of stops and friction. Skips dead points, where G is
   unbounded, and has a looser tolerance near them. */
static void check_constraint_forces(const td_model *model, td_workspace *w, const double *q,
                                    const double *y, const double *tau_c)
{
    double G[ROOM * ROOM];
    if (td_closure_start(model, w, q) != TD_OK || td_closure_jacobian(model, w, y, G) != TD_OK)
        return;
    const size_t n = td_nyd(model);
    for (size_t j = 0; j < n; j++) {
        double sum = 0, size = 1;
        for (size_t i = 0; i < td_nv(model); i++) {
            sum += G[i * n + j] * tau_c[i];
            size += fabs(G[i * n + j] * tau_c[i]);
        }
        ck_assert_msg(fabs(sum) <= 1e-8 * size, "%.3g of %.3g along y", sum, size);
    }
}

static void sample_end(td_simulation *s, const td_model *model, course *c, double *energy)
{
    double q[ROOM], qd[ROOM], tau[ROOM], y[ROOM], tau_c[ROOM];
    td_simulation_sample sample = td_simulation_sample_default();
    sample.q = q, sample.qd = qd, sample.tau_y = tau, sample.y = y, sample.tau_c = tau_c;
    assert_ok(td_simulation_evaluate(s, td_simulation_time(s), &sample));
    td_workspace *w = test_workspace(model);
    double pose[12 * MOST_LINKS], velocity[6 * MOST_LINKS];
    ck_assert_uint_le(td_link_count(model), MOST_LINKS);
    assert_ok(TD_IN_TREE(w, td_link_poses(model, w, q, pose)));
    assert_ok(TD_IN_TREE(w, td_link_velocities(model, w, q, qd, TD_FRAME_WORLD, velocity)));
    for (int i = 0; i < JOINTS; i++) {
        const size_t link = td_link_index(model, links[i]);
        for (int e = 0; e < 9; e++)
            c->turned[i][e] = pose[12 * link + (size_t)(4 * (e / 3) + e % 3)];
        memcpy(c->velocity[i], velocity + 6 * link, sizeof c->velocity[i]);
    }
    check_constraint_forces(model, w, q, y, tau_c);
    c->ride_force = tau[0];
    c->kinetic = fmax(c->kinetic, sample.kinetic);
    *energy = sample.kinetic + sample.potential - sample.work;
}

/* Simulates from rest in the reference up to a time. Stops have no restitution. */
static course run(const bar *k, const drive *with, double end)
{
    course c;
    memset(&c, 0, sizeof c);
    td_model *model = four_bar(k);
    drive d = *with;
    d.crank = td_link_index(model, "crank");
    td_integrator_options o = td_integrator_options_default();
    o.rtol = 1e-10;
    td_simulation_options options = td_simulation_options_default();
    const unsigned char given[2] = {1, 0};
    options.integrator = &o;
    options.stiction = true;
    options.stops = TD_STOPS_IMPACT;
    options.act = act;
    options.wrenches = true;
    options.context = &d;
    options.given = k->ride ? given : NULL;
    options.motion = k->ride ? shake : NULL;
    td_simulation *s = simulation_of(model, &options);
    assert_ok(td_simulation_start(s, 0, NULL, NULL, NULL));
    double start, now;
    sample_end(s, model, &c, &start);
    note_events(s, model, &c);
    while (td_simulation_time(s) < end) {
        const td_status status = td_simulation_step(s, end);
        ck_assert_msg(status == TD_OK, "cut at %c, %c independent: %s at %.17g", k->cut,
                      k->independent, td_status_text(status), td_simulation_time(s));
        note_events(s, model, &c);
        const bool up = c.turned[1][0] > 0;
        sample_end(s, model, &c, &now);
        c.half_turns += up != (c.turned[1][0] > 0);
        c.balance = fmax(c.balance, fabs(now - start));
    }
    qsort(c.events, c.count, sizeof *c.events, by_time);
    return c;
}

/* compares rotations, since frames of links depend on the cut */
static void assert_same(const course *a, const course *b, const char *what)
{
    ck_assert_msg(a->count == b->count, "%s: %zu events, expected %zu", what, b->count, a->count);
    for (size_t i = 0; i < a->count; i++) {
        const event *x = &a->events[i], *y = &b->events[i];
        ck_assert_msg(x->kind == y->kind && x->joint == y->joint && fabs(x->t - y->t) < 1e-6 &&
                          fabs(x->impulse - y->impulse) < 1e-6,
                      "%s: %s of %c at %.12g, expected %s of %c at %.12g", what,
                      td_event_text(y->kind), y->joint, y->t, td_event_text(x->kind), x->joint,
                      x->t);
    }
    for (int i = 0; i < JOINTS; i++) {
        td_assert_close(9, a->turned[i], b->turned[i], 2e-6, 1);
        td_assert_close(3, a->velocity[i], b->velocity[i], 1e-5, 1);
    }
    ck_assert(fabs(a->ride_force - b->ride_force) <= 1e-6 * fabs(a->ride_force));
}

/* All cuts, and all choices of the independent joint. */
static const struct cut {
    char cut, independent;
} cuts[] = {{'c', 'a'}, {'a', 'd'}, {'d', 'b'}, {'b', 'a'}, {'d', 'a'}, {'c', 'd'}, {'b', 'd'}};
/* sanitizers take some twenty times longer */
#if defined(__SANITIZE_ADDRESS__)
enum { CUTS = 2 };
#else
enum { CUTS = sizeof cuts / sizeof *cuts };
#endif

/* Compares all cuts with the first one. */
static course compare(bar k, const drive *d, double end)
{
    course first = {.count = 0};
    for (int i = 0; i < CUTS; i++) {
        if (!isnan(k.rocker_limits[0]) && cuts[i].cut == 'd')
            continue; /* loop joints have no limits */
        k.cut = cuts[i].cut;
        k.independent = cuts[i].independent;
        const course c = run(&k, d, end);
        char what[64];
        snprintf(what, sizeof what, "cut at %c, %c independent", k.cut, k.independent);
        ck_assert_msg(c.balance < 1e-7 * c.kinetic, "%s: %.3g of %.3g J", what, c.balance,
                      c.kinetic);
        if (i == 0)
            first = c;
        else
            assert_same(&first, &c, what);
    }
    return first;
}

static bar bar_with(double a, double b, double c, double d)
{
    const bar k = {.friction = {a, b, c, d}, .rocker_limits = {NAN, NAN}};
    return k;
}

/* ---- friction -------------------------------------------------------------------------------- */

/* Tests each joint with friction, and all of them. */
TD_LOOP_TEST(sticks_in_every_cut, 0, JOINTS + 1)
{
    static const double friction[JOINTS] = {0.8, 0.9, 3, 2};
    const drive d = {.amplitude = 1.2, .frequency = 3};
    bar k = bar_with(0, 0, 0, 0);
    for (int i = 0; i < JOINTS; i++)
        k.friction[i] = _i == JOINTS ? 0.4 : _i == i ? friction[i] : 0;
    const course c = compare(k, &d, 2.5);
    ck_assert_msg(c.count >= (_i == JOINTS ? 16 : 4), "%zu events", c.count);
    for (size_t i = 0; i < c.count && _i < JOINTS; i++)
        ck_assert_int_eq(c.events[i].joint, names[_i][0]);
}

/* Under a growing moment, all joints slip together when it reaches Σ f |∂q/∂a|, not before. */
TD_TEST(slips_when_all_are_spent)
{
    const double friction[JOINTS] = {0.1, 0.2, 0.3, 0.25};
    bar k = bar_with(friction[0], friction[1], friction[2], friction[3]);
    k.weightless = true;
    k.cut = 'd';
    k.independent = 'a';
    td_model *model = four_bar(&k);
    td_workspace *w = test_workspace(model);
    double y = 0, one = 1, q[3], qd[3], motion[3], moment = 0;
    assert_ok(td_closure(model, w, &y, &one, NULL, q, qd, NULL));
    assert_ok(td_loop_motion(model, w, 0, &y, &one, NULL, motion));
    for (int i = 0; i < 3; i++)
        moment +=
            friction[i] * fabs(qd[td_joint_place_at(model, td_joint_index(model, names[i])).qd]);
    moment += friction[3] * fabs(motion[1]);
    const drive d = {.ramp = 0.5};
    const course c = compare(k, &d, moment / d.ramp + 0.05);
    ck_assert_uint_eq(c.count, 2 * JOINTS);
    for (size_t i = 0; i < c.count; i++) {
        const double expected = i < JOINTS ? 0 : moment / d.ramp;
        ck_assert(c.events[i].kind == (i < JOINTS ? TD_EVENT_STICK : TD_EVENT_SLIP));
        ck_assert_msg(fabs(c.events[i].t - expected) < 1e-6, "%.12g, expected %.12g", c.events[i].t,
                      expected);
    }
}

/* ---- stops, full turns and prescribed motion ------------------------------------------------- */

/* The crank drives the rocker to its stops; with friction, it also rests there. A joint that
   follows the rocker may have the limits instead. */
TD_LOOP_TEST(stops_in_every_cut, 0, 2)
{
    const drive d = {.amplitude = 1.2, .frequency = 3};
    bar k = bar_with(0, 0, _i ? 0.3 : 0, 0);
    k.rocker_limits[0] = -0.2;
    k.rocker_limits[1] = 0.1;
    const course c = compare(k, &d, 2.5);
    size_t impacts = 0;
    for (size_t i = 0; i < c.count; i++)
        impacts += c.events[i].impulse > 0;
    ck_assert_uint_ge(impacts, 3);
    k.by_follower = true;
    const course again = compare(k, &d, 2.5);
    assert_same(&c, &again, "limits of a follower");
}

/* A joint d that a loop determines has no effective limits, whatever follows d. */
TD_TEST(dependent_joints_have_no_effective_limits)
{
    bar k = bar_with(0, 0, 0, 0);
    k.rocker_limits[0] = -0.2;
    k.rocker_limits[1] = 0.1;
    k.by_follower = true;
    k.cut = 'c';
    for (k.independent = 'a'; k.independent <= 'd'; k.independent += 'd' - 'a') {
        td_model *model = four_bar(&k);
        const bool follows = k.independent == 'a';
        const td_effective_limit limit = td_effective_limit_at(model, td_joint_index(model, "d"));
        if (follows) {
            ck_assert(limit.lower == -INFINITY && limit.upper == INFINITY);
            ck_assert(limit.lower_joint == TD_NONE && limit.upper_joint == TD_NONE);
        } else {
            td_assert_close(1, &limit.lower, &k.rocker_limits[0], 1e-14, 1);
            td_assert_close(1, &limit.upper, &k.rocker_limits[1], 1e-14, 1);
        }
    }
}

/* The crank makes full turns; independent rockers pass their dead points. */
TD_LOOP_TEST(turns_in_every_cut, 0, 2)
{
    const drive d = {.constant = 1.3};
    const bar k = bar_with(0, 0.05, 0, _i ? 0.2 : 0);
    const course c = compare(k, &d, 1);
    ck_assert_msg(c.half_turns > 10, "%zu half turns", c.half_turns);
}

/* The ground moves back and forth as prescribed, with the same force for every cut. */
TD_LOOP_TEST(prescribed_beside_a_loop, 0, 2)
{
    const drive d = {.constant = 1.3};
    bar k = bar_with(0, 0, 0.1, _i ? 0.2 : 0);
    k.ride = true;
    const course c = compare(k, &d, 1);
    ck_assert(fabs(c.ride_force) > 1);
}

static td_status push(void *context, const td_action *action)
{
    (void)context;
    action->tau_y[0] = 3;
    action->tau_y[1] = 5;
    return TD_OK;
}

/* A disc slides and rotates on a table, connected to a rod of constant length. Its x depends on y
   and theta, on which forces act. */
TD_TEST(a_part_of_a_planar_joint_follows)
{
    td_builder *b = test_builder("disc on a rod");
    td_link table = td_link_default("table"), disc = td_link_default("disc");
    disc.has_inertial = true;
    disc.mass = 1;
    disc.inertia[0] = disc.inertia[3] = disc.inertia[5] = 0.1;
    td_joint joint = td_joint_default("on", TD_JOINT_PLANAR, "table", "disc");
    memcpy(joint.axis, (double[]){0, 0, 1}, sizeof joint.axis);
    td_loop rod = td_loop_default("rod", "table", "disc");
    rod.type = TD_LOOP_DISTANCE;
    rod.distance = 0.5;
    rod.successor_origin.position[0] = 0.5;
    assert_ok(td_builder_add_link(b, &table));
    assert_ok(td_builder_add_link(b, &disc));
    assert_ok(td_builder_add_joint(b, &joint));
    assert_ok(td_builder_add_loop(b, &rod));
    td_model *model = model_of_builder(b, NULL);
    ck_assert_uint_eq(td_joint_place_at(model, 0).dependents, 1);
    td_simulation_options options = td_simulation_options_default();
    options.act = push;
    td_simulation *s;
    assert_ok(test_simulation_new(model, &options, &s));
    assert_ok(td_simulation_start(s, 0, NULL, NULL, NULL));
    double q[3], y[2], tau_c[3];
    td_simulation_sample sample = td_simulation_sample_default();
    sample.q = q, sample.y = y, sample.tau_c = tau_c;
    assert_ok(td_simulation_evaluate(s, 0, &sample));
    td_workspace *w = test_workspace(model);
    check_constraint_forces(model, w, q, y, tau_c);
}
