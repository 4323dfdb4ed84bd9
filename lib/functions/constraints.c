/* SPDX-License-Identifier: MIT */
/*
 * The closure as implicit constraints, φ, K and k; what they and the joints that close loops do to
 * the tree.
 */
#include "tandem/constraint.h"

#include "run/call.h"

size_t td_constraint_count(const td_model *model)
{
    return model->closure.rows;
}

void td_run_constraints(const td_run *run, const void *q, const void *qd)
{
    const td_closure_map *closure = &run->model->closure;
    const td_kernels *k = run->kernels;
    const td_scratch *s = run->scratch;
    size_t linear = (size_t)closure->constraint.rows, nv = run->tree->nv;
    k->linear_constraints(&closure->constraint, closure->constraint_q, closure->constraint_offset,
                          nv, q, s->phi, s->K);
    k->clear(s->drift, linear);
    k->constraints(run->tree, &closure->loops, s, q, qd, s->phi, s->K, s->drift);
}

static void op_constraints(const td_run *run, const void *const *in, void *const *out,
                           const void *context)
{
    (void)context;
    const td_kernels *k = run->kernels;
    size_t rows = run->model->closure.rows;
    td_run_constraints(run, in[0], in[1]);
    if (out[0])
        k->copy(out[0], run->scratch->phi, rows);
    if (out[1])
        k->copy(out[1], run->scratch->K, rows * run->tree->nv);
    if (out[2]) {
        k->clear(out[2], rows);
        k->subtract(out[2], run->scratch->drift, rows);
    }
}

static td_status constraints(const td_model *model, td_workspace *workspace, const double *q,
                             const double *qd, double *phi, double *K, double *k)
{
    td_site site = {model, workspace, TD_SPACE_TREE, false, 1, NULL};
    size_t rows = model ? td_constraint_count(model) : 0;
    td_call call;
    td_call_begin(&call, op_constraints, NULL);
    td_call_positions(&call, &site, q, rows > 0);
    td_call_input(&call, qd, td_site_velocities(&site), false);
    td_call_output(&call, phi, rows, false);
    td_call_output(&call, K, rows * td_site_velocities(&site), false);
    td_call_output(&call, k, rows, false);
    return td_call_run(&site, &call);
}

td_status td_constraint_jacobian(const td_model *model, td_workspace *workspace, const double *q,
                                 double *K)
{
    if (!K && model && td_constraint_count(model))
        return td_refuse(workspace, "K");
    return constraints(model, workspace, q, NULL, NULL, K, NULL);
}

td_status td_constraint_residual(const td_model *model, td_workspace *workspace, const double *q,
                                 double *phi)
{
    if (!phi && model && td_constraint_count(model))
        return td_refuse(workspace, "phi");
    return constraints(model, workspace, q, NULL, phi, NULL, NULL);
}

td_status td_constraint_drift(const td_model *model, td_workspace *workspace, const double *q,
                              const double *qd, double *k)
{
    if ((!k || !qd) && model && td_constraint_count(model))
        return td_refuse(workspace, qd ? "k" : "qd");
    return constraints(model, workspace, q, qd, NULL, NULL, k);
}

/* ---- forces ---------------------------------------------------------------------------------- */

static void op_constraint_force(const td_run *run, const void *const *in, void *const *out,
                                const void *context)
{
    const void *q = td_run_position(run, in[0]);
    const void *qd = td_run_velocity(run, in[1]);
    td_run_tree_force(run, q, qd, td_run_acceleration(run, in[2]), context, false, out[0]);
    if (in[3])
        run->kernels->subtract(out[0], in[3], run->tree->nv);
}

td_status td_constraint_force(const td_model *model, td_workspace *workspace, const double *y,
                              const double *yd, const double *ydd, const double *tau,
                              const td_forces *forces, double *tau_c)
{
    td_forces room;
    const bool valid = td_forces_read(&forces, &room);
    td_site site = {model, workspace, TD_SPACE_INDEPENDENT, false, 1, NULL};
    size_t n = td_site_velocities(&site), nv = model ? model->tree.nv : 0;
    td_call call;
    td_call_begin(&call, op_constraint_force, forces);
    td_call_positions(&call, &site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_input(&call, ydd, n, false);
    td_call_input(&call, tau, nv, false);
    td_call_forces(&call, &site, forces, valid);
    td_call_output(&call, tau_c, nv, true);
    return td_call_run(&site, &call);
}

/* ---- joints that close loops ----------------------------------------------------------------- */

static void op_loop_force(const td_run *run, const void *const *in, void *const *out,
                          const void *context)
{
    const td_forces *forces = context;
    const td_kernels *k = run->kernels;
    const td_scratch *s = run->scratch;
    const td_tree *tree = run->tree;
    const td_loops *loops = &run->model->closure.loops;
    const void *qd = in[1] ? in[1] : s->zeros;
    k->clear(out[0], tree->nv);
    if (in[2])
        k->loop_push(tree, loops, s, in[0], in[2], out[0]);
    if (!forces || !forces->passive)
        return;
    k->clear(s->tau, tree->nv);
    k->loop_passive(tree, loops, s, in[0], qd, forces->friction_velocity, s->tau);
    k->subtract(out[0], s->tau, tree->nv);
}

td_status td_loop_force(const td_model *model, td_workspace *workspace, const double *q,
                        const double *qd, const double *f, const td_forces *forces, double *tau_a)
{
    td_forces room;
    const bool valid = td_forces_read(&forces, &room);
    td_site site = {model, workspace, TD_SPACE_TREE, false, 1, NULL};
    size_t n = td_site_velocities(&site);
    td_call call;
    td_call_begin(&call, op_loop_force, forces);
    td_call_positions(&call, &site, q, true);
    td_call_input(&call, qd, n, false);
    td_call_input(&call, f, model ? model->records.loop.count : 0, false);
    td_call_require(&call, valid, "forces");
    td_call_output(&call, tau_a, n, true);
    return td_call_run(&site, &call);
}

typedef struct loop_axis {
    size_t group;
    int axis;
} loop_axis;

static void op_loop_motion(const td_run *run, const void *const *in, void *const *out,
                           const void *context)
{
    const loop_axis *of = context;
    const td_model *model = run->model;
    const void *q = td_run_position(run, in[0]), *qd = td_run_velocity(run, in[1]);
    run->kernels->loop_motion(run->tree, &model->closure.loops, run->scratch, of->group, of->axis,
                              q, qd, td_run_acceleration(run, in[2]), out[0]);
}

td_status td_loop_motion(const td_model *model, td_workspace *workspace, size_t loop,
                         const double *y, const double *yd, const double *ydd, double motion[3])
{
    td_site site = {model, workspace, TD_SPACE_INDEPENDENT, false, 1, NULL};
    loop_axis of = {0, -1};
    if (model && loop < model->records.loop.count && model->closure.loop_group[loop] >= 0) {
        of.group = (size_t)model->closure.loop_group[loop];
        of.axis = td_loop_axis_of(&model->closure.loops.group[of.group], (int)loop);
    }
    td_call call;
    td_call_begin(&call, op_loop_motion, &of);
    td_call_require(&call, of.axis >= 0, "loop");
    td_call_positions(&call, &site, y, true);
    td_call_input(&call, yd, td_site_velocities(&site), false);
    td_call_input(&call, ydd, td_site_velocities(&site), false);
    td_call_output(&call, motion, 3, true);
    return td_call_run(&site, &call);
}
