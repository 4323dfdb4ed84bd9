/* SPDX-License-Identifier: MIT */
/*
 * tandem ik --points: computes joints from recorded positions of points on links, see ik.h. Each
 * row minimizes the sum of squared distances between computed and recorded points. Points that are
 * missing in a row are ignored.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "commands/ik.h"
#include "commands/ik_markers.h"
#include "text.h"

enum { KEPT_SOLVERS = 32 };

/* A solver for the set of points that are present in a row. search: with restarts. */
typedef struct pattern {
    td_ik *ik;
    bool *seen;
    bool search;
} pattern;

typedef struct recorded {
    const session *s;
    const coordinates *c;
    ik_writer out;
    marker_list points;
    int time;
    pattern kept[KEPT_SOLVERS];
    size_t next; /* index of the solver to replace */
    double *seed, *y, *tried, *target, *left, *J, *reach;
    bool *moved;  /* joints that move some recorded point */
    double usual; /* running mean of residuals; 0: none yet */
    size_t empty, open;
} recorded;

/* ---- the heading ----------------------------------------------------------------------------- */

static bool none_known(const char *name)
{
    (void)name;
    return false;
}

static bool begin(void *context, const number_heading *heading)
{
    recorded *r = context;
    if (!markers_find(&r->points, heading)) {
        return false;
    }
    r->time = number_use_time(heading);
    if (!r->out.options->common.keep) {
        number_tell_unused(heading, none_known);
    }
    return r->time >= -1 && ik_writer_start(&r->out, heading, r->time);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Returns the solver for the points in this row, from the cache if possible. */
static td_status solver_of(recorded *r, bool search, td_ik **ik)
{
    td_ik_goal *goals = allocate(r->points.count, sizeof *goals);
    size_t count = 0;
    for (size_t k = 0; k < KEPT_SOLVERS; k++) {
        const pattern *p = &r->kept[k];
        bool same = p->ik != NULL && p->search == search;
        for (size_t i = 0; i < r->points.count && same; i++) {
            same = p->seen[i] == r->points.marker[i].seen;
        }
        if (same) {
            *ik = p->ik;
            free(goals);
            return TD_OK;
        }
    }
    pattern *p = &r->kept[r->next];
    r->next = (r->next + 1) % KEPT_SOLVERS;
    td_ik_free(p->ik);
    p->ik = NULL;
    p->search = search;
    p->seen = reallocate(p->seen, r->points.count, sizeof *p->seen);
    for (size_t i = 0; i < r->points.count; i++) {
        const marker *m = &r->points.marker[i];
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

/* Computes the least-squares positions y and the root mean square of distances. */
static td_status solve(recorded *r, bool search, size_t seen, double *y, double *rms)
{
    td_ik *ik;
    td_status status = solver_of(r, search, &ik);
    if (status == TD_OK) {
        status = td_ik_solve(ik, r->s->workspace, r->target, r->seed, y, r->left, NULL);
    }
    double square = 0;
    for (size_t i = 0; i < seen && status == TD_OK; i++) {
        square += r->left[2 * i] * r->left[2 * i];
    }
    *rms = status == TD_OK ? sqrt(square / (double)seen) : (double)NAN;
    return status;
}

/* Solves a row from the previous one. Uses other starts for the first row, or if the residual is
   larger than usual. */
static td_status solve_row(recorded *r, size_t seen, double *rms)
{
    enum { FAR = 3 }; /* in multiples of the usual residual */
    const size_t size = r->c->size[QUANTITY_Q];
    td_status status = TD_OK;
    *rms = (double)NAN;
    if (r->usual > 0) {
        status = solve(r, false, seen, r->y, rms);
    }
    if (!(*rms <= FAR * r->usual)) {
        double other;
        const td_status searched = solve(r, true, seen, r->tried, &other);
        if (searched == TD_OK && !(other >= *rms)) {
            memcpy(r->y, r->tried, size * sizeof *r->y);
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

/* Computes the largest displacement of the points per coordinate, for all recorded points or only
   the points of this row. Returns the largest of all. */
static double find_reach(const recorded *r, bool seen, double *reach)
{
    const size_t n = r->c->size[QUANTITY_QD];
    memset(reach, 0, n * sizeof *reach);
    for (size_t i = 0; i < r->points.count; i++) {
        const marker *m = &r->points.marker[i];
        if (!(seen ? m->seen : m->recorded) ||
            td_link_jacobian(r->s->model, r->s->workspace, m->link, m->point, r->y,
                             TD_FRAME_ALIGNED, r->J) != TD_OK) {
            continue;
        }
        for (size_t k = 0; k < n; k++) {
            const double x = r->J[3 * n + k], y = r->J[4 * n + k], z = r->J[5 * n + k];
            reach[k] = fmax(reach[k], sqrt(x * x + y * y + z * z));
        }
    }
    return largest_of(reach, n);
}

/* Finds the joints that move some point. Points on a joint's axis move only by rounding errors. */
static void find_moved(const recorded *r, const double *reach, double largest, bool *moved)
{
    for (size_t k = 0; k < r->c->size[QUANTITY_QD]; k++) {
        const size_t joint = coordinates_joint(r->c, k);
        moved[joint] = moved[joint] || reach[k] > 1e-9 * largest;
    }
}

/* Sets positions to NaN if points of other rows, but not of this row, depend on the joint. */
static void leave_out_unseen(recorded *r)
{
    const size_t joints = td_joint_count(r->s->model);
    bool *moved = allocate(joints, sizeof *moved), any = false;
    const double largest = find_reach(r, false, r->reach);
    find_moved(r, r->reach, largest, r->moved);
    find_reach(r, true, r->reach);
    find_moved(r, r->reach, largest, moved);
    for (size_t i = 0; i < r->c->joints; i++) {
        const size_t joint = (size_t)r->c->joint[i];
        const size_t first = coordinates_position(r->c, joint);
        for (size_t k = 0; k < coordinates_count(r->c, QUANTITY_Q, joint); k++) {
            if (r->moved[joint] && !moved[joint]) {
                r->y[first + k] = (double)NAN;
                any = true;
            }
        }
    }
    r->open += any;
    free(moved);
}

static bool take(void *context, const number_row *row)
{
    recorded *r = context;
    if (row == NULL) {
        return flush_output() == 0;
    }
    size_t seen = 0;
    for (size_t i = 0; i < r->points.count; i++) {
        marker *m = &r->points.marker[i];
        m->seen = m->recorded;
        for (size_t k = 0; k < 3 && m->recorded; k++) {
            r->target[3 * seen + k] = row->value[m->column[k]];
            m->seen = m->seen && isfinite(r->target[3 * seen + k]);
        }
        seen += m->seen;
    }
    double rms = (double)NAN;
    const td_status status = seen > 0 ? solve_row(r, seen, &rms) : TD_OK;
    if (status != TD_OK && table_writer_fails(&r->out.table)) {
        scoped char *what = text_format("row %zu", row->row);
        session_complain(r->s, what, status);
    }
    const bool found = seen > 0 && status == TD_OK && isfinite(rms);
    r->empty += seen == 0;
    if (found) {
        leave_out_unseen(r);
    }
    ik_writer_take(&r->out, row, r->time);
    ik_writer_row(&r->out, found ? r->y : NULL, found ? rms : (double)NAN);
    return true;
}

static void tell_gaps(const recorded *r)
{
    if (r->empty > 0) {
        complain("%s without any point", counted(r->empty, "row").text);
    }
    if (r->open > 0) {
        complain("%s whose points do not determine all joints; undetermined joints have no "
                 "position there",
                 counted(r->open, "row").text);
    }
}

int ik_points(const session *s, const coordinates *c, const robot_state *x, ik_options *options)
{
    const size_t size = c->size[QUANTITY_Q];
    recorded r = {.s = s,
                  .c = c,
                  .out = ik_writer_new(s, c, options, "residual"),
                  .time = -1,
                  .seed = allocate(size, sizeof(double)),
                  .y = allocate(size, sizeof(double)),
                  .tried = allocate(size, sizeof(double)),
                  .J = allocate(6 * c->size[QUANTITY_QD], sizeof(double)),
                  .reach = allocate(c->size[QUANTITY_QD], sizeof(double)),
                  .moved = allocate(td_joint_count(s->model), sizeof(bool))};
    const number_form form = {.heading = begin, .row = take, .context = &r};
    memcpy(r.seed, x->value[QUANTITY_Q], size * sizeof *r.seed);
    bool good = markers_read(&r.points, s->model, options->points);
    r.target = allocate(3 * (r.points.count + 1), sizeof *r.target);
    r.left = allocate(2 * r.points.count, sizeof *r.left);
    good = good && number_table_read(options->common.states, &form);
    tell_gaps(&r);
    for (size_t k = 0; k < KEPT_SOLVERS; k++) {
        td_ik_free(r.kept[k].ik);
        free(r.kept[k].seen);
    }
    markers_free(&r.points);
    free(r.seed);
    free(r.y);
    free(r.tried);
    free(r.target);
    free(r.left);
    free(r.J);
    free(r.reach);
    free(r.moved);
    return ik_writer_end(&r.out, good);
}
