/* SPDX-License-Identifier: MIT */
/*
 * Public functions of the closure: q, q̇, q̈ from y, ẏ, ÿ; the inverse; and the matrices.
 */
#include "tandem/closure.h"

#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/jacobi.h"
#include "base/sized.h"
#include "dynamics/arguments.h"
#include "dynamics/operations.h"
#include "dynamics/workspace.h"

/* ---- y to q, and q to y ---------------------------------------------------------------------- */

void td_op_closure(const td_eval *eval, const td_closure_arguments *a)
{
    const td_kernels *k = eval->kernels;
    const td_tree *tree = eval->tree;
    const void *q = td_eval_position(eval, a->y);
    const void *qd = td_eval_velocity(eval, a->yd);
    if (a->q)
        k->copy(a->q, q, tree->nq);
    if (a->qd)
        k->copy(a->qd, qd, tree->nv);
    if (a->qdd)
        k->copy(a->qdd, td_eval_acceleration(eval, a->ydd), tree->nv);
}

void td_op_project_force(const td_eval *eval, const td_project_force_arguments *a)
{
    if (eval->closure->loops.solved)
        td_eval_position(eval, a->y);
    if (td_eval_is_tree(eval))
        eval->kernels->copy(a->tau_y, a->tau, eval->tree->nv);
    else
        eval->kernels->transposed(&eval->closure->velocity, eval->scratch->G, a->tau, a->tau_y);
}

/* Copies the independent coordinates out of a configuration of the tree. */
static void independent_coordinates(const td_closure_map *closure, const double *q, double *y)
{
    for (size_t i = 0; i < closure->ny; i++)
        y[i] = q[closure->q_of_y[i]];
}

td_status td_independent_coordinates(const td_model *model, td_workspace *workspace,
                                     const double *q, double *y, double *residual)
{
    td_status status = td_check_pair(model, workspace);
    if (status != TD_OK)
        return status;
    if ((!q || !y) && model->tree.nq)
        return td_refuse(workspace, q ? "y" : "q");
    status = td_check_positions(model, TD_COORDINATES_TREE, q);
    if (status != TD_OK) {
        td_dense_spoil(workspace->eval.closure->ny, y);
        if (residual)
            *residual = NAN;
        return status;
    }
    independent_coordinates(workspace->eval.closure, q, y);
    if (!residual)
        return TD_OK;
    double *closed = workspace->residual;
    status = td_closure(model, workspace, y, NULL, NULL, closed, NULL, NULL);
    *residual = 0;
    for (size_t i = 0; i < model->tree.nq; i++) {
        double error = fabs(q[i] - closed[i]);
        if (!(error <= *residual)) /* keeps a NaN */
            *residual = error;
    }
    return status;
}

/* ---- matrices -------------------------------------------------------------------------------- */

void td_op_closure_jacobian(const td_eval *eval, const td_closure_jacobian_arguments *a)
{
    const td_csr *G = &eval->closure->velocity;
    double *dense = a->G;
    size_t columns = (size_t)G->columns;
    if (eval->closure->loops.solved)
        td_eval_position(eval, a->y);
    td_csr_dense(G, dense);
    const double *value = eval->closure->identity ? G->value : eval->scratch->G;
    for (int i = 0; i < G->rows; i++)
        for (int k = G->row[i]; k < G->row[i + 1]; k++)
            dense[(size_t)i * columns + (size_t)G->column[k]] = value[k];
}

td_sparse td_closure_matrix(const td_model *model)
{
    return model->closure.position_out;
}

td_sparse td_closure_velocity_matrix(const td_model *model)
{
    return model->closure.velocity_out;
}

const double *td_closure_offset(const td_model *model)
{
    return model->closure.offset;
}

/* ---- loops ----------------------------------------------------------------------------------- */

void td_loop_place_read(const td_model *model, size_t loop, td_loop_place *place, size_t size_of)
{
    static const td_loop_place none = {
        .form = TD_LOOP_FORM_OPEN, .cluster = TD_NONE, .constraint = TD_NONE};
    const td_loop_place *found =
        loop < model->records.loop.count ? &model->closure.loop_place[loop] : &none;
    td_sized_write(place, size_of, found, sizeof *found);
}

size_t td_loop_cluster_count(const td_model *model)
{
    return model->closure.loops.solved;
}

void td_loop_cluster_read(const td_model *model, size_t cluster, td_loop_cluster *found,
                          size_t size_of)
{
    static const td_loop_cluster none = {0};
    td_sized_write(found, size_of,
                   cluster < model->closure.loops.solved ? &model->closure.loop_cluster[cluster]
                                                         : &none,
                   sizeof none);
}

const double *td_reference(const td_model *model, td_coordinates coordinates)
{
    const td_closure_map *closure = &model->closure;
    return coordinates == TD_COORDINATES_TREE ? closure->reference_q : closure->reference_y;
}

/* Copies the dependents of a group from one w to another. */
static void keep_dependents(const td_loop_group *g, const double *source, double *target)
{
    for (int k = 0; k < g->dependents; k++)
        if (g->coordinate[k] >= 0)
            target[g->coordinate[k]] = source[g->coordinate[k]];
    for (int i = 0; i < g->quaternions; i++)
        if (g->quaternion[i].slot < g->dependents || g->quaternion[i].part >= 0)
            memcpy(target + g->quaternion[i].w, source + g->quaternion[i].w,
                   (size_t)td_loop_quaternion_positions(&g->quaternion[i]) * sizeof *target);
}

td_status td_closure_start(const td_model *model, td_workspace *workspace, const double *q)
{
    td_status status = td_check_pair(model, workspace);
    if (status != TD_OK)
        return status;
    const td_closure_map *map = workspace->eval.closure;
    if (q)
        status = td_check_positions(model, TD_COORDINATES_TREE, q);
    if (status != TD_OK || !map->loops.solved)
        return status;
    double *w = workspace->single.w, *y = workspace->residual;
    size_t bytes = map->nw * sizeof *w;
    if (!q) {
        memcpy(workspace->anchor, map->reference, bytes);
        memcpy(workspace->last, map->reference, bytes);
        return TD_OK;
    }
    td_coordinates_w(model, q, w);
    memcpy(workspace->start, w, bytes);
    independent_coordinates(map, q, y);
    model->single->close_loops(&model->tree, map, &workspace->single, workspace->start, y);
    const double *outcome = workspace->single.outcome;
    workspace->failure.loop = (int)outcome[TD_OUTCOME_LOOP];
    workspace->failure.residual = outcome[TD_OUTCOME_RESIDUAL];
    workspace->failure.reached = outcome[TD_OUTCOME_REACHED];
    status = td_outcome_status(outcome);
    if (status != TD_OK)
        return status == TD_ERROR_BRANCH ? TD_ERROR_ASSEMBLY : status;
    td_coordinates_w(model, q, workspace->start); /* coordinates outside of loops */
    for (size_t n = 0; n < map->loops.solved; n++)
        keep_dependents(&map->loops.group[n], w, workspace->start);
    memcpy(workspace->anchor, workspace->start, bytes);
    memcpy(workspace->last, workspace->start, bytes);
    return TD_OK;
}

td_status td_closure_rows(const td_model *model, td_workspace *workspace, td_row_start from,
                          const double *q, size_t n)
{
    td_status status = td_check_pair(model, workspace);
    if (status != TD_OK)
        return status;
    const bool given = from == TD_ROW_START_GIVEN;
    if (!given && from != TD_ROW_START_COMMON && from != TD_ROW_START_BEFORE)
        return td_refuse(workspace, "from");
    if (given && !q && n && model->tree.nq)
        return td_refuse(workspace, "q");
    workspace->rows_from = from;
    workspace->row_start = given ? q : NULL;
    workspace->row_starts = given ? n : 0;
    return TD_OK;
}

td_status td_closure_remember(const td_model *model, td_workspace *workspace, double *memory)
{
    td_status status = td_check_pair(model, workspace);
    if (status != TD_OK)
        return status;
    if (!memory && model->tree.nq)
        return td_refuse(workspace, "memory");
    if (model->closure.loops.solved)
        /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): a loop has joints */
        memcpy(memory, workspace->last, model->closure.nw * sizeof *memory);
    return TD_OK;
}

td_status td_closure_recall(const td_model *model, td_workspace *workspace, const double *memory)
{
    td_status status = td_check_pair(model, workspace);
    if (status != TD_OK)
        return status;
    if (model->closure.loops.solved)
        memcpy(workspace->last, memory ? memory : workspace->anchor,
               model->closure.nw * sizeof *memory);
    return TD_OK;
}

td_status td_closure_start_from(const td_model *model, td_workspace *workspace,
                                const double *memory)
{
    td_status status = td_check_pair(model, workspace);
    if (status != TD_OK)
        return status;
    if (!memory && model->tree.nq)
        return td_refuse(workspace, "memory");
    if (!model->closure.loops.solved)
        return TD_OK;
    const size_t bytes = model->closure.nw * sizeof *memory;
    memcpy(workspace->anchor, memory, bytes);
    memcpy(workspace->last, memory, bytes);
    return TD_OK;
}

double td_failed_path(const td_workspace *workspace)
{
    return workspace ? workspace->failure.reached : 1;
}

size_t td_failed_loop(const td_workspace *workspace, double *residual)
{
    const td_failure failure = workspace ? workspace->failure : TD_NO_FAILURE;
    if (residual)
        *residual = failure.residual;
    return td_index_out(failure.loop);
}

/* Reports the loops of the last call, which had the status report->status. */
static void report_loops(const td_model *model, td_workspace *workspace, td_closure_report *report)
{
    const double *outcome = workspace->single.outcome;
    report->loop = td_index_out((int)outcome[TD_OUTCOME_LOOP]);
    report->residual = outcome[TD_OUTCOME_RESIDUAL];
    report->reached = report->status == TD_OK ? 1 : outcome[TD_OUTCOME_REACHED];
    report->iterations = (size_t)outcome[TD_OUTCOME_EVALUATIONS];
    double worst = 0;
    const td_loops *loops = &workspace->eval.closure->loops;
    for (size_t n = 0; n < loops->solved; n++) {
        const td_loop_group *g = &loops->group[n];
        double smallest, largest;
        if (!g->loops)
            continue; /* closed by a user-supplied function */
        model->single->loop_columns(&model->tree, &model->closure, n, &workspace->single,
                                    workspace->singular_room);
        td_singular_values(g->rows, g->dependents, workspace->singular_room, &smallest, &largest);
        double condition = smallest > 0 ? largest / smallest : INFINITY;
        if (!(condition > worst))
            continue;
        worst = condition;
        report->smallest = smallest;
        report->largest = largest;
    }
}

td_status td_closure_examine(const td_model *model, td_workspace *workspace, const double *y,
                             td_closure_report *report)
{
    if (!report || !td_size_is_valid(report->size_of))
        return td_refuse(workspace, "report");
    td_status status = td_closure(model, workspace, y, NULL, NULL, NULL, NULL, NULL);
    if (status == TD_ERROR_ARGUMENT)
        return status;
    td_closure_report ours = {.status = status, .loop = TD_NONE, .reached = 1};
    if (status == TD_ERROR_NOT_FINITE || status == TD_ERROR_QUATERNION) {
        ours.residual = NAN;
        ours.reached = 0;
    } else if (model->closure.loops.solved && !model->closure.loops.direct) {
        report_loops(model, workspace, &ours); /* curves alone cannot fail and have no outcome */
    }
    td_sized_write(report, report->size_of, &ours, sizeof ours);
    return status;
}

void td_effective_limit_read(const td_model *model, size_t joint, td_effective_limit *limit,
                             size_t size_of)
{
    const td_effective_limit *found =
        joint < model->records.joint.count ? &model->limit[joint] : &td_no_limit;
    td_sized_write(limit, size_of, found, sizeof *found);
}
