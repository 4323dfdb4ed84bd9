/* SPDX-License-Identifier: MIT */
/*
 * Downhill from a posture: Levenberg's and Marquardt's steps, whose damping is in proportion to the
 * cost (Sugihara, IEEE Transactions on Robotics 27, 2011), so that they become Newton's as the
 * goals are reached and stay short at singular postures. The proportion follows how well the linear
 * model told the cost. Where loops do not close at the end of a step, it is shortened to what could
 * be followed of it, and later ones are not much longer.
 */
#include <math.h>
#include <string.h>

#include "ik/ik.h"
#include "tandem/closure.h"
#include "tandem/configuration.h"

enum { MOST_TRIES = 20, MOST_FAILURES = 3, COST_OF_FAILURE = 20 };

bool td_ik_is_open(td_status status)
{
    return status == TD_ERROR_ASSEMBLY || status == TD_ERROR_BRANCH ||
           status == TD_ERROR_CLOSURE_SINGULAR || status == TD_ERROR_LIMIT;
}

void td_ik_copy(const td_ik *ik, td_ik_posture *a, const td_ik_posture *b)
{
    memcpy(a->y, b->y, ik->ny * sizeof *a->y);
    memcpy(a->q, b->q, ik->nq * sizeof *a->q);
    memcpy(a->r, b->r, ik->rows * sizeof *a->r);
    memcpy(a->memory, b->memory, ik->nq * sizeof *a->memory);
    a->cost = b->cost;
}

double td_ik_cost(const td_ik *ik, const double *r)
{
    double cost = 0;
    for (size_t i = 0; i < ik->rows; i++) {
        const double x = ik->scale[i] * (r[i] + ik->shift[i]);
        cost += x * x;
    }
    return cost;
}

bool td_ik_reached(const td_ik *ik, const double *r)
{
    for (size_t k = 0; k < ik->tasks; k++) {
        const td_ik_task *task = &ik->task[k];
        double squares[2] = {0, 0};
        for (size_t i = task->row; i < task->row + task->rows; i++)
            squares[ik->turn[i]] += ik->scale[i] > 0 ? r[i] * r[i] : 0;
        if (!(sqrt(squares[0]) <= task->goal.tolerance &&
              sqrt(squares[1]) <= task->goal.turn_tolerance))
            return false;
    }
    return true;
}

/* by how much a follower is beyond its limits; ≤ 0 within */
static double beyond(const td_ik_follower *follower, const double *q)
{
    return fmax(q[follower->q] - follower->upper, follower->lower - q[follower->q]);
}

td_status td_ik_look(td_ik *ik, td_workspace *workspace, td_ik_posture *p)
{
    td_status status = TD_OK;
    ik->evaluations++;
    if (ik->solves)
        status = td_closure(ik->model, workspace, p->y, NULL, NULL, p->q, NULL, NULL);
    if (status == TD_OK && ik->turns)
        status = td_independent_coordinates(ik->model, workspace, p->q, p->y, NULL);
    if (td_ik_is_open(status))
        ik->evaluations += COST_OF_FAILURE - 1;
    if (status != TD_OK)
        return status;
    for (size_t f = 0; f < ik->followers; f++)
        if (!(beyond(&ik->follower[f], p->q) <= 0))
            return TD_ERROR_LIMIT;
    status = td_ik_residual(ik, workspace, p);
    p->cost = td_ik_cost(ik, p->r);
    if (status == TD_OK && !isfinite(p->cost)) /* too far away for numbers */
        status = TD_ERROR_LIMIT;
    if (status == TD_OK && ik->solves)
        status = td_closure_remember(ik->model, workspace, p->memory);
    return status;
}

void td_ik_confine(const td_ik *ik, const double *from, double *y)
{
    for (size_t i = 0; i < ik->ny; i++)
        if (!ik->moves[i])
            y[i] = from[i];
    for (size_t k = 0; k < ik->columns; k++) {
        const size_t v = ik->column[k];
        double *x = &y[ik->position[v]];
        *x = *x < ik->lower[v] ? ik->lower[v] : *x > ik->upper[v] ? ik->upper[v] : *x;
    }
}

/* y of trial = now ⊕ delta, of which no entry is longer than reach; gives back which part of it */
static double move(td_ik *ik, double reach)
{
    double longest = 0;
    for (size_t k = 0; k < ik->columns; k++)
        longest = fmax(longest, fabs(ik->delta[k]));
    const double part = longest > reach ? reach / longest : 1;
    for (size_t k = 0; k < ik->columns; k++)
        ik->step[ik->column[k]] = part * ik->delta[k];
    td_integrate(ik->model, ik->now.y, ik->step, 1, ik->trial.y);
    td_ik_confine(ik, ik->now.y, ik->trial.y);
    return part;
}

/* The next step is to end within the limits that the last one passed: half as long it would do so
   by a quarter of that. */
static void keep_off(td_ik *ik)
{
    for (size_t f = 0; f < ik->followers; f++) {
        const double by = beyond(&ik->follower[f], ik->trial.q);
        if (by > 0)
            ik->follower[f].margin = fmax(ik->follower[f].margin, 0.5 * by);
    }
}

static void forget_margins(td_ik *ik)
{
    for (size_t f = 0; f < ik->followers; f++) {
        td_ik_follower *follower = &ik->follower[f];
        const double lower = isfinite(follower->lower) ? fabs(follower->lower) : 0;
        const double upper = isfinite(follower->upper) ? fabs(follower->upper) : 0;
        follower->margin = 1e-14 * (1 + fmax(lower, upper));
    }
}

/* How the steps of a descent go. */
typedef struct td_ik_pace {
    double proportion; /* of the cost: the damping */
    double reach;      /* rad or m: of the longest entry of a step */
    double decrease;   /* of the cost by the last step, relative */
    size_t failures;
} td_ik_pace;

/* One step that makes the cost less; *moved says whether there is one. */
static td_status improve(td_ik *ik, td_workspace *workspace, td_ik_pace *pace, bool *moved)
{
    double tiny = 0;
    for (size_t j = 0; j < ik->columns; j++)
        tiny = fmax(tiny, 1e-14 * ik->H[j * ik->columns + j]);
    *moved = false;
    forget_margins(ik);
    for (int i = 0; i < MOST_TRIES && pace->failures <= MOST_FAILURES; i++) {
        double expected;
        if (!td_ik_step(ik, &ik->now, pace->proportion * ik->now.cost + tiny, &expected)) {
            pace->proportion = fmax(10 * pace->proportion, 1e-12);
            tiny *= 10;
            continue;
        }
        const double part = move(ik, pace->reach);
        td_status status = td_ik_look(ik, workspace, &ik->trial);
        const double less = ik->now.cost - ik->trial.cost;
        if (status == TD_OK && less > 0) {
            const double told = less / (part * (2 - part) * expected);
            const double change = told > 0.75 ? 0.2 : told > 0.25 ? 1 : 3;
            pace->proportion = fmin(fmax(pace->proportion * change, 1e-8), 1e8);
            pace->decrease = less / ik->now.cost;
            const td_ik_posture last = ik->now;
            ik->now = ik->trial;
            ik->trial = last;
            *moved = true;
            return TD_OK;
        }
        if (status != TD_OK && !td_ik_is_open(status))
            return status;
        if (ik->solves)
            td_closure_recall(ik->model, workspace, ik->now.memory);
        double longest = 0;
        for (size_t k = 0; k < ik->columns; k++)
            longest = fmax(longest, fabs(ik->step[ik->column[k]]));
        if (status == TD_OK) {
            pace->proportion *= 10;
        } else if (status == TD_ERROR_LIMIT) {
            forget_margins(ik);
            keep_off(ik);
            pace->proportion *= 3;
            pace->reach = 0.5 * longest;
        } else {
            pace->reach = longest * fmin(fmax(0.8 * td_failed_path(workspace), 0.1), 0.5);
            pace->failures++;
        }
    }
    return TD_OK;
}

td_status td_ik_descend(td_ik *ik, td_workspace *workspace, size_t iterations, size_t patience)
{
    td_ik_pace pace = {.proportion = 0.03, .reach = 1.5};
    const bool whole = patience == TD_IK_TO_THE_END;
    size_t slow = 0;
    for (size_t i = 0; i < iterations; i++) {
        bool moved;
        if ((!whole && td_ik_reached(ik, ik->now.r)) || ik->now.cost == 0)
            return TD_OK;
        td_status status = td_ik_jacobian(ik, workspace, &ik->now);
        if (status == TD_OK && ik->followers)
            status = td_closure_jacobian(ik->model, workspace, ik->now.y, ik->G);
        if (status != TD_OK) /* G is lost where γ is all but singular: as far as it goes */
            return td_ik_is_open(status) ? TD_OK : status;
        for (size_t f = 0; f < ik->followers; f++)
            for (size_t k = 0; k < ik->columns; k++)
                ik->F[f * ik->columns + k] = ik->G[ik->follower[f].qd * ik->n + ik->column[k]];
        const double slope = td_ik_slope(ik, &ik->now);
        if (slope == 0)
            return TD_OK;
        status = improve(ik, workspace, &pace, &moved);
        if (status != TD_OK || !moved)
            return status;
        ik->iterations++;
        pace.reach = fmin(2 * pace.reach, 1.5);
        slow = pace.decrease < (whole ? 1e-13 : 0.05) ? slow + 1 : 0;
        if (slow >= (whole ? 3 : patience))
            return TD_OK;
    }
    return TD_OK;
}
