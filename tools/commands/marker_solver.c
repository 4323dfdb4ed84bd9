/* SPDX-License-Identifier: MIT */
/*
 * Computes configurations from recorded points; see marker_solver.h.
 */
#include "commands/marker_solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

marker_solver marker_solver_new(const session *s, const marker_list *points, const double *seed)
{
    const size_t size = td_ny(s->model);
    marker_solver r = {.s = s,
                       .points = points,
                       .seed = allocate(size, sizeof(double)),
                       .y = allocate(size, sizeof(double)),
                       .tried = allocate(size, sizeof(double)),
                       .target = allocate(3 * (points->count + 1), sizeof(double)),
                       .left = allocate(2 * points->count, sizeof(double)),
                       .tried_left = allocate(2 * points->count, sizeof(double))};
    memcpy(r.seed, seed, size * sizeof *r.seed);
    return r;
}

void marker_solver_free(marker_solver *r)
{
    for (size_t k = 0; k < KEPT_SOLVERS; k++) {
        td_ik_free(r->kept[k].ik);
        free(r->kept[k].seen);
    }
    free(r->seed);
    free(r->y);
    free(r->tried);
    free(r->target);
    free(r->left);
    free(r->tried_left);
}

size_t marker_solver_read(marker_solver *r, const number_row *row)
{
    size_t seen = 0;
    for (size_t i = 0; i < r->points->count; i++) {
        marker *m = &r->points->marker[i];
        m->seen = m->recorded;
        for (size_t k = 0; k < 3 && m->recorded; k++) {
            r->target[3 * seen + k] = row->value[m->column[k]];
            m->seen = m->seen && isfinite(r->target[3 * seen + k]);
        }
        seen += m->seen;
    }
    return seen;
}

/* Returns the solver for the points in this row, from the cache if possible. */
static td_status solver_of(marker_solver *r, bool search, td_ik **ik)
{
    td_ik_goal *goals = allocate(r->points->count, sizeof *goals);
    size_t count = 0;
    for (size_t k = 0; k < KEPT_SOLVERS; k++) {
        const marker_pattern *p = &r->kept[k];
        bool same = p->ik != NULL && p->search == search;
        for (size_t i = 0; i < r->points->count && same; i++) {
            same = p->seen[i] == r->points->marker[i].seen;
        }
        if (same) {
            *ik = p->ik;
            free(goals);
            return TD_OK;
        }
    }
    marker_pattern *p = &r->kept[r->next];
    r->next = (r->next + 1) % KEPT_SOLVERS;
    td_ik_free(p->ik);
    p->ik = NULL;
    p->search = search;
    p->seen = reallocate(p->seen, r->points->count, sizeof *p->seen);
    for (size_t i = 0; i < r->points->count; i++) {
        const marker *m = &r->points->marker[i];
        p->seen[i] = m->seen;
        if (m->seen) {
            goals[count] = td_ik_goal_default(TD_IK_POSITION, m->link);
            goals[count].required = false; /* recorded points are never reached exactly */
            goals[count].tolerance = 1e-9;
            memcpy(goals[count++].point, m->point, sizeof m->point);
        }
    }
    td_ik_options options = td_ik_options_default();
    options.restarts = search ? options.restarts : 0;
    td_status status = td_ik_new(r->s->model, goals, count, &options, &p->ik);
    *ik = p->ik;
    free(goals);
    return status;
}

/* Computes the least-squares positions y, the distance of each point (m), and their root mean
   square. */
static td_status solve(marker_solver *r, bool search, size_t seen, double *y, double *left,
                       double *rms)
{
    td_ik *ik;
    td_status status = solver_of(r, search, &ik);
    if (status == TD_OK) {
        status = td_ik_solve(ik, r->s->workspace, r->target, r->seed, y, left, NULL);
    }
    double square = 0;
    for (size_t i = 0; i < seen && status == TD_OK; i++) {
        square += left[2 * i] * left[2 * i];
    }
    *rms = status == TD_OK ? sqrt(square / (double)seen) : (double)NAN;
    return status;
}

td_status marker_solver_solve(marker_solver *r, size_t seen, double *rms)
{
    enum { FAR = 3 }; /* in multiples of the usual residual */
    const size_t size = td_ny(r->s->model);
    td_status status = TD_OK;
    *rms = (double)NAN;
    if (r->usual > 0) {
        status = solve(r, false, seen, r->y, r->left, rms);
    }
    if (!(*rms <= FAR * r->usual)) {
        double other;
        const td_status searched = solve(r, true, seen, r->tried, r->tried_left, &other);
        if (searched == TD_OK && !(other >= *rms)) {
            memcpy(r->y, r->tried, size * sizeof *r->y);
            memcpy(r->left, r->tried_left, 2 * seen * sizeof *r->left);
            *rms = other;
        }
        status = isfinite(*rms) ? TD_OK : searched; /* keeps the first solution if it is good */
    }
    if (status == TD_OK && isfinite(*rms)) {
        memcpy(r->seed, r->y, size * sizeof *r->y);
        r->usual = r->usual > 0 ? 0.9 * r->usual + 0.1 * *rms : fmax(*rms, 1e-9);
    }
    return status;
}
