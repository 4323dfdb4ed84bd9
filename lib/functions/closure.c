/* SPDX-License-Identifier: MIT */
/*
 * The public face of the closure: q, q̇, q̈ from y, ẏ, ÿ, the way back, and the matrices.
 */
#include "tandem/closure.h"

#include <math.h>
#include <string.h>

#include "base/jacobi.h"
#include "base/sized.h"
#include "model/model.h"
#include "run/call.h"
#include "run/workspace.h"
#include "tandem/batch.h"

/* ---- y to q and back ------------------------------------------------------------------------- */

static void op_closure(const td_eval *eval, const void *const *in, void *const *out,
                       const void *context)
{
    (void)context;
    const td_kernels *k = eval->kernels;
    const td_tree *tree = eval->tree;
    const void *q = td_eval_position(eval, in[0]);
    const void *qd = td_eval_velocity(eval, in[1]);
    if (out[0])
        k->copy(out[0], q, tree->nq);
    if (out[1])
        k->copy(out[1], qd, tree->nv);
    if (out[2])
        k->copy(out[2], td_eval_acceleration(eval, in[2]), tree->nv);
}

static td_status closure(const td_site *site, const double *y, const double *yd, const double *ydd,
                         double *q, double *qd, double *qdd)
{
    size_t n = td_site_velocities(site), nv = site->model ? site->model->tree.nv : 0;
    td_call call;
    td_call_begin(&call, op_closure, NULL);
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_input(&call, ydd, n, false);
    td_call_output(&call, q, site->model ? site->model->tree.nq : 0, false);
    td_call_output(&call, qd, nv, false);
    td_call_output(&call, qdd, nv, false);
    return td_call_run(site, &call);
}

static td_site site_of(const td_model *model, td_workspace *workspace)
{
    return (td_site){model, workspace, TD_SPACE_INDEPENDENT, false, 1, NULL};
}

td_status td_closure(const td_model *model, td_workspace *workspace, const double *y,
                     const double *yd, const double *ydd, double *q, double *qd, double *qdd)
{
    td_site site = site_of(model, workspace);
    return closure(&site, y, yd, ydd, q, qd, qdd);
}

td_status td_batch_closure(const td_model *model, td_workspace *workspace, size_t n,
                           const double *y, const double *yd, const double *ydd, double *q,
                           double *qd, double *qdd, td_status *statuses)
{
    td_site site = {model, workspace, TD_SPACE_INDEPENDENT, true, n, statuses};
    return closure(&site, y, yd, ydd, q, qd, qdd);
}

static void op_reduce(const td_eval *eval, const void *const *in, void *const *out,
                      const void *context)
{
    (void)context;
    if (eval->model->closure.loops.solved)
        td_eval_position(eval, in[0]);
    if (td_eval_is_tree(eval))
        eval->kernels->copy(out[0], in[1], eval->tree->nv);
    else
        eval->kernels->transposed(&eval->model->closure.velocity, eval->scratch->G, in[1], out[0]);
}

td_status td_project_force(const td_model *model, td_workspace *workspace, const double *y,
                           const double *tau, double *tau_y)
{
    td_site site = site_of(model, workspace);
    td_call call;
    td_call_begin(&call, op_reduce, NULL);
    bool needs = model && model->closure.loops.solved;
    td_call_positions(&call, &site, y, needs);
    td_call_input(&call, tau, model ? model->tree.nv : 0, true);
    td_call_output(&call, tau_y, td_site_velocities(&site), true);
    return td_call_run(&site, &call);
}

/* the independent coordinates of a configuration of the tree */
static void independent_coordinates(const td_model *model, const double *q, double *y)
{
    for (size_t j = 0; j < model->independent_count; j++) {
        const td_joint_place *place = &model->place[model->independent[j]];
        double *target = y + place->y;
        for (int k = 0; k < place->nq; k++)
            if (!td_position_is_dependent(place, k))
                *target++ = q[place->q + k];
    }
}

td_status td_independent_coordinates(const td_model *model, td_workspace *workspace,
                                     const double *q, double *y, double *residual)
{
    td_status status = td_check_pair(model, workspace);
    if (status != TD_OK)
        return status;
    if ((!q || !y) && model->tree.nq)
        return td_refuse(workspace, q ? "y" : "q");
    status = td_check_positions(model, TD_SPACE_TREE, q);
    if (status != TD_OK) {
        for (size_t i = 0; i < model->closure.ny; i++)
            y[i] = NAN;
        if (residual)
            *residual = NAN;
        return status;
    }
    independent_coordinates(model, q, y);
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

static void op_jacobian(const td_eval *eval, const void *const *in, void *const *out,
                        const void *context)
{
    (void)context;
    const td_csr *G = &eval->model->closure.velocity;
    double *dense = out[0];
    size_t columns = (size_t)G->columns;
    if (eval->model->closure.loops.solved)
        td_eval_position(eval, in[0]);
    td_csr_dense(G, dense);
    const double *value = eval->model->closure.identity ? G->value : eval->scratch->G;
    for (int i = 0; i < G->rows; i++)
        for (int k = G->row[i]; k < G->row[i + 1]; k++)
            dense[(size_t)i * columns + (size_t)G->column[k]] = value[k];
}

td_status td_closure_jacobian(const td_model *model, td_workspace *workspace, const double *y,
                              double *G)
{
    td_site site = site_of(model, workspace);
    td_call call;
    td_call_begin(&call, op_jacobian, NULL);
    td_call_positions(&call, &site, y, model && model->closure.loops.solved);
    td_call_output(&call, G, model ? model->tree.nv * model->closure.nyd : 0, true);
    return td_call_run(&site, &call);
}

static td_sparse sparse(const td_csr *A)
{
    return (td_sparse){(size_t)A->rows, (size_t)A->columns, A->row, A->column, A->value};
}

td_sparse td_closure_matrix(const td_model *model)
{
    return sparse(&model->closure.position);
}

td_sparse td_closure_velocity_matrix(const td_model *model)
{
    return sparse(&model->closure.velocity);
}

const double *td_closure_offset(const td_model *model)
{
    return model->closure.offset;
}

/* ---- loops ----------------------------------------------------------------------------------- */

td_loop_place td_loop_place_at(const td_model *model, size_t loop)
{
    if (loop < model->records.loop.count)
        return model->closure.loop_place[loop];
    return (td_loop_place){TD_LOOP_OPEN, -1, -1, 0};
}

size_t td_loop_cluster_count(const td_model *model)
{
    return model->closure.loops.solved;
}

td_loop_cluster td_loop_cluster_at(const td_model *model, size_t cluster)
{
    if (cluster < model->closure.loops.solved)
        return model->closure.loop_cluster[cluster];
    return (td_loop_cluster){0};
}

const double *td_reference(const td_model *model)
{
    return model->closure.reference_q;
}

void td_reference_coordinates(const td_model *model, double *y)
{
    independent_coordinates(model, model->closure.reference_q, y);
}

/* the coordinates w of a tree configuration */
static void linear_coordinates(const td_model *model, const double *q, double *w)
{
    for (size_t i = 0; i < model->records.joint.count; i++)
        if (model->closure.w[i] >= 0)
            memcpy(w + model->closure.w[i], q + model->place[i].q,
                   (size_t)model->place[i].nq * sizeof *w);
}

/* the dependents of a group, from one w to another */
static void keep_dependents(const td_loop_group *g, const double *source, double *target)
{
    for (int k = 0; k < g->dependents; k++)
        if (g->coordinate[k] >= 0)
            target[g->coordinate[k]] = source[g->coordinate[k]];
    for (int i = 0; i < g->floatings; i++)
        if (g->floating[i].slot < g->dependents)
            memcpy(target + g->floating[i].w, source + g->floating[i].w,
                   TD_FLOATING_POSITIONS * sizeof *target);
}

td_status td_closure_start(const td_model *model, td_workspace *workspace, const double *q)
{
    td_status status = td_check_pair(model, workspace);
    if (status != TD_OK)
        return status;
    const td_closure_map *map = &model->closure;
    if (q)
        status = td_check_positions(model, TD_SPACE_TREE, q);
    if (status != TD_OK || !map->loops.solved)
        return status;
    workspace->factors = NULL;
    double *w = workspace->single.w, *y = workspace->residual;
    size_t bytes = map->nw * sizeof *w;
    if (!q) {
        memcpy(workspace->anchor, map->reference, bytes);
        memcpy(workspace->last, map->reference, bytes);
        return TD_OK;
    }
    linear_coordinates(model, q, w);
    memcpy(workspace->start, w, bytes);
    independent_coordinates(model, q, y);
    td_scratch source = workspace->single;
    source.start = workspace->start;
    model->single->close_loops(&model->tree, &map->loops, &map->position, map->offset, &map->rate,
                               &map->velocity, &source, y);
    static const td_status statuses[] = {TD_OK, TD_ERROR_ASSEMBLY, TD_ERROR_CLOSURE_SINGULAR,
                                         TD_ERROR_ASSEMBLY};
    const double *outcome = source.outcome;
    workspace->failure.loop = (int)outcome[TD_OUTCOME_LOOP];
    workspace->failure.residual = outcome[TD_OUTCOME_RESIDUAL];
    workspace->failure.reached = outcome[TD_OUTCOME_REACHED];
    status = statuses[(int)outcome[TD_OUTCOME_CODE]];
    if (status != TD_OK)
        return status;
    linear_coordinates(model, q, workspace->start); /* what is no part of loops */
    for (size_t n = 0; n < map->loops.solved; n++)
        keep_dependents(&map->loops.group[n], w, workspace->start);
    memcpy(workspace->anchor, workspace->start, bytes);
    memcpy(workspace->last, workspace->start, bytes);
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
        memcpy(memory, workspace->last, model->closure.nw * sizeof *memory);
    return TD_OK;
}

td_status td_closure_recall(const td_model *model, td_workspace *workspace, const double *memory)
{
    td_status status = td_check_pair(model, workspace);
    if (status != TD_OK)
        return status;
    if (!memory && model->tree.nq)
        return td_refuse(workspace, "memory");
    if (model->closure.loops.solved)
        memcpy(workspace->last, memory, model->closure.nw * sizeof *memory);
    return TD_OK;
}

double td_failed_path(const td_workspace *workspace)
{
    return workspace ? workspace->failure.reached : 1;
}

int td_failed_loop(const td_workspace *workspace, double *residual)
{
    const td_failure failure = workspace ? workspace->failure : TD_NO_FAILURE;
    if (residual)
        *residual = failure.residual;
    return failure.loop;
}

/* what the last call found of loops, whose status is report->status */
static void report_loops(const td_model *model, td_workspace *workspace, td_closure_report *report)
{
    const double *outcome = workspace->single.outcome;
    report->loop = (int)outcome[TD_OUTCOME_LOOP];
    report->residual = outcome[TD_OUTCOME_RESIDUAL];
    report->reached = report->status == TD_OK ? 1 : outcome[TD_OUTCOME_REACHED];
    report->iterations = (size_t)outcome[TD_OUTCOME_EVALUATIONS];
    double worst = 0;
    for (size_t n = 0; n < model->closure.loops.solved; n++) {
        double smallest, largest;
        if (model->closure.loops.group[n].function)
            continue;
        model->single->loop_columns(&model->tree, &model->closure.loops, n, &model->closure.rate,
                                    &workspace->single, workspace->singular_room);
        const td_loop_group *g = &model->closure.loops.group[n];
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
    td_closure_report ours = {.status = status, .loop = -1, .reached = 1};
    if (status == TD_ERROR_NOT_FINITE || status == TD_ERROR_QUATERNION) {
        ours.residual = NAN;
        ours.reached = 0;
    } else if (model->closure.loops.solved) {
        report_loops(model, workspace, &ours);
    }
    td_sized_write(report, report->size_of, &ours, sizeof ours);
    return status;
}

td_effective_limit td_effective_limit_at(const td_model *model, size_t joint)
{
    if (joint < model->records.joint.count)
        return model->limit[joint];
    return (td_effective_limit){-INFINITY, INFINITY, INFINITY, INFINITY, -1, -1, -1, -1};
}
