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

void td_eval_constraints(const td_eval *eval, const void *q, const void *qd)
{
    const td_closure_map *closure = &eval->model->closure;
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    size_t linear = (size_t)closure->constraint.rows, nv = eval->tree->nv;
    k->linear_constraints(&closure->constraint, closure->constraint_q, closure->constraint_offset,
                          nv, q, s->phi, s->K);
    k->clear(s->drift, linear);
    k->constraints(eval->tree, &closure->loops, s, q, qd, s->phi, s->K, s->drift);
}

static void op_constraints(const td_eval *eval, const void *const *in, void *const *out,
                           const void *context)
{
    (void)context;
    const td_kernels *k = eval->kernels;
    size_t rows = eval->model->closure.rows;
    td_eval_constraints(eval, in[0], in[1]);
    if (out[0])
        k->copy(out[0], eval->scratch->phi, rows);
    if (out[1])
        k->copy(out[1], eval->scratch->K, rows * eval->tree->nv);
    if (out[2]) {
        k->clear(out[2], rows);
        k->subtract_from(out[2], eval->scratch->drift, rows);
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

static void op_constraint_force(const td_eval *eval, const void *const *in, void *const *out,
                                const void *context)
{
    const void *q = td_eval_position(eval, in[0]);
    const void *qd = td_eval_velocity(eval, in[1]);
    td_eval_tree_force(eval, q, qd, td_eval_acceleration(eval, in[2]), context, false, out[0]);
    if (in[3])
        eval->kernels->subtract_from(out[0], in[3], eval->tree->nv);
}

td_status td_constraint_force(const td_model *model, td_workspace *workspace, const double *y,
                              const double *yd, const double *ydd, const double *tau,
                              const td_forces *forces, double *tau_c)
{
    td_forces known;
    const bool valid = td_forces_read(&forces, &known);
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

static void op_loop_force(const td_eval *eval, const void *const *in, void *const *out,
                          const void *context)
{
    const td_forces *forces = context;
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const td_tree *tree = eval->tree;
    const td_loops *loops = &eval->model->closure.loops;
    const void *qd = in[1] ? in[1] : s->zeros;
    k->clear(out[0], tree->nv);
    if (in[2])
        k->loop_push(tree, loops, s, in[0], in[2], out[0]);
    if (!forces || !forces->passive)
        return;
    k->clear(s->tau, tree->nv);
    k->loop_passive(tree, loops, s, in[0], qd, forces->friction_velocity, s->tau);
    k->subtract_from(out[0], s->tau, tree->nv);
}

td_status td_loop_force(const td_model *model, td_workspace *workspace, const double *q,
                        const double *qd, const double *f, const td_forces *forces, double *tau_a)
{
    td_forces known;
    const bool valid = td_forces_read(&forces, &known);
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

static void op_loop_motion(const td_eval *eval, const void *const *in, void *const *out,
                           const void *context)
{
    const loop_axis *place = context;
    const td_model *model = eval->model;
    const void *q = td_eval_position(eval, in[0]), *qd = td_eval_velocity(eval, in[1]);
    eval->kernels->loop_motion(eval->tree, &model->closure.loops, eval->scratch, place->group,
                               place->axis, q, qd, td_eval_acceleration(eval, in[2]), out[0]);
}

static td_status loop_motion(const td_model *model, td_workspace *workspace, td_space space,
                             size_t loop, const double *position, const double *velocity,
                             const double *acceleration, double motion[3])
{
    td_site site = {model, workspace, space, false, 1, NULL};
    loop_axis place = {0, -1};
    if (model && loop < model->records.loop.count && model->closure.loop_group[loop] >= 0) {
        place.group = (size_t)model->closure.loop_group[loop];
        place.axis = td_loop_axis_of(&model->closure.loops.group[place.group], (int)loop);
    }
    td_call call;
    td_call_begin(&call, op_loop_motion, &place);
    td_call_require(&call, place.axis >= 0, "loop");
    td_call_positions(&call, &site, position, true);
    td_call_input(&call, velocity, td_site_velocities(&site), false);
    td_call_input(&call, acceleration, td_site_velocities(&site), false);
    td_call_output(&call, motion, 3, true);
    return td_call_run(&site, &call);
}

td_status td_loop_motion(const td_model *model, td_workspace *workspace, size_t loop,
                         const double *y, const double *yd, const double *ydd, double motion[3])
{
    return loop_motion(model, workspace, TD_SPACE_INDEPENDENT, loop, y, yd, ydd, motion);
}

td_status td_tree_loop_motion(const td_model *model, td_workspace *workspace, size_t loop,
                              const double *q, const double *qd, const double *qdd,
                              double motion[3])
{
    return loop_motion(model, workspace, TD_SPACE_TREE, loop, q, qd, qdd, motion);
}
