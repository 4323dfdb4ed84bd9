/* SPDX-License-Identifier: MIT */
/*
 * Floating joints whose pose, and ball joints whose orientation, loops decide in part. Random
 * bodies are attached by rods, pins and other loops to the ground, to an arm and to each other.
 * Covers their dynamics, also against multipliers in tree coordinates, and γ of closed, distant and
 * open poses. Also covers G by differences, batches, and motions through dead points of independent
 * coordinates, with bodies that an arm grasps.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "along.h"
#include "constrained_check.h"
#include "identities.h"
#include "loop_balance.h"
#include "loop_frames.h"
#include "multipliers.h"
#include "tandem/simulation.h"

enum { ROOM = 64, ROBOTS = 60, HELD = 40, MOST_LOOPS = 8 };

/* ---- robots ---------------------------------------------------------------------------------- */

/* number of directions that loops constrain at one body of the robots below, at most five, so that
   it can move */
static const struct {
    td_loop_type type;
    unsigned mask;
    int rows;
} kinds[] = {{TD_LOOP_DISTANCE, 0, 1},    {TD_LOOP_DISTANCE, 0, 1}, {TD_LOOP_SPHERICAL, 0, 3},
             {TD_LOOP_UNIVERSAL, 0, 4},   {TD_LOOP_MASK, 0x30, 2},  {TD_LOOP_MASK, 0x08, 1},
             {TD_LOOP_CYLINDRICAL, 0, 4}, {TD_LOOP_MASK, 0x21, 2},  {TD_LOOP_REVOLUTE, 0, 5}};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct attachment {
    int kind;
    const char *to;
    char name[16], body[16];
} attachment;

/* base, an arm on it, and bodies; the first joint of a body may be a ball */
static td_builder *bodies(td_random *random, int robot)
{
    td_builder *builder = test_builder("hung");
    td_link base = td_link_default("base");
    assert_ok(td_builder_add_link(builder, &base));
    add_free_body(builder, random, TD_JOINT_CONTINUOUS, "shoulder", "arm");
    add_free_body(builder, random, robot % 4 == 3 ? TD_JOINT_BALL : TD_JOINT_FLOATING, "free0",
                  "body0");
    if (robot % 3 == 2)
        add_free_body(builder, random, TD_JOINT_FLOATING, "free1", "body1");
    return builder;
}

/* An arm of three joints, and a body that it grasps, with six velocities that depend on the arm. */
static td_builder *held_body(td_random *random, int robot)
{
    static const td_joint_type types[] = {TD_JOINT_CONTINUOUS, TD_JOINT_CONTINUOUS,
                                          TD_JOINT_PRISMATIC, TD_JOINT_PLANAR};
    td_builder *builder = test_builder("held");
    td_link base = td_link_default("base");
    assert_ok(td_builder_add_link(builder, &base));
    const char *names[] = {"base", "arm0", "arm1", "arm"};
    for (int k = 1; k < 4; k++) {
        td_link link = td_solid_link(names[k], 1, 0.1);
        td_joint joint =
            td_joint_default(names[k], types[(robot + k * k) % 4], names[k - 1], names[k]);
        joint.origin = pose_random(random);
        td_random_fill(random, 3, joint.axis);
        joint.limit.lower = -100, joint.limit.upper = 100;
        assert_ok(td_builder_add_link(builder, &link));
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    add_free_body(builder, random, TD_JOINT_FLOATING, "free0", "body0");
    return builder;
}

/* a spherical joint on the arm, and a universal one on the ground */
static int hold(attachment list[MOST_LOOPS])
{
    for (int k = 0; k < 2; k++) {
        list[k] = (attachment){.kind = 2 + k, .to = k ? "base" : "arm", .body = "body0"};
        snprintf(list[k].name, sizeof list[k].name, "loop%d", k);
    }
    return 2;
}

/* the loops of the robot's bodies, up to a number of directions each */
static int attach(td_random *random, int robot, attachment list[MOST_LOOPS])
{
    int count = 0;
    for (int b = 0; b < (robot % 3 == 2 ? 2 : 1); b++) {
        const int most = robot % 4 == 3 && b == 0 ? 2 : 5;
        const int wanted = 1 + (int)td_random_below(random, (size_t)most);
        for (int held = 0, tries = 0; held < wanted && count < MOST_LOOPS && tries < 50; tries++) {
            attachment *a = &list[count];
            static const char *const ends[] = {"base", "base", "arm", "body0"};
            a->kind = (int)td_random_below(random, KINDS);
            a->to = ends[td_random_below(random, b ? 4 : 3)];
            if (kinds[a->kind].rows > wanted - held || (most == 2 && kinds[a->kind].mask == 0x21))
                continue;
            snprintf(a->name, sizeof a->name, "loop%d", count);
            snprintf(a->body, sizeof a->body, "body%d", b);
            held += kinds[a->kind].rows;
            count++;
        }
    }
    return count;
}

static td_model *hung_robot(td_random *random, int robot)
{
    td_random again = *random;
    const bool held = robot >= ROBOTS;
    td_builder *builder = held ? held_body(random, robot) : bodies(random, robot);
    td_model *open = model_of_builder(builder, NULL);
    td_workspace *w = test_workspace(open);
    double *poses = doubles(12 * td_link_count(open)), q[ROOM];
    td_neutral(open, TD_COORDINATES_TREE, q);
    assert_ok(TD_IN_TREE(w, td_link_poses(open, w, q, poses)));
    attachment list[MOST_LOOPS];
    const int count = held ? hold(list) : attach(random, robot, list);
    builder = held ? held_body(&again, robot) : bodies(&again, robot);
    for (int k = 0; k < count; k++) {
        td_loop loop = td_loop_default(list[k].name, list[k].to, list[k].body);
        loop.type = kinds[list[k].kind].type;
        loop.mask = kinds[list[k].kind].mask;
        memcpy(loop.axis, (double[]){0, 0, 1}, sizeof loop.axis);
        memcpy(loop.second_axis, (double[]){1, 0, 0}, sizeof loop.second_axis);
        loop.predecessor_origin = pose_random(random);
        const td_pose end =
            pose_times(pose_of_link(poses, open, loop.predecessor), loop.predecessor_origin);
        td_pose at = held_pose(random, held_by(loop.type, loop.mask));
        if (loop.type == TD_LOOP_DISTANCE) /* short rods make γ strongly nonlinear */
            at.position[2] += 1;
        loop.successor_origin = pose_times(pose_inverse(pose_of_link(poses, open, loop.successor)),
                                           pose_times(end, at));
        const double *p = at.position;
        loop.distance = loop.type == TD_LOOP_DISTANCE ? hypot(hypot(p[0], p[1]), p[2]) : 0;
        assert_ok(td_builder_add_loop(builder, &loop));
    }
    td_model *model = model_of_builder(builder, NULL);
    return model;
}

/* returns whether loops decide part of a pose */
static bool has_part(const td_model *model)
{
    for (size_t i = 0; i < td_joint_count(model); i++) {
        const td_joint_place place = td_joint_place_at(model, i);
        if (place.nq != place.nv && place.dependents && !place.dependent)
            return true;
    }
    return false;
}

/* the largest entry of G at the reference */
static double first_rate(const td_model *model)
{
    double y[ROOM];
    td_workspace *w = test_workspace(model);
    memcpy(y, td_reference(model, TD_COORDINATES_INDEPENDENT), td_ny(model) * sizeof *y);
    const double largest = td_largest_rate(model, w, y);
    return largest;
}

/* Returns the robot with that number that does not start near a dead point, and its seed. Almost
   all have a pose that loops decide in part. */
static td_model *robot_of(int number, td_random *random)
{
    for (int n = 0;; n++) {
        *random = (td_random){(uint64_t)(number + 1000 * n) + 1};
        td_model *model = hung_robot(random, number);
        if (first_rate(model) < 4)
            return model;
    }
}

static double openness(const td_model *model, td_workspace *w, const double *q)
{
    double phi[ROOM];
    assert_ok(td_constraint_residual(model, w, q, phi));
    return td_largest(td_constraint_count(model), phi);
}

/* ---- dynamics -------------------------------------------------------------------------------- */

TD_TEST(have_such_poses)
{
    int have = 0;
    td_random random;
    for (int k = 0; k < ROBOTS; k++) {
        td_model *model = robot_of(k, &random);
        have += has_part(model);
    }
    ck_assert_int_ge(have, ROBOTS * 3 / 4);
}

TD_LOOP_TEST(dynamics, 0, ROBOTS)
{
    td_random random;
    td_model *model = robot_of(_i, &random);
    state s = state_new(model, false);
    ck_assert_int_gt(identities_check(&s, &random, 3), 0);
}

/* accelerations by multipliers in tree coordinates */
TD_LOOP_TEST(by_multipliers, 0, ROBOTS)
{
    td_random random;
    td_model *model = robot_of(_i, &random);
    td_workspace *w = test_workspace(model);
    const size_t nv = td_nv(model), nyd = td_nyd(model);
    for (int n = 0; n < 5; n++) {
        double y[ROOM], yd[ROOM], ydd[ROOM], q[ROOM], qd[ROOM], qdd[ROOM], expected[ROOM];
        double tau[ROOM], tau_y[ROOM];
        td_draw_configuration(&random, model, false, 0.3, y);
        td_random_fill(&random, nyd, yd);
        td_random_fill(&random, nv, tau);
        assert_ok(td_project_force(model, w, y, tau, tau_y));
        assert_ok(td_forward_dynamics(model, w, y, yd, tau_y, NULL, ydd));
        assert_ok(td_closure(model, w, y, yd, ydd, q, qd, qdd));
        ck_assert(multipliers_accelerations(model, w, q, qd, tau, NULL, 0, 0, expected, NULL));
        td_assert_close(nv, qdd, expected, 1e-9, 1 + td_largest(nv, expected));
        loop_balance_check(model, w, y, yd, ydd, NULL);
    }
}

/* ---- γ --------------------------------------------------------------------------------------- */

/* q̇ = G ẏ must be the rate of γ along the motion of td_integrate under ẏ, to first order. */
TD_LOOP_TEST(rates_by_differences, 0, ROBOTS)
{
    td_random random;
    td_model *model = robot_of(_i, &random);
    td_workspace *w = test_workspace(model);
    const size_t nv = td_nv(model), nyd = td_nyd(model);
    static const double h = 1e-5;
    for (int n = 0; n < 5; n++) {
        double y[ROOM], yd[ROOM], moved[ROOM], q[2][ROOM], qd[ROOM], here[ROOM], rate[ROOM];
        td_draw_configuration(&random, model, false, 0.3, y);
        td_random_fill(&random, nyd, yd);
        for (int k = 0; k < 2; k++) {
            td_integrate(model, TD_COORDINATES_INDEPENDENT, y, yd, k ? h : -h, moved);
            assert_ok(td_closure(model, w, moved, NULL, NULL, q[k], NULL, NULL));
        }
        assert_ok(td_closure(model, w, y, yd, NULL, here, qd, NULL));
        td_difference(model, TD_COORDINATES_TREE, q[0], q[1], rate);
        for (size_t i = 0; i < nv; i++)
            rate[i] /= 2 * h;
        td_assert_close(nv, rate, qd, 1e-6, 1 + td_largest(nv, qd));
    }
}

TD_LOOP_TEST(derivatives, 0, ROBOTS + HELD)
{
    td_random random;
    td_model *model = robot_of(_i, &random);
    td_workspace *w = test_workspace(model);
    for (int n = 0; n < 5; n++) {
        double open[ROOM], y[ROOM], q[ROOM];
        td_draw_configuration(&random, model, false, 0.3, open);
        assert_ok(td_closure(model, w, open, NULL, NULL, q, NULL, NULL));
        assert_ok(td_independent_coordinates(model, w, q, y, NULL));
        along_check_at(&random, model, w, y, 2, 1e-11);
        constrained_check_at(&random, model, y, 1e-11);
    }
}

/* the same link poses; joints may have made another turn */
static void check_links(const td_model *model, td_workspace *w, const double *a, const double *b)
{
    double poses[2][12 * ROOM];
    assert_ok(TD_IN_TREE(w, td_link_poses(model, w, a, poses[0])));
    assert_ok(TD_IN_TREE(w, td_link_poses(model, w, b, poses[1])));
    td_assert_close(12 * td_link_count(model), poses[0], poses[1], 1e-8, 1);
}

/* A closed pose is its own γ for any previous state, or γ fails; it never returns another pose.
   Steps along ẏ lead to distant poses. */
TD_LOOP_TEST(closed_poses_stay, 0, ROBOTS)
{
    td_random random;
    td_model *model = robot_of(_i, &random);
    td_workspace *w = test_workspace(model), *other = test_workspace(model);
    const size_t nyd = td_nyd(model);
    double y[ROOM], yd[ROOM], q[ROOM], again[ROOM], row[ROOM];
    int found = 0, steps = 0;
    memcpy(y, td_reference(model, TD_COORDINATES_INDEPENDENT), td_ny(model) * sizeof *y);
    td_random_fill(&random, nyd, yd);
    while (steps < 40) {
        double next[ROOM];
        td_integrate(model, TD_COORDINATES_INDEPENDENT, y, yd, 0.1, next);
        if (td_closure(model, w, next, NULL, NULL, q, NULL, NULL) != TD_OK) {
            td_random_fill(&random, nyd, yd);
            steps++;
            continue;
        }
        ck_assert_double_le(openness(model, w, q), 1e-11);
        assert_ok(td_independent_coordinates(model, w, q, y, NULL));
        steps++;
        td_status each;
        const td_status status = td_closure(model, other, y, NULL, NULL, again, NULL, NULL);
        const td_status of_row =
            td_batch_closure(model, w, 1, y, NULL, NULL, row, NULL, NULL, &each);
        found += of_row == TD_OK;
        if (status == TD_OK)
            check_links(model, w, again, q);
        if (of_row == TD_OK)
            check_links(model, w, row, q);
    }
    ck_assert_int_gt(found, 0);
}

/* A pose that is not closed moves only along the directions that loops decide. */
TD_LOOP_TEST(open_poses_close, 0, ROBOTS)
{
    td_random random;
    td_model *model = robot_of(_i, &random);
    td_workspace *w = test_workspace(model);
    const size_t nyd = td_nyd(model), nq = td_nq(model);
    for (int n = 0; n < 5; n++) {
        double y[ROOM], q[ROOM], open[ROOM], moved[ROOM], v[ROOM], back[ROOM], difference[ROOM];
        td_draw_configuration(&random, model, false, 0.3, y);
        assert_ok(td_closure(model, w, y, NULL, NULL, q, NULL, NULL));
        memset(v, 0, sizeof v);
        for (size_t i = 0; i < td_joint_count(model); i++) {
            const td_joint_place place = td_joint_place_at(model, i);
            for (size_t k = 0; k < place.nv; k++)
                if (place.y != TD_NONE && place.dependents >> k & 1)
                    v[place.qd + k] = td_random_number(&random);
        }
        td_integrate(model, TD_COORDINATES_TREE, q, v, 1e-4, open);
        assert_ok(td_independent_coordinates(model, w, open, y, NULL));
        assert_ok(td_closure(model, w, y, NULL, NULL, moved, NULL, NULL));
        ck_assert_double_le(openness(model, w, moved), 1e-11);
        assert_ok(td_independent_coordinates(model, w, moved, back, NULL));
        td_difference(model, TD_COORDINATES_INDEPENDENT, y, back, difference);
        ck_assert_double_le(td_largest(nyd, difference), 1e-7); /* rotations do not commute */
        td_assert_close(nq, moved, q, 1e-6, 1);
    }
}

/* ---- motion ---------------------------------------------------------------------------------- */

TD_LOOP_TEST(swings, 0, ROBOTS + HELD)
{
    td_random random;
    td_model *model = robot_of(_i, &random);
    td_simulation_options options = td_simulation_options_default();
    td_integrator_options integrator = td_integrator_options_default();
    integrator.rtol = 1e-9;
    options.integrator = &integrator;
    td_simulation *s = simulation_of(model, &options);
    assert_ok(td_simulation_start(s, 0, NULL, NULL, NULL));
    td_workspace *w = test_workspace(model);
    td_simulation_sample sample = td_simulation_sample_default();
    double q[ROOM], begin = NAN, moved = 0;
    sample.q = q;
    td_status status = TD_OK;
    while (status == TD_OK && td_simulation_time(s) < 1) {
        status = td_simulation_step(s, 1);
        if (status != TD_OK)
            break;
        assert_ok(td_simulation_evaluate(s, td_simulation_time(s), &sample));
        begin = isnan(begin) ? sample.kinetic + sample.potential : begin;
        moved = fmax(moved, sample.kinetic);
        ck_assert_double_le(fabs(sample.kinetic + sample.potential - sample.work - begin),
                            1e-6 * (1 + moved));
        ck_assert_double_le(openness(model, w, q), 1e-11);
    }
    ck_assert_msg(status == TD_OK, "%s at %g", td_status_text(status), td_simulation_time(s));
}
