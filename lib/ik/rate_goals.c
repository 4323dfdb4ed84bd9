/* SPDX-License-Identifier: MIT */
/*
 * Converts desired velocities of goals to rows of ∂r/∂ẏ ẏ = demand (goals.c).
 */
#include <math.h>
#include <string.h>

#include "ik/rate.h"

/* Computes the demand of one goal. Sets its target to the current value, where its Jacobian is
   needed. */
static bool demand_of(td_ik *ik, const td_ik_task *task, const double *x, double *r)
{
    double *target = ik->target + task->target, direction[3];
    switch (task->goal.kind) {
    case TD_IK_AXIS:
        td_ik_axis_at(ik, task, direction);
        for (int i = 0; i < 3; i++)
            r[i] = x[i] - td_ik_dot(direction, x) * direction[i];
        return true;
    case TD_IK_LINE:
    case TD_IK_PLANE:
        memcpy(target, x, 6 * sizeof *x);
        if (!td_ik_make_unit(target + 3))
            return false;
        if (task->goal.kind == TD_IK_PLANE)
            r[0] = td_ik_dot(target + 3, x);
        else
            for (int i = 0; i < 3; i++)
                r[i] = x[i] - td_ik_dot(target + 3, x) * target[3 + i];
        return true;
    case TD_IK_DISTANCE:
        target[0] = td_ik_distance_at(ik, task, direction);
        /* coincident points: any direction separates them */
        if (td_ik_dot(direction, direction) == 0)
            direction[0] = 1;
        for (int i = 0; i < 3; i++)
            r[i] = x[0] * direction[i];
        return true;
    default:
        memcpy(r, x, task->rows * sizeof *r);
        return true;
    }
}

td_status td_ik_rate_demand(td_ik_rate *rate, const double *velocities)
{
    for (size_t i = 0; i < rate->velocities; i++)
        if (!isfinite(velocities[i]))
            return TD_ERROR_NOT_FINITE;
    for (size_t k = 0; k < rate->ik->tasks; k++) {
        const td_ik_task *task = &rate->ik->task[k];
        if (!demand_of(rate->ik, task, velocities + rate->offset[k], rate->demand + task->row))
            return TD_ERROR_ARGUMENT;
    }
    return TD_OK;
}

td_status td_ik_rate_rows(td_ik_rate *rate, td_workspace *workspace)
{
    td_ik *ik = rate->ik;
    const bool required = td_ik_any_required(ik);
    for (size_t i = 0; i < ik->rows; i++)
        ik->scale[i] = 1;
    td_status status = td_ik_jacobian(ik, workspace, &ik->now);
    td_ik_choose(ik, 1, required ? 0 : 1);
    rate->needs = rate->wishes = 0;
    for (size_t k = 0; k < ik->tasks; k++) {
        const td_ik_task *task = &ik->task[k];
        const bool needed = task->goal.required || !required;
        for (size_t i = task->row; i < task->row + task->rows; i++) {
            const double weight = ik->turn[i] ? task->goal.turn_weight : task->goal.weight;
            double *to = needed ? rate->need + rate->needs * ik->columns
                                : rate->wish + rate->wishes * ik->columns;
            if (weight == 0)
                continue;
            for (size_t j = 0; j < ik->columns; j++)
                to[j] = weight * ik->A[i * ik->columns + j];
            if (needed)
                rate->need_by[rate->needs++] = weight * rate->demand[i];
            else
                rate->wish_by[rate->wishes++] = weight * rate->demand[i];
        }
    }
    return status;
}
