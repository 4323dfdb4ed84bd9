/* SPDX-License-Identifier: MIT */
/*
 * Compares the Jacobian that the simulation gives to stiff methods with fourth-order differences of
 * the rates. Covers trees with quaternions, followers, springs and dashpots, loops, charts,
 * wrenches, user-supplied states, prescribed motions, stops with and without load, and sticking
 * joints. There is no Jacobian if active rows are linearly dependent. Simulations with and without
 * it agree.
 */
#include <math.h>
#include <string.h>

#include "contact_robots.h"
#include "coupled_robots.h"
#include "moving_robots.h"
#include "simulation/integrator_inside.h"
#include "simulation/simulation_inside.h"
#include "sprung_robots.h"

enum { ROOM = CONTACT_ROOM, STATES = 2 };

/* ---- user-supplied forces -------------------------------------------------------------------- */

/* Applies forces, wrenches and rates that depend on all their arguments. */
static td_status act(void *context, const td_action *a)
{
    const td_model *model = context;
    const size_t n = td_nyd(model);
    for (size_t i = 0; i < n; i++)
        a->tau_y[i] = -3 * a->yd[i] + sin(a->y[i]) + a->z[i % STATES] - 0.5 * a->yd[n - 1 - i];
    for (size_t i = 0; a->wrenches && i < 6 * td_link_count(model); i++)
        a->wrenches[i] = cos(a->y[0] + (double)i) + 0.1 * a->z[0] * a->yd[i % n];
    for (size_t i = 0; i < STATES; i++)
        a->z_rate[i] = a->y[i % n] * a->yd[0] - a->z[i] * a->z[i] + a->t;
    return TD_OK;
}

/* Prescribes the motion of every third joint, other than floating ones. */
static td_status motion(void *context, double t, double *y, double *yd, double *ydd)
{
    const td_model *model = context;
    for (size_t i = 0; i < td_independent_count(model); i += 3) {
        const td_joint_place place = td_joint_place_at(model, td_independent_joint(model, i));
        if (place.nq != 1 || place.nyd != 1)
            continue;
        y[place.y] = 0.1 * sin(t);
        yd[place.yd] = 0.1 * cos(t);
        ydd[place.yd] = -0.1 * sin(t);
    }
    return TD_OK;
}

static void choose_given(const td_model *model, unsigned char *given)
{
    memset(given, 0, ROOM);
    for (size_t i = 0; i < td_independent_count(model); i += 3) {
        const td_joint_place place = td_joint_place_at(model, td_independent_joint(model, i));
        if (place.nq == 1 && place.nyd == 1)
            given[place.yd] = 1;
    }
}

/* ---- comparison with differences ------------------------------------------------------------- */

/* Computes ∂ẋ/∂x at the state: (8 (f(h) − f(−h)) − (f(2h) − f(−2h))) / 12h. */
static void by_differences(td_simulation *s, double t, const double *at, double *J)
{
    static const double place[] = {-2, -1, 1, 2}, weight[] = {1, -8, 8, -1};
    const double h = 1e-4;
    const size_t n = s->size;
    double x[2 * ROOM], rate[2 * ROOM];
    memset(J, 0, n * n * sizeof *J);
    memcpy(x, at, n * sizeof *x);
    for (size_t j = 0; j < n; j++) {
        for (int p = 0; p < 4; p++) {
            x[j] = at[j] + place[p] * h;
            assert_ok(td_simulation_rate(s, t, x, rate));
            for (size_t i = 0; i < n; i++)
                J[i * n + j] += weight[p] / (12 * h) * rate[i];
        }
        x[j] = at[j];
    }
}

/* Compares the Jacobian at the current state, if there is one, with differences, relative to the
   size of each row. Returns whether there is one. Allocates its scratch here, since the simulation
   does not use it for small robots. */
static bool check(td_simulation *s, double tolerance)
{
    const size_t n = s->size;
    const double t = td_integrator_time(s->integrator);
    double *room = doubles(2 * n * n), *J = room, *K = room + n * n;
    double x[2 * ROOM];
    const td_rate_jacobian own = s->jacobian;
    td_stack stack = {0};
    memcpy(x, td_integrator_state(s->integrator), n * sizeof *x);
    td_simulation_enter(s);
    ck_assert(td_take_twice(&stack, td_rate_jacobian_take(s, &stack)));
    const bool there = td_simulation_jacobian(s, t, x, J) == TD_OK;
    if (there)
        by_differences(s, t, x, K);
    for (size_t i = 0; i < n && there; i++) {
        const double size = fmax(1, td_largest(n, K + i * n));
        for (size_t j = 0; j < n; j++)
            ck_assert_msg(fabs(J[i * n + j] - K[i * n + j]) <= tolerance * size,
                          "(%zu, %zu) of %zu, %zu: %.12g, by differences %.12g, of %g", i, j, s->np,
                          s->nyd, J[i * n + j], K[i * n + j], size);
    }
    td_simulation_leave(s);
    s->jacobian = own;
    td_stack_end(&stack);
    return there;
}

typedef struct setting {
    td_simulation_options options;
    td_integrator_options integrator;
    td_forces forces;
    unsigned char given[ROOM];
} setting;

static void init(setting *k)
{
    *k = (setting){.options = td_simulation_options_default(),
                   .integrator = td_integrator_options_default(),
                   .forces = td_forces_default()};
    k->integrator.method = TD_METHOD_RADAU;
    k->forces.passive = true;
    k->forces.friction_velocity = 0.3;
    k->options.integrator = &k->integrator;
    k->options.forces = &k->forces;
}

static td_simulation *begin(setting *k, const td_model *model, td_random *random, double speed)
{
    double y[ROOM], yd[ROOM];
    td_simulation *s = simulation_of(model, &k->options);
    if (td_loop_cluster_count(model) > 0)
        memcpy(y, td_reference(model, TD_COORDINATES_INDEPENDENT), td_ny(model) * sizeof *y);
    else
        td_draw_configuration(random, model, false, 0.5, y);
    td_random_fill(random, td_nyd(model), yd);
    for (size_t i = 0; i < td_nyd(model); i++)
        yd[i] *= speed;
    assert_ok(td_simulation_start(s, 0.3, y, yd, NULL));
    return s;
}

static td_model *finish(td_builder *b, bool floating)
{
    td_load_options load = td_load_options_default();
    load.base = floating ? TD_BASE_FLOATING : TD_BASE_FIXED;
    return model_of_builder(b, &load);
}

/* Tests trees of all joint types, in turn with user-supplied forces, constant wrenches and
   prescribed joints. */
TD_LOOP_TEST(trees, 0, 40)
{
    td_random random = {(uint64_t)(300 + _i)};
    td_model *model = finish(coupled_random(&random, 4 + (size_t)_i % 7), _i % 2);
    double wrenches[6 * ROOM];
    setting k;
    init(&k);
    k.options.context = model;
    k.forces.wrench_frame = (td_frame)(_i % 3);
    td_random_fill(&random, 6 * td_link_count(model), wrenches);
    if (_i % 4 != 3)
        k.forces.wrenches = wrenches;
    if (_i % 4 >= 2) {
        k.options.act = act;
        k.options.states = STATES;
        k.options.wrenches = _i % 8 >= 4;
    }
    if (_i % 5 >= 3) {
        choose_given(model, k.given);
        k.options.given = k.given;
        k.options.motion = motion;
    }
    td_simulation *s = begin(&k, model, &random, 1);
    ck_assert(check(s, k.options.act ? 1e-6 : 1e-7));
    assert_ok(td_simulation_advance(s, 0.32));
    ck_assert(check(s, k.options.act ? 1e-6 : 1e-7));
}

/* Tests springs with dashpots between links. The power balance does not include their dissipation.
 */
TD_LOOP_TEST(springs, 0, 8)
{
    td_random random = {(uint64_t)(400 + _i)};
    td_random copy = random;
    td_model *plain = finish(coupled_random(&copy, 6), false);
    td_builder *b = coupled_random(&random, 6);
    for (int k = 0; k < 3; k++) {
        td_spring spring = random_spring(&random, plain, k == 1, false);
        char name[] = {'s', (char)('0' + k), 0};
        spring.name = name;
        assert_ok(td_builder_add_spring(b, &spring));
    }
    td_model *model = finish(b, false);
    setting k;
    init(&k);
    td_simulation *s = begin(&k, model, &random, 1);
    ck_assert(check(s, 1e-7));
}

/* ---- stops and friction ---------------------------------------------------------------------- */

typedef struct limits {
    td_random *random;
    const double *q;
    double beyond; /* how far inside of the limits the robot starts; negative: outside */
} limits;

static void add_limits(void *context, td_joint_place place, td_joint *joint, td_loop *loop)
{
    const limits *l = context;
    if (!joint || place.nv != 1)
        return;
    (void)loop;
    if (joint->type == TD_JOINT_CONTINUOUS)
        joint->type = TD_JOINT_REVOLUTE;
    const double draw = td_random_number(l->random);
    joint->limit.lower = draw > 0.3 ? l->q[place.q] - l->beyond : NAN;
    joint->limit.upper = draw < -0.3 ? l->q[place.q] + l->beyond : NAN;
    if (fabs(draw) < 0.3)
        joint->friction = 1;
}

static size_t rows_that(const td_simulation *s, td_row_mode mode)
{
    size_t count = 0;
    for (size_t i = 0; i < s->row_count; i++)
        count += s->rows[i].mode == mode;
    return count;
}

/* y: the robot's configuration without limits. If it violates limits, the robot is assembled at
   these limits instead, where differences are invalid. */
static td_model *limited(td_random *random, int seed, double beyond, double *y)
{
    td_model *plain = contact_robot_plain(random, seed);
    double q[ROOM];
    contact_robot_start(plain, y, q);
    limits l = {random, q, beyond};
    td_model *model = contact_robot_changed(plain, add_limits, &l);
    return model;
}

/* Tests spring stops under load, and slipping friction, in trees and loops. */
TD_TEST(pressed_stops)
{
    size_t pressed = 0, dependent = 0, slipping = 0, exact = 0;
    for (int seed = 0; seed < 24; seed++) {
        td_random random = {(uint64_t)(500 + seed)};
        double y[ROOM], yd[ROOM];
        td_model *model = limited(&random, seed, -0.02, y);
        setting k;
        init(&k);
        k.options.stops = TD_STOPS_SPRING;
        k.options.stop_stiffness = 300;
        k.options.stop_damping = 0.5;
        k.options.stiction = seed % 2;
        td_simulation *s;
        td_random_fill(&random, td_nyd(model), yd);
        assert_ok(test_simulation_new(model, &k.options, &s));
        assert_ok(td_simulation_start(s, 0, y, yd, NULL));
        for (size_t i = 0; i < s->row_count; i++)
            ck_assert(!s->rows[i].stop || fabs(s->rows[i].gap) > 1e-3);
        if (check(s, 1e-6)) {
            exact++;
            pressed += rows_that(s, TD_ROW_PRESSED);
            for (size_t i = 0; i < s->row_count; i++) {
                slipping += !s->rows[i].stop && s->rows[i].mode == TD_ROW_OFF;
                dependent += s->rows[i].mode == TD_ROW_PRESSED && s->rows[i].yd == TD_NONE;
            }
        }
    }
    ck_assert_uint_ge(exact, 20);
    ck_assert_uint_ge(pressed, 20);
    ck_assert_uint_ge(dependent, 10);
    ck_assert_uint_ge(slipping, 5);
}

/* Tests joints that rest at stops or stick, by their reactions: independent joints, and ones that
   loops and couplings move. */
TD_TEST(held_joints)
{
    size_t held = 0, dependent = 0, exact = 0;
    for (int seed = 0; seed < 32; seed++) {
        td_random random = {(uint64_t)(600 + seed)};
        double y[ROOM], yd[ROOM];
        td_model *model = limited(&random, seed, 0.01, y);
        setting k;
        init(&k);
        k.options.stops = TD_STOPS_IMPACT;
        k.options.stiction = true;
        td_simulation *s;
        td_random_fill(&random, td_nyd(model), yd);
        assert_ok(test_simulation_new(model, &k.options, &s));
        assert_ok(td_simulation_start(s, 0, y, yd, NULL));
        for (int step = 0; step < 60 && td_simulation_step(s, 2) == TD_OK; step++) {
            if (rows_that(s, TD_ROW_HOLDS) == 0 || step % 5 != 0 || !check(s, 1e-5))
                continue;
            exact++;
            held += rows_that(s, TD_ROW_HOLDS);
            for (size_t i = 0; i < s->row_count; i++)
                dependent += s->rows[i].mode == TD_ROW_HOLDS && s->rows[i].yd == TD_NONE;
        }
    }
    ck_assert_uint_ge(exact, 50);
    ck_assert_uint_ge(held, 60);
    ck_assert_uint_ge(dependent, 5);
}

/* ---- charts ---------------------------------------------------------------------------------- */

/* Adds two pendulums on the ground, one before and one after the crank in y. */
static td_model *beside_pendulums(td_model *plain)
{
    static const char *const names[] = {"first", "last"};
    td_builder *b = test_builder("pendulums");
    td_joint joint[2];
    for (size_t i = 0; i < td_link_count(plain); i++)
        assert_ok(td_builder_add_link(b, td_link_at(plain, i)));
    for (int i = 0; i < 2; i++) {
        td_link link = td_solid_link(names[i], 0.1, 1e-3);
        link.inertial.position[0] = 0.2;
        assert_ok(td_builder_add_link(b, &link));
        joint[i] = td_joint_default(names[i], TD_JOINT_CONTINUOUS, "ground", names[i]);
        joint[i].axis[0] = 0, joint[i].axis[1] = 1;
    }
    assert_ok(td_builder_add_joint(b, &joint[0]));
    for (size_t i = 0; i < td_joint_count(plain); i++)
        assert_ok(td_builder_add_joint(b, td_joint_at(plain, i)));
    assert_ok(td_builder_add_joint(b, &joint[1]));
    assert_ok(td_builder_add_loop(b, td_loop_at(plain, 0)));
    return finish(b, false);
}

/* Tests an independent slider near the dead points of its crank. Forces on the slider's joint act
   on the crank's angle. */
TD_LOOP_TEST(charts, 0, 4)
{
    td_model *model = slider_crank(true);
    if (_i >= 2)
        model = beside_pendulums(model);
    setting k;
    init(&k);
    k.options.context = model;
    k.options.act = _i % 2 ? act : NULL;
    k.options.states = _i % 2 ? STATES : 0;
    td_simulation *s;
    const double one = -2, three[3] = {0.5, -2, 1}, *yd = _i >= 2 ? three : &one;
    size_t other = 0, own = 0;
    assert_ok(test_simulation_new(model, &k.options, &s));
    assert_ok(td_simulation_start(s, 0, NULL, yd, NULL));
    while (td_simulation_time(s) < 1 && td_simulation_step(s, 1) == TD_OK) {
        ck_assert(check(s, 1e-5));
        other += s->other;
        own += !s->other;
    }
    ck_assert_uint_ge(other, 2);
    ck_assert_uint_ge(own, 2);
}

/* ---- linearly dependent rows ----------------------------------------------------------------- */

/* Friction and stops of two joints by name. */
typedef struct hold {
    const char *name[2];
    bool stops;
    double at[2]; /* of stops */
    int side[2];  /* 1: lower limit */
} hold;

static void add_holds(void *context, td_joint_place place, td_joint *joint, td_loop *loop)
{
    const hold *h = context;
    (void)place;
    (void)loop;
    if (joint)
        joint->limit.lower = joint->limit.upper = NAN;
    for (int k = 0; joint && k < 2; k++) {
        if (strcmp(joint->name, h->name[k]) != 0)
            continue;
        if (!h->stops) {
            joint->friction = 1000;
            continue;
        }
        if (joint->type == TD_JOINT_CONTINUOUS)
            joint->type = TD_JOINT_REVOLUTE;
        joint->limit.lower = h->side[k] > 0 ? h->at[k] : NAN;
        joint->limit.upper = h->side[k] > 0 ? NAN : h->at[k];
    }
}

/* Two pendulums are next to a crank and slider at rest, with two joints locked by friction or
   stops. The result: whether both rows are active, and whether there is a Jacobian. */
typedef struct held_pair {
    bool both, there;
} held_pair;

static held_pair hold_pair(hold *h, double angle)
{
    td_model *plain = beside_pendulums(slider_crank(false));
    td_workspace *w = test_workspace(plain);
    double y[3] = {0.4, angle, -0.9}, yd[3] = {0.3, 0, -0.2}, q[ROOM];
    ck_assert_uint_eq(td_nyd(plain), 3);
    assert_ok(td_closure(plain, w, y, NULL, NULL, q, NULL, NULL));
    for (int k = 0; k < 2; k++) {
        const size_t joint = td_joint_index(plain, h->name[k]);
        h->at[k] = q[td_joint_place_at(plain, joint).q];
        if (strcmp(h->name[k], "first") == 0)
            yd[0] = 0;
    }
    td_model *model = contact_robot_changed(plain, add_holds, h);
    ck_assert_uint_eq(td_joint_place_at(model, td_joint_index(model, "turn")).yd, 1);
    setting k;
    init(&k);
    k.options.stops = h->stops ? TD_STOPS_IMPACT : TD_STOPS_NONE;
    k.options.stiction = !h->stops;
    td_simulation *s;
    assert_ok(test_simulation_new(model, &k.options, &s));
    assert_ok(td_simulation_start(s, 0, y, yd, NULL));
    held_pair found = {.both = rows_that(s, TD_ROW_HOLDS) == 2};
    found.there = check(s, 1e-6);
    return found;
}

/* Friction that locks both the crank and a joint that it moves gives the same row twice, up to
   rounding: there is no Jacobian. The crank and a pendulum give two independent rows. */
TD_TEST(friction_that_holds_twice)
{
    static const char *const second[] = {"way", "pin", "first"};
    for (int which = 0; which < 3; which++)
        for (int k = 0; k < 40; k++) {
            hold h = {.name = {"turn", second[which]}};
            const held_pair found = hold_pair(&h, 0.31 + 0.14 * k);
            ck_assert_msg(found.both, "turn and %s do not hold", second[which]);
            ck_assert_msg(found.there == (which == 2), "turn and %s, %d: a Jacobian is %s",
                          second[which], k, found.there ? "given" : "not there");
        }
}

/* The same with stops: the limits of both joints are at the current position, on the sides that
   gravity may push them to. */
TD_TEST(stops_that_hold_twice)
{
    static const char *const second[] = {"way", "pin", "first"};
    for (int which = 0; which < 3; which++) {
        size_t both = 0;
        for (int k = 0; k < 160; k++) {
            hold h = {.name = {"turn", second[which]},
                      .stops = true,
                      .side = {k % 2 ? 1 : -1, k / 2 % 2 ? 1 : -1}};
            const held_pair found = hold_pair(&h, 0.31 + 0.14 * (k / 4));
            both += found.both;
            ck_assert_msg(found.there == (which == 2 || !found.both),
                          "turn and %s, %d: a Jacobian is %s", second[which], k,
                          found.there ? "given" : "not there");
        }
        ck_assert_uint_ge(both, 20);
    }
}

/* ---- simulations ----------------------------------------------------------------------------- */

/* With the Jacobian, simulations agree to tolerance, with fewer evaluations and no more steps than
   with differences. */
TD_LOOP_TEST(motions, 0, 4)
{
    td_random random = {(uint64_t)(700 + _i)};
    td_model *model = finish(coupled_random(&random, 9), true);
    double y[2][ROOM], yd[ROOM];
    td_integrator_counts counts[2];
    setting k;
    init(&k);
    k.forces.friction_velocity = 1e-2;
    k.integrator.method = TD_METHOD_RADAU;
    k.integrator.rtol = 1e-9;
    td_random_fill(&random, td_nyd(model), yd);
    for (int way = 0; way < 2; way++) {
        td_simulation *s;
        td_simulation_sample sample = td_simulation_sample_default();
        sample.y = y[way];
        assert_ok(test_simulation_new(model, &k.options, &s));
        if (way == 1)
            s->integrator->ode.jacobian = NULL;
        assert_ok(td_simulation_start(s, 0, NULL, yd, NULL));
        assert_ok(td_simulation_advance(s, 0.5));
        assert_ok(td_simulation_evaluate(s, 0.5, &sample));
        counts[way] = td_simulation_counts(s);
        ck_assert_uint_gt(counts[way].jacobians, 0);
    }
    td_assert_close(td_ny(model), y[0], y[1], 1e-6, 1);
    ck_assert_uint_lt(counts[0].evaluations, counts[1].evaluations);
    ck_assert_uint_le(counts[0].steps, counts[1].steps + counts[1].steps / 10);
}
