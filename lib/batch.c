/* SPDX-License-Identifier: MIT */
/*
 * Batches: states are loaded into lanes a group at a time, go through the same sequences of kernels
 * as a single state, and are stored row by row.
 */
#include "tandem/batch.h"

#include <math.h>

#include "run.h"
#include "workspace.h"

/* an input: rows of that many columns, or NULL for zero */
typedef struct rows {
    const double *at;
    size_t columns;
} rows;

/* the group's rows of an input as reals in room; NULL stays NULL */
static const void *load(const td_run *run, rows in, size_t first, size_t count, void *room)
{
    if (!in.at)
        return NULL;
    run->kernels->load(room, in.at + first * in.columns, in.columns, count);
    return room;
}

static td_status seal_row(double *row, size_t columns)
{
    double sum = 0; /* NaN as soon as one entry is NaN or infinite */
    for (size_t i = 0; i < columns; i++)
        sum += row[i] * 0;
    if (sum == 0)
        return TD_OK;
    for (size_t i = 0; i < columns; i++)
        row[i] = NAN;
    return TD_ERROR_NOT_FINITE;
}

/* stores a group of results and gives each row its status; the first bad one in *worst */
static void finish(const td_run *run, const void *result, double *out, size_t columns, size_t first,
                   size_t count, td_status *each, td_status *worst)
{
    run->kernels->store(out + first * columns, result, columns, count);
    for (size_t i = first; i < first + count; i++) {
        td_status status = seal_row(out + i * columns, columns);
        if (each)
            each[i] = status;
        if (*worst == TD_OK)
            *worst = status;
    }
}

static td_run run_of(const td_model *model, const td_workspace *workspace, td_space space)
{
    return (td_run){model, model->batch, &workspace->batch, space};
}

static size_t group(const td_run *run, size_t first, size_t n)
{
    size_t lanes = run->kernels->lanes;
    return n - first < lanes ? n - first : lanes;
}

static td_status inverse_dynamics(const td_model *model, td_workspace *workspace, td_space space,
                                  size_t n, const double *y, const double *yd, const double *ydd,
                                  const td_forces *forces, double *tau, td_status *each)
{
    if (!model || !workspace || ((!y || !tau) && n && td_space_positions(model, space)))
        return TD_ERROR_ARGUMENT;
    td_status worst = td_check_forces(forces);
    if (worst != TD_OK)
        return worst;
    td_run run = run_of(model, workspace, space);
    const td_scratch *s = run.scratch;
    size_t positions = td_space_positions(model, space);
    size_t velocities = td_space_velocities(model, space);
    for (size_t first = 0, count; first < n; first += count) {
        count = group(&run, first, n);
        td_run_inverse_dynamics(&run, load(&run, (rows){y, positions}, first, count, s->y),
                                load(&run, (rows){yd, velocities}, first, count, s->yd),
                                load(&run, (rows){ydd, velocities}, first, count, s->ydd), forces,
                                s->out);
        finish(&run, s->out, tau, velocities, first, count, each, &worst);
    }
    return worst;
}

td_status td_batch_inverse_dynamics(const td_model *model, td_workspace *workspace, size_t n,
                                    const double *y, const double *yd, const double *ydd,
                                    const td_forces *forces, double *tau_y, td_status *each)
{
    return inverse_dynamics(model, workspace, TD_SPACE_INDEPENDENT, n, y, yd, ydd, forces, tau_y,
                            each);
}

td_status td_batch_tree_inverse_dynamics(const td_model *model, td_workspace *workspace, size_t n,
                                         const double *q, const double *qd, const double *qdd,
                                         const td_forces *forces, double *tau, td_status *each)
{
    return inverse_dynamics(model, workspace, TD_SPACE_TREE, n, q, qd, qdd, forces, tau, each);
}

static td_status link_poses(const td_model *model, td_workspace *workspace, td_space space,
                            size_t n, const double *y, double *poses, td_status *each)
{
    if (!model || !workspace || (n && ((!y && td_space_positions(model, space)) || !poses)))
        return TD_ERROR_ARGUMENT;
    td_status worst = TD_OK;
    td_run run = run_of(model, workspace, space);
    const td_scratch *s = run.scratch;
    size_t positions = td_space_positions(model, space);
    for (size_t first = 0, count; first < n; first += count) {
        count = group(&run, first, n);
        td_run_link_poses(&run, load(&run, (rows){y, positions}, first, count, s->y), s->out);
        finish(&run, s->out, poses, 12 * model->tree.links, first, count, each, &worst);
    }
    return worst;
}

td_status td_batch_link_poses(const td_model *model, td_workspace *workspace, size_t n,
                              const double *y, double *poses, td_status *each)
{
    return link_poses(model, workspace, TD_SPACE_INDEPENDENT, n, y, poses, each);
}

td_status td_batch_tree_link_poses(const td_model *model, td_workspace *workspace, size_t n,
                                   const double *q, double *poses, td_status *each)
{
    return link_poses(model, workspace, TD_SPACE_TREE, n, q, poses, each);
}
