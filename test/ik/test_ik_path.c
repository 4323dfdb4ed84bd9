/* SPDX-License-Identifier: MIT */
/*
 * Tests the search for all solutions against the closed form of an arm with an offset wrist. Tests
 * paths without jumps and with an unavoidable one, and copies for other threads.
 */
#include <math.h>
#include <string.h>

#include "functions.h"
#include "td_test.h"

static const double pi = 3.14159265358979323846;

/* Denavit-Hartenberg parameters of a UR5: a along x, d along z, α about x */
static const double dh[6][3] = {{0, 0.089159, 1.5707963267948966},
                                {-0.425, 0, 0},
                                {-0.39225, 0, 0},
                                {0, 0.10915, 1.5707963267948966},
                                {0, 0.09465, -1.5707963267948966},
                                {0, 0.0823, 0}};

static td_model *arm_of(double limit)
{
    td_builder *builder = test_builder("arm");
    static const char *const link[] = {"base", "1", "2", "3", "4", "5", "6", "tool"};
    static const char *const name[] = {"a", "b", "c", "d", "e", "f", "g"};
    for (int i = 0; i < 8; i++) {
        const td_link l = td_link_default(link[i]);
        assert_ok(td_builder_add_link(builder, &l));
    }
    for (int i = 0; i < 7; i++) {
        td_joint joint = td_joint_default(name[i], i == 6 ? TD_JOINT_FIXED : TD_JOINT_REVOLUTE,
                                          link[i], link[i + 1]);
        joint.axis[0] = 0, joint.axis[2] = 1;
        if (i > 0) {
            joint.origin.position[0] = dh[i - 1][0];
            joint.origin.position[2] = dh[i - 1][1];
            const double c = cos(dh[i - 1][2]), sine = sin(dh[i - 1][2]);
            const double about_x[9] = {1, 0, 0, 0, c, -sine, 0, sine, c};
            memcpy(joint.origin.rotation, about_x, sizeof about_x);
        }
        joint.limit.lower = -limit;
        joint.limit.upper = limit;
        joint.limit.effort = joint.limit.velocity = 1;
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    return model_of_builder(builder, NULL);
}

/* ---- the closed form ------------------------------------------------------------------------- */

static void multiply(const double a[12], const double b[12], double c[12])
{
    double x[12];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) {
            x[4 * i + j] = j == 3 ? a[4 * i + 3] : 0;
            for (int k = 0; k < 3; k++)
                x[4 * i + j] += a[4 * i + k] * b[4 * k + j];
        }
    memcpy(c, x, sizeof x);
}

static void invert(const double a[12], double b[12])
{
    for (int i = 0; i < 3; i++) {
        b[4 * i + 3] = 0;
        for (int j = 0; j < 3; j++) {
            b[4 * i + j] = a[4 * j + i];
            b[4 * i + 3] -= a[4 * j + i] * a[4 * j + 3];
        }
    }
}

static void turn_of(int i, double theta, double t[12])
{
    const double c = cos(theta), s = sin(theta), ca = cos(dh[i][2]), sa = sin(dh[i][2]);
    const double x[12] = {c,       -s * ca,      s * sa, dh[i][0] * c, s,  c * ca,
                          -c * sa, dh[i][0] * s, 0,      sa,           ca, dh[i][1]};
    memcpy(t, x, sizeof x);
}

/* Returns the number of solutions for a pose (K. Hawkins, Analytic inverse kinematics for the
   Universal Robots, 2013), or −1 if two of them differ only by rounding. */
static int count_of(const double T[12])
{
    const double d4 = dh[3][1], d6 = dh[5][1], a2 = dh[1][0], a3 = dh[2][0], near = 1e-2;
    const double x = T[3] - d6 * T[2], y = T[7] - d6 * T[6], far = sqrt(x * x + y * y);
    int count = 0;
    if (fabs(far - d4) < near)
        return -1;
    for (int shoulder = -1; shoulder <= 1 && far > d4; shoulder += 2) {
        const double one = atan2(y, x) + shoulder * acos(d4 / far) + pi / 2;
        const double s1 = sin(one), c1 = cos(one), c5 = (T[3] * s1 - T[7] * c1 - d4) / d6;
        if (fabs(fabs(c5) - 1) < near)
            return -1;
        for (int wrist = -1; wrist <= 1 && fabs(c5) < 1; wrist += 2) {
            const double five = wrist * acos(c5), s5 = sin(five);
            const double six = atan2((-T[1] * s1 + T[5] * c1) / s5, (T[0] * s1 - T[4] * c1) / s5);
            double A[12], B[12], C[12];
            turn_of(4, five, A);
            turn_of(5, six, B);
            multiply(A, B, A);
            invert(A, B);
            turn_of(0, one, A);
            invert(A, C);
            multiply(C, T, C);
            multiply(C, B, C); /* the fourth frame in the first */
            const double px = C[3] - d4 * C[1], py = C[7] - d4 * C[5];
            const double c3 = (px * px + py * py - a2 * a2 - a3 * a3) / (2 * a2 * a3);
            if (fabs(fabs(c3) - 1) < near)
                return -1;
            count += fabs(c3) < 1 ? 2 : 0;
        }
    }
    return count;
}

static void pose_at(const td_model *model, td_workspace *w, const double *y, double T[12])
{
    double poses[12 * 24];
    ck_assert_uint_le(td_link_count(model), 24);
    assert_ok(td_link_poses(model, w, y, poses));
    memcpy(T, poses + 12 * (td_link_count(model) - 1), 12 * sizeof *T);
}

/* ---- all solutions --------------------------------------------------------------------------- */

TD_TEST(all_solutions)
{
    enum { CASES = 60, MOST = 20 };
    td_model *model = arm_of(pi);
    td_workspace *w = test_workspace(model);
    const td_ik_goal goal = td_ik_goal_default(TD_IK_POSE, td_link_count(model) - 1);
    td_ik *ik = ik_of(model, &goal, 1, NULL);
    uint64_t random = 12;
    int cases = 0, eights = 0, missed = 0;
    for (int n = 0; n < CASES; n++) {
        double T[12], target[7], y[6], seed[6], all[MOST * 6], left[MOST * 2], q[MOST * 6];
        td_random_configuration(model, TD_COORDINATES_INDEPENDENT, &random, y);
        td_random_configuration(model, TD_COORDINATES_INDEPENDENT, &random, seed);
        pose_at(model, w, y, T);
        const int there = count_of(T);
        if (there < 0)
            continue;
        cases++;
        td_pose_split(T, target, target + 3);
        size_t count;
        td_ik_result result = {.size_of = sizeof result};
        assert_ok(td_ik_solve_all(ik, w, target, seed, NULL, MOST, all, q, left, &count, &result));
        ck_assert_int_eq(result.status, TD_IK_STATUS_REACHED);
        ck_assert_int_le((int)count, there);
        missed += there - (int)count;
        eights += there == 8;
        double last = 0;
        for (size_t i = 0; i < count; i++) {
            double other[12], way = 0, nearest = INFINITY;
            pose_at(model, w, all + 6 * i, other);
            ck_assert_double_le(td_largest_difference(12, T, other), 2e-6);
            ck_assert(left[2 * i] <= 1e-6 && left[2 * i + 1] <= 1e-6);
            ck_assert_int_eq(memcmp(q + 6 * i, all + 6 * i, 6 * sizeof *q), 0);
            for (int k = 0; k < 6; k++) {
                ck_assert_double_le(fabs(all[6 * i + (size_t)k]), pi);
                const double x = all[6 * i + (size_t)k] - seed[k];
                way += x * x;
            }
            ck_assert_double_ge(sqrt(way), last);
            last = sqrt(way);
            for (size_t j = 0; j < i; j++) {
                double largest = 0;
                for (size_t k = 0; k < 6; k++) {
                    const double x = all[6 * i + k] - all[6 * j + k];
                    largest = fmax(largest, fabs(x - 2 * pi * round(x / (2 * pi))));
                }
                nearest = fmin(nearest, largest);
            }
            ck_assert_double_ge(nearest, 0.01);
        }
    }
    ck_assert_int_ge(cases, CASES / 2);
    ck_assert_int_ge(eights, cases / 2);
    ck_assert_int_eq(missed, 0);
}

/* within two turns, solutions that differ by whole turns count if requested */
TD_TEST(turns_of_solutions)
{
    enum { MOST = 1000 };
    td_model *model = arm_of(2 * pi);
    td_workspace *w = test_workspace(model);
    const td_ik_goal goal = td_ik_goal_default(TD_IK_POSE, td_link_count(model) - 1);
    td_ik *ik = ik_of(model, &goal, 1, NULL);
    const double y[6] = {0.4, -1.2, 1.3, -0.7, 1.1, 0.3};
    double T[12], target[7], *all = doubles(MOST * 6);
    pose_at(model, w, y, T);
    td_pose_split(T, target, target + 3);
    size_t count, turned;
    assert_ok(td_ik_solve_all(ik, w, target, y, NULL, MOST, all, NULL, NULL, &count, NULL));
    ck_assert_int_eq((int)count, count_of(T));
    td_assert_close(6, y, all, 1e-5, 1);
    td_ik_all_options options = td_ik_all_options_default();
    options.turns = true;
    assert_ok(td_ik_solve_all(ik, w, target, y, &options, MOST, all, NULL, NULL, &turned, NULL));
    ck_assert_uint_eq(turned, count * 64); /* each of six joints has two positions */
    for (size_t i = 0; i < turned; i++) {
        double other[12];
        pose_at(model, w, all + 6 * i, other);
        ck_assert_double_le(td_largest_difference(12, T, other), 2e-6);
        for (size_t j = 0; j < i; j++)
            ck_assert_double_ge(td_largest_difference(6, all + 6 * i, all + 6 * j), 0.01);
    }
    size_t few;
    assert_ok(td_ik_solve_all(ik, w, target, y, NULL, 3, all, NULL, NULL, &few, NULL));
    ck_assert_uint_eq(few, 3);
    assert_ok(td_ik_solve_all(ik, w, target, y, NULL, 0, NULL, NULL, NULL, &few, NULL));
    ck_assert_uint_eq(few, 0);
    target[0] = 9;
    assert_ok(td_ik_solve_all(ik, w, target, y, NULL, MOST, all, NULL, NULL, &few, NULL));
    ck_assert_uint_eq(few, 0);
    options.distance = 0;
    ck_assert_int_eq(td_ik_solve_all(ik, w, target, y, &options, MOST, all, NULL, NULL, &few, NULL),
                     TD_ERROR_ARGUMENT);
}

/* With limits far beyond any useful range, samples and solutions are near the seed. */
TD_TEST(limits_beyond_sense)
{
    td_model *model = arm_of(1e16);
    td_workspace *w = test_workspace(model);
    const td_ik_goal goal = td_ik_goal_default(TD_IK_POSE, td_link_count(model) - 1);
    td_ik *ik = ik_of(model, &goal, 1, NULL);
    td_random random = {4};
    for (int n = 0; n < 100; n++) {
        double y[6], seed[6], T[12], target[7];
        for (int i = 0; i < 6; i++)
            y[i] = 3 * td_random_number(&random), seed[i] = 30 * td_random_number(&random);
        pose_at(model, w, y, T);
        td_pose_split(T, target, target + 3);
        td_ik_result result = {.size_of = sizeof result};
        assert_ok(td_ik_solve(ik, w, target, seed, y, NULL, &result));
        ck_assert_int_eq(result.status, TD_IK_STATUS_REACHED);
        for (int i = 0; i < 6; i++)
            ck_assert_double_le(fabs(y[i] - seed[i]), pi + 1e-9);
    }
}

/* Nearest postures use whole turns within limits too: a chain points beyond the range of its base.
 */
TD_TEST(turns_of_nearest_postures)
{
    td_model *model = arm_of(pi);
    td_workspace *w = test_workspace(model);
    const td_ik_goal goal = td_ik_goal_default(TD_IK_POSITION, td_link_count(model) - 1);
    td_ik *ik = ik_of(model, &goal, 1, NULL);
    td_random random = {6};
    for (int n = 0; n < 60; n++) {
        double y[6], seed[6], left[2], target[3] = {cos(0.1 * n) * 3, sin(0.1 * n) * 3, 0.1};
        for (int i = 0; i < 6; i++)
            seed[i] = (n % 2 ? 3 : 7) * td_random_number(&random);
        td_ik_result result = {.size_of = sizeof result};
        assert_ok(td_ik_solve(ik, w, target, seed, y, left, &result));
        ck_assert_int_eq(result.status, TD_IK_STATUS_NEAREST);
        ck_assert(left[0] > 1.9 && left[0] < 2.2);
        for (int i = 0; i < 5; i++)
            ck_assert(y[i] >= -pi && y[i] <= pi);
        ck_assert(y[5] == seed[5]); /* the last joint rotates the point about itself */
    }
}

/* ---- paths ----------------------------------------------------------------------------------- */

enum { ROWS = 80 };

/* Follows a known motion of the joints, so that there is a path without jumps. The solution nearest
   to the seed in the first row need not be on it. */
TD_LOOP_TEST(paths_without_jumps, 0, 12)
{
    td_model *model = arm_of(2 * pi);
    td_workspace *w = test_workspace(model);
    const td_ik_goal goal = td_ik_goal_default(TD_IK_POSE, td_link_count(model) - 1);
    td_ik *ik = ik_of(model, &goal, 1, NULL);
    td_random random = {(uint64_t)(3 + _i)};
    double targets[ROWS * 7], y[ROWS * 6], left[ROWS * 2], begin[6], end[6];
    for (int i = 0; i < 6; i++) {
        begin[i] = 2 * td_random_number(&random);
        end[i] = begin[i] + td_random_number(&random);
    }
    for (size_t k = 0; k < ROWS; k++) {
        double at[6], T[12];
        for (size_t i = 0; i < 6; i++)
            at[i] = begin[i] + (end[i] - begin[i]) * (double)k / (ROWS - 1);
        pose_at(model, w, at, T);
        td_pose_split(T, targets + 7 * k, targets + 7 * k + 3);
    }
    td_ik_path_row rows[ROWS] = {{.size_of = sizeof *rows}};
    td_ik_path_result result = {.size_of = sizeof result};
    assert_ok(td_ik_solve_path(ik, w, ROWS, targets, _i % 2 ? begin : NULL, NULL, y, NULL, left,
                               rows, &result));
    ck_assert_uint_eq(result.missed, 0);
    ck_assert_uint_eq(result.jumps, 0);
    ck_assert_uint_eq(result.first, ROWS);
    for (size_t k = 0; k < ROWS; k++) {
        double T[12], p[7];
        pose_at(model, w, y + 6 * k, T);
        td_pose_split(T, p, p + 3);
        ck_assert_double_le(td_largest_difference(3, p, targets + 7 * k), 1.01e-6);
        ck_assert_double_le(left[2 * k], 1e-6);
        ck_assert_int_eq(rows[k].status, TD_IK_STATUS_REACHED);
        const double change = k ? td_largest_difference(6, y + 6 * k, y + 6 * (k - 1)) : 0;
        ck_assert(rows[k].change == change && !rows[k].jump && change <= 0.1);
        ck_assert(rows[k].smallest > 0 && rows[k].largest < 10);
        ck_assert_int_eq(rows[k].singular, rows[k].smallest < 0.01 * rows[k].largest);
    }
}

/* A planar arm of two joints bends its elbow to one side only, and its tip goes around the base
   more than once. The shoulder reaches its limit and has to turn back. */
TD_TEST(jumps_are_told)
{
    td_builder *builder = test_builder("planar");
    for (int i = 0; i < 3; i++) {
        char name[2] = {(char)('a' + i), 0}, parent[2] = {(char)('a' + i - 1), 0};
        const td_link link = td_link_default(name);
        assert_ok(td_builder_add_link(builder, &link));
        td_joint joint = td_joint_default(name, TD_JOINT_REVOLUTE, parent, name);
        joint.axis[0] = 0, joint.axis[2] = 1;
        joint.origin.position[0] = i > 1;
        joint.limit.lower = i == 1 ? -pi : 0;
        joint.limit.upper = pi;
        joint.limit.effort = joint.limit.velocity = 1;
        if (i > 0)
            assert_ok(td_builder_add_joint(builder, &joint));
    }
    td_model *model = model_of_builder(builder, NULL);
    td_workspace *w = test_workspace(model);
    td_ik_goal goal = td_ik_goal_default(TD_IK_POSITION, 2);
    goal.point[0] = 1;
    td_ik *ik = ik_of(model, &goal, 1, NULL);
    double targets[ROWS * 3] = {0}, y[ROWS * 2];
    for (size_t k = 0; k < ROWS; k++) {
        const double angle = 2.5 * pi * (double)k / ROWS;
        targets[3 * k] = 1.2 * cos(angle), targets[3 * k + 1] = 1.2 * sin(angle);
    }
    targets[3 * 70 + 1] = 5;   /* out of reach */
    targets[3 * 75 + 2] = NAN; /* not a number */
    td_ik_path_row rows[ROWS] = {{.size_of = sizeof *rows}};
    td_ik_path_result result = {.size_of = sizeof result};
    ck_assert_int_eq(
        td_ik_solve_path(ik, w, ROWS, targets, NULL, NULL, y, NULL, NULL, rows, &result),
        TD_ERROR_NOT_FINITE);
    ck_assert_uint_eq(result.missed, 2);
    ck_assert_int_eq(rows[70].status, TD_IK_STATUS_NEAREST);
    ck_assert(rows[70].singular); /* the arm is stretched */
    ck_assert_int_eq(rows[75].error, TD_ERROR_NOT_FINITE);
    ck_assert(isnan(y[2 * 75]) && isnan(rows[75].smallest) && rows[76].error == TD_OK);
    size_t around = 0;
    for (size_t k = 1; k < 70; k++) {
        ck_assert_int_eq(rows[k].jump, rows[k].change > 0.5);
        if (!rows[k].jump)
            continue;
        around++;
        ck_assert_double_le(fabs(rows[k].change - 2 * pi), 0.2);
        ck_assert_uint_eq(result.first, k);
    }
    ck_assert_uint_eq(around, 1);
    /* rows are farther apart than a step may be: the solver follows the path between them */
    enum { FEW = 6, APART = 5 };
    double few[FEW * 3], last[FEW * 2];
    for (size_t k = 0; k < FEW; k++)
        memcpy(few + 3 * k, targets + 3 * APART * k, 3 * sizeof *few);
    assert_ok(td_ik_solve_path(ik, w, FEW, few, y, NULL, last, NULL, NULL, rows, &result));
    ck_assert_uint_eq(result.missed + result.jumps, 0);
    for (size_t k = 0; k < FEW; k++) {
        ck_assert(rows[k].change > 0.3 || k == 0);
        ck_assert_double_le(td_largest_difference(2, last + 2 * k, y + 2 * APART * k), 1e-5);
    }
    assert_ok(td_ik_solve_path(ik, w, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &result));
    ck_assert_uint_eq(result.jumps, 0);
    td_ik_path_options options = td_ik_path_options_default();
    options.jump = 0;
    ck_assert_int_eq(
        td_ik_solve_path(ik, w, ROWS, targets, NULL, &options, y, NULL, NULL, NULL, NULL),
        TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_ik_solve_path(ik, w, ROWS, NULL, NULL, NULL, y, NULL, NULL, NULL, NULL),
                     TD_ERROR_ARGUMENT);
}

/* Builds a random arm of parallel axes: x, y, z and yaw. The last link is the tool. */
static td_model *scara(void)
{
    td_builder *builder = test_builder("scara");
    static const td_joint_type types[] = {TD_JOINT_REVOLUTE, TD_JOINT_REVOLUTE, TD_JOINT_PRISMATIC,
                                          TD_JOINT_REVOLUTE};
    for (int i = 0; i < 5; i++) {
        char name[2] = {(char)('a' + i), 0}, parent[2] = {(char)('a' + i - 1), 0};
        const td_link link = td_link_default(name);
        assert_ok(td_builder_add_link(builder, &link));
        if (i == 0)
            continue;
        td_joint joint = td_joint_default(name, types[i - 1], parent, name);
        joint.axis[0] = 0, joint.axis[2] = 1;
        joint.origin.position[0] = 0.3;
        joint.limit.lower = -3, joint.limit.upper = 3;
        joint.limit.effort = joint.limit.velocity = 1;
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    return model_of_builder(builder, NULL);
}

/* Directions of any length rotate at a constant rate. Goals that depend on each other do not cause
   a singular value that is zero everywhere. */
TD_TEST(directions_of_paths)
{
    td_model *model = scara();
    td_workspace *w = test_workspace(model);
    td_ik_goal goals[3] = {td_ik_goal_default(TD_IK_AXIS, 4), td_ik_goal_default(TD_IK_LINE, 4),
                           td_ik_goal_default(TD_IK_DISTANCE, 4)};
    goals[0].axis[0] = 1, goals[0].axis[2] = 0;
    goals[2].other_link = TD_NONE;
    td_ik *ik = ik_of(model, goals, 3, NULL);
    /* the tip is 1 m from the world's origin, on a line along z, and points the other way in two
       rows: AXIS, LINE (point, direction), DISTANCE */
    const double targets[3][10] = {{1, 0, 0, 0.9, 0.3, 0, 0, 0, 1, 1},
                                   {0, 1e6, 0, 0.9, 0.3, 0, 0, 0, -1e-3, 1},
                                   {-1e-3, 1e-5, 0, 0.9, 0.3, 9, 0, 0, 2, 1}};
    double y[3 * 4];
    td_ik_path_row rows[3] = {{.size_of = sizeof *rows}};
    td_ik_path_result result = {.size_of = sizeof result};
    assert_ok(td_ik_solve_path(ik, w, 3, targets[0], NULL, NULL, y, NULL, NULL, rows, &result));
    ck_assert_uint_eq(result.missed + result.jumps, 0);
    for (size_t k = 0; k < 3; k++) {
        ck_assert(!rows[k].singular && rows[k].smallest > 0.05);
        const double yaw = y[4 * k] + y[4 * k + 1] + y[4 * k + 3];
        ck_assert_double_le(fabs(remainder(yaw - 0.5 * pi * (double)k, 2 * pi)), 0.011);
    }
}

/* With limits far beyond any useful range, only whole turns next to the seed count as solutions. */
TD_TEST(turns_within_wide_limits)
{
    enum { MOST = 300 };
    td_model *model = arm_of(1e16);
    td_workspace *w = test_workspace(model);
    const td_ik_goal goal = td_ik_goal_default(TD_IK_POSE, td_link_count(model) - 1);
    td_ik *ik = ik_of(model, &goal, 1, NULL);
    const double y[6] = {0.4, -1.2, 1.3, -0.7, 1.1, 0.3};
    double T[12], target[7], *all = doubles(MOST * 6), last = 0;
    pose_at(model, w, y, T);
    td_pose_split(T, target, target + 3);
    size_t count;
    td_ik_all_options options = td_ik_all_options_default();
    options.turns = true;
    assert_ok(td_ik_solve_all(ik, w, target, y, &options, MOST, all, NULL, NULL, &count, NULL));
    ck_assert_uint_eq(count, MOST);
    for (size_t i = 0; i < count; i++) {
        double other[12], way = 0;
        pose_at(model, w, all + 6 * i, other);
        ck_assert_double_le(td_largest_difference(12, T, other), 2e-6);
        for (size_t k = 0; k < 6; k++)
            way += (all[6 * i + k] - y[k]) * (all[6 * i + k] - y[k]);
        ck_assert_double_ge(way, last);
        last = way;
    }
    ck_assert_double_le(last, 6 * pow(17 * 2 * pi, 2));
}

/* ---- copies ---------------------------------------------------------------------------------- */

TD_TEST(copies_find_the_same)
{
    td_model *model = arm_of(2);
    td_workspace *w = test_workspace(model);
    td_ik_goal goals[2] = {td_ik_goal_default(TD_IK_POSE, td_link_count(model) - 1),
                           td_ik_goal_default(TD_IK_POSTURE, 0)};
    goals[1].required = false;
    td_ik_options options = td_ik_options_default();
    const unsigned char held[6] = {0, 0, 0, 0, 0, 1};
    options.held = held;
    td_ik *ik, *copy;
    assert_ok(test_ik_new(model, goals, 2, &options, &ik));
    assert_ok(test_ik_clone(ik, &copy));
    ck_assert(isnan(td_ik_q(copy)[0]));
    uint64_t random = 5;
    double all[2][10 * 6], target[13] = {0}, y[6], T[12];
    for (int n = 0; n < 40; n++) {
        td_random_configuration(model, TD_COORDINATES_INDEPENDENT, &random, y);
        y[5] = 0;
        pose_at(model, w, y, T);
        td_pose_split(T, target, target + 3);
        td_ik_result a = {.size_of = sizeof a}, b = a;
        if (n % 5 == 0)
            assert_ok(td_ik_solve(ik, w, target, y, all[0], NULL, NULL));
        assert_ok(td_ik_solve(ik, w, target, NULL, all[0], NULL, &a));
        assert_ok(td_ik_solve(copy, w, target, NULL, all[1], NULL, &b));
        ck_assert_int_eq(memcmp(all[0], all[1], 6 * sizeof *y), 0);
        ck_assert_uint_eq(a.evaluations, b.evaluations);
    }
    assert_ok(td_ik_solve(copy, w, target, NULL, all[1], NULL, NULL));
    ck_assert_int_eq(td_ik_clone(NULL, &copy), TD_ERROR_ARGUMENT);
    ck_assert_ptr_null(copy);
}
