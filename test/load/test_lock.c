/* SPDX-License-Identifier: MIT */
/*
 * Tests joints that are locked at load. The model must equal a robot with these joints made fixed
 * in its records, in all functions, with mimic joints, couplings and loops. Joints that cannot be
 * locked are refused.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"
#include "loop_robots.h"

enum { MOST_LOCKED = 40, STATES = 3 };

/* ---- replaced by fixed joints ---------------------------------------------------------------- */

/* Joints to lock, by index, and a configuration of the whole tree. */
typedef struct choice {
    size_t count;
    size_t joint[MOST_LOCKED];
    double *q;
} choice;

static bool is_chosen(const choice *c, const char *name, const td_model *model)
{
    bool chosen = false;
    for (size_t i = 0; i < c->count; i++)
        chosen = chosen || strcmp(td_joint_at(model, c->joint[i])->name, name) == 0;
    return chosen;
}

/* Returns R1ᵀ R2 and R1ᵀ (p2 − p1): the second pose, [R p], in the frame of the first. */
static td_pose relative_pose(const double *first, const double *second)
{
    td_pose pose = {{0}, {0}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            pose.position[i] += first[4 * k + i] * (second[4 * k + 3] - first[4 * k + 3]);
            for (int j = 0; j < 3; j++)
                pose.rotation[3 * i + j] += first[4 * k + i] * second[4 * k + j];
        }
    return pose;
}

static void add_rest(td_builder *builder, const td_model *model)
{
    for (size_t i = 0; i < td_link_count(model); i++)
        assert_ok(td_builder_add_link(builder, td_link_at(model, i)));
    for (size_t i = 0; i < td_loop_count(model); i++)
        assert_ok(td_builder_add_loop(builder, td_loop_at(model, i)));
    for (size_t i = 0; i < td_coupling_count(model); i++)
        assert_ok(td_builder_add_coupling(builder, td_coupling_at(model, i)));
    for (size_t i = 0; i < td_transmission_count(model); i++)
        assert_ok(td_builder_add_transmission(builder, td_transmission_at(model, i)));
}

/* Builds the model's records with the chosen joints fixed where the kernels put their links.
   Offsets of followers include the contributions of locked leaders. */
static td_builder *fixed_by_hand(const td_model *model, const choice *c)
{
    td_builder *builder = test_builder("fixed");
    td_workspace *w = test_workspace(model);
    double *poses = doubles(12 * td_link_count(model));
    assert_ok(TD_IN_TREE(w, td_link_poses(model, w, c->q, poses)));
    add_rest(builder, model);
    for (size_t i = 0; i < td_joint_count(model); i++) {
        td_joint joint = *td_joint_at(model, i);
        if (!joint.parent)
            continue;
        if (joint.mimic && is_chosen(c, joint.mimic, model)) {
            size_t leader = td_joint_index(model, joint.mimic);
            joint.offset += joint.multiplier * c->q[td_joint_place_at(model, leader).q];
        }
        if (is_chosen(c, joint.name, model)) {
            td_joint_place place = td_joint_place_at(model, i);
            joint.type = TD_JOINT_FIXED;
            joint.independent = -1;
            joint.origin =
                relative_pose(poses + 12 * place.parent_link, poses + 12 * place.child_link);
        }
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    return builder;
}

/* Options that lock the chosen joints, with the memory they point to. */
typedef struct lock_options {
    td_load_options load;
    td_joint_position entry[7 * MOST_LOCKED];
    char name[7 * MOST_LOCKED][64];
} lock_options;

static void lock(lock_options *o, const td_model *model, const choice *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->count; i++) {
        td_joint_place place = td_joint_place_at(model, c->joint[i]);
        for (size_t k = 0; k < place.nq; k++, n++) {
            snprintf(o->name[n], sizeof o->name[n], "%s%s", td_joint_at(model, c->joint[i])->name,
                     td_component_text(model, c->joint[i], TD_QUANTITY_POSITION, (size_t)k));
            o->entry[n] = (td_joint_position){o->name[n], c->q[place.q + k]};
        }
    }
    o->load.locked = o->entry;
    o->load.locked_count = n;
}

/* ---- all functions --------------------------------------------------------------------------- */

static void compare_function(const function *f, states *a, states *b, bool tree, bool batch,
                             double tolerance)
{
    size_t columns[MOST_PARTS], parts = function_parts(f, a->a.model, tree, columns);
    states_clear(a, f, tree, 0);
    states_clear(b, f, tree, 0);
    td_status status = function_call(f, &a->a, tree, batch);
    ck_assert_int_eq(function_call(f, &b->a, tree, batch), status);
    for (size_t p = 0; p < parts && status == TD_OK; p++) {
        size_t n = columns[p] * (batch ? STATES : 1);
        double scale = fmax(td_largest(n, b->a.out[p]), 1);
        double error = td_relative_difference(n, a->a.out[p], b->a.out[p], scale);
        ck_assert_msg(error <= tolerance, "%s, %s%s: %.3g", f->name, tree ? "tree" : "y",
                      batch ? ", batch" : "", error);
    }
}

/* Checks that two models are equal: sizes, and results of all functions at random states. */
static void compare(const td_model *locked, const td_model *fixed, uint64_t seed)
{
    ck_assert_uint_eq(td_nq(locked), td_nq(fixed));
    ck_assert_uint_eq(td_nyd(locked), td_nyd(fixed));
    ck_assert_uint_eq(td_nu(locked), td_nu(fixed));
    for (int tree = 0; tree < 2; tree++) {
        td_random one = {seed}, two = {seed};
        states *a = states_new(&one, locked, tree, STATES);
        states *b = states_new(&two, fixed, tree, STATES);
        for (size_t i = 0; i < function_count; i++)
            for (int batch = 0; batch < 2; batch++)
                compare_function(&functions[i], a, b, tree, batch,
                                 functions[i].takes & SOLVES ? 1e-9 : 1e-13);
    }
}

/* Chooses random joints among those that can be locked. */
static void choose(td_random *random, const td_model *model, choice *c)
{
    c->count = 0;
    c->q = doubles(td_nq(model));
    td_draw_configuration(random, model, true, 2, c->q);
    for (size_t i = 0; i < td_joint_count(model); i++) {
        const td_joint *joint = td_joint_at(model, i);
        bool can = joint->parent && joint->type != TD_JOINT_FIXED && !joint->mimic;
        if (can && c->count < MOST_LOCKED && td_random_below(random, 2) == 0)
            c->joint[c->count++] = i;
    }
}

TD_LOOP_TEST(random_robots, 0, 24)
{
    td_random random = {(uint64_t)_i + 1};
    td_base base = _i % 2 ? TD_BASE_FLOATING : TD_BASE_FIXED;
    td_builder *builder = regular_robot(&random, 12, (size_t)(_i % 3 * 2), false, base);
    lock_options o = {.load = td_load_options_default()};
    o.load.base = base;
    td_model *whole = model_of_builder(builder, &o.load);
    choice c;
    choose(&random, whole, &c);
    ck_assert_uint_ge(c.count, 1);
    td_builder *by_hand = fixed_by_hand(whole, &c);
    td_model *fixed = model_of_builder(by_hand, &o.load);
    lock(&o, whole, &c);
    td_model *locked = model_of_builder(builder, &o.load);
    compare(locked, fixed, (uint64_t)_i);
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* Chooses the first independent joint of a mechanism, other than a floating base, away from the
   reference. */
static void choose_first(const td_model *model, double way, choice *c)
{
    size_t first = td_model_base(model) == TD_BASE_FLOATING;
    c->q = doubles(td_nq(model));
    memcpy(c->q, td_reference(model, TD_COORDINATES_TREE), td_nq(model) * sizeof *c->q);
    c->count = 1;
    c->joint[0] = td_independent_joint(model, first);
    c->q[td_joint_place_at(model, c->joint[0]).q] += way;
}

/* A whole robot, and the same robot with one joint locked. at[i] is the index of velocity i
   of the locked robot among the velocities of the whole robot. */
typedef struct pair {
    td_model *whole, *locked;
    td_workspace *w, *l;
    size_t joint, n; /* n: velocities of the locked robot */
    size_t *at;
} pair;

/* Computes y of the whole robot from y of the locked one; maps velocities likewise. */
static void insert(const pair *p, const double *y, double position, double *whole_y)
{
    for (size_t i = 0; i < td_joint_count(p->whole); i++) {
        td_joint_place of = td_joint_place_at(p->whole, i), from = td_joint_place_at(p->locked, i);
        if (i == p->joint)
            whole_y[of.y] = position;
        else if (of.y != TD_NONE)
            memcpy(whole_y + of.y, y + from.y, of.nq * sizeof *y);
    }
}

static void insert_rates(const pair *p, const double *yd, double *whole_yd)
{
    memset(whole_yd, 0, td_nyd(p->whole) * sizeof *whole_yd);
    for (size_t i = 0; i < p->n; i++)
        whole_yd[p->at[i]] = yd[i];
}

/* With this joint at rest, the whole robot has the same accelerations and forces as the locked one.
 */
static void compare_state(const pair *p, const double *y, double position, td_random *random)
{
    size_t n = p->n, N = td_nyd(p->whole), nq = td_nq(p->whole);
    double *yd = doubles(n), *ydd = doubles(n), *tau = doubles(n), *H = doubles(n * n);
    double *Y = doubles(td_ny(p->whole)), *Yd = doubles(N), *Ydd = doubles(N), *T = doubles(N);
    double *W = doubles(N * N), *Q = doubles(nq), *q = doubles(nq), *M = doubles(n * n);
    td_random_fill(random, n, yd);
    td_random_fill(random, n, ydd);
    insert(p, y, position, Y);
    insert_rates(p, yd, Yd);
    insert_rates(p, ydd, Ydd);
    assert_ok(td_closure(p->locked, p->l, y, NULL, NULL, q, NULL, NULL));
    assert_ok(td_closure(p->whole, p->w, Y, NULL, NULL, Q, NULL, NULL));
    for (size_t i = 0; i < td_joint_count(p->whole); i++) {
        td_joint_place of = td_joint_place_at(p->whole, i), from = td_joint_place_at(p->locked, i);
        if (from.nq > 0)
            td_assert_close(of.nq, q + from.q, Q + of.q, 1e-10, 1);
    }
    assert_ok(td_inverse_dynamics(p->locked, p->l, y, yd, ydd, NULL, tau));
    assert_ok(td_inverse_dynamics(p->whole, p->w, Y, Yd, Ydd, NULL, T));
    assert_ok(td_mass_matrix(p->locked, p->l, y, NULL, H));
    assert_ok(td_mass_matrix(p->whole, p->w, Y, NULL, W));
    double scale = td_largest(N, T);
    for (size_t i = 0; i < n; i++) {
        td_assert_close(1, &tau[i], &T[p->at[i]], 1e-9, scale);
        for (size_t j = 0; j < n; j++)
            M[i * n + j] = W[p->at[i] * N + p->at[j]];
    }
    td_assert_close(n * n, H, M, 1e-9, td_largest(n * n, M));
}

static pair pair_new(const loop_robot *robot, const choice *c, td_model *whole)
{
    pair p = {.whole = whole, .joint = c->joint[0]};
    td_builder *builder = test_builder("mechanism");
    lock_options o = {.load = td_load_options_default()};
    o.load.base = robot->base;
    add_rest(builder, whole);
    for (size_t i = 0; i < td_joint_count(whole); i++)
        if (td_joint_at(whole, i)->parent)
            assert_ok(td_builder_add_joint(builder, td_joint_at(whole, i)));
    lock(&o, whole, c);
    p.locked = model_of_builder(builder, &o.load);
    p.n = td_nyd(p.locked);
    p.at = test_calloc(p.n + 1, sizeof *p.at);
    ck_assert_uint_eq(td_nq(p.locked), td_nq(whole) - 1);
    ck_assert_uint_eq(p.n, td_nyd(whole) - 1);
    for (size_t i = 0; i < td_joint_count(whole); i++) {
        td_joint_place of = td_joint_place_at(whole, i), from = td_joint_place_at(p.locked, i);
        for (size_t k = 0; from.yd != TD_NONE && k < from.nv; k++)
            p.at[from.yd + k] = of.yd + k;
    }
    p.w = test_workspace(p.whole);
    p.l = test_workspace(p.locked);
    return p;
}

/* Tests joints near the reference and far from it. If the loops close in several configurations,
   the locked robot has the one that the whole robot reaches by moving the joint. */
TD_LOOP_TEST(mechanisms, 0, loop_robot_count)
{
    const loop_robot *robot = &loop_robots[_i];
    static const double part[] = {0.02, -0.15, 0.2, 0.5, -0.5};
    td_random random = {(uint64_t)_i + 77};
    for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
        td_model *whole = loop_robot_load(robot);
        choice c;
        choose_first(whole, part[k] * robot->reach, &c);
        pair p = pair_new(robot, &c, whole);
        double *y = doubles(td_ny(p.locked));
        for (size_t i = 0; i < td_independent_count(p.locked); i++) {
            td_joint_place of = td_joint_place_at(p.locked, td_independent_joint(p.locked, i));
            memcpy(y + of.y, td_reference(p.locked, TD_COORDINATES_TREE) + of.q, of.nq * sizeof *y);
            if (of.nq == 1)
                y[of.y] += 0.02 * robot->reach * td_random_number(&random);
        }
        compare_state(&p, y, c.q[td_joint_place_at(whole, p.joint).q], &random);
    }
}

/* ---- compared with fixed joints in a file ---------------------------------------------------- */

#if TANDEM_HAS_URDF
/* An arm whose third joint and leading finger joint are movable or written as fixed. %s: their
   types and origins, and the offsets of the followers. */
#define BODY(name, mass, at)                                                                       \
    "<link name='" name "'><inertial><origin xyz='" at "' rpy='0.1 0.2 0.3'/><mass value='" mass   \
    "'/><inertia ixx='0.02' iyy='0.03' izz='0.025' ixy='0.001'/></inertial></link>"
#define LIMIT "<limit lower='-3' upper='3' effort='9' velocity='9'/>"
static const char arm[] = "<robot name='arm'>" BODY("base", "3", "0 0 0.1") BODY(
    "a", "2", "0.1 0 0.2") BODY("b", "1.5", "0.2 0.1 0") BODY("c", "1", "0 0.1 0.1")
    BODY("f", "0.2", "0.02 0 0.01") BODY("g", "0.2", "0.02 0 -0.01") BODY(
        "h", "0.1",
        "0 0 0.03") "<joint name='j1' type='revolute'><parent link='base'/><child link='a'/>"
                    "<origin xyz='0 0 0.3' rpy='0.2 0 0'/><axis xyz='0 1 0'/>" LIMIT "</joint>"
                    "<joint name='j2' type='%s'><parent link='a'/><child link='b'/>"
                    "<origin xyz='0.1 0.2 0.3' rpy='%s'/><axis xyz='0 0 1'/>" LIMIT
                    "<dynamics damping='0.5' friction='0.1'/></joint>"
                    "<joint name='j3' type='continuous'><parent link='b'/><child link='c'/>"
                    "<origin xyz='0.3 0 0'/><axis xyz='1 0 0'/><dynamics damping='0.2'/></joint>"
                    "<joint name='finger' type='%s'><parent link='c'/><child link='f'/>"
                    "<origin xyz='%s'/><axis xyz='0 1 0'/>" LIMIT "</joint>"
                    "<joint name='other' type='prismatic'><parent link='c'/><child link='g'/><axis "
                    "xyz='0 -1 0'/>" LIMIT
                    "<mimic joint='finger' multiplier='0.5' offset='%s'/></joint>"
                    "<joint name='tip' type='revolute'><parent link='g'/><child link='h'/><axis "
                    "xyz='0 0 1'/>" LIMIT
                    "<mimic joint='other' multiplier='2' offset='0.25'/></joint></robot>";

static td_model *load_arm(const td_load_options *options, const char *const part[5])
{
    char text[8192];
    int length = snprintf(text, sizeof text, arm, part[0], part[1], part[2], part[3], part[4]);
    td_model *model = NULL;
    td_status status = test_load_urdf_memory(text, (size_t)length, "arm", options, NULL, &model);
    assert_ok(status);
    return model;
}

TD_LOOP_TEST(as_written_by_hand, 0, 2)
{
    static const char *const open[] = {"revolute", "0 0 0", "prismatic", "0 0.1 0", "0.125"};
    static const char *const written[] = {"fixed", "0 0 0.7", "fixed", "0 0.15 0", "0.15"};
    static const td_joint_position lock[] = {{"finger", 0.05}, {"j2", 0.7}};
    td_load_options options = td_load_options_default();
    options.base = _i ? TD_BASE_FLOATING : TD_BASE_FIXED;
    td_model *fixed = load_arm(&options, written);
    options.locked = lock;
    options.locked_count = 2;
    td_model *locked = load_arm(&options, open);
    size_t n = td_nyd(locked);
    ck_assert_uint_eq(td_nyd(fixed), n);
    ck_assert_uint_eq(n, _i ? 8 : 2);
    size_t other = td_joint_index(locked, "other"), tip = td_joint_index(locked, "tip");
    ck_assert_double_eq(td_joint_place_at(locked, other).offset, 0.15);
    ck_assert_double_eq_tol(td_joint_place_at(locked, tip).offset, 0.55, 1e-15);
    ck_assert_uint_eq(td_joint_place_at(locked, tip).leader, TD_NONE);
    ck_assert_int_eq(td_joint_at(locked, td_joint_index(locked, "j2"))->type, TD_JOINT_FIXED);
    td_random one = {3}, two = {3};
    states *a = states_new(&one, locked, false, STATES),
           *b = states_new(&two, fixed, false, STATES);
    a->forces.passive = b->forces.passive = true;
    for (size_t i = 0; i < function_count; i++)
        for (int batch = 0; batch < 2; batch++)
            compare_function(&functions[i], a, b, false, batch, 1e-14);
}
#endif

/* ---- couplings ------------------------------------------------------------------------------- */

static void add_link(td_builder *builder, const char *name)
{
    td_link link = td_solid_link(name, 1, 0.1);
    assert_ok(td_builder_add_link(builder, &link));
}

static void add_joint(td_builder *builder, const char *name, td_joint_type type, const char *parent,
                      const char *child, int independent)
{
    td_joint joint = td_joint_default(name, type, parent, child);
    joint.independent = independent;
    joint.limit.lower = -1;
    joint.limit.upper = 1;
    if (strcmp(name, "follower") == 0) {
        joint.mimic = "elbow";
        joint.multiplier = -2;
        joint.offset = 0.5;
    }
    assert_ok(td_builder_add_joint(builder, &joint));
}

/* Builds motor = 5 (elbow + wrist), and joints of all other kinds. */
static td_builder *coupled(void)
{
    static const char *const links[] = {"base", "arm",  "hand", "rotor",
                                        "deck", "free", "lid",  "slave"};
    td_builder *builder = test_builder("coupled");
    for (size_t i = 0; i < 8; i++)
        add_link(builder, links[i]);
    add_joint(builder, "elbow", TD_JOINT_REVOLUTE, "base", "arm", -1);
    add_joint(builder, "wrist", TD_JOINT_REVOLUTE, "arm", "hand", -1);
    add_joint(builder, "motor", TD_JOINT_CONTINUOUS, "base", "rotor", 0);
    add_joint(builder, "deck", TD_JOINT_PLANAR, "base", "deck", -1);
    add_joint(builder, "drift", TD_JOINT_FLOATING, "deck", "free", -1);
    add_joint(builder, "cover", TD_JOINT_FIXED, "base", "lid", -1);
    add_joint(builder, "follower", TD_JOINT_REVOLUTE, "base", "slave", -1);
    td_coupling coupling = td_coupling_default("belt", "hand", "rotor", 5);
    assert_ok(td_builder_add_coupling(builder, &coupling));
    return builder;
}

TD_TEST(coupling_counts_the_position)
{
    td_builder *builder = coupled();
    td_load_options options = td_load_options_default();
    options.locked = &(td_joint_position){"elbow", 0.25};
    options.locked_count = 1;
    td_model *model = model_of_builder(builder, &options);
    td_joint_place motor = td_joint_place_at(model, td_joint_index(model, "motor"));
    ck_assert_uint_eq(motor.leader, td_joint_index(model, "wrist"));
    ck_assert_double_eq(motor.multiplier, 5);
    ck_assert_double_eq(motor.offset, 1.25);
    td_joint_place follower = td_joint_place_at(model, td_joint_index(model, "follower"));
    ck_assert_double_eq(follower.offset, 0);
}

/* ---- diagnostics ----------------------------------------------------------------------------- */

typedef struct expectation {
    td_joint_position lock[2];
    td_status status;
    const char *code, *message, *remedy;
} expectation;

static const expectation expected[] = {
    {{{"elbwo", 0}},
     TD_ERROR_MODEL,
     "URDF-L001",
     "lock joint 'elbwo', which does not exist",
     "did you mean 'elbow'?"},
    {{{"deck.z", 0}}, TD_ERROR_MODEL, "URDF-L001", "lock joint 'deck.z', which does not exist", ""},
    {{{"cover", 0}}, TD_ERROR_MODEL, "URDF-L002", "it is fixed", "remove this lock"},
    {{{"base.z", 0}}, TD_ERROR_MODEL, "URDF-L002", "it is the floating base", "fixed base"},
    {{{"$base", 0}}, TD_ERROR_MODEL, "URDF-L002", "it is the floating base", "fixed base"},
    {{{"follower", -0.1}}, TD_ERROR_MODEL, "URDF-L002", "follows", "lock 'elbow' instead, at 0.3"},
    {{{"motor", 1}}, TD_ERROR_MODEL, "URDF-L002", "declares it dependent", "lock the joints"},
    {{{"deck", 1}}, TD_ERROR_MODEL, "URDF-L002", "several coordinates", ".theta"},
    {{{"drift", 1}}, TD_ERROR_MODEL, "URDF-L002", "several coordinates", ".qw"},
    {{{"drift.qw", 0.5}}, TD_ERROR_MODEL, "URDF-L002", "not of length 1", "length 1"},
    {{{"wrist", 0.5}, {"wrist", 0.5}},
     TD_ERROR_MODEL,
     "URDF-L002",
     "more than one position",
     "one"},
    {{{"elbow", 1.5}}, TD_OK, "URDF-L003", "locked at 1.5, above its limit 1", "within"},
    {{{"elbow", -1.5}}, TD_OK, "URDF-L003", "locked at -1.5, below its limit -1", "within"},
    {{{"elbow", 0.2}},
     TD_OK,
     "URDF-L004",
     "'follower' follows locked joint 'elbow'; it stays at 0.1 rad",
     ""},
    {{{"deck.theta", 0.2}, {"drift.qz", 1}}, TD_OK, NULL, NULL, NULL},
};
enum { EXPECTED = sizeof expected / sizeof expected[0] };

TD_LOOP_TEST(what_is_said, 0, EXPECTED)
{
    const expectation *e = &expected[_i];
    td_builder *builder = coupled();
    td_diagnostics *list = test_diagnostics(0);
    td_load_options options = td_load_options_default();
    options.base = TD_BASE_FLOATING;
    options.locked = e->lock;
    options.locked_count = e->lock[1].joint ? 2 : 1;
    td_model *model = NULL;
    ck_assert_int_eq(test_builder_finish(builder, &options, list, &model), e->status);
    bool found = e->code == NULL;
    for (size_t i = 0; i < td_diagnostics_size(list); i++) {
        const td_diagnostic *d = td_diagnostics_at(list, i);
        ck_assert(e->code != NULL || d->code[5] != 'L');
        found = found || (strcmp(d->code, e->code) == 0 && strstr(d->message, e->message) &&
                          strstr(d->remedy, e->remedy));
    }
    ck_assert_msg(found, "%s: no %s", e->lock[0].joint, e->code);
}

TD_TEST(arguments_are_checked)
{
    td_builder *builder = coupled();
    td_load_options options = td_load_options_default();
    const td_joint_position wrong[] = {{NULL, 0}, {"elbow", NAN}, {"elbow", INFINITY}};
    td_model *model = NULL;
    options.locked_count = 1;
    for (size_t i = 0; i < 4; i++) {
        options.locked = i < 3 ? &wrong[i] : NULL;
        ck_assert_int_eq(test_builder_finish(builder, &options, NULL, &model), TD_ERROR_ARGUMENT);
    }
}
