/* SPDX-License-Identifier: MIT */
/*
 * Solves rows along a path; see ik_path.h. First follows the path from each start only to compute a
 * score. Then follows it again from the best start for the output, so that memory does not depend
 * on the number of rows.
 */
#include <math.h>
#include <string.h>

#include "base/coordinates.h"
#include "base/dense.h"
#include "base/sized.h"
#include "ik/ik.h"
#include "tandem/closure.h"
#include "tandem/configuration.h"
#include "tandem/ik_path.h"

/* The data of a call. */
typedef struct path {
    td_ik *ik;
    td_workspace *workspace;
    td_ik_path_options options;
    size_t n;
    const double *targets;
    double *starts;            /* options.starts × ny */
    double *between;           /* targets */
    double *at, *last, *next;  /* ny: this row, the previous row, a trial */
    double *others;            /* MOST_OTHERS × ny */
    double *y, *q, *residuals; /* NULL: only compute the score */
    td_ik_path_row *rows;
    size_t row_size;
    size_t evaluations;
} path;

enum { MOST_OTHERS = 16, MOST_STARTS = 64 };

static const double shortest_part = 1.0 / 1024; /* fraction of the distance between two rows */

typedef struct score {
    size_t missed, jumps, first;
    double way; /* Σ of the largest changes */
    td_status error;
} score;

static void take(td_stack *stack, path *p)
{
    p->starts = td_take(stack, double, p->options.starts * p->ik->ny);
    p->between = td_take(stack, double, p->ik->targets);
    p->at = td_take(stack, double, p->ik->ny);
    p->last = td_take(stack, double, p->ik->ny);
    p->next = td_take(stack, double, p->ik->ny);
    p->others = td_take(stack, double, MOST_OTHERS * p->ik->ny);
}

/* ---- targets between two rows ---------------------------------------------------------------- */

/* Interpolates directions from a to b (n numbers, any nonzero length) at constant angular speed,
   and returns a unit vector. `either`: b and −b are equivalent; goes to the nearer one. Opposite
   directions are interpolated through some normal of a. */
static void turn_between(size_t n, bool either, const double *a, const double *b, double part,
                         double *x)
{
    const double from = td_dense_norm(n, a), to = td_dense_norm(n, b);
    double cosine = 0, across[4] = {0};
    for (size_t i = 0; i < n; i++)
        cosine += a[i] / from * (b[i] / to);
    const double sign = either && cosine < 0 ? -1 : 1;
    cosine = fmax(-1, fmin(1, sign * cosine));
    for (size_t i = 0; i < n; i++)
        across[i] = sign * b[i] / to - cosine * a[i] / from;
    double sine = td_dense_norm(n, across);
    const double angle = atan2(sine, cosine);
    if (sine < 1e-9 && cosine < 0) { /* any normal of a */
        size_t least = 0;
        for (size_t i = 1; i < n; i++)
            least = fabs(a[i]) < fabs(a[least]) ? i : least;
        for (size_t i = 0; i < n; i++)
            across[i] = (i == least) - a[least] / from * (a[i] / from);
        sine = td_dense_norm(n, across);
    }
    for (size_t i = 0; i < n; i++)
        x[i] =
            cos(part * angle) * a[i] / from + (sine > 0 ? sin(part * angle) * across[i] / sine : 0);
}

static void line_between(size_t n, const double *a, const double *b, double part, double *x)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (1 - part) * a[i] + part * b[i];
}

static void target_between(path *p, const double *a, const double *b, double part)
{
    const td_ik *ik = p->ik;
    for (size_t k = 0; k < ik->tasks; k++) {
        const td_ik_task *task = &ik->task[k];
        const size_t at = task->target;
        double *x = p->between + at;
        if (task->goal.kind == TD_IK_POSTURE) {
            td_difference(ik->model, TD_COORDINATES_INDEPENDENT, a + at, b + at, ik->away);
            td_integrate(ik->model, TD_COORDINATES_INDEPENDENT, a + at, ik->away, part, x);
            continue;
        }
        line_between(task->targets, a + at, b + at, part, x);
        const bool turned = task->goal.kind == TD_IK_ORIENTATION || task->goal.kind == TD_IK_AXIS;
        const bool either = task->goal.kind != TD_IK_AXIS;
        if (turned)
            turn_between(task->targets, either, a + at, b + at, part, x);
        else if (task->targets > 3) /* pose, line, plane */
            turn_between(task->targets - 3, either, a + at + 3, b + at + 3, part, x + 3);
    }
}

/* ---- a row ----------------------------------------------------------------------------------- */

/* Returns the largest change of a coordinate. */
static double change_of(const path *p, const double *a, const double *b)
{
    td_difference(p->ik->model, TD_COORDINATES_INDEPENDENT, a, b, p->ik->away);
    return td_dense_largest(p->ik->n, p->ik->away);
}

/* Descends from a single seed. */
static td_status follow(path *p, const double *targets, const double *seed, double *y,
                        td_ik_status *status)
{
    const td_ik_search how = {.to = 1};
    td_ik_result result = {.size_of = sizeof result};
    const td_status call = td_ik_call(p->ik, p->workspace, targets, seed, &how);
    td_ik_give(p->ik, call, y, NULL, &result);
    p->evaluations += result.evaluations;
    *status = result.status;
    return call;
}

/* Selects the nearest of all solutions. */
static td_status choose(path *p, const double *targets, double *y, bool *found)
{
    size_t count;
    td_ik_all_options options = td_ik_all_options_default();
    td_ik_result result = {.size_of = sizeof result};
    options.starts = 300;
    options.idle = 100;
    const td_status status = td_ik_solve_all(p->ik, p->workspace, targets, p->last, &options,
                                             MOST_OTHERS, p->others, NULL, NULL, &count, &result);
    p->evaluations += result.evaluations;
    *found = status == TD_OK && count > 0;
    double least = INFINITY;
    for (size_t i = 0; i < count && *found; i++) {
        const double change = change_of(p, p->last, p->others + i * p->ik->ny);
        if (change < least) {
            least = change;
            memcpy(y, p->others + i * p->ik->ny, p->ik->ny * sizeof *y);
        }
    }
    return status;
}

/* Moves from the last row to p->at in steps that change no coordinate by more than the option
   allows, directly or through intermediate targets. Returns whether that was possible. */
static bool go(path *p, const double *before, const double *targets)
{
    const size_t bytes = p->ik->ny * sizeof *p->at;
    double done = 0, step = 1;
    memcpy(p->next, p->last, bytes);
    while (done < 1) {
        const double part = step < 1 - done ? done + step : 1;
        td_ik_status status;
        if (part < 1)
            target_between(p, before, targets, part);
        if (follow(p, part < 1 ? p->between : targets, p->next, p->at, &status) != TD_OK)
            return false;
        if (status == TD_IK_STATUS_REACHED && change_of(p, p->next, p->at) <= p->options.jump) {
            memcpy(p->next, p->at, bytes);
            done = part;
            step *= 2;
        } else if ((step = 0.5 * fmin(step, 1 - done)) < shortest_part) {
            return false;
        }
    }
    return true;
}

/* Solves a row from the last one, whose targets were `before`: along the path, or else by the
   nearest solution or posture. *gone: whether the row was reached along the path, without a
   jump. */
static td_status solve_row(path *p, const double *before, const double *targets, bool *gone)
{
    *gone = go(p, before, targets);
    if (*gone)
        return TD_OK;
    td_ik_status status;
    td_status call = follow(p, targets, p->last, p->at, &status);
    if (call != TD_OK)
        return call;
    const double change = status == TD_IK_STATUS_REACHED ? change_of(p, p->last, p->at) : INFINITY;
    bool found;
    call = choose(p, targets, p->next, &found);
    if (call == TD_OK && found && change_of(p, p->last, p->next) < change) {
        memcpy(p->at, p->next, p->ik->ny * sizeof *p->at);
        status = TD_IK_STATUS_REACHED;
    } else if (call == TD_OK && status != TD_IK_STATUS_REACHED) {
        td_ik_result result = {.size_of = sizeof result};
        call = td_ik_solve(p->ik, p->workspace, targets, p->last, p->at, NULL, &result);
        p->evaluations += result.evaluations;
        status = result.status;
    }
    *gone = status == TD_IK_STATUS_REACHED && change_of(p, p->last, p->at) <= p->options.jump;
    return call;
}

/* Classifies the row at p->at, adds it to the score and writes it if requested. `gone`: the path
   was interrupted, so it cannot jump here. Returns whether the row has a posture, which is then
   p->last. */
static bool tell(path *p, size_t i, td_status call, bool first, bool gone, score *sum)
{
    td_ik *ik = p->ik;
    td_ik_path_row row = {.status = TD_IK_STATUS_OPEN, .smallest = NAN, .largest = NAN};
    double *left = p->residuals ? p->residuals + i * 2 * ik->tasks : NULL;
    const bool open = ik->ny > 0 && isnan(p->at[0]); /* no posture was found */
    if (call == TD_OK && !open) {                    /* evaluates p->at without taking steps */
        const td_ik_search how = {.to = 1, .here = true};
        td_ik_result result = {.size_of = sizeof result};
        call = td_ik_call(ik, p->workspace, p->targets + i * ik->targets, p->at, &how);
        td_ik_give(ik, call, p->next, left, &result);
        p->evaluations += result.evaluations;
        row.status = result.status;
        if (call == TD_OK &&
            row.status != TD_IK_STATUS_OPEN) { /* loops may have closed elsewhere */
            gone = gone && change_of(p, p->at, p->next) <= p->options.jump;
            memcpy(p->at, p->next, ik->ny * sizeof *p->at);
        }
    }
    row.error = call;
    const bool there = call == TD_OK && row.status != TD_IK_STATUS_OPEN;
    if (there) {
        row.change = first ? 0 : change_of(p, p->last, p->at);
        row.jump = !first && !gone && row.status == TD_IK_STATUS_REACHED;
        if (p->rows) {
            td_ik_singular(ik, p->workspace, &ik->best, &row.smallest, &row.largest);
            td_closure_recall(ik->model, p->workspace, ik->before);
            row.singular = row.smallest < p->options.singular * row.largest;
        }
    } else {
        td_dense_spoil(2 * ik->tasks, left);
    }
    if (row.status != TD_IK_STATUS_REACHED || row.jump)
        sum->first = sum->first < i ? sum->first : i;
    sum->missed += row.status != TD_IK_STATUS_REACHED;
    sum->jumps += row.jump;
    sum->way += row.change;
    sum->error = sum->error == TD_OK ? call : sum->error;
    if (p->y) {
        memcpy(p->y + i * ik->ny, p->at, ik->ny * sizeof *p->y);
        if (!there)
            td_dense_spoil(ik->ny, p->y + i * ik->ny);
    }
    if (p->q)
        memcpy(p->q + i * ik->nq, ik->found, ik->nq * sizeof *p->q);
    if (p->rows)
        td_sized_write((char *)p->rows + i * p->row_size, p->row_size, &row, sizeof row);
    if (there)
        memcpy(p->last, p->at, ik->ny * sizeof *p->at);
    return there;
}

/* ---- the path -------------------------------------------------------------------------------- */

static bool is_better(const score *a, const score *b)
{
    if (a->missed != b->missed)
        return a->missed < b->missed;
    return a->jumps != b->jumps ? a->jumps < b->jumps : a->way < b->way;
}

/* Follows all rows from a start (NULL: the posture nearest to the first row). Stops early if the
   score is worse than the best (NULL: none). */
static score run(path *p, const double *seed, const double *start, const score *best)
{
    const td_ik *ik = p->ik;
    score sum = {.first = p->n};
    const double *before = NULL; /* targets of the last row with a posture */
    for (size_t i = 0; i < p->n; i++) {
        const double *targets = p->targets + i * ik->targets;
        td_status call = TD_OK;
        bool gone = true;
        const bool first = before == NULL;
        if (first && start && i == 0) {
            memcpy(p->at, start, ik->ny * sizeof *start);
        } else if (first) {
            td_ik_result result = {.size_of = sizeof result};
            call = td_ik_solve(p->ik, p->workspace, targets, seed, p->at, NULL, &result);
            p->evaluations += result.evaluations;
        } else {
            call = solve_row(p, before, targets, &gone);
        }
        if (tell(p, i, call, first, gone, &sum))
            before = targets;
        if (best &&
            (sum.missed > best->missed || (sum.missed == best->missed && sum.jumps > best->jumps)))
            break;
    }
    return sum;
}

static td_status solve(path *p, const double *seed, td_ik_path_result *result)
{
    td_ik *ik = p->ik;
    size_t count = 0, chosen = 0;
    td_ik_all_options all = td_ik_all_options_default();
    td_ik_result found = {.size_of = sizeof found};
    td_ik_solve_all(ik, p->workspace, p->targets, seed, &all, p->options.starts, p->starts, NULL,
                    NULL, &count, &found);
    p->evaluations += found.evaluations;
    path silent = *p;
    silent.y = silent.q = silent.residuals = NULL;
    silent.rows = NULL;
    score best = {.missed = p->n + 1};
    size_t tried = 0;
    for (size_t i = 0; i < count && count > 1; i++) {
        const score sum = run(&silent, seed, silent.starts + i * ik->ny, tried ? &best : NULL);
        tried++;
        if (is_better(&sum, &best)) {
            best = sum;
            chosen = i;
        }
        if (best.missed == 0 && best.jumps == 0)
            break;
    }
    p->evaluations = silent.evaluations;
    best = run(p, seed, count ? p->starts + chosen * ik->ny : NULL, NULL);
    result->missed = best.missed;
    result->jumps = best.jumps;
    result->first = best.first;
    result->starts = tried ? tried : 1;
    result->evaluations = p->evaluations;
    return best.error;
}

td_status td_ik_solve_path(td_ik *ik, td_workspace *workspace, size_t n, const double *targets,
                           const double *seed, const td_ik_path_options *options, double *y,
                           double *q, double *residuals, td_ik_path_row *rows,
                           td_ik_path_result *result)
{
    path p = {.ik = ik, .workspace = workspace, .n = n, .targets = targets};
    p.options = td_ik_path_options_default();
    if (!ik || !workspace || (n && (!targets || !y)) ||
        (options && !td_sized_read(&p.options, sizeof p.options, options)) ||
        !(p.options.jump > 0) || !(p.options.singular >= 0) || p.options.starts == 0 ||
        (rows && n && !td_size_is_valid(rows->size_of)) ||
        (result && !td_size_is_valid(result->size_of)) || td_chart_is_used(workspace))
        return TD_ERROR_ARGUMENT;
    p.y = y;
    p.q = q;
    p.residuals = residuals;
    p.rows = rows;
    p.row_size = rows && n ? rows->size_of : 0;
    p.options.starts = p.options.starts < MOST_STARTS ? p.options.starts : MOST_STARTS;
    td_ik_path_result ours = {0};
    td_stack stack = {0};
    td_status status = TD_OK;
    if (n > 0 && !td_take_twice(&stack, take(&stack, &p)))
        return TD_ERROR_MEMORY;
    if (n > 0) {
        status = TD_IN_INDEPENDENT(workspace, solve(&p, seed, &ours));
        td_stack_end(&stack);
    }
    td_dense_spoil(ik->nq, ik->found);
    if (result)
        td_sized_write(result, result->size_of, &ours, sizeof ours);
    return status;
}
