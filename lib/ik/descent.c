/* SPDX-License-Identifier: MIT */
/*
 * Minimizes the cost from a posture by Levenberg-Marquardt steps. Damping is proportional to the
 * cost (Sugihara, IEEE Transactions on Robotics 27, 2011): steps become Newton steps near the
 * goals and stay short at singular postures. The proportion depends on how well the linear model
 * predicted the cost. If loops do not close at the end of a step, the step is shortened to the
 * part that could be followed. Later steps are not much longer.
 */
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/limit.h"
#include "ik/ik.h"
#include "tandem/closure.h"
#include "tandem/configuration.h"

/* largest numbers of failures: of a descent, and of one with TD_IK_TO_THE_END */
enum { MOST_TRIES = 20, MOST_FAILURES = 3, MOST_FAILURES_AT_END = 40, COST_OF_FAILURE = 20 };

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
    a->outside = b->outside;
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

double td_ik_excess(const td_ik *ik, const td_ik_follower *follower, const double *q)
{
    const double x = q[follower->q], range = follower->upper - follower->lower;
    /* margin inside of each limit */
    const double inside = ik->restores ? fmin(0.5 * range, 0.5 * td_limit_tolerance(x)) : 0;
    return fmax(x - (follower->upper - inside), 0) + fmin(x - (follower->lower + inside), 0);
}

/* Computes p->outside and Σ of the squared excess of followers over their limits. */
static double find_excess(const td_ik *ik, td_ik_posture *p)
{
    double sum = 0;
    p->outside = 0;
    for (size_t f = 0; f < ik->followers; f++) {
        const td_ik_follower *follower = &ik->follower[f];
        const double x = p->q[follower->q], excess = td_ik_excess(ik, follower, p->q);
        const double above = (x - follower->upper) / td_limit_tolerance(follower->upper);
        const double below = (follower->lower - x) / td_limit_tolerance(follower->lower);
        p->outside = fmax(p->outside, fmax(above, below)); /* NaN for an infinite limit */
        sum += excess * excess;
    }
    return sum;
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
    if (status == TD_OK && ik->solves)
        status = td_closure_remember(ik->model, workspace, p->memory);
    if (status != TD_OK)
        return status;
    const double excess = find_excess(ik, p);
    if (ik->restores || p->outside > 1 || isnan(excess)) {
        p->cost = excess;
        return ik->restores && isfinite(excess) ? TD_OK : TD_ERROR_LIMIT;
    }
    status = td_ik_residual(ik, workspace, p);
    p->cost = td_ik_cost(ik, p->r);
    if (status == TD_OK && !isfinite(p->cost)) /* beyond the range of numbers */
        status = TD_ERROR_LIMIT;
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

/* Sets y of trial = now ⊕ s delta so that no entry exceeds reach. Returns the factor s ≤ 1. */
static double move(td_ik *ik, double reach)
{
    const double longest = td_dense_largest(ik->columns, ik->delta);
    const double part = longest > reach ? reach / longest : 1;
    for (size_t k = 0; k < ik->columns; k++)
        ik->step[ik->column[k]] = part * ik->delta[k];
    td_integrate(ik->model, TD_COORDINATES_INDEPENDENT, ik->now.y, ik->step, 1, ik->trial.y);
    td_ik_confine(ik, ik->now.y, ik->trial.y);
    return part;
}

/* Sets margins for the next step: it must end inside the limits that the last one exceeded, by
   this part of the excess. A step of the same length exceeds them by as much due to curvature, a
   step of half the length by a quarter. */
static void keep_off(td_ik *ik, double part)
{
    for (size_t f = 0; f < ik->followers; f++) {
        const double by = fabs(td_ik_excess(ik, &ik->follower[f], ik->trial.q));
        ik->follower[f].margin = fmax(ik->follower[f].margin, part * by);
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

/* State of a descent. */
typedef struct td_ik_pace {
    double proportion; /* damping relative to the cost */
    double reach;      /* bound of the longest entry of a step, rad or m */
    double decrease;   /* relative decrease of the cost by the last step */
    size_t failures;   /* remaining failures of closing loops */
    double promised;   /* predicted decrease by a step that keeps limits to first order */
    bool bent, failed; /* since the last accepted step: a step exceeded limits of followers; loops
                          did not close */
} td_ik_pace;

/* Accepts a step. Adapts the damping to how well the model predicted the gain. */
static void accept(td_ik *ik, td_ik_pace *pace, double part, double less)
{
    const double told = less / (part * (2 - part) * pace->promised);
    const double change = told > 0.75 ? 0.2 : told > 0.25 ? 1 : 3;
    pace->proportion = fmin(fmax(pace->proportion * change, 1e-8), 1e8);
    pace->decrease = less / ik->now.cost;
    const td_ik_posture last = ik->now;
    ik->now = ik->trial;
    ik->trial = last;
    ik->room *= ik->active[ik->followers] == 1 ? 2 : 1;
}

/* Prepares the next step after a failure; `part` is the fraction that was taken. Increases
   damping, and keeps the step away from the exceeded limits of followers, or from the direction
   in which loops open. A second failure also shortens the step. */
static void draw_back(td_ik *ik, td_workspace *workspace, td_ik_pace *pace, td_status status,
                      double part)
{
    const double followed = td_failed_path(workspace);
    double longest = 0;
    if (ik->solves)
        td_closure_recall(ik->model, workspace, ik->now.memory);
    for (size_t k = 0; k < ik->columns; k++)
        longest = fmax(longest, fabs(ik->step[ik->column[k]]));
    if (status == TD_OK) { /* a shorter step needs a smaller margin */
        forget_margins(ik);
        pace->bent = false;
        pace->proportion *= 10;
    } else if (status == TD_ERROR_LIMIT) {
        forget_margins(ik);
        keep_off(ik, (pace->bent ? 0.5 : 1.1) / part);
        pace->proportion *= pace->bent ? 3 : 1;
        pace->reach = pace->bent ? 0.5 * longest : pace->reach;
        pace->bent = true;
    } else {
        pace->failures--;
        if (ik->opens)
            ik->room *= 0.3;
        if (pace->failed || (!ik->opens && td_ik_find_opening(ik, workspace, followed) != TD_OK))
            pace->reach = longest * fmin(fmax(0.8 * followed, 0.1), 0.5);
        pace->failed = true;
    }
}

/* Takes one step that decreases the cost; sets *moved if there is one. */
static td_status improve(td_ik *ik, td_workspace *workspace, td_ik_pace *pace, bool *moved)
{
    double tiny = 0;
    for (size_t j = 0; j < ik->columns; j++)
        tiny = fmax(tiny, 1e-14 * ik->H[j * ik->columns + j]);
    *moved = pace->failed = pace->bent = false;
    forget_margins(ik);
    for (int i = 0; i < MOST_TRIES && pace->failures > 0; i++) {
        double expected;
        if (!td_ik_step(ik, &ik->now, pace->proportion * ik->now.cost + tiny, &expected)) {
            pace->proportion = fmax(10 * pace->proportion, 1e-12);
            tiny *= 10;
            continue;
        }
        const double part = move(ik, pace->reach); /* a margin reduces the expected decrease */
        pace->promised = pace->bent ? fmax(pace->promised, expected) : expected;
        td_status status = td_ik_look(ik, workspace, &ik->trial);
        if (status == TD_OK && !ik->restores && ik->trial.outside > ik->now.outside)
            status = TD_ERROR_LIMIT;
        const double less = ik->now.cost - ik->trial.cost;
        if (status == TD_OK && less > 0) {
            accept(ik, pace, part, less);
            *moved = true;
            return TD_OK;
        }
        if (status != TD_OK && !td_ik_is_open(status))
            return status;
        draw_back(ik, workspace, pace, status, part);
    }
    return TD_OK;
}

static bool is_done(const td_ik *ik, bool whole)
{
    if (ik->restores)
        return ik->now.outside == 0;
    return (!whole && td_ik_reached(ik, ik->now.r)) || ik->now.cost == 0;
}

td_status td_ik_descend(td_ik *ik, td_workspace *workspace, size_t iterations, size_t patience)
{
    const bool whole = patience == TD_IK_TO_THE_END;
    td_ik_pace pace = {.proportion = 0.03,
                       .reach = 1.5,
                       .failures = whole ? MOST_FAILURES_AT_END : MOST_FAILURES + 1};
    size_t slow = 0;
    ik->opens = false;
    for (size_t i = 0; i < iterations; i++) {
        bool moved;
        if (is_done(ik, whole))
            return TD_OK;
        td_status status = ik->restores ? TD_OK : td_ik_jacobian(ik, workspace, &ik->now);
        if (status == TD_OK && (ik->followers || ik->opens))
            status = td_closure_jacobian(ik->model, workspace, ik->now.y, ik->G);
        if (status != TD_OK) /* near a singularity G may be unavailable: stop here */
            return td_ik_is_open(status) ? TD_OK : status;
        for (size_t f = 0; f < ik->followers; f++)
            for (size_t k = 0; k < ik->columns; k++)
                ik->F[f * ik->columns + k] = ik->G[ik->follower[f].qd * ik->n + ik->column[k]];
        if (ik->opens)
            td_ik_turn_opening(ik);
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

td_status td_ik_restore(td_ik *ik, td_workspace *workspace)
{
    ik->restores = true;
    td_status status = td_ik_descend(ik, workspace, ik->options.iterations, 3);
    ik->restores = false;
    if (status != TD_OK)
        return status;
    return td_ik_look(ik, workspace, &ik->now);
}
