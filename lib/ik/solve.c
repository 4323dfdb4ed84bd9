/* SPDX-License-Identifier: MIT */
/*
 * The starts of a search, and the final steps from the best one: see ik.h. Starts are the seed,
 * the reference, and random configurations that depend only on their number. If loops do not
 * close at a start, the search begins at the farthest point toward it that can be reached from a
 * closed configuration.
 */
#include <math.h>
#include <string.h>

#include "base/coordinates.h"
#include "base/dense.h"
#include "base/sized.h"
#include "ik/ik.h"
#include "tandem/closure.h"
#include "tandem/configuration.h"

/* Sets what the workspace remembers of the last posture: `memory`, or (NULL) only the start. */
static void recall(const td_ik *ik, td_workspace *workspace, const double *memory)
{
    if (ik->solves)
        td_closure_recall(ik->model, workspace, memory);
}

/* ---- starts ---------------------------------------------------------------------------------- */

/* Evaluates `now`. If followers exceed their limits there, moves it to where they do not. */
static td_status look_within(td_ik *ik, td_workspace *workspace)
{
    const td_status status = td_ik_look(ik, workspace, &ik->now);
    return status == TD_ERROR_LIMIT ? td_ik_restore(ik, workspace) : status;
}

/* Moves `now` to y, or as far from base toward y as loops can be followed. */
static td_status begin(td_ik *ik, td_workspace *workspace, const double *y)
{
    enum { MOST_PARTS = 6 };
    double part = 1;
    td_status status = TD_OK;
    td_difference(ik->model, TD_COORDINATES_INDEPENDENT, ik->base, y, ik->away);
    memcpy(ik->now.y, y, ik->ny * sizeof *y);
    for (int i = 0; i < MOST_PARTS; i++) {
        recall(ik, workspace, NULL);
        if (i > 0)
            td_integrate(ik->model, TD_COORDINATES_INDEPENDENT, ik->base, ik->away, part,
                         ik->now.y);
        td_ik_confine(ik, ik->seed, ik->now.y);
        status = look_within(ik, workspace);
        if (!td_ik_is_open(status))
            return status;
        const double followed = status == TD_ERROR_LIMIT ? 0.5 : 0.9 * td_failed_path(workspace);
        part *= fmin(fmax(followed, 0.05), 0.8);
    }
    return status;
}

/* Draws a random configuration of the moving coordinates. Returns false if none is randomized. */
static bool draw(td_ik *ik, size_t count)
{
    bool drawn = false;
    uint64_t state = ik->options.random + count * UINT64_C(0xd1342543de82ef95);
    td_random_configuration(ik->model, TD_COORDINATES_INDEPENDENT, &state, ik->drawn);
    for (size_t k = 0; k < ik->columns; k++) { /* near the seed if there are no limits */
        const size_t v = ik->column[k], at = ik->position[v];
        const double range = ik->most[v] - ik->least[v], room = ik->angle[v] ? td_ik_turn : 2;
        if (!isfinite(range) || range <= (ik->angle[v] ? 4 * td_ik_turn : 200))
            continue;
        const double part = (ik->drawn[at] - ik->least[v]) / range;
        const double y = ik->seed[at] + room * (part - 0.5);
        ik->drawn[at] = fmin(fmax(y, ik->least[v]), ik->most[v]);
    }
    for (size_t i = 0; i < ik->ny; i++) {
        drawn = drawn || ik->random[i];
        ik->drawn[i] = ik->random[i] ? ik->drawn[i] : ik->seed[i];
    }
    return drawn;
}

/* Sets the start with the given number: 0 the seed, 1 the reference. Returns false after the last.
 */
static bool next_start(td_ik *ik, size_t start, const td_ik_search *how)
{
    if (start == 0)
        memcpy(ik->drawn, ik->seed, ik->ny * sizeof *ik->drawn);
    else if (start == 1)
        memcpy(ik->drawn, td_reference(ik->model, TD_COORDINATES_INDEPENDENT),
               ik->ny * sizeof *ik->drawn);
    else if (!(how->all || start - 2 < ik->options.restarts) || !draw(ik, start - 1))
        return false;
    td_ik_confine(ik, ik->seed, ik->drawn);
    return true;
}

/* Finds base: the seed, or the reference if loops do not close at the seed. If they close at
   neither, or followers stay beyond their limits, base is the reference too. */
static td_status find_base(td_ik *ik, td_workspace *workspace)
{
    td_status status = TD_OK;
    memcpy(ik->base, ik->seed, ik->ny * sizeof *ik->base);
    for (size_t start = 0; start < 2 && ik->solves; start++) {
        next_start(ik, start, NULL);
        memcpy(ik->now.y, ik->drawn, ik->ny * sizeof *ik->drawn);
        recall(ik, workspace, NULL);
        status = look_within(ik, workspace);
        memcpy(ik->base, ik->now.y, ik->ny * sizeof *ik->base);
        if (!td_ik_is_open(status))
            return status;
    }
    return TD_OK;
}

/* ---- finishing the best posture -------------------------------------------------------------- */

/* Copies best to now and evaluates it. */
static td_status resume(td_ik *ik, td_workspace *workspace)
{
    td_ik_copy(ik, &ik->now, &ik->best);
    recall(ik, workspace, ik->now.memory);
    return td_ik_look(ik, workspace, &ik->now);
}

/* Moves angles that can make whole turns as close to the seed as possible, within their limits. */
static td_status unwind(td_ik *ik, td_workspace *workspace)
{
    bool changed = false, outside = false;
    td_ik_copy(ik, &ik->trial, &ik->best);
    for (size_t k = 0; k < ik->columns; k++) {
        const size_t v = ik->column[k], at = ik->position[v];
        if (!ik->turning[v])
            continue;
        const double y = ik->best.y[at], least = ik->least[v], most = ik->most[v];
        double turns = round((ik->seed[at] - y) / td_ik_turn);
        turns = fmin(turns, floor((most - y) / td_ik_turn));
        turns = fmax(turns, ceil((least - y) / td_ik_turn));
        if (!isfinite(turns) || turns == 0)
            turns = 0;
        ik->trial.y[at] = turns == 0 ? y : y + td_ik_turn * turns;
        ik->trial.y[at] = fmin(fmax(ik->trial.y[at], least), most); /* beyond rounding */
        outside = outside || y < least || y > most;
        changed = changed || ik->trial.y[at] != y;
    }
    if (!changed)
        return TD_OK;
    recall(ik, workspace, ik->best.memory);
    td_status status = td_ik_look(ik, workspace, &ik->trial);
    const bool reached = td_ik_reached(ik, ik->best.r);
    if (status == TD_OK && (outside || (reached ? td_ik_reached(ik, ik->trial.r)
                                                : ik->trial.cost <= ik->best.cost * (1 + 1e-9))))
        td_ik_copy(ik, &ik->best, &ik->trial);
    return td_ik_is_open(status) ? TD_OK : status;
}

/* Minimizes the wishes subject to the required goals, by the method of multipliers: rows r + s of
   required goals get larger weights, and s += r after each descent, until they are satisfied. Keeps
   the best posture if a later one is no longer valid, as with followers at their limits. */
static td_status grant(td_ik *ik, td_workspace *workspace)
{
    enum { MOST_ROUNDS = 12 };
    const double required = 30 * ik->largest_wish / ik->least_need;
    td_status status = resume(ik, workspace);
    td_ik_choose(ik, required, 1);
    for (int i = 0; i < MOST_ROUNDS && status == TD_OK; i++) {
        double left = 0;
        if (i > 0) { /* link poses belong to the last trial */
            recall(ik, workspace, ik->now.memory);
            status = td_ik_look(ik, workspace, &ik->now);
        }
        if (status != TD_OK)
            break;
        ik->now.cost = td_ik_cost(ik, ik->now.r);
        status = td_ik_descend(ik, workspace, ik->options.iterations, TD_IK_TO_THE_END);
        for (size_t k = 0; k < ik->tasks; k++)
            for (size_t j = 0; j < ik->task[k].rows && ik->task[k].goal.required; j++) {
                const size_t row = ik->task[k].row + j;
                ik->shift[row] += ik->now.r[row];
                left = fmax(left, fabs(ik->now.r[row]));
            }
        if (left <= 1e-12 || ik->evaluations / 2 >= ik->options.evaluations)
            break;
    }
    td_ik_choose(ik, 1, 0);
    if (status != TD_OK)
        return td_ik_is_open(status) ? TD_OK : status;
    recall(ik, workspace, ik->now.memory);
    status = td_ik_look(ik, workspace, &ik->now); /* link poses belong to now */
    if (status == TD_OK)
        status = td_ik_descend(ik, workspace, ik->options.iterations, 3);
    if (status == TD_OK && td_ik_reached(ik, ik->now.r))
        td_ik_copy(ik, &ik->best, &ik->now);
    return td_ik_is_open(status) ? TD_OK : status;
}

/* Finishes a solution: moves whole turns near the seed, and optimizes wished goals. */
static td_status finish(td_ik *ik, td_workspace *workspace)
{
    td_status status = unwind(ik, workspace);
    if (status != TD_OK || !ik->wishes || !td_ik_reached(ik, ik->best.r))
        return status;
    status = grant(ik, workspace);
    return status == TD_OK ? unwind(ik, workspace) : status;
}

/* Passes a solution on and resets the best posture. *more: whether to continue. */
static td_status hand_on(td_ik *ik, td_workspace *workspace, const td_ik_search *how, bool found,
                         bool *more)
{
    td_status status = TD_OK;
    if (found) {
        status = finish(ik, workspace);
        td_ik_choose(ik, 1, td_ik_any_required(ik) ? 0 : 1);
        if (status == TD_OK && !ik->solves)
            status =
                td_closure(ik->model, workspace, ik->best.y, NULL, NULL, ik->best.q, NULL, NULL);
    }
    *more = status == TD_OK && how->take(how->context, ik, found);
    ik->best.cost = INFINITY;
    return status;
}

/* Searches from as many starts as needed and keeps the best posture, or every solution. */
static td_status search(td_ik *ik, td_workspace *workspace, const td_ik_search *how)
{
    bool more = true;
    td_status status = find_base(ik, workspace);
    const size_t before = ik->evaluations;
    for (size_t start = how->from; status == TD_OK && start < how->to && more; start++) {
        if ((start > how->from && !how->all &&
             ik->evaluations - before >= ik->options.evaluations) ||
            !next_start(ik, start, how))
            break;
        if (start == 1 && memcmp(ik->drawn, ik->seed, ik->ny * sizeof *ik->seed) == 0)
            continue;
        status = begin(ik, workspace, ik->drawn);
        if (status == TD_OK && !how->here) {
            ik->starts++;
            status = td_ik_descend(ik, workspace, ik->options.iterations,
                                   2 + (how->all ? 0 : start / 8));
        }
        const bool open = td_ik_is_open(status), reached = !open && td_ik_reached(ik, ik->now.r);
        status = open ? TD_OK : status;
        if (status == TD_OK && !open && ik->now.cost < ik->best.cost)
            td_ik_copy(ik, &ik->best, &ik->now);
        if (how->all && status == TD_OK)
            status = hand_on(ik, workspace, how, reached, &more);
        else if (reached)
            break;
    }
    return status;
}

/* Returns whether limits leave a column no value. */
static bool is_empty(const td_ik *ik)
{
    for (size_t k = 0; k < ik->columns; k++)
        if (ik->lower[ik->column[k]] > ik->upper[ik->column[k]])
            return true;
    return false;
}

static td_status solve(td_ik *ik, td_workspace *workspace, const td_ik_search *how)
{
    const bool required = td_ik_any_required(ik);
    td_ik_choose(ik, 1, required ? 0 : 1);
    ik->best.cost = INFINITY;
    if (is_empty(ik))
        return TD_OK;
    td_status status = search(ik, workspace, how);
    if (status != TD_OK || isinf(ik->best.cost))
        return status;
    if (how->here)
        return TD_OK;
    if (!td_ik_reached(ik, ik->best.r)) {
        status = resume(ik, workspace);
        if (status == TD_OK)
            status = td_ik_descend(ik, workspace, ik->options.iterations, TD_IK_TO_THE_END);
        if (status == TD_OK && ik->now.cost <= ik->best.cost)
            td_ik_copy(ik, &ik->best, &ik->now);
        status = td_ik_is_open(status) ? TD_OK : status;
    }
    return status == TD_OK ? finish(ik, workspace) : status;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static td_status take_seed(td_ik *ik, const double *seed)
{
    memcpy(ik->seed, td_reference(ik->model, TD_COORDINATES_INDEPENDENT),
           ik->ny * sizeof *ik->seed);
    for (size_t i = 0; i < ik->ny && seed; i++) {
        if (!isfinite(seed[i]))
            return TD_ERROR_NOT_FINITE;
        ik->seed[i] = seed[i];
    }
    td_ik_confine(ik, ik->seed, ik->seed);
    return TD_OK;
}

td_status td_ik_call(td_ik *ik, td_workspace *workspace, const double *targets, const double *seed,
                     const td_ik_search *how)
{
    ik->evaluations = ik->iterations = ik->starts = 0;
    ik->best.cost = INFINITY;
    if (td_chart_is_used(workspace))
        return TD_ERROR_ARGUMENT;
    td_status status = td_closure_remember(ik->model, workspace, ik->before);
    if (status != TD_OK)
        return status;
    status = td_ik_take_targets(ik, targets);
    if (status == TD_OK)
        status = take_seed(ik, seed);
    if (status == TD_OK)
        status = solve(ik, workspace, how);
    if (status == TD_OK && isfinite(ik->best.cost) && !ik->solves)
        status = td_closure(ik->model, workspace, ik->best.y, NULL, NULL, ik->best.q, NULL, NULL);
    td_closure_recall(ik->model, workspace, ik->before);
    return status;
}

void td_ik_give(td_ik *ik, td_status status, double *y, double *residuals, td_ik_result *result)
{
    const bool found = status == TD_OK && isfinite(ik->best.cost);
    const td_ik_result ours = {
        .status = !found                          ? TD_IK_STATUS_OPEN
                  : td_ik_reached(ik, ik->best.r) ? TD_IK_STATUS_REACHED
                                                  : TD_IK_STATUS_NEAREST,
        .iterations = ik->iterations,
        .evaluations = ik->evaluations,
        .starts = ik->starts,
    };
    if (result)
        td_sized_write(result, result->size_of, &ours, sizeof ours);
    if (!found) {
        td_dense_spoil(ik->ny, y);
        td_dense_spoil(ik->nq, ik->found);
        td_dense_spoil(2 * ik->tasks, residuals);
        return;
    }
    memcpy(y, ik->best.y, ik->ny * sizeof *y);
    memcpy(ik->found, ik->best.q, ik->nq * sizeof *y);
    for (size_t k = 0; k < ik->tasks && residuals; k++)
        td_ik_left(ik, &ik->task[k], ik->best.r, residuals + 2 * k);
}

td_status td_ik_solve(td_ik *ik, td_workspace *workspace, const double *targets, const double *seed,
                      double *y, double *residuals, td_ik_result *result)
{
    const td_ik_search how = {.to = SIZE_MAX};
    if (!ik || !workspace || !targets || !y || (result && !td_size_is_valid(result->size_of)))
        return TD_ERROR_ARGUMENT;
    const td_status status =
        TD_IN_INDEPENDENT(workspace, td_ik_call(ik, workspace, targets, seed, &how));
    td_ik_give(ik, status, y, residuals, result);
    return status;
}

td_status td_ik_solve_rows(td_ik *ik, td_workspace *workspace, size_t n, const double *targets,
                           td_ik_seeds from, const double *seeds, double *y, double *residuals,
                           td_ik_result *results)
{
    if (!ik || !workspace || (n && (!targets || !y)) || (unsigned)from > TD_IK_SEEDS_BEFORE ||
        (from == TD_IK_SEEDS_ROWS && n && !seeds) ||
        (n && results && !td_size_is_valid(results->size_of)))
        return TD_ERROR_ARGUMENT;
    const size_t bytes = results && n ? results->size_of : 0;
    const double *seed = seeds;
    td_status first = TD_OK;
    for (size_t i = 0; i < n; i++) {
        td_ik_result result = {.size_of = sizeof result};
        if (from == TD_IK_SEEDS_ROWS)
            seed = seeds + i * ik->ny;
        td_status status =
            td_ik_solve(ik, workspace, targets + i * ik->targets, seed, y + i * ik->ny,
                        residuals ? residuals + 2 * i * ik->tasks : NULL, &result);
        first = first == TD_OK ? status : first;
        if (results)
            td_sized_write((char *)results + i * bytes, bytes, &result, sizeof result);
        if (from == TD_IK_SEEDS_BEFORE && status == TD_OK && result.status == TD_IK_STATUS_REACHED)
            seed = y + i * ik->ny;
    }
    return first;
}
