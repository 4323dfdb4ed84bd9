/* SPDX-License-Identifier: MIT */
/*
 * Tests inverse kinematics. Solutions for reachable poses are checked by forward kinematics and
 * limits. Nearest postures are compared with a search that uses forward kinematics only. Each kind
 * of goal is compared with its formula, secondary goals with the conditions of a constrained
 * minimum. Also tests whole turns, seeds, rows and statuses.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "functions.h"
#include "loop_robots.h"
#include "td_test.h"

enum { MOST = 128 };

static const double pi = 3.14159265358979323846;

typedef struct fixture {
    td_model *model;
    td_workspace *w;
    size_t ny, nyd, nq;
    double y[MOST], seed[MOST], v[MOST], q[4 * MOST], target[2 * MOST], left[16];
    double *poses;
} fixture;

static fixture fixture_of(td_model *model)
{
    fixture f = {.model = model, .w = test_workspace(model)};
    ck_assert_ptr_nonnull(f.w);
    f.ny = td_ny(model), f.nyd = td_nyd(model), f.nq = td_nq(model);
    f.poses = test_calloc(12 * td_link_count(model), sizeof *f.poses);
    return f;
}

/* tests that use it run only if the build has a URDF importer */
static fixture fixture_load(const char *robot)
{
    td_model *model = NULL;
#if TANDEM_HAS_URDF
    model = td_load_robot(robot, NULL);
#endif
    ck_assert_msg(model != NULL, "%s", robot);
    return fixture_of(model);
}

static size_t link_of(const fixture *f, const char *name)
{
    const size_t link = td_link_index(f->model, name);
    ck_assert_uint_ne(link, TD_NONE);
    return link;
}

static td_ik *ik_new(const fixture *f, const td_ik_goal *goals, size_t n,
                     const td_ik_options *options)
{
    return ik_of(f->model, goals, n, options);
}

/* Computes p = pose · (point, 1). */
static void point_at(const double *pose, const double point[3], double p[3])
{
    for (int i = 0; i < 3; i++)
        p[i] = pose[4 * i] * point[0] + pose[4 * i + 1] * point[1] + pose[4 * i + 2] * point[2] +
               pose[4 * i + 3];
}

static double apart(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

/* Returns the angle between two quaternions. */
static double turned(const double *a, const double *b)
{
    double plus = 0, minus = 0;
    for (int i = 0; i < 4; i++)
        plus += (a[i] + b[i]) * (a[i] + b[i]), minus += (a[i] - b[i]) * (a[i] - b[i]);
    return 4 * asin(0.5 * sqrt(fmin(plus, minus)));
}

/* Checks that no independent joint is outside its effective limits, and no follower by more than
   the tolerance of its limits. */
static void check_limits(const fixture *f, const double *y, const double *q)
{
    for (size_t i = 0; i < td_joint_count(f->model); i++) {
        const td_joint *joint = td_joint_at(f->model, i);
        const td_joint_place place = td_joint_place_at(f->model, i);
        if (!td_joint_kind_of(joint->type)->bounded)
            continue;
        for (size_t k = 0; k < place.nq; k++) {
            const double x = q[place.q + k];
            /* a limit of a linear follower becomes one of its leader, up to rounding of the product
             */
            const bool linear = place.cluster == TD_NONE && place.terms == 1 &&
                                place.leader != TD_NONE &&
                                !td_joint_place_at(f->model, place.leader).dependent;
            const double part = !place.dependent && !place.dependents ? 0
                                : linear                              ? 4 * DBL_EPSILON
                                                                      : 1e-9;
            const double rounding = part * (1 + fabs(x));
            ck_assert(!(x < joint->limit.lower - rounding || x > joint->limit.upper + rounding));
        }
        const td_effective_limit limit = td_effective_limit_at(f->model, i);
        for (size_t k = 0; k < place.ny; k++)
            ck_assert(y[place.y + k] >= limit.lower && y[place.y + k] <= limit.upper);
    }
}

/* ---- reachable poses ------------------------------------------------------------------------- */

static const struct {
    const char *robot, *link;
    td_ik_kind kind;
    double spread; /* fraction of the limits */
    int cases;
} reachable[] = {
    {"arm7.urdf", "tool_tip", TD_IK_POSE, 1, 400},
    {"humanoid.urdf", "left_hand", TD_IK_POSE, 1, 300},
    {"hand_a.urdf", "tip", TD_IK_POSITION, 1, 300},
    {"cam_finger.urdf", "nail", TD_IK_POSITION, 1, 300},
    {"capaman.urdf", "platform", TD_IK_POSE, 0.3, 100},
    {"linear_leg.urdf", "foot", TD_IK_POSE, 0.4, 100},
    {"stewart.urdf", "platform_2", TD_IK_POSE, 0.1, 30},
    {"gripper.urdf", NULL, TD_IK_POSE, 1, 50}, /* the last link */
};

/* Returns whether a link moves along velocity i, by finite differences. */
static bool moves(fixture *f, size_t link, const double *y, size_t i)
{
    double near[MOST], pose[12];
    memset(f->v, 0, sizeof f->v);
    f->v[i] = 1e-3;
    assert_ok(td_link_poses(f->model, f->w, y, f->poses));
    memcpy(pose, f->poses + 12 * link, sizeof pose);
    td_integrate(f->model, TD_COORDINATES_INDEPENDENT, y, f->v, 1, near);
    if (td_link_poses(f->model, f->w, near, f->poses) != TD_OK)
        return true;
    return td_largest_difference(12, pose, f->poses + 12 * link) > 1e-10;
}

TD_LOOP_TEST(poses_are_reached, 0, TANDEM_HAS_URDF *(sizeof reachable / sizeof *reachable))
{
    fixture f = fixture_load(reachable[_i].robot);
    const size_t link =
        reachable[_i].link ? link_of(&f, reachable[_i].link) : td_link_count(f.model) - 1;
    const td_ik_goal goal = td_ik_goal_default(reachable[_i].kind, link);
    td_ik *ik = ik_new(&f, &goal, 1, NULL);
    uint64_t random = 7;
    double reference[MOST];
    int solved = 0, of = 0;
    memcpy(reference, td_reference(f.model, TD_COORDINATES_INDEPENDENT),
           td_ny(f.model) * sizeof *reference);
    for (int n = 0; n < reachable[_i].cases; n++) {
        td_random_configuration(f.model, TD_COORDINATES_INDEPENDENT, &random, f.y);
        td_difference(f.model, TD_COORDINATES_INDEPENDENT, reference, f.y, f.v);
        td_integrate(f.model, TD_COORDINATES_INDEPENDENT, reference, f.v, reachable[_i].spread,
                     f.y);
        td_closure_start(f.model, f.w, NULL);
        if (td_link_poses(f.model, f.w, f.y, f.poses) != TD_OK)
            continue;
        if (td_closure(f.model, f.w, f.y, NULL, NULL, f.q, NULL, NULL) != TD_OK)
            continue;
        bool within = true;
        for (size_t i = 0; i < td_joint_count(f.model); i++) {
            const td_joint_place place = td_joint_place_at(f.model, i);
            const td_joint *joint = td_joint_at(f.model, i);
            if (td_joint_kind_of(joint->type)->bounded && place.nq == 1)
                within = within && !(f.q[place.q] < joint->limit.lower) &&
                         !(f.q[place.q] > joint->limit.upper);
        }
        if (!within)
            continue;
        of++;
        td_pose_split(f.poses + 12 * link, f.target, f.target + 3);
        memcpy(f.seed, reference, sizeof reference);
        td_ik_result result = {.size_of = sizeof result};
        assert_ok(td_ik_solve(ik, f.w, f.target, f.seed, f.y, f.left, &result));
        check_limits(&f, f.y, td_ik_q(ik));
        if (result.status != TD_IK_STATUS_REACHED)
            continue;
        solved++;
        double p[7];
        assert_ok(td_closure_start(f.model, f.w, td_ik_q(ik)));
        assert_ok(td_link_poses(f.model, f.w, f.y, f.poses));
        td_pose_split(f.poses + 12 * link, p, p + 3);
        ck_assert_double_le(apart(p, f.target), 1.0001e-6);
        ck_assert_double_le(fabs(apart(p, f.target) - f.left[0]), 1e-9);
        if (reachable[_i].kind == TD_IK_POSE) {
            ck_assert_double_le(turned(p + 3, f.target + 3), 1.0001e-6);
            ck_assert_double_le(fabs(turned(p + 3, f.target + 3) - f.left[1]), 1e-9);
        }
        for (size_t i = 0; i < f.nyd && n < 5 && f.ny == f.nyd; i++)
            if (!moves(&f, link, f.y, i) && !moves(&f, link, reference, i))
                ck_assert(f.y[i] == reference[i]);
    }
    ck_assert_int_ge(of, reachable[_i].cases / 3);
    ck_assert_int_eq(solved, of);
}

/* ---- nearest postures ------------------------------------------------------------------------ */

/* Computes |p − p*|² + |log(R R*ᵀ)|² by forward kinematics. */
static double cost_of(fixture *f, size_t link, const double *y, const double *target)
{
    double p[7];
    assert_ok(td_moving_link_poses(f->model, f->w, y, f->poses));
    for (size_t i = 0; i < td_movable_count(f->model); i++)
        if (td_joint_place_at(f->model, td_movable_joint(f->model, i)).child_link == link)
            td_pose_split(f->poses + 12 * i, p, p + 3);
    const double way = apart(p, target), turn = turned(p + 3, target + 3);
    return way * way + turn * turn;
}

/* Descends within limits, along one coordinate at a time with shrinking steps, and along the total
   motion of the previous round. */
static double descend(fixture *f, size_t link, double *y, const double *target)
{
    double best = cost_of(f, link, y, target), length = 0.5, other[MOST], last[MOST];
    while (length > 2e-5) {
        const double before = best;
        memcpy(last, y, sizeof last);
        for (size_t i = 0; i <= f->ny; i++)
            for (int sign = -1; sign <= 1; sign += 2) {
                for (size_t k = 0; k < f->ny; k++) {
                    const td_effective_limit limit =
                        td_effective_limit_at(f->model, td_independent_joint(f->model, k));
                    const double step = i == f->ny ? y[k] - last[k] : k == i ? length : 0;
                    other[k] = fmin(fmax(y[k] + sign * step, limit.lower), limit.upper);
                }
                const double cost = cost_of(f, link, other, target);
                if (cost < best) {
                    best = cost;
                    memcpy(y, other, sizeof other);
                }
            }
        if (!(best < before * (1 - 1e-3)))
            length *= 0.5;
    }
    return best;
}

TD_LOOP_TEST(nearest_postures, 0, TANDEM_HAS_URDF * 8)
{
    fixture f = fixture_load("arm7.urdf");
    const size_t link = link_of(&f, "link_7");
    const td_ik_goal goal = td_ik_goal_default(TD_IK_POSE, link);
    td_ik *ik = ik_new(&f, &goal, 1, NULL);
    uint64_t random = (uint64_t)(100 + _i);
    td_random draw = {(uint64_t)(40 + _i)};
    td_random_configuration(f.model, TD_COORDINATES_INDEPENDENT, &random, f.y);
    assert_ok(td_link_poses(f.model, f.w, f.y, f.poses));
    td_pose_split(f.poses + 12 * link, f.target, f.target + 3);
    for (int i = 0; i < 3; i++)
        f.target[i] = f.target[i] * 2.5 + td_random_number(&draw);
    td_ik_result result = {.size_of = sizeof result};
    assert_ok(td_ik_solve(ik, f.w, f.target, NULL, f.y, f.left, &result));
    ck_assert_int_eq(result.status, TD_IK_STATUS_NEAREST);
    const double found = cost_of(&f, link, f.y, f.target);
    ck_assert_double_le(fabs(found - f.left[0] * f.left[0] - f.left[1] * f.left[1]), 1e-9 * found);
    double least = INFINITY;
    for (int start = 0; start < 150; start++) {
        td_random_configuration(f.model, TD_COORDINATES_INDEPENDENT, &random, f.seed);
        least = fmin(least, descend(&f, link, f.seed, f.target));
    }
    ck_assert_double_le(found, least * (1 + 1e-7));
    td_closure(f.model, f.w, f.y, NULL, NULL, f.q, NULL, NULL);
    check_limits(&f, f.y, f.q);
}

/* Targets pull a robot to and beyond its limits. No joint passes its limit, and no nearby posture
   within limits is better. */
static const struct {
    const char *robot, *link;
    double far; /* m */
    int cases;
    int followers; /* in at least this many cases a follower is at its limit */
} pulled[] = {
    {"linear_leg.urdf", "foot", 0.3, 20, 0},
    {"capaman.urdf", "platform", 0.05, 20, 1},
    {"hand_a.urdf", "tip", 0.1, 40, 0},
    {"cam_finger.urdf", "nail", 0.1, 40, 0},
    {"gripper.urdf", NULL, 0.1, 20, 0},
    {"stewart.urdf", "platform_2", 0.2, 3, 0},
    {"five_bar.urdf", NULL, 0.3, 20, 0},
    {"recupera_shoulder.urdf", "link_600", 0.3, 20, 0},
    {NULL, "d", 2, 200, 20},
    {NULL, "d", 2, 200, 20},
};

/* Builds a planar chain of three joints. A fourth joint follows two of them, linearly or through
   curves, and has narrow limits. */
static td_model *coupled_chain(bool curved)
{
    static const char *const link[] = {"a", "b", "c", "d", "e"};
    static const char *const name[] = {"1", "2", "3", "4"};
    static const double coefficients[2][3] = {{0, 0.8, 0.4}, {0, 0.9, -0.3}};
    td_builder *builder = test_builder("chain");
    for (int i = 0; i < 5; i++) {
        td_link l = td_link_default(link[i]);
        assert_ok(td_builder_add_link(builder, &l));
    }
    for (int i = 0; i < 4; i++) {
        td_joint joint = td_joint_default(name[i], TD_JOINT_REVOLUTE, link[i], link[i + 1]);
        joint.origin.position[0] = i > 0;
        joint.axis[0] = 0, joint.axis[2] = 1;
        joint.limit.lower = i == 3 ? -0.2 : -1.5;
        joint.limit.upper = i == 3 ? 0.3 : 1.5;
        joint.limit.effort = joint.limit.velocity = 1;
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    td_curve curves[2];
    for (int i = 0; i < 2; i++) {
        curves[i] = td_curve_default(TD_CURVE_POLYNOMIAL, name[i]);
        curves[i].coefficient = coefficients[i];
        curves[i].coefficients = curved ? 3 : 2;
    }
    td_follower follower = td_follower_default(name[3]);
    follower.curve = curves;
    follower.curves = 2;
    assert_ok(td_builder_add_follower(builder, &follower));
    return model_of_builder(builder, NULL);
}

static double way_to(fixture *f, size_t link, const double *y, const double *target)
{
    double p[7];
    if (td_link_poses(f->model, f->w, y, f->poses) != TD_OK)
        return INFINITY;
    td_pose_split(f->poses + 12 * link, p, p + 3);
    return apart(p, target);
}

static bool is_within(const fixture *f, const double *q)
{
    for (size_t i = 0; i < td_joint_count(f->model); i++) {
        const td_joint_place place = td_joint_place_at(f->model, i);
        const td_joint *joint = td_joint_at(f->model, i);
        for (size_t k = 0; k < place.nq && td_joint_kind_of(joint->type)->bounded; k++)
            if (q[place.q + k] < joint->limit.lower || q[place.q + k] > joint->limit.upper)
                return false;
    }
    return true;
}

/* Tests limits of a mimic joint whose leader is determined by a loop, and two limits that
   contradict each other. */
TD_LOOP_TEST(limits_of_what_follows_loops, 0, 2)
{
    td_builder *builder = chain_of_four_bars(1, CHAIN_OF_CRANK_ROCKERS);
    for (int k = 0; k <= _i; k++) {
        td_link flag = td_link_default(k ? "second" : "flag");
        td_joint joint =
            td_joint_default(k ? "other" : "wave", TD_JOINT_REVOLUTE, "base", flag.name);
        joint.axis[0] = 0, joint.axis[2] = 1;
        joint.mimic = _i ? "crank0" : "rocker0";
        joint.multiplier = 2;
        joint.limit.lower = _i ? 0.1 + 0.4 * k : -0.05;
        joint.limit.upper = _i ? 0.2 + 0.4 * k : 0.05;
        joint.limit.effort = joint.limit.velocity = 1;
        assert_ok(td_builder_add_link(builder, &flag));
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    td_model *model = robot_for(builder, TD_BASE_FIXED, NULL);
    fixture f = fixture_of(model);
    td_ik_goal goal = td_ik_goal_default(TD_IK_POSITION, link_of(&f, "flag"));
    goal.point[0] = 1;
    td_ik *ik = ik_new(&f, &goal, 1, NULL);
    for (int side = -1; side <= 1; side += 2) {
        td_ik_result result = {.size_of = sizeof result};
        f.target[0] = cos(0.4 * side), f.target[1] = sin(0.4 * side), f.target[2] = 0;
        assert_ok(td_ik_solve(ik, f.w, f.target, NULL, f.y, f.left, &result));
        ck_assert_int_eq(result.status, _i ? TD_IK_STATUS_OPEN : TD_IK_STATUS_NEAREST);
        if (_i)
            continue;
        check_limits(&f, f.y, td_ik_q(ik));
        const double x = td_ik_q(ik)[td_joint_place_at(model, td_joint_index(model, "wave")).q];
        ck_assert_double_le(fabs(x - 0.05 * side), 1e-6);
    }
}

TD_LOOP_TEST(limits_are_kept, 0, TANDEM_HAS_URDF *(sizeof pulled / sizeof *pulled))
{
    fixture f =
        pulled[_i].robot ? fixture_load(pulled[_i].robot) : fixture_of(coupled_chain(_i % 2));
    const size_t link = pulled[_i].link ? link_of(&f, pulled[_i].link) : td_link_count(f.model) - 1;
    const td_ik_goal goal = td_ik_goal_default(TD_IK_POSITION, link);
    td_ik_options options = td_ik_options_default();
    options.evaluations = pulled[_i].robot ? 500 : options.evaluations;
    td_ik *ik = ik_new(&f, &goal, 1, &options);
    td_random random = {3};
    double home[7], near[MOST];
    int followers = 0;
    for (int n = 0; n < pulled[_i].cases; n++) {
        memcpy(f.seed, td_reference(f.model, TD_COORDINATES_INDEPENDENT),
               td_ny(f.model) * sizeof *f.seed);
        td_closure_start(f.model, f.w, NULL);
        assert_ok(td_link_poses(f.model, f.w, f.seed, f.poses));
        td_pose_split(f.poses + 12 * link, home, home + 3);
        for (int i = 0; i < 3; i++)
            f.target[i] = home[i] + pulled[_i].far * td_random_number(&random);
        td_ik_result result = {.size_of = sizeof result};
        assert_ok(td_ik_solve(ik, f.w, f.target, NULL, f.y, f.left, &result));
        ck_assert_int_ne(result.status, TD_IK_STATUS_OPEN);
        const double *q = td_ik_q(ik);
        check_limits(&f, f.y, q);
        for (size_t i = 0; i < td_joint_count(f.model); i++) {
            const td_joint_place place = td_joint_place_at(f.model, i);
            const td_limit limit = td_joint_at(f.model, i)->limit;
            if (place.dependent && place.nq == 1)
                followers += fmin(q[place.q] - limit.lower, limit.upper - q[place.q]) < 1e-9;
        }
        assert_ok(td_closure_start(f.model, f.w, q));
        const double left = way_to(&f, link, f.y, f.target);
        ck_assert_double_le(fabs(left - f.left[0]), 1e-9);
        for (int k = 0; k < 40 && result.status == TD_IK_STATUS_NEAREST; k++) {
            td_random_fill(&random, f.nyd, f.v);
            td_integrate(f.model, TD_COORDINATES_INDEPENDENT, f.y, f.v, 1e-4, near);
            for (size_t j = 0; j < td_independent_count(f.model); j++) {
                const size_t joint = td_independent_joint(f.model, j);
                const td_joint_place place = td_joint_place_at(f.model, joint);
                const td_effective_limit limit = td_effective_limit_at(f.model, joint);
                for (size_t i = 0; i < place.ny && place.nq == place.nv; i++)
                    near[place.y + i] = fmin(fmax(near[place.y + i], limit.lower), limit.upper);
            }
            if (td_closure(f.model, f.w, near, NULL, NULL, f.q, NULL, NULL) == TD_OK &&
                is_within(&f, f.q))
                ck_assert_double_le(left, way_to(&f, link, near, f.target) + 1e-9);
        }
    }
    ck_assert_int_ge(followers, pulled[_i].followers);
}

/* ---- kinds of goals -------------------------------------------------------------------------- */

static const double point[3] = {0.02, -0.03, 0.05}, other_point[3] = {0.1, 0.04, -0.02};

/* Returns the residual of a goal, m or rad, by its definition from poses of links and the center of
   mass. */
static double left_of(const td_ik_goal *goal, const double *poses, const double *com,
                      const double *target)
{
    const double *pose = poses + 12 * goal->link;
    double p[3], other[3], a[3], along = 0, dot = 0, square = 0, length = 0;
    point_at(pose, goal->point, p);
    switch (goal->kind) {
    case TD_IK_POSITION:
        return apart(p, target);
    case TD_IK_AXIS:
        for (int i = 0; i < 3; i++) {
            a[i] = pose[4 * i] * goal->axis[0] + pose[4 * i + 1] * goal->axis[1] +
                   pose[4 * i + 2] * goal->axis[2];
            dot += a[i] * target[i], square += a[i] * a[i], length += target[i] * target[i];
        }
        return acos(fmin(dot / sqrt(square * length), 1));
    case TD_IK_LINE:
    case TD_IK_PLANE:
        for (int i = 0; i < 3; i++)
            along += (p[i] - target[i]) * target[3 + i], length += target[3 + i] * target[3 + i];
        along /= sqrt(length);
        square = apart(p, target) * apart(p, target) - along * along;
        return goal->kind == TD_IK_PLANE ? fabs(along) : sqrt(fmax(square, 0));
    case TD_IK_DISTANCE:
        if (goal->other_link == TD_NONE)
            memcpy(other, goal->other_point, sizeof other);
        else
            point_at(poses + 12 * goal->other_link, goal->other_point, other);
        return fabs(apart(p, other) - target[0]);
    case TD_IK_CENTER_OF_MASS:
        return apart(com, target);
    default:
        return INFINITY;
    }
}

static const struct {
    const char *robot, *link, *other;
    td_ik_kind kind;
    double target[6];
} kinds[] = {
    {"arm7.urdf", "tool", NULL, TD_IK_POSITION, {0.3, 0.2, 0.5}},
    {"arm7.urdf", "tool", NULL, TD_IK_AXIS, {1, -2, 0.5}},
    {"arm7.urdf", "tool", NULL, TD_IK_LINE, {0.3, 0, 0.4, 0, 2, 1}},
    {"arm7.urdf", "tool", NULL, TD_IK_PLANE, {0, 0, 0.35, 0.1, 0, 3}},
    {"arm7.urdf", "tool", NULL, TD_IK_DISTANCE, {0.45}},
    {"arm7.urdf", "tool", "link_2", TD_IK_DISTANCE, {0.4}},
    {"arm7.urdf", "tool", "link_2", TD_IK_DISTANCE, {0.33}},
    {"humanoid.urdf", "left_hand", "right_hand", TD_IK_DISTANCE, {0.12}},
    {"humanoid.urdf", NULL, NULL, TD_IK_CENTER_OF_MASS, {0.02, 0.01, 0}},
};

TD_LOOP_TEST(kinds_of_goals, 0, TANDEM_HAS_URDF *(sizeof kinds / sizeof *kinds))
{
    fixture f = fixture_load(kinds[_i].robot);
    const bool com_goal = kinds[_i].kind == TD_IK_CENTER_OF_MASS;
    td_ik_goal goal =
        td_ik_goal_default(kinds[_i].kind, com_goal ? 0 : link_of(&f, kinds[_i].link));
    memcpy(goal.point, point, sizeof point);
    memcpy(goal.other_point, other_point, sizeof other_point);
    goal.axis[0] = 1, goal.axis[1] = 0.5, goal.axis[2] = -3;
    goal.other_link = kinds[_i].other ? link_of(&f, kinds[_i].other) : TD_NONE;
    td_ik *ik = ik_new(&f, &goal, 1, NULL);
    memcpy(f.target, kinds[_i].target, sizeof kinds[_i].target);
    double com[3];
    memcpy(f.seed, td_reference(f.model, TD_COORDINATES_INDEPENDENT),
           td_ny(f.model) * sizeof *f.seed);
    if (com_goal) { /* near the current one */
        assert_ok(td_center_of_mass(f.model, f.w, f.seed, TD_SCOPE_ALL, com));
        for (int i = 0; i < 3; i++)
            f.target[i] += com[i];
    }
    for (int n = 0; n < 20; n++) {
        uint64_t random = (uint64_t)n;
        if (n > 0 && !com_goal)
            td_random_configuration(f.model, TD_COORDINATES_INDEPENDENT, &random, f.seed);
        td_ik_result result = {.size_of = sizeof result};
        assert_ok(td_ik_solve(ik, f.w, f.target, f.seed, f.y, f.left, &result));
        ck_assert_int_eq(result.status, TD_IK_STATUS_REACHED);
        assert_ok(td_link_poses(f.model, f.w, f.y, f.poses));
        assert_ok(td_center_of_mass(f.model, f.w, f.y, TD_SCOPE_ALL, com));
        const double left = left_of(&goal, f.poses, com, f.target);
        ck_assert_double_le(left, 1.01e-6);
        ck_assert_double_le(fabs(left - f.left[goal.kind == TD_IK_AXIS]), 3e-8);
        ck_assert(f.left[goal.kind != TD_IK_AXIS] == 0);
    }
}

/* Tests a frame that is rotated against its link. A position and an orientation goal on it are
   equivalent to its pose goal. */
TD_LOOP_TEST(frames_and_sums, 0, TANDEM_HAS_URDF)
{
    fixture f = fixture_load("arm7.urdf");
    const size_t link = link_of(&f, "tool");
    td_ik_goal goals[3] = {td_ik_goal_default(TD_IK_POSE, link),
                           td_ik_goal_default(TD_IK_POSITION, link),
                           td_ik_goal_default(TD_IK_ORIENTATION, link)};
    const double turn[4] = {0.5, -0.5, 0.1, sqrt(0.49)};
    for (int i = 0; i < 3; i++) {
        memcpy(goals[i].turn, turn, sizeof turn);
        memcpy(goals[i].point, point, sizeof point);
    }
    td_ik *one = ik_new(&f, goals, 1, NULL), *sum = ik_new(&f, goals + 1, 2, NULL);
    ck_assert_uint_eq(td_ik_target_count(one), 7);
    ck_assert_uint_eq(td_ik_target_count(sum), 7);
    ck_assert_uint_eq(td_ik_goal_count(sum), 2);
    uint64_t random = 3;
    for (int n = 0; n < 50; n++) {
        double R[9], frame[12], other[MOST];
        td_random_configuration(f.model, TD_COORDINATES_INDEPENDENT, &random, f.y);
        assert_ok(td_link_poses(f.model, f.w, f.y, f.poses));
        td_rotation_from_quaternion(turn, R);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                frame[4 * i + j] = 0;
                for (int k = 0; k < 3; k++)
                    frame[4 * i + j] +=
                        f.poses[12 * link + 4 * (size_t)i + (size_t)k] * R[3 * k + j];
            }
        td_pose_split(frame, f.target, f.target + 3);
        point_at(f.poses + 12 * link, point, f.target);
        td_ik_result a = {.size_of = sizeof a}, b = a;
        assert_ok(td_ik_solve(one, f.w, f.target, NULL, f.y, f.left, &a));
        assert_ok(td_ik_solve(sum, f.w, f.target, NULL, other, f.left + 2, &b));
        ck_assert_int_eq(a.status, TD_IK_STATUS_REACHED);
        ck_assert_int_eq(b.status, TD_IK_STATUS_REACHED);
        td_assert_close(f.ny, f.y, other, 1e-9, 1);
        ck_assert_double_le(fabs(f.left[0] - f.left[2]) + fabs(f.left[1] - f.left[5]), 1e-9);
    }
}

/* ---- secondary goals ------------------------------------------------------------------------- */

/* Tests a required point with a desired posture. y − y* is orthogonal to all motions that keep the
   point, except at limits, where it points outward. */
TD_LOOP_TEST(wishes_are_least_squares, 0, TANDEM_HAS_URDF * 2)
{
    fixture f = fixture_load("arm7.urdf");
    const size_t link = link_of(&f, "tool");
    td_ik_goal goals[2] = {td_ik_goal_default(TD_IK_POSITION, link),
                           td_ik_goal_default(TD_IK_POSTURE, 0)};
    goals[1].required = false;
    goals[1].weight = goals[1].turn_weight = _i ? 3 : 0.1;
    td_ik *ik = ik_new(&f, goals, 2, NULL);
    uint64_t random = 5;
    int inner = 0;
    for (int n = 0; n < 40; n++) {
        double J[6 * 7], r[7], Q[3][7];
        td_random_configuration(f.model, TD_COORDINATES_INDEPENDENT, &random, f.y);
        assert_ok(td_link_poses(f.model, f.w, f.y, f.poses));
        for (int i = 0; i < 3; i++)
            f.target[i] = f.poses[12 * link + 4 * (size_t)i + 3];
        td_random_configuration(f.model, TD_COORDINATES_INDEPENDENT, &random, f.target + 3);
        for (int i = 0; i < 7; i++)
            f.target[3 + i] *= 0.7;
        td_ik_result result = {.size_of = sizeof result};
        assert_ok(td_ik_solve(ik, f.w, f.target, NULL, f.y, f.left, &result));
        ck_assert_int_eq(result.status, TD_IK_STATUS_REACHED);
        ck_assert_double_le(f.left[0], 1e-6);
        assert_ok(td_link_jacobian(f.model, f.w, link, NULL, f.y, TD_FRAME_ALIGNED, J));
        bool at_limit = false;
        for (size_t i = 0; i < 7; i++) {
            const td_effective_limit limit =
                td_effective_limit_at(f.model, td_independent_joint(f.model, i));
            at_limit = at_limit || f.y[i] == limit.lower || f.y[i] == limit.upper;
            r[i] = f.y[i] - f.target[3 + i];
        }
        ck_assert_double_le(fabs(sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3] +
                                      r[4] * r[4] + r[5] * r[5] + r[6] * r[6]) -
                                 f.left[3]),
                            1e-12);
        if (at_limit)
            continue;
        inner++;
        for (int i = 0; i < 3; i++) { /* Gram-Schmidt, twice */
            memcpy(Q[i], J + 7 * (3 + i), sizeof Q[i]);
            for (int k = 0; k < 2 * i; k++) {
                double dot = 0;
                for (int j = 0; j < 7; j++)
                    dot += Q[i][j] * Q[k % i][j];
                for (int j = 0; j < 7; j++)
                    Q[i][j] -= dot * Q[k % i][j];
            }
            double square = 0, along = 0;
            for (int j = 0; j < 7; j++)
                square += Q[i][j] * Q[i][j];
            for (int j = 0; j < 7; j++) {
                Q[i][j] /= sqrt(square);
                along += Q[i][j] * r[j];
            }
            for (int j = 0; j < 7; j++)
                r[j] -= along * Q[i][j];
        }
        ck_assert_double_le(td_largest(7, r), 1e-5);
    }
    ck_assert_int_ge(inner, 10);
}

/* ---- turns, seeds, rows ---------------------------------------------------------------------- */

/* Builds a planar chain of three continuous joints. A fourth joint follows the third. */
static td_model *continuous_chain(void)
{
    static const char *const link[] = {"a", "b", "c", "d", "e"};
    static const char *const name[] = {"1", "2", "3", "4"};
    td_builder *builder = test_builder("chain");
    for (int i = 0; i < 5; i++) {
        td_link l = td_link_default(link[i]);
        assert_ok(td_builder_add_link(builder, &l));
    }
    for (int i = 0; i < 4; i++) {
        td_joint joint = td_joint_default(name[i], TD_JOINT_CONTINUOUS, link[i], link[i + 1]);
        joint.origin.position[0] = i > 0;
        joint.axis[0] = 0, joint.axis[2] = 1;
        joint.mimic = i == 3 ? name[2] : NULL;
        joint.multiplier = 0.5;
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    return model_of_builder(builder, NULL);
}

TD_TEST(turns_are_next_to_the_seed)
{
    fixture f = fixture_of(continuous_chain());
    const td_ik_goal goal = td_ik_goal_default(TD_IK_POSE, link_of(&f, "d"));
    td_ik *ik = ik_new(&f, &goal, 1, NULL);
    td_random random = {9};
    for (int n = 0; n < 100; n++) {
        for (int i = 0; i < 3; i++)
            f.y[i] = 3 * td_random_number(&random), f.seed[i] = 40 * td_random_number(&random);
        assert_ok(td_link_poses(f.model, f.w, f.y, f.poses));
        td_pose_split(f.poses + 12 * goal.link, f.target, f.target + 3);
        td_ik_result result = {.size_of = sizeof result};
        assert_ok(td_ik_solve(ik, f.w, f.target, f.seed, f.y, f.left, &result));
        ck_assert_int_eq(result.status, TD_IK_STATUS_REACHED);
        for (int i = 0; i < 2; i++) /* the third has a follower */
            ck_assert_double_le(fabs(f.y[i] - f.seed[i]), pi + 1e-9);
    }
}

/* Fixed coordinates stay equal to the bit, and so does a seed that is a solution already. */
TD_LOOP_TEST(held_and_seeds, 0, TANDEM_HAS_URDF)
{
    fixture f = fixture_load("arm7.urdf");
    const size_t link = link_of(&f, "tool_tip");
    const td_ik_goal goal = td_ik_goal_default(TD_IK_POSITION, link);
    unsigned char held[7] = {0, 0, 1, 0, 0, 1, 0};
    td_ik_options options = td_ik_options_default();
    options.held = held;
    td_ik *ik = ik_new(&f, &goal, 1, &options);
    memset(held, 0, sizeof held); /* the solver has copied it */
    uint64_t random = 11;
    for (int n = 0; n < 50; n++) {
        td_random_configuration(f.model, TD_COORDINATES_INDEPENDENT, &random, f.y);
        td_random_configuration(f.model, TD_COORDINATES_INDEPENDENT, &random, f.seed);
        f.y[2] = f.seed[2], f.y[5] = f.seed[5];
        assert_ok(td_link_poses(f.model, f.w, f.y, f.poses));
        td_pose_split(f.poses + 12 * link, f.target, f.left);
        td_ik_result result = {.size_of = sizeof result};
        double other[7];
        assert_ok(td_ik_solve(ik, f.w, f.target, f.y, other, NULL, &result));
        ck_assert_int_eq(memcmp(other, f.y, sizeof other), 0);
        ck_assert_uint_eq(result.iterations, 0);
        assert_ok(td_ik_solve(ik, f.w, f.target, f.seed, other, NULL, &result));
        ck_assert_int_eq(result.status, TD_IK_STATUS_REACHED);
        ck_assert(other[2] == f.seed[2] && other[5] == f.seed[5]);
    }
}

static const char *const row_robots[][2] = {{"arm7.urdf", "tool_tip"},
                                            {"stewart.urdf", "platform_2"}};

/* Rows equal single calls to the bit, whatever the workspace computed before. */
TD_LOOP_TEST(rows_are_single_calls, 0, TANDEM_HAS_URDF * 2)
{
    enum { ROWS = 6 };
    fixture f = fixture_load(row_robots[_i][0]);
    const size_t link = link_of(&f, row_robots[_i][1]), ny = f.ny;
    const td_ik_goal goal = td_ik_goal_default(TD_IK_POSE, link);
    td_ik *ik = ik_new(&f, &goal, 1, NULL);
    double targets[7 * ROWS], seeds[ROWS * MOST], y[ROWS * MOST], left[2 * ROWS], one[2];
    td_ik_result results[ROWS], result = {.size_of = sizeof result};
    uint64_t random = 21;
    memcpy(f.seed, td_reference(f.model, TD_COORDINATES_INDEPENDENT),
           td_ny(f.model) * sizeof *f.seed);
    for (size_t i = 0; i < ROWS; i++) {
        td_random_configuration(f.model, TD_COORDINATES_INDEPENDENT, &random, f.y);
        td_difference(f.model, TD_COORDINATES_INDEPENDENT, f.seed, f.y, f.v);
        td_integrate(f.model, TD_COORDINATES_INDEPENDENT, f.seed, f.v, 0.05, seeds + i * ny);
        td_integrate(f.model, TD_COORDINATES_INDEPENDENT, f.seed, f.v, 0.1, f.y);
        td_closure_start(f.model, f.w, NULL);
        assert_ok(td_link_poses(f.model, f.w, f.y, f.poses));
        td_pose_split(f.poses + 12 * link, targets + 7 * i, targets + 7 * i + 3);
    }
    for (int from = TD_IK_SEEDS_ALL; from <= TD_IK_SEEDS_BEFORE; from++) {
        results[0].size_of = sizeof result;
        assert_ok(td_ik_solve_rows(ik, f.w, ROWS, targets, (td_ik_seeds)from,
                                   from == TD_IK_SEEDS_ROWS ? seeds : NULL, y, left, results));
        for (size_t i = 0; i < ROWS; i++) {
            const double *seed = from == TD_IK_SEEDS_ROWS              ? seeds + i * ny
                                 : from == TD_IK_SEEDS_BEFORE && i > 0 ? y + (i - 1) * ny
                                                                       : NULL;
            if (i % 2)
                td_link_poses(f.model, f.w, seeds + i * ny, f.poses);
            assert_ok(td_ik_solve(ik, f.w, targets + 7 * i, seed, f.y, one, &result));
            ck_assert_int_eq(result.status, TD_IK_STATUS_REACHED);
            ck_assert_int_eq(memcmp(f.y, y + i * ny, ny * sizeof *y), 0);
            ck_assert_int_eq(memcmp(one, left + 2 * i, sizeof one), 0);
            ck_assert_int_eq(memcmp(&result, &results[i], sizeof result), 0);
        }
    }
}

/* Without memory, single calls begin at the start configuration, whatever previous calls found. */
TD_LOOP_TEST(recall_of_nothing, 0, TANDEM_HAS_URDF)
{
    fixture f = fixture_load("stewart.urdf");
    double reference[MOST], first[4 * MOST];
    uint64_t random = 2;
    memcpy(reference, td_reference(f.model, TD_COORDINATES_INDEPENDENT),
           td_ny(f.model) * sizeof *reference);
    td_random_configuration(f.model, TD_COORDINATES_INDEPENDENT, &random, f.y);
    td_difference(f.model, TD_COORDINATES_INDEPENDENT, reference, f.y, f.v);
    td_integrate(f.model, TD_COORDINATES_INDEPENDENT, reference, f.v, 0.1, f.seed);
    td_integrate(f.model, TD_COORDINATES_INDEPENDENT, reference, f.v, 0.12, f.y);
    assert_ok(td_closure(f.model, f.w, f.seed, NULL, NULL, first, NULL, NULL));
    assert_ok(td_closure(f.model, f.w, f.y, NULL, NULL, f.q, NULL, NULL));
    assert_ok(td_closure(f.model, f.w, f.seed, NULL, NULL, f.q, NULL, NULL));
    ck_assert_int_ne(memcmp(first, f.q, f.nq * sizeof *first), 0);
    assert_ok(td_closure_recall(f.model, f.w, NULL));
    assert_ok(td_closure(f.model, f.w, f.seed, NULL, NULL, f.q, NULL, NULL));
    ck_assert_int_eq(memcmp(first, f.q, f.nq * sizeof *first), 0);
}

/* ---- statuses -------------------------------------------------------------------------------- */

TD_LOOP_TEST(wrong_arguments, 0, TANDEM_HAS_URDF)
{
    fixture f = fixture_load("arm7.urdf");
    fixture another = fixture_load("gripper.urdf");
    const size_t link = link_of(&f, "tool");
    const td_ik_goal good = td_ik_goal_default(TD_IK_POSE, link);
    td_ik *ik = ik_new(&f, &good, 1, NULL), *none = ik;
    ck_assert_int_eq(test_ik_new(f.model, &good, 1, NULL, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(test_ik_new(NULL, &good, 1, NULL, &none), TD_ERROR_ARGUMENT);
    ck_assert_ptr_null(none);
    ck_assert_int_eq(test_ik_new(f.model, NULL, 1, NULL, &none), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(test_ik_new(f.model, &good, 0, NULL, &none), TD_ERROR_ARGUMENT);
    for (int k = 0; k < 9; k++) {
        td_ik_goal bad = good;
        switch (k) {
        case 0:
            bad.kind = (td_ik_kind)(TD_IK_POSTURE + 1);
            break;
        case 1:
            bad.link = td_link_count(f.model);
            break;
        case 2:
            bad.point[1] = NAN;
            break;
        case 3:
            bad.turn[3] = 2;
            break;
        case 4:
            bad.kind = TD_IK_AXIS, bad.axis[2] = 0;
            break;
        case 5:
            bad.kind = TD_IK_DISTANCE, bad.other_link = td_link_count(f.model);
            break;
        case 6:
            bad.weight = -1;
            break;
        case 7:
            bad.turn_tolerance = INFINITY;
            break;
        default:
            bad.size_of = 3;
        }
        ck_assert_int_eq(test_ik_new(f.model, &bad, 1, NULL, &none), TD_ERROR_ARGUMENT);
    }
    double y[7], left[2];
    td_ik_result result = {.size_of = sizeof result};
    const double target[7] = {0.3, 0, 0.4, 0, 0, 0, 1}, wrong[7] = {0.3, 0, 0.4, 0, 0, 0, 2},
                 nan[7] = {NAN, 0, 0, 0, 0, 0, 1};
    ck_assert_int_eq(td_ik_solve(NULL, f.w, target, NULL, y, left, &result), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_ik_solve(ik, NULL, target, NULL, y, left, &result), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_ik_solve(ik, another.w, target, NULL, y, left, &result), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_ik_solve(ik, f.w, NULL, NULL, y, left, &result), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_ik_solve(ik, f.w, target, NULL, NULL, left, &result), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_ik_solve(ik, f.w, wrong, NULL, y, left, &result), TD_ERROR_QUATERNION);
    ck_assert(isnan(y[0]) && isnan(left[1]) && isnan(td_ik_q(ik)[0]));
    ck_assert_int_eq(td_ik_solve(ik, f.w, nan, NULL, y, left, &result), TD_ERROR_NOT_FINITE);
    ck_assert_int_eq(td_ik_solve(ik, f.w, target, nan, y, left, &result), TD_ERROR_NOT_FINITE);
    result.size_of = 1;
    ck_assert_int_eq(td_ik_solve(ik, f.w, target, NULL, y, left, &result), TD_ERROR_ARGUMENT);
    assert_ok(td_ik_solve(ik, f.w, target, NULL, y, NULL, NULL));
    ck_assert_int_eq(td_ik_solve_rows(ik, f.w, 1, target, (td_ik_seeds)3, NULL, y, NULL, NULL),
                     TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_ik_solve_rows(ik, f.w, 1, target, TD_IK_SEEDS_ROWS, NULL, y, NULL, NULL),
                     TD_ERROR_ARGUMENT);
    assert_ok(td_ik_solve_rows(ik, f.w, 0, NULL, TD_IK_SEEDS_ALL, NULL, NULL, NULL, NULL));
    td_ik_free(NULL);
    ck_assert_uint_eq(td_ik_target_count(NULL), 0);
    ck_assert_ptr_null(td_ik_q(NULL));
}
