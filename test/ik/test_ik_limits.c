/* SPDX-License-Identifier: MIT */
/*
 * Tests inverse kinematics in which limits of followers are active. Random trees with followers
 * reach goals by forward kinematics; the solver must find these from seeds inside, at and beyond
 * the limits. Also tests searches without limits, and limits that leave a single point.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "curve_robots.h"
#include "td_test.h"

enum { MOST = 16 };

/* ---- robots ---------------------------------------------------------------------------------- */

/* Adds a hinge and a link to the end of a chain. */
static void add_hinge(td_builder *builder, int i, const double axis[3], double lower, double upper,
                      const char *leader, double multiplier, double offset)
{
    char name[8], parent[8], child[8];
    snprintf(name, sizeof name, "j%d", i + 1);
    snprintf(parent, sizeof parent, "l%d", i);
    snprintf(child, sizeof child, "l%d", i + 1);
    const td_link link = curve_link(child);
    td_joint joint = td_joint_default(name, TD_JOINT_REVOLUTE, parent, child);
    memcpy(joint.axis, axis, sizeof joint.axis);
    joint.origin.position[0] = i > 0 ? 0.3 : 0;
    joint.origin.position[2] = 0.05;
    joint.limit = (td_limit){.lower = lower, .upper = upper, .velocity = 1, .effort = 1};
    joint.mimic = leader;
    joint.multiplier = multiplier;
    joint.offset = offset;
    assert_ok(td_builder_add_link(builder, &link));
    assert_ok(td_builder_add_joint(builder, &joint));
}

static td_builder *chain_begin(void)
{
    td_builder *builder = test_builder("chain");
    const td_link link = curve_link("l0");
    assert_ok(td_builder_add_link(builder, &link));
    return builder;
}

/* A random chain with followers, and a state within all limits. */
typedef struct drawn_robot {
    td_model *model;
    td_workspace *w;
    size_t joints, ny, nq;
    double y[MOST];
} drawn_robot;

/* How a joint follows others: a polynomial of each leader, or mimic of one joint, which may be a
   follower too. */
typedef struct relation {
    size_t leaders, leader[4];
    double coefficient[4][3];
    bool mimic;
} relation;

static double between(td_random *random, double lower, double upper)
{
    return lower + (upper - lower) * 0.5 * (td_random_number(random) + 1);
}

/* Draws the leaders of a joint. q contains the positions of all joints before it, and receives the
   follower's. */
static relation draw_relation(td_random *random, size_t joint, const unsigned char *follows,
                              double *q)
{
    relation r = {.mimic = td_random_below(random, 3) == 0};
    const size_t wanted = r.mimic ? 1 : 1 + td_random_below(random, 4);
    const bool curved = td_random_below(random, 2);
    for (size_t i = 0; i < joint && r.leaders < wanted; i++) {
        const size_t rest = joint - i, missing = wanted - r.leaders;
        if ((!r.mimic && follows[i]) || td_random_below(random, rest) >= missing)
            continue;
        double *c = r.coefficient[r.leaders];
        c[0] = 0.3 * td_random_number(random);
        c[1] = (td_random_below(random, 2) ? 1 : -1) * between(random, 0.2, 1.5);
        c[2] = !r.mimic && curved ? 0.5 * td_random_number(random) : 0;
        r.leader[r.leaders++] = i;
    }
    if (r.leaders == 0) {
        r.leaders = 1;
        r.coefficient[0][1] = -0.7;
    }
    q[joint] = 0;
    for (size_t k = 0; k < r.leaders; k++) {
        const double *c = r.coefficient[k], x = q[r.leader[k]];
        q[joint] += c[0] + x * (c[1] + x * c[2]);
    }
    return r;
}

/* Draws a robot whose followers are at a limit or inside. */
static drawn_robot draw_robot(td_random *random)
{
    static const char *const names[] = {"j1", "j2", "j3", "j4", "j5",
                                        "j6", "j7", "j8", "j9", "j10"};
    drawn_robot robot = {.joints = 4 + td_random_below(random, 7)};
    relation relations[MOST] = {{0}};
    unsigned char follows[MOST] = {0};
    double q[MOST];
    td_builder *builder = chain_begin();
    for (size_t i = 0; i < robot.joints; i++) {
        const double range = between(random, 0.5, 3);
        double axis[3] = {0, 0, 0}, lower = -range, upper = range;
        const relation *r = &relations[i];
        axis[td_random_below(random, 3)] = 1;
        follows[i] = i > 0 && td_random_below(random, 5) < 2;
        q[i] = between(random, lower, upper);
        if (follows[i]) {
            relations[i] = draw_relation(random, i, follows, q);
            lower = q[i] - (td_random_below(random, 5) ? between(random, 0.02, 1) : 0);
            upper = q[i] + (td_random_below(random, 5) ? between(random, 0.02, 1) : 1e-3);
        } else {
            robot.y[robot.ny++] = q[i];
        }
        add_hinge(builder, (int)i, axis, lower, upper,
                  r->mimic && follows[i] ? names[r->leader[0]] : NULL, r->coefficient[0][1],
                  r->coefficient[0][0]);
    }
    for (size_t i = 0; i < robot.joints; i++) {
        td_curve curves[4];
        for (size_t k = 0; k < relations[i].leaders; k++)
            curves[k] =
                curve_polynomial(names[relations[i].leader[k]], 3, relations[i].coefficient[k]);
        if (follows[i] && !relations[i].mimic)
            curve_follow(builder, names[i], curves, relations[i].leaders, 0);
    }
    robot.model = model_of_builder(builder, NULL);
    robot.w = test_workspace(robot.model);
    robot.nq = td_nq(robot.model);
    ck_assert_uint_eq(td_ny(robot.model), robot.ny);
    return robot;
}

/* Returns whether y satisfies all limits, to a tolerance that is relative above 1. */
static bool is_within(const drawn_robot *robot, const double *y, double tolerance)
{
    double q[MOST];
    assert_ok(td_closure(robot->model, robot->w, y, NULL, NULL, q, NULL, NULL));
    for (size_t i = 0; i < robot->joints; i++) {
        const td_joint *joint = td_joint_at(robot->model, i);
        const td_joint_place place = td_joint_place_at(robot->model, i);
        const double x = q[place.q], lower = joint->limit.lower, upper = joint->limit.upper;
        if (!(x >= lower - tolerance * (1 + fabs(lower)) &&
              x <= upper + tolerance * (1 + fabs(upper))))
            return false;
    }
    return td_outside_limits(robot->model, y, NULL, 0) == 0;
}

/* Draws a state within the limits. Returns false if none is found. */
static bool draw_state(const drawn_robot *robot, td_random *random, double *y)
{
    uint64_t seed = td_random_below(random, 1 << 30);
    for (int k = 0; k < 400; k++) { /* approaches the known state */
        const double spread = pow(0.97, k);
        td_random_configuration(robot->model, TD_COORDINATES_INDEPENDENT, &seed, y);
        for (size_t i = 0; i < robot->ny; i++)
            y[i] = robot->y[i] + spread * (y[i] - robot->y[i]);
        if (is_within(robot, y, 0))
            return true;
    }
    return false;
}

/* ---- reachable goals ------------------------------------------------------------------------- */

enum { SEED_NONE, SEED_INSIDE, SEED_AT_LIMITS, SEED_BEYOND, SEEDS };

static const double *draw_seed(const drawn_robot *robot, td_random *random, int kind, double *seed)
{
    if (kind == SEED_NONE)
        return NULL;
    if (kind == SEED_INSIDE && draw_state(robot, random, seed))
        return seed;
    for (size_t i = 0; i < robot->ny; i++) {
        const td_effective_limit limit =
            td_effective_limit_at(robot->model, td_independent_joint(robot->model, i));
        seed[i] = td_random_below(random, 2) ? limit.upper : limit.lower;
        if (kind == SEED_BEYOND)
            seed[i] += 2 * td_random_number(random);
    }
    return seed;
}

/* Tests goals that a state within the limits reaches, from all kinds of seeds. */
TD_TEST(reachable_goals_are_reached)
{
    enum { ROBOTS = 400, GOALS = 8 };
    td_random random = {57};
    int goals = 0, missed[SEEDS] = {0}, open = 0;
    for (int i = 0; i < ROBOTS; i++) {
        drawn_robot robot = draw_robot(&random);
        const td_ik_kind kind = td_random_below(&random, 2) ? TD_IK_POSE : TD_IK_POSITION;
        td_ik_goal goal = td_ik_goal_default(kind, robot.joints);
        const double point[3] = {0.2, 0.1, -0.15}; /* every joint moves it */
        memcpy(goal.point, point, sizeof point);
        td_ik *ik = ik_of(robot.model, &goal, 1, NULL);
        for (int k = 0; k < GOALS; k++) {
            double y[MOST], seed[MOST], poses[12 * MOST], target[7];
            td_ik_result result = {.size_of = sizeof result};
            if (!draw_state(&robot, &random, y))
                continue;
            assert_ok(td_link_poses(robot.model, robot.w, y, poses));
            double *pose = poses + 12 * robot.joints;
            for (int a = 0; a < 12; a += 4)
                pose[a + 3] += pose[a] * point[0] + pose[a + 1] * point[1] + pose[a + 2] * point[2];
            td_pose_split(pose, target, target + 3);
            const double *from = draw_seed(&robot, &random, k % SEEDS, seed);
            assert_ok(td_ik_solve(ik, robot.w, target, from, y, NULL, &result));
            goals++;
            missed[k % SEEDS] += result.status != TD_IK_STATUS_REACHED;
            open += result.status == TD_IK_STATUS_OPEN;
            ck_assert(result.status == TD_IK_STATUS_OPEN || is_within(&robot, y, 1e-9));
        }
    }
    const int all = missed[0] + missed[1] + missed[2] + missed[3];
    ck_assert_int_ge(goals, ROBOTS * GOALS * 9 / 10);
    ck_assert_msg(open == 0 && all * 500 <= goals,
                  "of %d goals %d are missed (%d %d %d %d by seeds), %d without a posture", goals,
                  all, missed[0], missed[1], missed[2], missed[3], open);
}

/* ---- one follower ---------------------------------------------------------------------------- */

static const double z_axis[3] = {0, 0, 1};

/* Builds a chain with a follower: 0.2 x + x² of one leader, within [0.3, 1], or 0.5 x and 0.5 x +
   0.2 x² of two leaders. At zero the follower is beyond its limit. */
static td_model *chain_from_beyond(bool two)
{
    static const double one[] = {0, 0.2, 1}, of_two[2][3] = {{0, 0.5}, {0, 0.5, 0.2}};
    td_builder *builder = chain_begin();
    add_hinge(builder, 0, z_axis, -3, 3, NULL, 1, 0);
    if (two)
        add_hinge(builder, 1, z_axis, -3, 3, NULL, 1, 0);
    add_hinge(builder, two ? 2 : 1, z_axis, 0.3, 1, NULL, 1, 0);
    const td_curve curves[] = {curve_polynomial("j1", 3, two ? of_two[0] : one),
                               curve_polynomial("j2", 3, of_two[1])};
    curve_follow(builder, two ? "j3" : "j2", curves, two ? 2 : 1, 0);
    return model_of_builder(builder, NULL);
}

/* At an effective limit the follower reaches its own limit, and no check reports it as outside. */
TD_TEST(limits_by_curves)
{
    td_model *model = chain_from_beyond(false);
    td_workspace *w = test_workspace(model);
    const td_effective_limit limit = td_effective_limit_at(model, 0);
    const double y[2] = {limit.lower, limit.upper}, wanted[2] = {0.3, 1};
    for (int i = 0; i < 2; i++) {
        double q[2];
        assert_ok(td_closure(model, w, &y[i], NULL, NULL, q, NULL, NULL));
        ck_assert_double_le(fabs(q[1] - wanted[i]), 1e-11);
        ck_assert_uint_eq(td_outside_limits(model, &y[i], NULL, 0), 0);
    }
}

/* Limits of followers that leave one position must leave it under any rounding, and the solver
   finds it. Slightly tighter limits contradict each other. */
TD_TEST(one_position_by_rounding)
{
    static const double up = 0.7, down = -1.3;
    for (int k = 0; k < 50; k++) {
        const double at = 0.013 * k - 0.3, less = k % 5 == 4 ? 1e-6 : 0;
        td_builder *builder = chain_begin();
        add_hinge(builder, 0, z_axis, -3, 3, NULL, 1, 0);
        add_hinge(builder, 1, z_axis, -3, up * at + 0.1 - less, "j1", up, 0.1);
        add_hinge(builder, 2, z_axis, -3, down * at + 0.2, "j1", down, 0.2);
        td_diagnostics *list = test_diagnostics(0);
        td_model *model = NULL;
        assert_ok(test_builder_finish(builder, NULL, list, &model));
        ck_assert((td_find_diagnostic(list, "URDF-M009") != NULL) == (less > 0));
        const td_effective_limit limit = td_effective_limit_at(model, 0);
        ck_assert((limit.lower <= limit.upper) == (less == 0));
        td_workspace *w = test_workspace(model);
        const td_ik_goal goal = td_ik_goal_default(TD_IK_ORIENTATION, 1);
        const double target[4] = {0, 0, sin(at / 2), cos(at / 2)};
        td_ik_result result = {.size_of = sizeof result};
        double y;
        td_ik *ik = ik_of(model, &goal, 1, NULL);
        assert_ok(td_ik_solve(ik, w, target, NULL, &y, NULL, &result));
        ck_assert_int_eq(result.status, less > 0 ? TD_IK_STATUS_OPEN : TD_IK_STATUS_REACHED);
    }
}

/* Tests seeds that are beyond the limit of a follower by rounding, or by more. */
TD_LOOP_TEST(seeds_beyond_a_follower, 0, 2)
{
    static const double off[] = {0, 1e-16, 1e-12, 2e-9, 1e-7, 1e-3, 1, 5};
    td_model *model = chain_from_beyond(_i);
    td_workspace *w = test_workspace(model);
    const size_t links = td_link_count(model), ny = td_ny(model);
    td_ik_goal goal = td_ik_goal_default(TD_IK_POSITION, links - 1);
    goal.point[0] = 1;
    double poses[4 * 12], y[2], seed[2];
    const double wanted[2] = {0.6, 0.2};
    assert_ok(td_link_poses(model, w, wanted, poses));
    const double *pose = poses + 12 * (links - 1);
    const double target[3] = {pose[0] + pose[3], pose[4] + pose[7], pose[8] + pose[11]};
    td_ik_options options = td_ik_options_default();
    options.restarts = 0; /* search from the seed only */
    td_ik *ik = ik_of(model, &goal, 1, &options);
    const td_effective_limit limit = td_effective_limit_at(model, 0);
    for (size_t i = 0; i <= sizeof off / sizeof *off; i++) {
        td_ik_result result = {.size_of = sizeof result};
        seed[0] = (_i ? 0.3 : limit.lower) - (i > 0 ? off[i - 1] : 0);
        seed[1] = 0.25;
        assert_ok(td_ik_solve(ik, w, target, i ? seed : NULL, y, NULL, &result));
        ck_assert_int_eq(result.status, TD_IK_STATUS_REACHED);
        if (ny == 1)
            ck_assert_double_le(fabs(y[0] - wanted[0]), 1e-5);
    }
}

/* A follower at its upper limit blocks a motion that a goal needs. A coordinate that does not
   affect the goal can free it: f = j1 + j2 ≤ 0.5, with the goal on the first link. If the follower
   does not block the motion, that coordinate stays. */
TD_TEST(others_free_a_follower)
{
    static const double line[] = {0, 1};
    td_builder *builder = chain_begin();
    for (int i = 0; i < 3; i++)
        add_hinge(builder, i, z_axis, i == 2 ? -0.5 : -3, i == 2 ? 0.5 : 3, NULL, 1, 0);
    const td_curve curves[] = {curve_polynomial("j1", 2, line), curve_polynomial("j2", 2, line)};
    curve_follow(builder, "j3", curves, 2, 0);
    td_model *model = model_of_builder(builder, NULL);
    td_workspace *w = test_workspace(model);
    td_ik_goal goal = td_ik_goal_default(TD_IK_ORIENTATION, 1);
    td_ik *ik = ik_of(model, &goal, 1, NULL);
    td_ik_rate *rate = ik_rate_of(model, &goal, 1, NULL);
    const double seed[2] = {0.2, 0.3}, step = td_ik_rate_options_default().step;
    for (int side = -1; side <= 1; side += 2) {
        const double angle = 0.2 + 0.4 * side, spin[3] = {0, 0, 0.7 * side};
        const double target[4] = {0, 0, sin(angle / 2), cos(angle / 2)};
        td_ik_result result = {.size_of = sizeof result};
        td_ik_rate_result moved = {.size_of = sizeof moved};
        double y[2], yd[2];
        assert_ok(td_ik_solve(ik, w, target, seed, y, NULL, &result));
        ck_assert_int_eq(result.status, TD_IK_STATUS_REACHED);
        ck_assert_double_le(y[0] + y[1], 0.5 + 1e-9 * 1.5);
        ck_assert(side > 0 ? y[1] < 0 : y[1] == seed[1]);
        assert_ok(td_ik_rate_solve(rate, w, seed, NULL, spin, yd, NULL, NULL, &moved));
        ck_assert_int_eq(moved.status, TD_IK_RATE_STATUS_REACHED);
        ck_assert_double_le(fabs(yd[0] - spin[2]), 1e-9);
        ck_assert_double_le(step * (yd[0] + yd[1]), 1e-9);
        ck_assert(side > 0 ? yd[1] < -0.69 : fabs(yd[1]) < 1e-12);
    }
}

/* Tests a curved limit: slides x and y with a follower ±(x² + y²) stay in the unit disk. The point
   of the disk nearest to a target outside is on the rim, and the search may have to go around it.
   Steps that leave the disk return to it, so that few evaluations are needed. */
TD_LOOP_TEST(along_a_curved_limit, 0, 2)
{
    const double square[] = {0, 0, _i ? -1 : 1};
    td_builder *builder = chain_begin();
    const char *const names[] = {"x", "y", "rim"}, *const links[] = {"l0", "a", "b", "c"};
    for (int i = 0; i < 3; i++) {
        const td_link link = curve_link(links[i + 1]);
        td_joint joint = td_joint_default(names[i], TD_JOINT_PRISMATIC, links[i], links[i + 1]);
        const double axis[3] = {i == 0, i == 1, i == 2};
        memcpy(joint.axis, axis, sizeof axis);
        joint.limit.lower = i == 2 ? -1 : -3;
        joint.limit.upper = i == 2 ? 1 : 3;
        assert_ok(td_builder_add_link(builder, &link));
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    const td_curve curves[] = {curve_polynomial("x", 3, square), curve_polynomial("y", 3, square)};
    curve_follow(builder, "rim", curves, 2, 0);
    td_model *model = model_of_builder(builder, NULL);
    td_workspace *w = test_workspace(model);
    const td_ik_goal goal = td_ik_goal_default(TD_IK_POSITION, 2);
    td_ik_options options = td_ik_options_default();
    options.evaluations = 1;
    size_t evaluations = 0;
    td_ik *ik = ik_of(model, &goal, 1, &options);
    for (int k = 0; k < 40; k++) {
        const double from = 0.15 * k, to = from + 2, far = 1.5 + 0.05 * k;
        const double target[3] = {far * cos(to), far * sin(to), 0};
        const double seed[2] = {0.99 * cos(from), 0.99 * sin(from)};
        double y[2];
        td_ik_result result = {.size_of = sizeof result};
        assert_ok(td_ik_solve(ik, w, target, seed, y, NULL, &result));
        ck_assert_int_eq(result.status, TD_IK_STATUS_NEAREST);
        ck_assert_double_le(hypot(y[0] - cos(to), y[1] - sin(to)), 1e-5);
        evaluations += result.evaluations;
    }
    ck_assert_uint_le(evaluations, 40 * 100);
}

/* The search ignores limits that do not affect the goal. The follower of other joints stays beyond
   its limit, where the seed put it. */
TD_TEST(followers_elsewhere)
{
    static const double line[] = {0, 1}, bent[] = {0, 1, 0.1};
    td_builder *builder = chain_begin();
    for (int i = 0; i < 4; i++)
        add_hinge(builder, i, z_axis, i == 3 ? 0.5 : -1, 1, NULL, 1, 0);
    const td_curve curves[] = {curve_polynomial("j2", 2, line), curve_polynomial("j3", 3, bent)};
    curve_follow(builder, "j4", curves, 2, 0);
    td_model *model = model_of_builder(builder, NULL);
    td_workspace *w = test_workspace(model);
    const td_ik_goal goal = td_ik_goal_default(TD_IK_ORIENTATION, 1);
    td_ik *ik = ik_of(model, &goal, 1, NULL);
    const double target[4] = {0, 0, sin(0.2), cos(0.2)}, seed[3] = {0, -0.3, 0.1};
    td_ik_result result = {.size_of = sizeof result};
    double y[3];
    assert_ok(td_ik_solve(ik, w, target, seed, y, NULL, &result));
    ck_assert_int_eq(result.status, TD_IK_STATUS_REACHED);
    ck_assert(y[1] == seed[1] && y[2] == seed[2]);
}

/* ---- configurations in which loops cannot close ---------------------------------------------- */

/* A four-bar (legs of one and two hinges) or a five-bar (two and two) in the plane: lengths of the
   first and second leg, distance of their pivots, and angles of the hinges on the ground. */
typedef struct linkage {
    double first[2], second[2], way, angle[2];
    bool five;
} linkage;

static void add_leg_joint(td_builder *builder, const char *name, const char *parent, double x,
                          double turn, bool independent)
{
    const td_link link = curve_link(name);
    td_joint joint = td_joint_default(name, TD_JOINT_CONTINUOUS, parent, name);
    memcpy(joint.axis, z_axis, sizeof joint.axis);
    joint.origin.position[0] = x;
    td_rotation_from_rpy(0, 0, turn, joint.origin.rotation);
    joint.independent = independent;
    assert_ok(td_builder_add_link(builder, &link));
    assert_ok(td_builder_add_joint(builder, &joint));
}

static td_model *linkage_model(const linkage *l)
{
    const double *a = l->angle, r = l->first[1], s = l->five ? l->second[1] : l->second[0];
    const double p[2] = {l->first[0] * cos(a[0]), l->first[0] * sin(a[0])};
    const double e[2] = {l->way + (l->five ? l->second[0] * cos(a[1]) : 0),
                         l->five ? l->second[0] * sin(a[1]) : 0};
    const double way = hypot(e[0] - p[0], e[1] - p[1]), t = (r * r - s * s + way * way) / (2 * way);
    const double h = sqrt(r * r - t * t), u[2] = {(e[0] - p[0]) / way, (e[1] - p[1]) / way};
    const double tip[2] = {p[0] + t * u[0] - h * u[1], p[1] + t * u[1] + h * u[0]};
    const double at_tip[2] = {atan2(tip[1] - p[1], tip[0] - p[0]),
                              atan2(tip[1] - e[1], tip[0] - e[0])};
    td_builder *builder = chain_begin();
    add_leg_joint(builder, "a", "l0", 0, a[0], true);
    add_leg_joint(builder, "b", "a", l->first[0], at_tip[0] - a[0], false);
    add_leg_joint(builder, "d", "l0", l->way, l->five ? a[1] : at_tip[1], l->five);
    if (l->five)
        add_leg_joint(builder, "e", "d", l->second[0], at_tip[1] - a[1], false);
    td_loop loop = td_loop_default("pin", "b", l->five ? "e" : "d");
    memcpy(loop.axis, z_axis, sizeof loop.axis);
    loop.predecessor_origin.position[0] = r;
    loop.successor_origin.position[0] = s;
    assert_ok(td_builder_add_loop(builder, &loop));
    return model_of_builder(builder, NULL);
}

/* Geometry limits a crank to a range of angles. The nearest posture for goals beyond it is at an
   end of this range. */
TD_TEST(nearest_where_a_crank_ends)
{
    const linkage l = {.first = {0.9, 0.5}, .second = {0.8}, .way = 1, .angle = {0.8}};
    const double ends[2] = {acos((1 + 0.81 - 0.09) / 1.8), acos((1 + 0.81 - 1.69) / 1.8)};
    td_model *model = linkage_model(&l);
    td_workspace *w = test_workspace(model);
    td_ik_goal goal = td_ik_goal_default(TD_IK_POSITION, td_link_index(model, "a"));
    goal.point[0] = 0.9;
    td_ik *ik = ik_of(model, &goal, 1, NULL);
    for (int k = 0; k < 20; k++) {
        const int side = k % 2;
        const double angle = ends[side] + (side ? 1 : -1) * (1e-4 + 0.05 * k);
        const double far = 0.5 + 0.1 * k, target[3] = {far * cos(angle), far * sin(angle), 1};
        double y;
        td_ik_result result = {.size_of = sizeof result};
        assert_ok(td_ik_solve(ik, w, target, NULL, &y, NULL, &result));
        ck_assert_int_eq(result.status, TD_IK_STATUS_NEAREST);
        ck_assert_double_le(fabs(y + l.angle[0] - ends[side]), 1e-6);
    }
}

/* Returns the distance between a point of a link and a target at y, following the closure from a
   remembered state. Returns infinity if the loops do not close. */
static double way_to(const td_model *model, td_workspace *w, const td_ik_goal *goal,
                     const double *memory, const double *y, const double *target)
{
    double poses[5 * 12], square = 0;
    td_closure_recall(model, w, memory);
    if (td_link_poses(model, w, y, poses) != TD_OK)
        return INFINITY;
    for (int i = 0; i < 3; i++) {
        const double *row = poses + 12 * goal->link + 4 * i;
        square += pow(row[0] * goal->point[0] + row[3] - target[i], 2);
    }
    return sqrt(square);
}

/* No posture close to the result is nearer to the target: random steps that keep the loops closed
   find none. */
TD_LOOP_TEST(nearest_where_a_plane_ends, 0, 2)
{
    static const char *const links[] = {"a", "b"};
    const linkage l = {
        .first = {0.5, 0.6}, .second = {0.5, 0.6}, .way = 0.4, .angle = {2, 1}, .five = true};
    td_model *model = linkage_model(&l);
    td_workspace *w = test_workspace(model);
    td_ik_goal goal = td_ik_goal_default(TD_IK_POSITION, td_link_index(model, links[_i]));
    goal.point[0] = l.first[_i];
    td_random random = {5};
    td_ik *ik = ik_of(model, &goal, 1, NULL);
    for (int k = 0; k < 20; k++) {
        const double target[3] = {1.2 * td_random_number(&random), 1.2 * td_random_number(&random)};
        double y[2], near[2], left[2], q[4], memory[4];
        td_ik_result result = {.size_of = sizeof result};
        td_closure_start(model, w, NULL);
        assert_ok(td_ik_solve(ik, w, target, NULL, y, left, &result));
        ck_assert_int_ne(result.status, TD_IK_STATUS_OPEN);
        assert_ok(td_closure_start(model, w, td_ik_q(ik)));
        assert_ok(td_closure(model, w, y, NULL, NULL, q, NULL, NULL));
        assert_ok(td_closure_remember(model, w, memory));
        double best = left[0];
        for (double length = 0.1; length > 1e-5; length *= 0.95)
            for (int n = 0; n < 8; n++) {
                for (int i = 0; i < 2; i++)
                    near[i] = y[i] + length * td_random_number(&random);
                const double way = way_to(model, w, &goal, memory, near, target);
                if (way < best) {
                    best = way;
                    memcpy(y, near, sizeof y);
                    td_closure_remember(model, w, memory);
                }
            }
        ck_assert_double_le(left[0], best + 1e-5);
    }
}
