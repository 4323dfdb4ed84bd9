/* SPDX-License-Identifier: MIT */
/*
 * Finds all solutions. Each solution is compared with those found before. They are sorted at the
 * end.
 */
#include <math.h>
#include <string.h>

#include "base/coordinates.h"
#include "base/dense.h"
#include "base/sized.h"
#include "ik/ik.h"
#include "tandem/configuration.h"

/* The results so far. */
typedef struct found {
    td_ik_all_options options;
    size_t most, count, idle;
    double *y, *q, *residuals;
} found;

/* Returns the largest difference of a coordinate, modulo whole turns. */
static double apart(td_ik *ik, const double *a, const double *b)
{
    double largest = 0;
    td_difference(ik->model, TD_COORDINATES_INDEPENDENT, a, b, ik->away);
    for (size_t v = 0; v < ik->n; v++) {
        double x = ik->away[v];
        if (ik->turning[v])
            x -= td_ik_turn * round(x / td_ik_turn);
        largest = fmax(largest, fabs(x));
    }
    return largest;
}

/* Returns the distance from the seed over all coordinates. */
static double way(td_ik *ik, const double *y)
{
    td_difference(ik->model, TD_COORDINATES_INDEPENDENT, ik->seed, y, ik->away);
    return td_dense_norm(ik->n, ik->away);
}

static void put(found *f, td_ik *ik, const double *y, const double *q, const double *left)
{
    memcpy(f->y + f->count * ik->ny, y, ik->ny * sizeof *y);
    if (f->q)
        memcpy(f->q + f->count * ik->nq, q, ik->nq * sizeof *q);
    if (f->residuals)
        memmove(f->residuals + f->count * 2 * ik->tasks, left, 2 * ik->tasks * sizeof *left);
    f->count++;
}

/* Adds the best posture, unless it was found before. */
static bool take(void *context, td_ik *ik, bool reached)
{
    found *f = context;
    f->idle++;
    for (size_t i = 0; i < f->count && reached; i++)
        reached = apart(ik, f->y + i * ik->ny, ik->best.y) > f->options.distance;
    if (reached) {
        double *left = f->residuals ? f->residuals + f->count * 2 * ik->tasks : NULL;
        for (size_t k = 0; k < ik->tasks && left; k++)
            td_ik_left(ik, &ik->task[k], ik->best.r, left + 2 * k);
        put(f, ik, ik->best.y, ik->best.q, left);
        f->idle = 0;
    }
    return f->count < f->most && f->idle < f->options.idle;
}

static void swap(size_t n, double *a, double *b)
{
    for (size_t i = 0; i < n && a; i++) {
        const double x = a[i];
        a[i] = b[i];
        b[i] = x;
    }
}

/* Adds a copy of row i in which joint v is at y. */
static void put_turned(found *f, td_ik *ik, size_t i, size_t v, double y)
{
    put(f, ik, f->y + i * ik->ny, f->q ? f->q + i * ik->nq : NULL,
        f->residuals ? f->residuals + i * 2 * ik->tasks : NULL);
    f->y[(f->count - 1) * ik->ny + ik->position[v]] = y;
    if (f->q)
        f->q[(f->count - 1) * ik->nq + ik->in_q[v]] = y;
}

/* Adds copies of all solutions with whole turns of joints. Does this one joint after the other,
   nearest to the seed first. */
static void turn(found *f, td_ik *ik)
{
    enum { MOST_TURNS = 16 };
    for (size_t v = 0; v < ik->n; v++) {
        const size_t before = f->count, at = ik->position[v];
        if (!ik->turning[v] || !ik->moves[at])
            continue;
        for (size_t i = 0; i < before; i++) {
            const double y = f->y[i * ik->ny + at], middle = round((ik->seed[at] - y) / td_ik_turn);
            for (int k = 0; k <= 2 * MOST_TURNS && f->count < f->most; k++) {
                const int from_middle = k % 2 ? (k + 1) / 2 : -k / 2;
                const double turns = middle + from_middle, x = y + turns * td_ik_turn;
                if (turns != 0 && x >= ik->least[v] && x <= ik->most[v])
                    put_turned(f, ik, i, v, x);
            }
        }
    }
}

static void swap_rows(found *f, const td_ik *ik, size_t i, size_t k)
{
    swap(ik->ny, f->y + i * ik->ny, f->y + k * ik->ny);
    if (f->q)
        swap(ik->nq, f->q + i * ik->nq, f->q + k * ik->nq);
    if (f->residuals)
        swap(2 * ik->tasks, f->residuals + i * 2 * ik->tasks, f->residuals + k * 2 * ik->tasks);
}

/* Restores the order of a heap with the farthest row at the top, if row i is too near. */
static void sink(found *f, td_ik *ik, size_t i, size_t count)
{
    for (;;) {
        size_t farthest = i;
        for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < count; k++)
            if (way(ik, f->y + k * ik->ny) > way(ik, f->y + farthest * ik->ny))
                farthest = k;
        if (farthest == i)
            return;
        swap_rows(f, ik, i, farthest);
        i = farthest;
    }
}

/* Sorts by distance from the seed. A heap sort needs no memory. */
static void sort(found *f, td_ik *ik)
{
    for (size_t i = f->count / 2; i-- > 0;)
        sink(f, ik, i, f->count);
    for (size_t last = f->count; last-- > 1;) {
        swap_rows(f, ik, 0, last);
        sink(f, ik, 0, last);
    }
}

td_status td_ik_solve_all(td_ik *ik, td_workspace *workspace, const double *targets,
                          const double *seed, const td_ik_all_options *options, size_t most,
                          double *y, double *q, double *residuals, size_t *count,
                          td_ik_result *result)
{
    found f = {.most = most, .y = y, .q = q, .residuals = residuals};
    f.options = td_ik_all_options_default();
    if (count)
        *count = 0;
    if (!ik || !workspace || !targets || !count || (most && !y) ||
        (options && !td_sized_read(&f.options, sizeof f.options, options)) ||
        !(f.options.distance > 0) || (result && !td_size_is_valid(result->size_of)))
        return TD_ERROR_ARGUMENT;
    const td_ik_search how = {
        .to = most ? f.options.starts : 0, .all = true, .take = take, .context = &f};
    const td_status status =
        TD_IN_INDEPENDENT(workspace, td_ik_call(ik, workspace, targets, seed, &how));
    td_dense_spoil(ik->nq, ik->found);
    const td_ik_result ours = {
        .status = status == TD_OK && f.count > 0 ? TD_IK_STATUS_REACHED : TD_IK_STATUS_NEAREST,
        .iterations = ik->iterations,
        .evaluations = ik->evaluations,
        .starts = ik->starts,
    };
    if (result)
        td_sized_write(result, result->size_of, &ours, sizeof ours);
    if (status != TD_OK)
        return status;
    if (f.options.turns)
        turn(&f, ik);
    sort(&f, ik);
    *count = f.count;
    return TD_OK;
}
