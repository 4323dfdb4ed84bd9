/* SPDX-License-Identifier: MIT */
/*
 * Tests implied loops. Such a loop joint connects the two links of a tree joint and permits all
 * motions of the tree joint, for example a planar loop parallel to a revolute joint. The rows of K
 * are pure rounding, wherever the frames are, and must not be taken for constraints. Coordinates,
 * accelerations and constrained accelerations of the tree are the same without the loop.
 */
#include <math.h>
#include <string.h>

#include "algebra.h"
#include "td_test.h"

typedef struct repetition {
    td_joint_type joint;
    td_loop_type loop;
    bool across;  /* the loop's axis is perpendicular to the joint's, otherwise along it */
    bool on_axis; /* its origin is on the joint's axis, otherwise anywhere */
} repetition;

static const repetition repetitions[] = {
    {TD_JOINT_CONTINUOUS, TD_LOOP_REVOLUTE, false, true},
    {TD_JOINT_CONTINUOUS, TD_LOOP_CYLINDRICAL, false, true},
    {TD_JOINT_CONTINUOUS, TD_LOOP_SPHERICAL, false, true},
    {TD_JOINT_CONTINUOUS, TD_LOOP_UNIVERSAL, false, true},
    {TD_JOINT_CONTINUOUS, TD_LOOP_PLANAR, false, false},
    {TD_JOINT_CONTINUOUS, TD_LOOP_DISTANCE, false, true},
    {TD_JOINT_PRISMATIC, TD_LOOP_PRISMATIC, false, false},
    {TD_JOINT_PRISMATIC, TD_LOOP_CYLINDRICAL, false, false},
    {TD_JOINT_PRISMATIC, TD_LOOP_PLANAR, true, false},
    {TD_JOINT_PLANAR, TD_LOOP_PLANAR, false, false},
};
enum { REPETITIONS = sizeof repetitions / sizeof *repetitions };

/* ---- robots ---------------------------------------------------------------------------------- */

static void draw_axis(td_random *random, double axis[3])
{
    td_random_fill(random, 3, axis);
    const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    for (int k = 0; k < 3; k++)
        axis[k] /= length;
}

static void add_bodies(td_builder *builder, td_random *random, const char *const *names, int count)
{
    for (int i = 0; i < count; i++) {
        td_link link = td_link_default(names[i]);
        link.has_inertial = true;
        link.mass = 1.2 + 0.5 * td_random_number(random);
        td_random_fill(random, 3, link.inertial.position);
        link.inertia[0] = 0.3, link.inertia[3] = 0.4, link.inertia[5] = 0.5;
        assert_ok(td_builder_add_link(builder, &link));
    }
}

static td_joint draw_joint(td_random *random, const char *name, td_joint_type type,
                           const char *parent, const char *child)
{
    td_joint joint = td_joint_default(name, type, parent, child);
    td_random_fill(random, 3, joint.origin.position);
    td_random_rotation(random, joint.origin.rotation);
    draw_axis(random, joint.axis);
    return joint;
}

/* Draws the loop between the links of a joint. Frames are random, as far as the loop remains
   implied. */
static td_loop draw_loop(td_random *random, const repetition *r, const td_joint *joint)
{
    td_loop loop = td_loop_default("loop", joint->parent, joint->child);
    loop.type = r->loop;
    td_pose *to = &loop.predecessor_origin, *from = &loop.successor_origin;
    const double *R = joint->origin.rotation;
    double axis[3], point[3], any[3], along = td_random_number(random);
    vec_turn(R, joint->axis, axis);
    td_random_fill(random, 3, to->position);
    td_random_rotation(random, to->rotation);
    for (int k = 0; r->on_axis && k < 3; k++)
        to->position[k] = joint->origin.position[k] + along * axis[k];
    if (r->across) {
        draw_axis(random, any);
        vec_cross(axis, any, point);
        memcpy(axis, point, sizeof axis);
    }
    vec_turn_back(to->rotation, axis, loop.axis);
    if (r->loop == TD_LOOP_UNIVERSAL) {
        draw_axis(random, any);
        vec_cross(loop.axis, any, loop.second_axis);
    }
    for (int k = 0; k < 3; k++)
        point[k] = to->position[k] - joint->origin.position[k];
    vec_turn_back(R, point, from->position);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            from->rotation[3 * i + j] = R[i] * to->rotation[j] + R[3 + i] * to->rotation[3 + j] +
                                        R[6 + i] * to->rotation[6 + j];
    if (r->loop == TD_LOOP_DISTANCE) { /* from anywhere to a point of the axis */
        td_random_fill(random, 3, any);
        loop.distance = hypot(hypot(any[0], any[1]), any[2]);
        for (int k = 0; k < 3; k++)
            to->position[k] += any[k];
    }
    return loop;
}

/* Builds links l0 to l3. A loop may repeat the joint j1. */
static td_model *build(uint64_t seed, const repetition *r, bool with_loop, td_base base)
{
    td_random random = {seed};
    td_builder *builder = test_builder("implied");
    td_joint joint[3];
    add_bodies(builder, &random, (const char *const[]){"l0", "l1", "l2", "l3"}, 4);
    joint[0] = draw_joint(&random, "j0", TD_JOINT_CONTINUOUS, "l0", "l1");
    joint[1] = draw_joint(&random, "j1", r->joint, "l1", "l2");
    joint[2] = draw_joint(&random, "j2", TD_JOINT_CONTINUOUS, "l2", "l3");
    for (int i = 0; i < 3; i++)
        assert_ok(td_builder_add_joint(builder, &joint[i]));
    const td_loop loop = draw_loop(&random, r, &joint[1]);
    if (with_loop)
        assert_ok(td_builder_add_loop(builder, &loop));
    td_load_options options = td_load_options_default();
    options.base = base;
    return model_of_builder(builder, &options);
}

/* Builds a spatial parallelogram from followers and the loop that they close. Crank and rocker
   rotate alike, and a coupler rotates back. */
static td_model *parallelogram(uint64_t seed, td_loop_type type, bool with_loop)
{
    td_random random = {seed};
    td_builder *builder = test_builder("parallelogram");
    static const char *const names[] = {"base", "crank", "coupler", "rocker"};
    double axis[3], crank[3], base[3];
    draw_axis(&random, axis);
    td_random_fill(&random, 3, crank);
    td_random_fill(&random, 3, base);
    add_bodies(builder, &random, names, 4);
    td_joint joint[3] = {td_joint_default("j0", TD_JOINT_CONTINUOUS, "base", "crank"),
                         td_joint_default("j1", TD_JOINT_CONTINUOUS, "crank", "coupler"),
                         td_joint_default("j2", TD_JOINT_CONTINUOUS, "base", "rocker")};
    td_random_rotation(&random, joint[0].origin.rotation);
    memcpy(joint[2].origin.rotation, joint[0].origin.rotation, sizeof joint[2].origin.rotation);
    vec_turn(joint[0].origin.rotation, base, joint[2].origin.position);
    memcpy(joint[1].origin.position, crank, sizeof crank);
    joint[1].mimic = joint[2].mimic = "j0";
    joint[1].multiplier = -1;
    for (int i = 0; i < 3; i++) {
        memcpy(joint[i].axis, axis, sizeof axis);
        assert_ok(td_builder_add_joint(builder, &joint[i]));
    }
    td_loop loop = td_loop_default("loop", "coupler", "rocker");
    loop.type = type;
    memcpy(loop.axis, axis, sizeof axis);
    memcpy(loop.predecessor_origin.position, base, sizeof base);
    memcpy(loop.successor_origin.position, crank, sizeof crank);
    if (with_loop)
        assert_ok(td_builder_add_loop(builder, &loop));
    td_load_options options = td_load_options_default();
    options.base = seed % 2 ? TD_BASE_FLOATING : TD_BASE_FIXED;
    return model_of_builder(builder, &options);
}

/* ---- checks ---------------------------------------------------------------------------------- */

enum { MOST = 16 };

/* Checks that all derivatives are written, and are zero if the loop is the only constraint. */
static void check_multiplier_derivatives(const td_model *model, td_workspace *w, const double *q,
                                         const double *qd, const double *tau, bool zero)
{
    const size_t nv = td_nv(model), count = td_constraint_count(model) * nv;
    double by[3][MOST * MOST];
    for (size_t i = 0; i < count; i++)
        by[0][i] = by[1][i] = by[2][i] = NAN;
    const td_status status = td_constrained_forward_dynamics_derivatives(
        model, w, q, qd, tau, NULL, NULL, NULL, NULL, NULL, NULL, NULL, by[0], by[1], by[2]);
    if (status == TD_ERROR_CLOSURE_SINGULAR && !zero)
        return; /* multipliers have no derivatives */
    assert_ok(status);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            ck_assert(zero ? by[k][i] == 0 : isfinite(by[k][i]) != 0);
}

/* Compares a robot with the loop with the robot without it. */
static void check_state(td_random *random, const td_model *plain, td_workspace *w,
                        const td_model *model, td_workspace *v)
{
    const size_t n = td_nyd(plain), nv = td_nv(plain);
    ck_assert_uint_le(nv, MOST);
    double y[MOST + 1], yd[MOST], tau[MOST], want[MOST], got[MOST], q[MOST + 1], qd[MOST];
    double same[MOST + 1], lambda[MOST];
    td_draw_configuration(random, plain, false, 3, y);
    td_random_fill(random, n, yd);
    td_random_fill(random, nv, tau);
    assert_ok(td_closure(plain, w, y, yd, NULL, q, qd, NULL));
    assert_ok(td_closure(model, v, y, NULL, NULL, same, NULL, NULL));
    td_assert_close(td_nq(plain), same, q, 0, 1);
    assert_ok(td_forward_dynamics(plain, w, y, yd, tau, NULL, want));
    assert_ok(td_forward_dynamics(model, v, y, yd, tau, NULL, got));
    td_assert_close(n, got, want, 1e-12, td_largest(n, want));
    assert_ok(td_constrained_forward_dynamics(plain, w, q, qd, tau, NULL, NULL, want, lambda));
    const size_t rows = td_constraint_count(model);
    ck_assert_uint_le(rows, MOST);
    for (size_t i = 0; i < rows; i++)
        lambda[i] = NAN;
    assert_ok(td_constrained_forward_dynamics(model, v, q, qd, tau, NULL, NULL, got, lambda));
    for (size_t i = 0; i < rows; i++) /* without followers the loop carries no force */
        ck_assert(n == nv ? lambda[i] == 0 : isfinite(lambda[i]) != 0);
    td_assert_close(nv, got, want, 1e-10, td_largest(nv, want));
    check_multiplier_derivatives(model, v, q, qd, tau, n == nv);
    assert_ok(td_project_velocity(model, v, q, qd, got, NULL));
    td_assert_close(nv, got, qd, 1e-11, 1);
}

static void check_robots(td_model *plain, td_model *model, uint64_t seed)
{
    ck_assert_uint_eq(td_ny(model), td_ny(plain));
    ck_assert_int_eq(td_loop_place_at(model, 0).form, TD_LOOP_FORM_IMPLIED);
    td_workspace *w = test_workspace(plain), *v = test_workspace(model);
    td_random random = {seed + 700};
    for (int k = 0; k < 5; k++)
        check_state(&random, plain, w, model, v);
}

TD_LOOP_TEST(joints_that_are_repeated, 0, REPETITIONS)
{
    const repetition *r = &repetitions[_i];
    for (uint64_t seed = 1; seed <= 20; seed++) {
        const td_base base = seed % 2 ? TD_BASE_FLOATING : TD_BASE_FIXED;
        check_robots(build(seed, r, false, base), build(seed, r, true, base), seed);
    }
}

TD_LOOP_TEST(followers_that_close_it, 0, 4)
{
    static const td_loop_type types[] = {TD_LOOP_REVOLUTE, TD_LOOP_SPHERICAL, TD_LOOP_PLANAR,
                                         TD_LOOP_CYLINDRICAL};
    for (uint64_t seed = 1; seed <= 20; seed++)
        check_robots(parallelogram(seed, types[_i], false), parallelogram(seed, types[_i], true),
                     seed);
}

/* Builds two rockers that rotate alike and couplers that rotate back. The pin between the couplers
   has a motor but never rotates. */
static td_model *pinned_couplers(uint64_t seed)
{
    static const char *const names[] = {"base", "left", "left_coupler", "right", "right_coupler"};
    td_random random = {seed};
    td_builder *builder = test_builder("couplers");
    double axis[3], crank[3], base[3];
    draw_axis(&random, axis);
    td_random_fill(&random, 3, crank);
    td_random_fill(&random, 3, base);
    add_bodies(builder, &random, names, 5);
    td_joint joint[4] = {td_joint_default("j0", TD_JOINT_CONTINUOUS, "base", "left"),
                         td_joint_default("j1", TD_JOINT_CONTINUOUS, "left", "left_coupler"),
                         td_joint_default("j2", TD_JOINT_CONTINUOUS, "base", "right"),
                         td_joint_default("j3", TD_JOINT_CONTINUOUS, "right", "right_coupler")};
    for (int i = 0; i < 4; i++) {
        const bool coupler = i % 2 == 1;
        td_random_rotation(&random, joint[i].origin.rotation);
        if (i == 2)
            memcpy(joint[2].origin.rotation, joint[0].origin.rotation,
                   sizeof joint[2].origin.rotation);
        if (coupler) { /* the couplers' frames are anywhere */
            memcpy(joint[i].origin.position, crank, sizeof crank);
            vec_turn_back(joint[i].origin.rotation, axis, joint[i].axis);
        } else {
            memcpy(joint[i].axis, axis, sizeof axis);
        }
        joint[i].mimic = i > 0 ? "j0" : NULL;
        joint[i].multiplier = coupler ? -1 : 1;
    }
    vec_turn(joint[2].origin.rotation, base, joint[2].origin.position);
    for (int i = 0; i < 4; i++)
        assert_ok(td_builder_add_joint(builder, &joint[i]));
    td_loop pin = td_loop_default("pin", "left_coupler", "right_coupler");
    memcpy(pin.axis, joint[1].axis, sizeof pin.axis);
    vec_turn_back(joint[1].origin.rotation, base, pin.predecessor_origin.position);
    const double *L = joint[1].origin.rotation, *R = joint[3].origin.rotation;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            pin.successor_origin.rotation[3 * i + k] =
                R[i] * L[k] + R[3 + i] * L[3 + k] + R[6 + i] * L[6 + k];
    assert_ok(td_builder_add_loop(builder, &pin));
    td_transmission drive = td_transmission_default("drive", "pin");
    drive.actuator = "motor";
    assert_ok(td_builder_add_transmission(builder, &drive));
    td_load_options options = td_load_options_default();
    options.actuation = TD_ACTUATION_TRANSMISSION;
    return model_of_builder(builder, &options);
}

TD_TEST(motor_that_moves_nothing)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        td_model *model = pinned_couplers(seed);
        ck_assert_uint_eq(td_nyd(model), 1);
        ck_assert_int_eq(td_loop_place_at(model, 0).form, TD_LOOP_FORM_IMPLIED);
        ck_assert_uint_eq(td_nu(model), 1);
        ck_assert_int_eq(td_actuation_status(model), TD_ERROR_ACTUATION_SINGULAR);
        td_workspace *w = test_workspace(model);
        for (double y = -3; y < 3; y += 0.5) {
            const double tau = 1;
            double u;
            ck_assert_int_eq(td_forces_to_actuators(model, w, &y, &tau, NULL, &u, NULL),
                             TD_ERROR_ACTUATION_SINGULAR);
        }
    }
}
