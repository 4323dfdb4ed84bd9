/* SPDX-License-Identifier: MIT */
/*
 * Inverse kinematics where limits of followers decide: goals that random trees with followers reach
 * by forward kinematics must be found from seeds inside, at and beyond the limits. Also searches
 * without limits, and limits that leave one point.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "curve_robots.h"
#include "td_test.h"

enum { MOST = 16 };

/* ---- robots ---------------------------------------------------------------------------------- */

/* Adds a hinge with a link of some length to the end of a chain. */
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
    ck_assert_int_eq(td_builder_add_link(builder, &link), TD_OK);
    ck_assert_int_eq(td_builder_add_joint(builder, &joint), TD_OK);
}

static td_builder *chain_begin(void)
{
    td_builder *builder = td_builder_new("chain");
    const td_link link = curve_link("l0");
    ck_assert_int_eq(td_builder_add_link(builder, &link), TD_OK);
    return builder;
}

/* Two hinges whose limits leave the leader one point, as a follower with −1 does by mistake. */
static td_model *one_point_gripper(void)
{
    static const double x[3] = {1, 0, 0}, z[3] = {0, 0, 1};
    td_builder *builder = chain_begin();
    add_hinge(builder, 0, z, 0, 0.7, NULL, 1, 0);
    add_hinge(builder, 1, x, 0, 0.8, "j1", -1, 0);
    return curve_finish(builder);
}

/* ---- without limits -------------------------------------------------------------------------- */

/* ignore_limits reaches what limits forbid, and each search keeps what it promises. */
START_TEST(limits_are_ignored)
{
    td_model *model = one_point_gripper();
    td_workspace *w = td_workspace_new(model);
    const td_ik_goal goal = td_ik_goal_default(TD_IK_POSE, (size_t)td_link_index(model, "l2"));
    double poses[3 * 12], target[7], y, yd, twist[6] = {0, 0.1, 0, 0, 0, 0};
    ck_assert_int_eq(td_link_poses(model, w, (double[]){0.5}, poses), TD_OK);
    td_pose_split(poses + 24, target, target + 3);
    for (int ignored = 0; ignored < 2; ignored++) {
        td_ik_options options = td_ik_options_default();
        td_ik_rate_options rates = td_ik_rate_options_default();
        options.ignore_limits = rates.ignore_limits = ignored;
        td_ik *ik;
        td_ik_rate *rate;
        td_ik_result result = {.size_of = sizeof result};
        ck_assert_int_eq(td_ik_new(model, &goal, 1, &options, &ik), TD_OK);
        ck_assert_int_eq(td_ik_solve(ik, w, target, NULL, &y, NULL, &result), TD_OK);
        ck_assert_int_eq(result.status, ignored ? TD_IK_REACHED : TD_IK_NEAREST);
        ck_assert_double_le(fabs(y - (ignored ? 0.5 : 0)), 1e-5);
        ck_assert_int_eq(td_ik_rate_new(model, &goal, 1, &rates, &rate), TD_OK);
        ck_assert_int_eq(
            td_ik_rate_solve(rate, w, (double[]){0}, NULL, twist, &yd, NULL, NULL, NULL), TD_OK);
        ck_assert(ignored ? fabs(yd) > 0.01 : yd == 0);
        td_ik_rate_free(rate);
        td_ik_free(ik);
    }
    td_workspace_free(w);
    td_model_free(model);
}
END_TEST

/* Random starts of a search without limits go all the way round: a goal that one start alone does
   not find is found. */
START_TEST(starts_without_limits)
{
    enum { GOALS = 200 };
    static const double axes[3][3] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
    td_random random = {6};
    td_builder *builder = chain_begin();
    for (int i = 0; i < 6; i++)
        add_hinge(builder, i, axes[i % 3], -0.1, 0.1, NULL, 1, 0);
    td_model *model = curve_finish(builder);
    td_workspace *w = td_workspace_new(model);
    const td_ik_goal goal = td_ik_goal_default(TD_IK_POSE, (size_t)td_link_index(model, "l6"));
    td_ik_options options = td_ik_options_default();
    options.ignore_limits = true;
    td_ik *ik;
    ck_assert_int_eq(td_ik_new(model, &goal, 1, &options, &ik), TD_OK);
    double poses[7 * 12], target[7], y[6];
    for (int i = 0; i < GOALS; i++) {
        td_ik_result result = {.size_of = sizeof result};
        td_random_fill(&random, 6, y);
        for (int k = 0; k < 6; k++)
            y[k] *= 3;
        ck_assert_int_eq(td_link_poses(model, w, y, poses), TD_OK);
        td_pose_split(poses + 72, target, target + 3);
        ck_assert_int_eq(td_ik_solve(ik, w, target, NULL, y, NULL, &result), TD_OK);
        ck_assert_int_eq(result.status, TD_IK_REACHED);
    }
    td_ik_free(ik);
    td_workspace_free(w);
    td_model_free(model);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ik_limits");
    TCase *tcase = tcase_create("ik_limits");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, limits_are_ignored);
    tcase_add_test(tcase, starts_without_limits);
    suite_add_tcase(suite, tcase);
    return td_test_run(suite);
}
