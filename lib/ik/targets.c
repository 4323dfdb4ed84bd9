/* SPDX-License-Identifier: MIT */
/*
 * Targets of goals: their sizes, and checks in each call.
 */
#include <math.h>
#include <string.h>

#include "ik/ik.h"

bool td_ik_has_link(td_ik_kind kind)
{
    return kind != TD_IK_CENTER_OF_MASS && kind != TD_IK_POSTURE;
}

td_ik_sizes td_ik_goal_sizes(const td_model *model, td_ik_kind kind)
{
    static const td_ik_sizes sizes[] = {{7, 6, 6}, {3, 3, 3}, {4, 3, 3}, {3, 3, 3},
                                        {6, 3, 6}, {6, 1, 6}, {1, 3, 1}, {3, 3, 3}};
    if (kind == TD_IK_POSTURE)
        return (td_ik_sizes){td_ny(model), td_nyd(model), td_nyd(model)};
    return sizes[kind];
}

bool td_ik_make_unit(double x[3])
{
    const double largest = fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2])));
    if (!(largest > 0))
        return false;
    for (int i = 0; i < 3; i++)
        x[i] /= largest;
    const double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    for (int i = 0; i < 3; i++)
        x[i] /= length;
    return true;
}

static bool is_turn(const double x[4])
{
    return fabs(sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]) - 1) <= 1e-6;
}

/* Returns whether every quaternion of y has unit length. */
static bool is_configuration(const td_model *model, const double *y)
{
    for (size_t i = 0; i < td_independent_count(model); i++) {
        const size_t joint = td_independent_joint(model, i);
        const size_t first = td_joint_kind_of(td_joint_at(model, joint)->type)->quaternion;
        if (first != TD_NONE && !is_turn(y + td_joint_place_at(model, joint).y + first))
            return false;
    }
    return true;
}

static td_status take_target(const td_ik *ik, const td_ik_task *task, double *x)
{
    for (size_t i = 0; i < task->targets; i++)
        if (!isfinite(x[i]))
            return TD_ERROR_NOT_FINITE;
    bool good = true;
    switch (task->goal.kind) {
    case TD_IK_POSE:
        return is_turn(x + 3) ? TD_OK : TD_ERROR_QUATERNION;
    case TD_IK_ORIENTATION:
        return is_turn(x) ? TD_OK : TD_ERROR_QUATERNION;
    case TD_IK_POSTURE:
        return is_configuration(ik->model, x) ? TD_OK : TD_ERROR_QUATERNION;
    case TD_IK_AXIS:
        good = td_ik_make_unit(x);
        break;
    case TD_IK_LINE:
    case TD_IK_PLANE:
        good = td_ik_make_unit(x + 3);
        break;
    case TD_IK_DISTANCE:
        good = x[0] >= 0;
        break;
    case TD_IK_POSITION:
    case TD_IK_CENTER_OF_MASS:
        break;
    }
    return good ? TD_OK : TD_ERROR_ARGUMENT;
}

td_status td_ik_take_targets(td_ik *ik, const double *targets)
{
    memcpy(ik->target, targets, ik->targets * sizeof *targets);
    for (size_t i = 0; i < ik->tasks; i++) {
        td_status status = take_target(ik, &ik->task[i], ik->target + ik->task[i].target);
        if (status != TD_OK)
            return status;
    }
    return TD_OK;
}
