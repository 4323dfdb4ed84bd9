/* SPDX-License-Identifier: MIT */
/*
 * Effective limits of independent joints: their own limits, narrowed by the limits of their
 * followers, mapped back through q = m y + b. Each bound keeps the joint that causes it. Also
 * removes limits if the options request it.
 */
#include <math.h>

#include "base/limit.h"
#include "load/build.h"
#include "model/joint_kind.h"

/* Returns the limits of a joint, with effort and velocity limited by its motors. */
static td_limit with_motors(const td_model *model, int i)
{
    td_limit limit = model->records.joint.at[i].limit;
    const td_drive_limit *drive = &model->drive[i];
    limit.effort = fmin(limit.effort, drive->effort); /* fmin ignores NaN */
    limit.velocity = fmin(limit.velocity, drive->velocity);
    return limit;
}

static void report_range(td_build *build, const td_joint *follower, const td_joint *leader,
                         double lower, double upper)
{
    double own_lower, own_upper;
    td_joint_limits(leader, &own_lower, &own_upper);
    double slack = 1e-6 * (1 + fmax(fabs(lower), fabs(upper)));
    bool exceeds = (isfinite(own_lower) && own_lower < lower - slack) ||
                   (isfinite(own_upper) && own_upper > upper + slack);
    if (exceeds)
        td_report(
            build->diagnostics, TD_CODE_MIMIC_LIMITS,
            td_source_or(follower->mimic_source, follower->source),
            "narrow the leader's limits to the intersection, or widen the follower's",
            "the limits of '%s' restrict '%s' to [%.6g, %.6g], but its own limits are [%.6g, %.6g]",
            follower->name, leader->name, lower + 0.0, upper + 0.0, own_lower + 0.0,
            own_upper + 0.0); /* avoids −0 */
}

static void fold(td_build *build, int i)
{
    td_model *model = build->model;
    const td_joint *follower = &model->records.joint.at[i];
    const td_place *place = &model->place[i];
    double lower, upper;
    td_joint_limits(follower, &lower, &upper);

    if (place->terms > 1)
        return; /* limits of this joint bound a sum, not a single coordinate */
    if (place->leader < 0) {
        if (td_is_outside(place->offset, lower, upper))
            td_report(build->diagnostics, TD_CODE_MIMIC_CONSTANT_LIMIT,
                      td_source_or(follower->mimic_source, follower->source),
                      "correct the offset, or widen the limits",
                      "joint '%s' stays at %.9g, outside its limits [%.6g, %.6g]", follower->name,
                      place->offset, lower, upper);
        return;
    }
    double at_lower = (lower - place->offset) / place->multiplier;
    double at_upper = (upper - place->offset) / place->multiplier;
    double low = fmin(at_lower, at_upper), high = fmax(at_lower, at_upper);
    report_range(build, follower, &model->records.joint.at[place->leader], low, high);

    td_effective_limit *limit = &model->limit[place->leader];
    if (low > limit->lower) {
        limit->lower = low;
        limit->lower_joint = (size_t)i;
    }
    if (high < limit->upper) {
        limit->upper = high;
        limit->upper_joint = (size_t)i;
    }
    const td_limit both = with_motors(model, i);
    double velocity = both.velocity / fabs(place->multiplier);
    if (velocity < limit->velocity) {
        limit->velocity = velocity;
        limit->velocity_joint = (size_t)i;
    }
    double effort = both.effort * fabs(place->multiplier);
    if (effort < limit->effort) {
        limit->effort = effort;
        limit->effort_joint = (size_t)i;
    }
}

static td_effective_limit without_followers(const td_model *model, int i)
{
    const td_joint *joint = &model->records.joint.at[i];
    const td_limit both = with_motors(model, i);
    td_effective_limit limit = td_no_limit;
    if (!td_joint_is_scalar(joint->type) && !td_joint_kind_of(joint->type)->bounded)
        return limit;
    td_joint_limits(joint, &limit.lower, &limit.upper);
    if (!isnan(both.velocity))
        limit.velocity = both.velocity;
    if (!isnan(both.effort))
        limit.effort = both.effort;
    limit.lower_joint = isfinite(limit.lower) ? (size_t)i : TD_NONE;
    limit.upper_joint = isfinite(limit.upper) ? (size_t)i : TD_NONE;
    limit.velocity_joint = isfinite(limit.velocity) ? (size_t)i : TD_NONE;
    limit.effort_joint = isfinite(limit.effort) ? (size_t)i : TD_NONE;
    return limit;
}

/* Reports if the limits of all joints together leave no range, or only one position. Ranges of
   single joints are checked elsewhere. */
static void report_remaining(td_build *build, size_t i)
{
    const td_joint *joint = build->model->records.joint.at;
    td_effective_limit *limit = &build->model->limit[i];
    const double slack = td_limit_tolerance(limit->lower);
    const bool none = limit->upper < limit->lower - slack;
    if (!isfinite(slack) || !(limit->upper - limit->lower <= slack) ||
        limit->lower_joint == limit->upper_joint)
        return;
    if (!none && limit->upper < limit->lower) /* the range is empty only because of rounding */
        limit->upper = limit->lower = 0.5 * (limit->lower + limit->upper);
    td_report(build->diagnostics, none ? TD_CODE_MIMIC_LIMITS_EMPTY : TD_CODE_MIMIC_LIMITS,
              joint[i].source, "widen the limits, or correct multiplier and offset",
              "%s of '%s' satisfies all limits: '%s' requires at least %.6g, '%s' at most %.6g",
              none ? "no position" : "a single position", joint[i].name,
              joint[limit->lower_joint].name, limit->lower + 0.0, joint[limit->upper_joint].name,
              limit->upper + 0.0);
}

bool td_fold_limits(td_build *build)
{
    td_model *model = build->model;
    size_t joints = model->records.joint.count;
    model->limit = TD_ARENA_NEW(&model->records.arena, td_effective_limit, joints);
    if (!model->limit)
        return false;
    for (size_t i = 0; i < joints; i++)
        model->limit[i] =
            model->place[i].dependent ? td_no_limit : without_followers(model, (int)i);
    for (size_t i = 0; i < joints; i++)
        if (model->place[i].dependent && model->place[i].cluster < 0)
            fold(build, (int)i);
    if (!td_fold_curve_limits(build))
        return false;
    for (size_t i = 0; i < joints; i++)
        report_remaining(build, i);
    /* limits of joints that loops determine were only needed for the report */
    for (size_t i = 0; i < joints; i++)
        if (model->place[i].dependent)
            model->limit[i] = td_no_limit;
    return true;
}

void td_drop_limits(td_joint *joint)
{
    joint->limit.lower = joint->limit.upper = joint->soft_lower = joint->soft_upper = NAN;
}

/* Runs last, because other steps use limits to place joints and to find errors. */
bool td_ignore_limits(td_build *build)
{
    td_model *model = build->model;
    for (size_t i = 0; i < model->records.joint.count && build->options->ignore_limits; i++) {
        td_effective_limit *limit = &model->limit[i];
        td_drop_limits(&model->records.joint.at[i]);
        limit->lower = td_no_limit.lower;
        limit->upper = td_no_limit.upper;
        limit->lower_joint = limit->upper_joint = TD_NONE;
    }
    return true;
}

size_t td_outside_limits(const td_model *model, const double *y, size_t *joints, size_t capacity)
{
    size_t count = 0;
    for (size_t k = 0; k < model->independent_count; k++) {
        int i = model->independent[k];
        const td_effective_limit *limit = &model->limit[i];
        bool outside = false;
        for (int n = 0; n < model->place[i].ny; n++)
            outside =
                outside || td_is_outside(y[model->place[i].y + n], limit->lower, limit->upper);
        if (!outside)
            continue;
        if (count < capacity)
            joints[count] = (size_t)i;
        count++;
    }
    return count;
}
