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
#include "commands/marker_noise.h"
#include "commands/marker_solver.h"
#include "text.h"

typedef struct recorded {
    const session *s;
    const coordinates *c;
    ik_writer out;
    marker_list points;
    marker_solver solver;
    marker_noise noise;
    int time;
    double *J, *reach;
    bool *moved; /* joints that move some recorded point */
    size_t empty, open;
} recorded;

/* ---- the heading ----------------------------------------------------------------------------- */

static bool begin(void *context, const number_heading *heading)
{
    recorded *r = context;
    if (!markers_find(&r->points, heading, &r->out.options->common.columns)) {
        return false;
    }
    r->time = number_use_time(heading);
    if (!r->out.options->common.keep) {
        number_tell_unused(heading, NULL);
    }
    return r->time >= -1 && ik_writer_start(&r->out, heading, r->time);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Computes the largest displacement of the points per coordinate, for all recorded points or only
   the points of this row. Returns the largest of all. */
static double find_reach(const recorded *r, bool seen, double *reach)
{
    const size_t n = r->c->size[QUANTITY_QD];
    memset(reach, 0, n * sizeof *reach);
    for (size_t i = 0; i < r->points.count; i++) {
        const marker *m = &r->points.marker[i];
        if (!(seen ? m->seen : m->recorded) ||
            td_link_jacobian(r->s->model, r->s->workspace, m->link, m->point, r->solver.y,
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

/* Sets positions to NaN if points of other rows, but not of this row, depend on the joint. Returns
   the number of coordinates that move points of this row. */
static size_t leave_out_unseen(recorded *r)
{
    const size_t joints = td_joint_count(r->s->model);
    bool *moved = allocate(joints, sizeof *moved), any = false;
    const double largest = find_reach(r, false, r->reach);
    find_moved(r, r->reach, largest, r->moved);
    find_reach(r, true, r->reach);
    find_moved(r, r->reach, largest, moved);
    size_t determined = 0;
    for (size_t k = 0; k < r->c->size[QUANTITY_QD]; k++) {
        determined += r->reach[k] > 1e-9 * largest;
    }
    for (size_t i = 0; i < r->c->joints; i++) {
        const size_t joint = (size_t)r->c->joint[i];
        const size_t first = coordinates_position(r->c, joint);
        for (size_t k = 0; k < coordinates_count(r->c, QUANTITY_Q, joint); k++) {
            if (r->moved[joint] && !moved[joint]) {
                r->solver.y[first + k] = (double)NAN;
                any = true;
            }
        }
    }
    r->open += any;
    free(moved);
    return determined;
}

static bool take(void *context, const number_row *row)
{
    recorded *r = context;
    if (row == NULL) {
        return flush_output() == 0;
    }
    const size_t seen = marker_solver_read(&r->solver, row);
    double rms = (double)NAN;
    const td_status status = seen > 0 ? marker_solver_solve(&r->solver, seen, &rms) : TD_OK;
    if (status != TD_OK && table_writer_fails(&r->out.table)) {
        scoped char *what = text_format("row %zu", row->row);
        session_complain(r->s, what, status);
    }
    const bool found = seen > 0 && status == TD_OK && isfinite(rms);
    r->empty += seen == 0;
    if (found) {
        const size_t determined = leave_out_unseen(r);
        const double time = r->time < 0 ? (double)row->row : row->value[r->time];
        marker_noise_add(&r->noise, time, r->solver.target, r->solver.left, determined);
    }
    ik_writer_take(&r->out, row, r->time);
    ik_writer_row(&r->out, found ? r->solver.y : NULL, found ? rms : (double)NAN);
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
    recorded r = {.s = s,
                  .c = c,
                  .out = ik_writer_new(s, c, options, "residual"),
                  .time = -1,
                  .J = allocate(6 * c->size[QUANTITY_QD], sizeof(double)),
                  .reach = allocate(c->size[QUANTITY_QD], sizeof(double)),
                  .moved = allocate(td_joint_count(s->model), sizeof(bool))};
    const number_form form = {.heading = begin, .row = take, .context = &r};
    bool good = markers_read(&r.points, s->model, options->points) &&
                markers_map(&r.points, &options->common.columns.map);
    r.solver = marker_solver_new(s, &r.points, x->value[QUANTITY_Q]);
    r.noise = marker_noise_new(&r.points, options->noise);
    good = good && number_table_read(options->common.states, &form);
    tell_gaps(&r);
    if (good) {
        marker_noise_tell(&r.noise);
    }
    marker_noise_free(&r.noise);
    marker_solver_free(&r.solver);
    markers_free(&r.points);
    free(r.J);
    free(r.reach);
    free(r.moved);
    return ik_writer_end(&r.out, good);
}
