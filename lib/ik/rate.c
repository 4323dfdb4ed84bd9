/* SPDX-License-Identifier: MIT */
/*
 * Differential inverse kinematics: the object, and one call.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/coordinates.h"
#include "base/dense.h"
#include "base/sized.h"
#include "ik/rate.h"
#include "tandem/closure.h"
#include "tandem/configuration.h"
#include "tandem/kinematics.h"

/* ---- the object ------------------------------------------------------------------------------ */

static bool options_are_valid(const td_model *model, const td_ik_rate_options *options)
{
    for (size_t i = 0; i < td_nv(model); i++)
        if ((options->velocities && !(options->velocities[i] >= 0)) ||
            (options->accelerations && !(options->accelerations[i] > 0)))
            return false;
    return options->step > 0 && isfinite(options->step) && options->damping >= 0 &&
           options->damping < 1 && options->wish_damping > 0 && options->wish_damping < 1;
}

static void take(td_stack *stack, td_ik_rate *rate)
{
    const td_ik *ik = rate->ik;
    const size_t n = ik->n, rows = ik->rows, c = ik->columns, f = rate->followers;
    const size_t size = rows < c ? rows : c, soft = size > f ? size : f;
    rate->mover = td_take(stack, td_ik_mover, rate->movers);
    rate->offset = td_take(stack, size_t, ik->tasks);
    rate->demand = td_take(stack, double, rows);
    rate->left = td_take(stack, double, rows);
    rate->q = td_take(stack, double, ik->nq);
    rate->qd = td_take(stack, double, ik->nv);
    rate->qdd = td_take(stack, double, ik->nv);
    rate->G = td_take(stack, double, f ? ik->nv *n : 0);
    rate->lower = td_take(stack, double, n);
    rate->upper = td_take(stack, double, n);
    rate->below = td_take(stack, size_t, n);
    rate->above = td_take(stack, size_t, n);
    rate->turned = td_take(stack, signed char, n);
    rate->row_lower = td_take(stack, double, f);
    rate->row_upper = td_take(stack, double, f);
    rate->row = td_take(stack, size_t, f);
    rate->B = td_take(stack, double, f *c);
    rate->rest = td_take(stack, double, n);
    rate->need = td_take(stack, double, rows *c);
    rate->need_copy = td_take(stack, double, rows *c);
    rate->need_by = td_take(stack, double, rows);
    rate->R = td_take(stack, double, size *size);
    rate->value = td_take(stack, double, size);
    rate->V = td_take(stack, double, size *size);
    rate->E = td_take(stack, double, size *c);
    rate->e = td_take(stack, double, size);
    rate->sigma = td_take(stack, double, size);
    rate->wish = td_take(stack, double, rows *c);
    rate->wish_by = td_take(stack, double, rows);
    rate->H = td_take(stack, double, c *c);
    rate->column_lower = td_take(stack, double, c);
    rate->column_upper = td_take(stack, double, c);
    rate->gradient = td_take(stack, double, c);
    rate->held = td_take(stack, signed char, c + f);
    rate->fixed = td_take(stack, signed char, c);
    rate->x = td_take(stack, double, c);
    rate->multiplier = td_take(stack, double, c);
    rate->free = td_take(stack, size_t, c);
    rate->first = td_take(stack, signed char, c + f);
    rate->E_free = td_take(stack, double, size *c);
    rate->e_free = td_take(stack, double, size);
    rate->B_free = td_take(stack, double, f *c);
    rate->lower_free = td_take(stack, double, c);
    rate->upper_free = td_take(stack, double, c);
    rate->row_lower_free = td_take(stack, double, f);
    rate->row_upper_free = td_take(stack, double, f);
    rate->L = td_take(stack, double, c *c);
    rate->slope = td_take(stack, double, c);
    rate->before = td_take(stack, double, ik->nq);
    td_program_take(stack, c + soft, size, c, f, &rate->program);
}

td_status td_ik_rate_new(const td_model *model, const td_ik_goal *goals, size_t goal_count,
                         const td_ik_rate_options *options, td_ik_rate **out)
{
    if (!out)
        return TD_ERROR_ARGUMENT;
    *out = NULL;
    td_ik_rate_options known = {0};
    known = td_ik_rate_options_default();
    if (!model || (options && !td_sized_read(&known, sizeof known, options)) ||
        !options_are_valid(model, &known))
        return TD_ERROR_ARGUMENT;
    td_ik_options search = td_ik_options_default();
    search.held = known.held;
    td_ik_rate *rate = calloc(1, sizeof *rate);
    unsigned char *bounded = calloc(td_nv(model) + 1, 1);
    td_status status = rate && bounded ? TD_OK : TD_ERROR_MEMORY;
    if (status == TD_OK) {
        rate->options = known;
        td_ik_rate_bounded(model, &known, bounded);
        status = td_ik_new_bounded(model, goals, goal_count, &search, bounded, &rate->ik);
    }
    free(bounded);
    if (status == TD_OK) {
        rate->movers = td_ik_rate_movers(rate, &rate->followers, NULL);
        if (!td_take_twice(&rate->stack, take(&rate->stack, rate)))
            status = TD_ERROR_MEMORY;
    }
    if (status != TD_OK) {
        td_ik_rate_free(rate);
        return status;
    }
    td_ik_rate_movers(rate, &rate->followers, rate->mover);
    for (size_t i = 0; i < rate->movers; i++)
        rate->accelerates = rate->accelerates || isfinite(rate->mover[i].acceleration);
    for (size_t k = 0; k < rate->ik->tasks; k++) {
        rate->offset[k] = rate->velocities;
        rate->velocities += td_ik_goal_sizes(model, rate->ik->task[k].goal.kind).velocities;
    }
    rate->options.velocities = rate->options.accelerations = NULL;
    rate->options.held = NULL;
    *out = rate;
    return TD_OK;
}

void td_ik_rate_free(td_ik_rate *rate)
{
    if (!rate)
        return;
    td_ik_free(rate->ik);
    td_stack_end(&rate->stack);
    free(rate);
}

size_t td_ik_rate_velocity_count(const td_ik_rate *rate)
{
    return rate ? rate->velocities : 0;
}

/* ---- a call ---------------------------------------------------------------------------------- */

/* Computes q and G at y, the joint velocities for the previous ẏ, and poses of links. */
static td_status look(td_ik_rate *rate, td_workspace *workspace, const double *before)
{
    td_ik *ik = rate->ik;
    td_status status =
        td_closure(ik->model, workspace, ik->now.y, before, NULL, rate->q, before ? rate->qd : NULL,
                   before && rate->accelerates ? rate->qdd : NULL);
    if (status == TD_OK && rate->followers)
        status = td_closure_jacobian(ik->model, workspace, ik->now.y, rate->G);
    if (status == TD_OK && ik->poses)
        status = td_moving_link_poses(ik->model, workspace, ik->now.y, ik->pose);
    return status;
}

/* Recalls which bounds were active last, from the bounds reported for q̇. */
static void recall_active(td_ik_rate *rate, const signed char *active)
{
    const size_t columns = rate->ik->columns;
    memset(rate->held, 0, columns + rate->followers);
    for (size_t k = 0; k < columns && active; k++) {
        const size_t v = rate->ik->column[k];
        const int below = rate->turned[v] & 1 ? -1 : 1, above = rate->turned[v] & 2 ? -1 : 1;
        if (isfinite(rate->upper[v]) && active[rate->above[v]] * above > 0)
            rate->held[k] = 1;
        else if (isfinite(rate->lower[v]) && active[rate->below[v]] * below < 0)
            rate->held[k] = -1;
    }
    for (size_t i = 0; i < rate->rows && active; i++)
        rate->held[columns + i] = active[rate->mover[rate->row[i]].qd];
}

static void say_active(const td_ik_rate *rate, signed char *active)
{
    const size_t columns = rate->ik->columns;
    memset(active, 0, rate->ik->nv);
    for (size_t k = 0; k < columns; k++) {
        const size_t v = rate->ik->column[k];
        const double size = 1e-11 * fabs(rate->x[k]);
        if (rate->x[k] <= rate->lower[v] + size)
            active[rate->below[v]] = rate->turned[v] & 1 ? 1 : -1;
        else if (rate->x[k] >= rate->upper[v] - size)
            active[rate->above[v]] = rate->turned[v] & 2 ? -1 : 1;
    }
    for (size_t i = 0; i < rate->rows; i++) {
        double at = 0, size = 0;
        for (size_t k = 0; k < columns; k++) {
            at += rate->B[i * columns + k] * rate->x[k];
            size += fabs(rate->B[i * columns + k] * rate->x[k]);
        }
        const size_t qd = rate->mover[rate->row[i]].qd;
        if (at <= rate->row_lower[i] + 1e-11 * size)
            active[qd] = -1;
        else if (at >= rate->row_upper[i] - 1e-11 * size)
            active[qd] = 1;
    }
}

/* Computes the residual of each row. */
static void measure(td_ik_rate *rate)
{
    const td_ik *ik = rate->ik;
    for (size_t i = 0; i < ik->rows; i++) {
        rate->left[i] = -rate->demand[i];
        for (size_t k = 0; k < ik->columns; k++)
            rate->left[i] += ik->A[i * ik->columns + k] * rate->x[k];
    }
}

static td_status solve(td_ik_rate *rate, td_workspace *workspace, const double *y,
                       const double *before, const double *velocities, const signed char *active,
                       td_ik_rate_result *result)
{
    td_ik *ik = rate->ik;
    if (td_chart_is_used(workspace))
        return TD_ERROR_ARGUMENT;
    if (!td_dense_finite(ik->ny, y) || (before && !td_dense_finite(ik->n, before)))
        return TD_ERROR_NOT_FINITE;
    memcpy(ik->now.y, y, ik->ny * sizeof *y);
    td_status status = look(rate, workspace, before);
    if (status == TD_OK)
        status = td_ik_rate_demand(rate, velocities);
    if (status == TD_OK)
        status = td_ik_rate_rows(rate, workspace);
    if (status != TD_OK)
        return status;
    bool sound = td_ik_rate_bounds(rate, before != NULL);
    recall_active(rate, active);
    sound = td_ik_rate_levels(rate, result) && sound;
    measure(rate);
    result->status = !sound                          ? TD_IK_RATE_STATUS_BEYOND
                     : td_ik_reached(ik, rate->left) ? TD_IK_RATE_STATUS_REACHED
                                                     : TD_IK_RATE_STATUS_NEAREST;
    return TD_OK;
}

td_status td_ik_rate_solve(td_ik_rate *rate, td_workspace *workspace, const double *y,
                           const double *before, const double *velocities, double *yd,
                           double *residuals, signed char *active, td_ik_rate_result *result)
{
    if (!rate || !workspace || !y || !velocities || !yd ||
        (result && !td_size_is_valid(result->size_of)))
        return TD_ERROR_ARGUMENT;
    td_ik *ik = rate->ik;
    td_ik_rate_result ours = {.status = TD_IK_RATE_STATUS_BEYOND, .smallest = NAN, .largest = NAN};
    const bool kept = !td_chart_is_used(workspace) &&
                      td_closure_remember(ik->model, workspace, rate->before) == TD_OK;
    if (kept)
        td_closure_recall(ik->model, workspace, NULL);
    const td_status status =
        TD_IN_INDEPENDENT(workspace, solve(rate, workspace, y, before, velocities, active, &ours));
    if (kept)
        td_closure_recall(ik->model, workspace, rate->before);
    if (result)
        td_sized_write(result, result->size_of, &ours, sizeof ours);
    if (status != TD_OK) {
        td_dense_spoil(ik->n, yd);
        td_dense_spoil(2 * ik->tasks, residuals);
        return status;
    }
    memcpy(yd, rate->rest, ik->n * sizeof *yd);
    for (size_t k = 0; k < ik->columns; k++)
        yd[ik->column[k]] = rate->x[k];
    for (size_t k = 0; k < ik->tasks && residuals; k++)
        td_ik_left(ik, &ik->task[k], rate->left, residuals + 2 * k);
    if (active)
        say_active(rate, active);
    return TD_OK;
}
