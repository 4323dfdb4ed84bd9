/* SPDX-License-Identifier: MIT */
/*
 * Joints that follow others by curves: finds the joints that records name, and checks whether they
 * can lead and follow.
 */
#include <math.h>

#include "load/build.h"
#include "model/joint_kind.h"

/* Returns the joint of a record. Returns −1 and reports why if it cannot follow. */
static int follower_of(td_build *build, const td_follower *record)
{
    td_model *model = build->model;
    td_diagnostics *list = build->diagnostics;
    const int i = td_names_find(&model->joint_names, record->joint);
    char text[TD_SUGGESTION];
    if (i < 0) {
        td_report(list, TD_CODE_FOLLOWER_JOINT, record->source,
                  td_suggest(build, &model->joint_names, record->joint, NULL,
                             "name an existing joint", text),
                  "joint '%s' of a follower record does not exist",
                  record->joint ? record->joint : "");
        return -1;
    }
    const td_joint *joint = &model->records.joint.at[i];
    if (td_joint_is_fixed(joint))
        td_report(list, TD_CODE_MIMIC_ON_FIXED, record->source, "remove the curves",
                  "fixed joint '%s' cannot follow others; its curves have no effect", joint->name);
    else if (!td_joint_is_scalar(joint->type))
        td_report(list, TD_CODE_MIMIC_TYPE, record->source,
                  "only joints with one coordinate can lead and follow",
                  "%s joint '%s' cannot follow others", td_joint_word(joint->type), joint->name);
    else if (joint->mimic || model->follower[i] >= 0)
        td_report(list, TD_CODE_FOLLOWER_JOINT, record->source,
                  "remove one of the definitions, or combine all curves into one sum",
                  "two definitions make joint '%s' follow others", joint->name);
    else if (!record->curves)
        td_report(list, TD_CODE_FOLLOWER_JOINT, record->source,
                  "add a curve, or remove the follower", "joint '%s' is a follower without curves",
                  joint->name);
    else if (!isfinite(record->offset))
        td_report(list, TD_CODE_NUMBER, record->source, "use a finite number",
                  "the offset of joint '%s' is not finite", joint->name);
    else
        return i;
    return -1;
}

int td_find_leader(td_build *build, const char *leader, const char *follower, td_source source)
{
    const td_names *names = &build->model->joint_names;
    const bool partial = build->options->partial;
    char text[TD_SUGGESTION];
    const int found = td_names_find(names, leader);
    if (found < 0)
        td_report(build->diagnostics, partial ? TD_CODE_MIMIC_PARTIAL : TD_CODE_MIMIC_UNDEFINED,
                  source,
                  td_suggest(build, names, leader, follower, "name an existing joint", text),
                  "joint '%s' follows joint '%s', which does not exist%s", follower,
                  leader ? leader : "", partial ? "; the follower is independent" : "");
    return found;
}

/* Returns the leader of a curve. Returns −1 and reports it if the joint does not exist or cannot
   lead. */
static int leader_of(td_build *build, const td_follower *record, const td_curve *curve)
{
    const int leader = td_find_leader(build, curve->leader, record->joint, record->source);
    if (leader < 0)
        return -1;
    const td_joint *joint = &build->model->records.joint.at[leader];
    if (td_joint_is_scalar(joint->type) || td_joint_is_fixed(joint))
        return leader;
    td_report(build->diagnostics, TD_CODE_MIMIC_TYPE, record->source,
              "only joints with one coordinate can lead and follow",
              "joint '%s' cannot follow %s joint '%s'", record->joint, td_joint_word(joint->type),
              joint->name);
    return -1;
}

/* Reports a curve whose range does not cover the leader's limits. */
static void check_range(td_build *build, const td_follower *record, const td_curve_data *curve,
                        int leader)
{
    const td_joint *joint = &build->model->records.joint.at[leader];
    double lower, upper;
    td_joint_limits(joint, &lower, &upper);
    if (td_joint_is_fixed(joint) || !(curve->lower < curve->upper) ||
        (lower >= curve->lower - 1e-6 * (1 + fabs(curve->lower)) &&
         upper <= curve->upper + 1e-6 * (1 + fabs(curve->upper))))
        return;
    td_report(build->diagnostics, TD_CODE_CURVE_RANGE, record->source,
              curve->points ? "extend the table, narrow the leader's limits, or make the table "
                              "periodic; beyond its ends the curve continues as a straight line"
                            : "widen the range, or narrow the leader's limits; beyond the range "
                              "the same formula applies",
              "the curve of joint '%s' as a function of '%s' covers %.6g to %.6g, but the limits "
              "of '%s' are [%.6g, %.6g]",
              record->joint, joint->name, curve->lower, curve->upper, joint->name, lower, upper);
}

/* Resolves the joints and curves of one record. Returns false if out of memory. */
static bool find(td_build *build, size_t n)
{
    td_model *model = build->model;
    td_arena *arena = &model->records.arena;
    const td_follower *record = &model->records.follower.at[n];
    td_follower_curves *curves = &model->curves[n];
    bool good = true;
    curves->curve = TD_ARENA_NEW(arena, td_curve_data, record->curves);
    curves->leader = TD_ARENA_NEW(arena, int, record->curves);
    if (!curves->curve || !curves->leader)
        return false;
    const int joint = follower_of(build, record);
    for (size_t k = 0; joint >= 0 && k < record->curves; k++) {
        const td_curve *curve = td_curve_at(record, k);
        const int leader = leader_of(build, record, curve);
        curves->leader[k] = leader;
        good = good && leader >= 0;
        if (!td_make_curve(build, record, curve, &curves->curve[k]))
            return false;
    }
    if (joint >= 0 && good)
        model->follower[joint] = (int)n;
    return true;
}

bool td_find_followers(td_build *build)
{
    td_model *model = build->model;
    td_arena *arena = &model->records.arena;
    const size_t joints = model->records.joint.count, count = model->records.follower.count;
    model->follower = TD_ARENA_NEW(arena, int, joints);
    model->curves = TD_ARENA_NEW(arena, td_follower_curves, count);
    if (!model->follower || !model->curves)
        return false;
    for (size_t i = 0; i < joints; i++)
        model->follower[i] = -1;
    for (size_t n = 0; n < count; n++)
        if (!find(build, n))
            return false;
    return true;
}

bool td_check_curve_ranges(td_build *build)
{
    const td_model *model = build->model;
    for (size_t i = 0; i < model->records.joint.count; i++) {
        const int n = model->follower[i];
        for (size_t k = 0; n >= 0 && k < model->records.follower.at[n].curves; k++)
            check_range(build, &model->records.follower.at[n], &model->curves[n].curve[k],
                        model->curves[n].leader[k]);
    }
    return true;
}
