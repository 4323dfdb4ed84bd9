/* SPDX-License-Identifier: MIT */
/*
 * Tests over-constrained loops with rounded frames. The model must have the rank and mobility of
 * the exact mechanism, and close to rounding over a whole sweep of the crank. Positions, G, forces
 * and accelerations differ by the rounding only, and the warning reports how large it was. If the
 * angles are rounded multiples of 15°, the model is the exact mechanism. Mechanisms that are open
 * by more than 1e-4, or immobile for another reason, are refused. Exact mechanisms are not
 * modified.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "failing.h"
#include "loop_robots.h"
#include "model/records.h"
#include "td_test.h"

enum { MOST = 40 };

/* ---- mechanisms ------------------------------------------------------------------------------ */

static void add_bar(td_builder *builder, const char *name, double mass)
{
    td_link link = td_link_default(name);
    link.has_inertial = mass > 0;
    link.mass = mass;
    link.inertial.position[0] = 0.1, link.inertial.position[1] = 0.02;
    link.inertia[0] = 1e-3, link.inertia[2] = 1e-4, link.inertia[3] = 2e-3, link.inertia[5] = 1e-3;
    assert_ok(td_builder_add_link(builder, &link));
}

static td_pose pose(double x, double y, double z, double roll, double pitch, double yaw)
{
    td_pose at = {.position = {x, y, z}};
    td_rotation_from_rpy(roll, pitch, yaw, at.rotation);
    return at;
}

/* Adds a joint; axis is x, y or z. The first joint of a robot is independent. */
static void add_joint(td_builder *builder, td_joint_type type, const char *name, const char *parent,
                      const char *child, td_pose origin, char axis)
{
    td_joint joint = td_joint_default(name, type, parent, child);
    joint.origin = origin;
    joint.axis[0] = axis == 'x', joint.axis[1] = axis == 'y', joint.axis[2] = axis == 'z';
    if (type == TD_JOINT_PRISMATIC)
        joint.limit.lower = -1, joint.limit.upper = 1;
    joint.independent = strcmp(name, "j1") == 0;
    assert_ok(td_builder_add_joint(builder, &joint));
}

static void add_loop(td_builder *builder, td_loop_type type, const char *predecessor,
                     td_pose predecessor_origin, const char *successor, td_pose successor_origin,
                     char axis)
{
    td_loop loop = td_loop_default("pin", predecessor, successor);
    loop.type = type;
    loop.predecessor_origin = predecessor_origin;
    loop.successor_origin = successor_origin;
    loop.axis[0] = axis == 'x', loop.axis[1] = axis == 'y', loop.axis[2] = axis == 'z';
    assert_ok(td_builder_add_loop(builder, &loop));
}

typedef enum kind { FOUR_BAR, BALL, BRACKET, SLIDER_CRANK, PARALLELOGRAM, BRICARD, KINDS } kind;

/* Adds a four-bar. Crank and coupler rotate about y, the rocker about −z of a frame rotated by a
   quarter turn. */
static void add_four_bar(td_builder *builder, bool ball, bool parallelogram, double turn)
{
    const double crank = 0.1, ground = 0.35, rocker = parallelogram ? 0.1 : 0.3;
    const double coupler = parallelogram ? 0.35 : 0.25;
    add_bar(builder, "crank", 0.2), add_bar(builder, "coupler", 0.5);
    add_bar(builder, "rocker", 0.6);
    add_joint(builder, TD_JOINT_CONTINUOUS, "j1", "ground", "crank", pose(0, 0, 0, 0, -1, 0), 'y');
    add_joint(builder, TD_JOINT_CONTINUOUS, "j2", "crank", "coupler",
              pose(crank, 0, 0, 0, parallelogram ? 1 : 0.7, 0), 'y');
    add_joint(builder, TD_JOINT_CONTINUOUS, "j3", "ground", "rocker",
              pose(ground, 0, 0, turn, 0, 0), 'z');
    add_loop(builder, ball ? TD_LOOP_SPHERICAL : TD_LOOP_REVOLUTE, "coupler",
             pose(coupler, 0, 0, 0, 0, 0), "rocker",
             parallelogram ? pose(rocker * cos(1), rocker * sin(1), 0, -turn, 0, 0)
                           : pose(0, rocker, 0, -turn, 0, 0),
             'y');
}

/* Adds the same with the crank on a bracket, which a fixed joint rotates. */
static void add_bracket(td_builder *builder, double turn, double half)
{
    add_bar(builder, "bracket", 0.1);
    add_bar(builder, "crank", 0.2), add_bar(builder, "coupler", 0.5);
    add_bar(builder, "rocker", 0.6);
    add_joint(builder, TD_JOINT_FIXED, "weld", "ground", "bracket", pose(0, 0, 0, turn, 0, half),
              'z');
    add_joint(builder, TD_JOINT_CONTINUOUS, "j1", "bracket", "crank", pose(0, 0, 0, 0, 0, 2), 'z');
    add_joint(builder, TD_JOINT_CONTINUOUS, "j2", "crank", "coupler", pose(0.1, 0, 0, half, 0, 0.7),
              'z');
    add_joint(builder, TD_JOINT_CONTINUOUS, "j3", "ground", "rocker", pose(0.35, 0, 0, 0, 0, 0),
              'y');
    add_loop(builder, TD_LOOP_REVOLUTE, "coupler", pose(0.25, 0, 0, 0, 0, 0), "rocker",
             pose(0, 0, 0.3, turn, 0, 0), 'z');
}

/* Adds a slider-crank. A rotated frame makes the slider move along x of the ground. */
static void add_slider_crank(td_builder *builder, double turn)
{
    add_bar(builder, "crank", 0.2), add_bar(builder, "rod", 0.5), add_bar(builder, "slider", 0.6);
    add_joint(builder, TD_JOINT_CONTINUOUS, "j1", "ground", "crank", pose(0, 0, 0, turn, 0, 0),
              'z');
    add_joint(builder, TD_JOINT_CONTINUOUS, "j2", "crank", "rod", pose(0.1, 0, 0, -turn, 0, 0),
              'y');
    add_joint(builder, TD_JOINT_PRISMATIC, "j3", "ground", "slider", pose(0.4, 0, 0, 0, turn, 0),
              'z');
    add_loop(builder, TD_LOOP_REVOLUTE, "rod", pose(0.35, 0, 0, 0, 0, 0), "slider",
             pose(0.02, 0, 0, 0, -turn, 0), 'y');
}

/* Adds Bricard's trihedral linkage: six axes, each perpendicular to the next one and 0.2 m away,
   with alternating twist. Alternating angles a and b close it if cos a + cos b + cos a cos b = 0.
   Limits keep its start away from zero, where it is singular. */
static void add_bricard(td_builder *builder, double turn)
{
    static const char *const joint[] = {"j1", "j2", "j3", "j4", "j5"};
    static const char *const link[] = {"ground", "l1", "l2", "l3", "l4", "l5"};
    for (int k = 0; k < 5; k++)
        add_bar(builder, link[k + 1], 0.2 + 0.1 * k);
    for (int k = 0; k < 5; k++) {
        td_joint hinge = td_joint_default(joint[k], TD_JOINT_REVOLUTE, link[k], link[k + 1]);
        /* with equal twists of any size the linkage moves; one exact twist makes rounding matter */
        double twist = k == 3 ? acos(0) : turn;
        hinge.origin = k ? pose(0.2, 0, 0, k % 2 ? twist : -twist, 0, 0) : pose(0, 0, 0, 0, 0, 0);
        hinge.axis[0] = 0, hinge.axis[2] = 1;
        hinge.limit.lower = k % 2 ? 0.7 : 1.9, hinge.limit.upper = 3;
        hinge.limit.effort = hinge.limit.velocity = 1;
        hinge.independent = k == 0;
        assert_ok(td_builder_add_joint(builder, &hinge));
    }
    add_loop(builder, TD_LOOP_REVOLUTE, "l5", pose(0.2, 0, 0, turn, 0, 0), "ground",
             pose(-0.2, 0, 0, turn, 0, 0), 'z');
}

/* Builds a mechanism from a quarter turn and a half turn, as they are written. */
static td_builder *build(kind which, double turn, double half)
{
    td_builder *builder = test_builder("robot");
    add_bar(builder, "ground", 0);
    if (which == BRICARD)
        add_bricard(builder, turn);
    else if (which == BRACKET)
        add_bracket(builder, turn, half);
    else if (which == SLIDER_CRANK)
        add_slider_crank(builder, turn);
    else
        add_four_bar(builder, which == BALL, which == PARALLELOGRAM, turn);
    return builder;
}

/* ---- loading --------------------------------------------------------------------------------- */

/* Returns the model, or NULL if its loop cannot be closed. *corrected: whether a warning reports a
   correction. */
static td_model *finish(td_builder *builder, bool *corrected)
{
    td_diagnostics *list = test_diagnostics(0);
    td_model *model = NULL;
    td_status status = test_builder_finish(builder, NULL, list, &model);
    *corrected = td_find_diagnostic(list, "URDF-C029");
    ck_assert_int_eq(status, td_find_diagnostic(list, "URDF-C020") ? TD_ERROR_MODEL : TD_OK);
    return model;
}

/* ---- comparisons ----------------------------------------------------------------------------- */

static void assert_same_loops(const td_model *a, const td_model *b)
{
    ck_assert_uint_eq(td_ny(a), td_ny(b));
    ck_assert_uint_eq(td_nyd(a), td_nyd(b));
    ck_assert_uint_eq(td_loop_cluster_count(a), td_loop_cluster_count(b));
    for (size_t c = 0; c < td_loop_cluster_count(a); c++) {
        td_loop_cluster x = td_loop_cluster_at(a, c), y = td_loop_cluster_at(b, c);
        ck_assert_uint_eq(x.rows, y.rows);
        ck_assert_uint_eq(x.rank, y.rank);
        ck_assert_uint_eq(x.independent, y.independent);
    }
}

/* Computes q, G, forces and accelerations at y. */
typedef struct motion {
    td_status status;
    double q[MOST], G[MOST * MOST], tau[MOST], ydd[MOST], residual;
} motion;

static motion move(const td_model *model, td_workspace *workspace, const double *y)
{
    static const double yd[MOST] = {0.7, -0.4, 0.9}, ydd[MOST] = {0.3, 1.1, -0.2};
    double phi[MOST];
    motion m = {.status = td_closure(model, workspace, y, NULL, NULL, m.q, NULL, NULL)};
    if (m.status != TD_OK)
        return m;
    assert_ok(td_closure_jacobian(model, workspace, y, m.G));
    assert_ok(td_inverse_dynamics(model, workspace, y, yd, ydd, NULL, m.tau));
    assert_ok(td_forward_dynamics(model, workspace, y, yd, m.tau, NULL, m.ydd));
    /* tolerance for states near singular ones */
    td_assert_close(td_nyd(model), m.ydd, ydd, 1e-7, 1);
    /* accelerations without forces are more sensitive */
    memset(phi, 0, sizeof phi);
    assert_ok(td_forward_dynamics(model, workspace, y, yd, phi, NULL, m.ydd));
    ck_assert_uint_le(td_constraint_count(model), MOST);
    assert_ok(td_constraint_residual(model, workspace, m.q, phi));
    m.residual = td_largest(td_constraint_count(model), phi);
    return m;
}

static void assert_same_motion(const td_model *model, const motion *a, const motion *b,
                               double tolerance)
{
    size_t nv = td_nv(model), nyd = td_nyd(model);
    td_assert_close(td_nq(model), a->q, b->q, tolerance, 1);
    td_assert_close(nv * nyd, a->G, b->G, 10 * tolerance, 1);
    td_assert_close(nyd, a->tau, b->tau, 10 * tolerance, td_largest(nyd, a->tau));
    td_assert_close(nyd, a->ydd, b->ydd, 100 * tolerance, td_largest(nyd, a->ydd));
}

/* Sweeps all independent coordinates through the reference of the first model. closed: largest |φ|.
   Returns the number of positions compared. */
static int compare_sweeps(const td_model *exact, const td_model *rounded, double reach,
                          double tolerance, double closed)
{
    enum { STEPS = 60 };
    td_workspace *w[2] = {test_workspace(exact), test_workspace(rounded)};
    double from[MOST], y[MOST];
    int compared = 0;
    assert_ok(td_independent_coordinates(exact, w[0], td_reference(exact, TD_COORDINATES_TREE),
                                         from, NULL));
    for (int k = -STEPS; k <= STEPS; k++) {
        for (size_t i = 0; i < td_ny(exact); i++)
            y[i] = from[i] + reach * k / STEPS * (i % 2 ? -0.5 : 1);
        motion a = move(exact, w[0], y), b = move(rounded, w[1], y);
        if (a.status != TD_OK || b.status != TD_OK)
            continue; /* out of reach; rounding also moves the end of the range */
        assert_same_motion(exact, &a, &b, tolerance);
        compared++;
        ck_assert_double_le(b.residual, closed);
    }
    return compared;
}

/* ---- angles that are rounded multiples of 15° ------------------------------------------------ */

static const double turns[][2] = {
    {1.5708, 3.1416}, {1.57079, 3.14159}, {1.570796, 3.141592}, {1.57079632679, 3.14159265358}};
enum { TURNS = sizeof turns / sizeof *turns };

/* Returns how far the crank can rotate on the branch of the reference. */
static double reach_of(kind which)
{
    return which == BRICARD ? 0.5 : 3.2;
}

TD_LOOP_TEST(rounded_angles_are_the_exact_ones, 0, KINDS *TURNS)
{
    kind which = (kind)(_i / TURNS);
    const double *turn = turns[_i % TURNS];
    bool corrected;
    td_model *exact = finish(build(which, acos(0), acos(-1)), &corrected);
    ck_assert(exact && !corrected);
    td_model *rounded = finish(build(which, turn[0], turn[1]), &corrected);
    ck_assert_ptr_nonnull(rounded);
    /* closes to 1e-12 at its stretched start, like any exact file */
    bool as_it_is = which == SLIDER_CRANK && turn[0] == 1.57079632679;
    ck_assert(corrected != as_it_is);
    assert_same_loops(exact, rounded);
    ck_assert_int_eq(td_loop_place_at(exact, 0).form, td_loop_place_at(rounded, 0).form);
    ck_assert_int_ge(compare_sweeps(exact, rounded, reach_of(which), as_it_is ? 1e-9 : 1e-12,
                                    as_it_is ? 1e-11 : 1e-14),
                     50);
}

/* ---- frames with other rounding errors ------------------------------------------------------- */

static void disturb(td_random *random, double by, double size, td_pose *origin)
{
    double turn[9], was[9];
    td_rotation_from_rpy(by * td_random_number(random), by * td_random_number(random),
                         by * td_random_number(random), turn);
    memcpy(was, origin->rotation, sizeof was);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            origin->rotation[3 * i + j] = 0;
            for (int k = 0; k < 3; k++)
                origin->rotation[3 * i + j] += turn[3 * i + k] * was[3 * k + j];
        }
        origin->position[i] += by * size * td_random_number(random);
    }
}

/* Builds a robot with slightly rotated and displaced frames of all joints and loops. */
static td_builder *disturbed(const td_model *model, double by, double size, uint64_t seed)
{
    td_random random = {seed};
    td_builder *builder = test_builder("disturbed");
    for (size_t i = 0; i < td_link_count(model); i++)
        assert_ok(td_builder_add_link(builder, td_link_at(model, i)));
    for (size_t i = 0; i < td_joint_count(model); i++) {
        td_joint joint = *td_joint_at(model, i);
        disturb(&random, by, size, &joint.origin);
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    for (size_t i = 0; i < td_loop_count(model); i++) {
        td_loop loop = *td_loop_at(model, i);
        disturb(&random, by, size, &loop.predecessor_origin);
        disturb(&random, by, size, &loop.successor_origin);
        assert_ok(td_builder_add_loop(builder, &loop));
    }
    for (size_t i = 0; i < td_coupling_count(model); i++)
        assert_ok(td_builder_add_coupling(builder, td_coupling_at(model, i)));
    return builder;
}

static const double disturbances[] = {1e-5, 1e-8, 1e-11};
enum { DISTURBANCES = sizeof disturbances / sizeof *disturbances };

TD_LOOP_TEST(disturbed_mechanisms, 0, KINDS *DISTURBANCES)
{
    kind which = (kind)(_i / DISTURBANCES);
    double by = disturbances[_i % DISTURBANCES];
    bool corrected;
    td_model *exact = finish(build(which, acos(0), acos(-1)), &corrected);
    td_model *rounded = finish(disturbed(exact, by, 0.3, 7), &corrected);
    ck_assert(rounded && corrected);
    /* a parallelogram with unequal sides is an ordinary four-bar */
    if (which != PARALLELOGRAM) {
        assert_same_loops(exact, rounded);
        ck_assert_int_ge(compare_sweeps(exact, rounded, 0.5, 100 * by, 1e-14), 50);
    }
    ck_assert_uint_eq(td_nyd(rounded), 1);
}

/* Corrects several loops in one load, each with a warning. */
TD_TEST(a_chain_of_disturbed_loops)
{
    enum { MODULES = 12 };
    td_builder *chain = chain_of_four_bars(MODULES, CHAIN_OF_CRANK_ROCKERS);
    td_diagnostics *list = test_diagnostics(0);
    bool corrected;
    td_model *exact = finish(chain, &corrected), *rounded;
    ck_assert(exact && !corrected);
    td_builder *builder = disturbed(exact, 1e-6, 0.3, 9);
    assert_ok(test_builder_finish(builder, NULL, list, &rounded));
    size_t warnings = 0;
    for (size_t i = 0; i < td_diagnostics_size(list); i++)
        warnings += strcmp(td_diagnostics_at(list, i)->code, "URDF-C029") == 0;
    ck_assert_uint_eq(warnings, MODULES);
    assert_same_loops(exact, rounded);
}

#if TANDEM_HAS_URDF
/* Over-constrained robots, and how far to move from the reference. */
static const struct {
    const char *file;
    double reach;
} bundled[] = {{"four_bar.urdf", 3},    {"five_bar.urdf", 0.3},  {"stephenson.urdf", 3},
               {"goldberg_5r.urdf", 3}, {"goldberg_6r.urdf", 1}, {"larm_leg.urdf", 3},
               {"pasibot_leg.urdf", 3}, {"linear_leg.urdf", 0.1}};
enum { BUNDLED = sizeof bundled / sizeof *bundled };

static size_t linear_loops(const td_model *model)
{
    size_t count = 0;
    for (size_t l = 0; l < td_loop_count(model); l++)
        count += td_loop_place_at(model, l).form == TD_LOOP_FORM_LINEAR;
    return count;
}

TD_LOOP_TEST(disturbed_robots, 0, 2 * BUNDLED)
{
    double by = _i % 2 ? 1e-6 : 1e-9;
    bool corrected;
    td_model *exact = td_load_robot(bundled[_i / 2].file, NULL);
    td_model *rounded = finish(disturbed(exact, by, 0.2, 3), &corrected);
    ck_assert(rounded && corrected);
    /* a disturbed pantograph is no longer linear */
    if (linear_loops(exact) == linear_loops(rounded))
        assert_same_loops(exact, rounded);
    ck_assert_int_ge(compare_sweeps(exact, rounded, bundled[_i / 2].reach, 1e4 * by, 3e-14), 30);
}
#endif

/* ---- errors other than rounding -------------------------------------------------------------- */

/* Builds a four-bar drawn closed in the xz plane, with axes along y except for tilts. The loop is
   closed exactly at the start, and can only move from there if the axes are parallel. */
static td_builder *tilted_four_bar(double tilt)
{
    static const double at[4][2] = {{0, 0}, {0.03, 0.1}, {0.35, 0}, {0.3, 0.2}}; /* j1 j2 j3 pin */
    static const double to[4][2] = {{0.3, -1}, {-0.8, 0.4}, {0.9, 0.6}, {-0.5, -0.7}};
    static const char *const parent[] = {"ground", "crank", "ground"};
    static const char *const child[] = {"crank", "coupler", "rocker"};
    static const char *const name[] = {"j1", "j2", "j3"};
    td_builder *builder = test_builder("tilted");
    add_bar(builder, "ground", 0);
    for (int k = 0; k < 3; k++)
        add_bar(builder, child[k], 0.2 + 0.1 * k);
    for (int k = 0; k < 3; k++) {
        const double *from = k == 1 ? at[0] : (const double[2]){0, 0};
        td_joint joint = td_joint_default(name[k], TD_JOINT_CONTINUOUS, parent[k], child[k]);
        joint.origin = pose(at[k][0] - from[0], 0, at[k][1] - from[1], 0, 0, 0);
        joint.axis[0] = tilt * to[k][0], joint.axis[1] = 1, joint.axis[2] = tilt * to[k][1];
        joint.independent = k == 0;
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    td_loop loop = td_loop_default("pin", "coupler", "rocker");
    loop.axis[0] = tilt * to[3][0], loop.axis[1] = 1, loop.axis[2] = tilt * to[3][1];
    loop.predecessor_origin = pose(at[3][0] - at[1][0], 0, at[3][1] - at[1][1], 0, 0, 0);
    loop.successor_origin = pose(at[3][0] - at[2][0], 0, at[3][1] - at[2][1], 0, 0, 0);
    assert_ok(td_builder_add_loop(builder, &loop));
    return builder;
}

TD_LOOP_TEST(closed_but_kept_from_moving, 0, 3)
{
    static const double tilts[] = {3e-5, 1e-6, 1e-7};
    bool corrected;
    td_model *exact = finish(tilted_four_bar(0), &corrected);
    ck_assert(exact && !corrected);
    td_model *rounded = finish(tilted_four_bar(tilts[_i]), &corrected);
    ck_assert(rounded && corrected);
    assert_same_loops(exact, rounded);
    ck_assert_int_ge(compare_sweeps(exact, rounded, 3.2, 100 * tilts[_i], 1e-14), 100);
}

TD_TEST(too_far_open)
{
    bool corrected;
    ck_assert_ptr_null(finish(build(FOUR_BAR, acos(0) + 1e-3, acos(-1)), &corrected));
    ck_assert(!corrected);
    ck_assert_ptr_null(finish(build(FOUR_BAR, acos(0) + 3e-4, acos(-1)), &corrected));
    ck_assert(!corrected);
    /* same direction, below the tolerance */
    td_model *model = finish(build(FOUR_BAR, acos(0) + 3e-5, acos(-1)), &corrected);
    ck_assert(model && corrected);
}

/* Two bars are slightly too short to meet. With a little more length the loop closes where they are
   stretched, and nowhere else. */
TD_LOOP_TEST(links_that_are_too_short, 0, 3)
{
    static const double gaps[] = {1e-4, 1e-6, 1e-9};
    td_builder *builder = test_builder("flat");
    bool corrected;
    add_bar(builder, "ground", 0), add_bar(builder, "a", 1), add_bar(builder, "b", 1);
    add_joint(builder, TD_JOINT_CONTINUOUS, "j1", "ground", "a", pose(0, 0, 0, 0, 0, 0), 'z');
    add_joint(builder, TD_JOINT_CONTINUOUS, "j2", "ground", "b", pose(2 + gaps[_i], 0, 0, 0, 0, 0),
              'z');
    add_loop(builder, TD_LOOP_REVOLUTE, "a", pose(1, 0, 0, 0, 0, 0), "b", pose(-1, 0, 0, 0, 0, 0),
             'z');
    ck_assert_ptr_null(finish(builder, &corrected));
    ck_assert(!corrected);
}

/* Five axes deliberately differ from parallel by 1e-5, and two are not parallel. The loop of seven
   joints has one degree of freedom; with five parallel axes it would have two. It is closed at the
   start and moves, so nothing needs correction. */
TD_TEST(small_angles_on_purpose)
{
    static const double axis[7][3] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1},
                                      {0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    static const double at[7][3] = {{0, 0, 0},   {0.3, 0.1, 0},    {0.5, 0.4, 0.1}, {0.4, 0.8, 0.2},
                                    {0, 0.9, 0}, {-0.3, 0.7, 0.1}, {-0.2, 0.2, 0.3}};
    td_builder *builder = test_builder("seven");
    td_random random = {5};
    char names[8][8] = {"l0"};
    bool corrected;
    add_bar(builder, names[0], 0);
    for (int k = 0; k < 6; k++) {
        char joint_name[8];
        snprintf(joint_name, sizeof joint_name, "j%d", k + 1);
        snprintf(names[k + 1], sizeof names[0], "l%d", k + 1);
        add_bar(builder, names[k + 1], 1);
        td_joint joint = td_joint_default(joint_name, TD_JOINT_CONTINUOUS, names[k], names[k + 1]);
        for (int i = 0; i < 3; i++) {
            joint.origin.position[i] = at[k][i] - (k ? at[k - 1][i] : 0);
            joint.axis[i] = axis[k][i] + 1e-5 * td_random_number(&random);
        }
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    td_loop loop = td_loop_default("pin", names[6], names[0]);
    for (int i = 0; i < 3; i++) {
        loop.axis[i] = axis[6][i];
        loop.predecessor_origin.position[i] = at[6][i] - at[5][i];
        loop.successor_origin.position[i] = at[6][i];
    }
    assert_ok(td_builder_add_loop(builder, &loop));
    td_model *model = finish(builder, &corrected);
    ck_assert(model && !corrected);
    ck_assert_uint_eq(td_loop_cluster_at(model, 0).rank, 5);
    ck_assert_uint_eq(td_nyd(model), 1);
}

/* ---- diagnostics ----------------------------------------------------------------------------- */

TD_TEST(the_warning_says_what_was_done)
{
    td_diagnostics *list = test_diagnostics(0);
    td_builder *builder = build(FOUR_BAR, 1.5708, 3.1416);
    td_load_options options = td_load_options_default();
    td_model *model;
    assert_ok(test_builder_finish(builder, NULL, list, &model));
    /* reported once, although all loops were closed twice; counts as an omission, which commands
       print */
    ck_assert_uint_eq(td_diagnostics_count(list, TD_SEVERITY_WARNING), 1);
    const td_diagnostic *d = td_find_diagnostic(list, "URDF-C029");
    ck_assert(d && d->omission && d->severity == TD_SEVERITY_WARNING);
    ck_assert_ptr_nonnull(strstr(d->message, "loop 'pin' is over-constrained"));
    ck_assert_ptr_nonnull(strstr(d->message, "e-06 of its size"));
    ck_assert_ptr_nonnull(strstr(d->message, "by up to 3.7e-06 rad"));
    ck_assert_ptr_nonnull(strstr(d->message, "joint 'j3'"));
    ck_assert_ptr_nonnull(strstr(d->remedy, "digits"));
    options.strict = true;
    ck_assert_int_eq(test_builder_finish(builder, &options, NULL, &model), TD_ERROR_MODEL);
    /* the builder keeps the original records, the model has the corrected ones */
    options.strict = false, options.open_loops = true;
    assert_ok(test_builder_finish(builder, &options, NULL, &model));
    ck_assert_double_eq(td_joint_at(model, td_joint_index(model, "j3"))->origin.rotation[4],
                        cos(1.5708));
}

static double moved_by(const td_pose *from, const td_pose *to)
{
    double square = 0;
    for (int i = 0; i < 3; i++)
        square += pow(to->position[i] - from->position[i], 2);
    return sqrt(square);
}

/* Frames that are off the plane by some hundredths of a millimeter are moved. The warning says how
   far. */
TD_TEST(the_warning_says_how_far_frames_were_moved)
{
    const double off = 2e-5;
    td_diagnostics *list = test_diagnostics(0);
    td_builder *builder = build(FOUR_BAR, acos(0), acos(-1));
    td_joint *joint = builder->records.joint.at;
    td_model *model;
    double most = 0, said = 0;
    for (int i = 0; i < 3; i++)
        joint[i].origin.position[1] += i == 2 ? off : 0;
    assert_ok(test_builder_finish(builder, NULL, list, &model));
    for (size_t i = 0; i < 3; i++)
        most = fmax(most, moved_by(&joint[i].origin, &td_joint_at(model, i)->origin));
    const td_loop *given = builder->records.loop.at, *made = td_loop_at(model, 0);
    most = fmax(most, moved_by(&given->predecessor_origin, &made->predecessor_origin));
    most = fmax(most, moved_by(&given->successor_origin, &made->successor_origin));
    const td_diagnostic *d = td_find_diagnostic(list, "URDF-C029");
    ck_assert_ptr_nonnull(d);
    const char *at = strstr(d->message, "and moved by up to ");
    ck_assert_msg(at && sscanf(at, "and moved by up to %lf m", &said) == 1, "%s", d->message);
    ck_assert(most > 0.1 * off && most < off);
    ck_assert_double_le(fabs(said / most - 1), 0.05);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static td_builder *failing_builder;

static td_status finish_with(const char *text, long allocations, long *leaked)
{
    td_model *model = NULL;
    long before = failing_pieces;
    (void)text;
    failing_left = allocations;
    td_status status = td_builder_finish(failing_builder, NULL, NULL, &model);
    failing_left = -1;
    ck_assert((model != NULL) == (status == TD_OK));
    td_model_free(model);
    *leaked = failing_pieces - before;
    return status;
}

TD_LOOP_TEST(every_allocation_may_fail, 0, 2)
{
    bool corrected;
    td_model *exact = finish(build(FOUR_BAR, acos(0), acos(-1)), &corrected);
    failing_builder = _i ? disturbed(exact, 1e-7, 0.3, 2) : build(FOUR_BAR, 1.5708, 3.1416);
    failing_each(finish_with, NULL, TD_OK);
}
