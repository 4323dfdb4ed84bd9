/* SPDX-License-Identifier: MIT */
/*
 * The linear closure as implicit constraints, and the equations of motion with them: the
 * independent check of the explicit path, and the way to λ and τ_c.
 */
#include "tandem/constraint.h"

#include "call.h"
#include "workspace.h"

size_t td_constraint_count(const td_model *model)
{
    return model->tree.nv - model->closure.nyd;
}

td_status td_constraint_jacobian(const td_model *model, td_workspace *workspace, double *K)
{
    if (!model || !workspace || (!K && td_constraint_count(model)))
        return TD_ERROR_ARGUMENT;
    if (K)
        td_csr_dense(&model->closure.constraint, K);
    return TD_OK;
}

td_status td_constraint_residual(const td_model *model, td_workspace *workspace, const double *q,
                                 double *phi)
{
    if (!model || !workspace || ((!q || !phi) && td_constraint_count(model)))
        return TD_ERROR_ARGUMENT;
    size_t row = 0;
    for (size_t j = 0; j < model->movable_count; j++) {
        const td_joint_place *place = &model->place[model->movable[j]];
        if (!place->dependent)
            continue;
        const td_combination *c = &model->closure.combination[model->movable[j]];
        double expected = c->constant;
        for (int k = 0; k < c->count; k++)
            expected += c->factor[k] * q[model->place[c->joint[k]].q];
        phi[row++] = q[place->q] - expected;
    }
    return TD_OK;
}

static void op_constrained(const td_run *run, const void *const *in, void *const *out,
                           const void *context)
{
    const td_forces *forces = context;
    const td_model *model = run->model;
    const td_kernels *k = run->kernels;
    const td_scratch *s = run->scratch;
    const td_tree *tree = &model->tree;
    const void *qd = in[1] ? in[1] : s->zeros;
    k->place(tree, s, in[0]);
    k->poses(tree, s);
    td_run_tree_force(run, in[0], qd, s->zeros, forces, true, s->tau);
    td_run_mass(run, forces && forces->passive);
    k->factor(&tree->pattern, s->mass, s->singular);
    k->copy(out[0], in[2] ? in[2] : s->zeros, tree->nv);
    k->subtract(out[0], s->tau, tree->nv);
    k->solve(&tree->pattern, s->mass, out[0]);
    if (!model->closure.identity)
        k->constrain(&tree->pattern, s->mass, &model->closure.constraint, s->matrix, s->schur,
                     out[0], out[1]);
}

td_status td_constrained_forward_dynamics(const td_model *model, td_workspace *workspace,
                                          const double *q, const double *qd, const double *tau,
                                          const td_forces *forces, double *qdd, double *lambda)
{
    td_site site = {model, workspace, TD_SPACE_TREE, false, 1, NULL};
    size_t n = td_site_velocities(&site);
    td_call call = {.operation = op_constrained, .context = forces, .solves = true};
    td_call_input(&call, q, td_site_positions(&site), true);
    td_call_input(&call, qd, n, false);
    td_call_input(&call, tau, n, false);
    td_call_output(&call, qdd, n);
    td_call_output(&call, lambda, model ? td_constraint_count(model) : 0);
    call.missing = call.missing || (!qdd && n) || td_check_forces(forces) != TD_OK;
    return td_call_run(&site, &call);
}

static void op_constraint_force(const td_run *run, const void *const *in, void *const *out,
                                const void *context)
{
    const void *q = td_run_position(run, in[0]);
    run->kernels->place(&run->model->tree, run->scratch, q);
    td_run_tree_force(run, q, td_run_velocity(run, in[1]), td_run_acceleration(run, in[2]), context,
                      false, out[0]);
    if (in[3])
        run->kernels->subtract(out[0], in[3], run->model->tree.nv);
}

td_status td_constraint_force(const td_model *model, td_workspace *workspace, const double *y,
                              const double *yd, const double *ydd, const double *tau,
                              const td_forces *forces, double *tau_c)
{
    td_site site = {model, workspace, TD_SPACE_INDEPENDENT, false, 1, NULL};
    size_t n = td_site_velocities(&site), nv = model ? model->tree.nv : 0;
    td_call call = {.operation = op_constraint_force, .context = forces};
    td_call_input(&call, y, td_site_positions(&site), true);
    td_call_input(&call, yd, n, false);
    td_call_input(&call, ydd, n, false);
    td_call_input(&call, tau, nv, false);
    td_call_output(&call, tau_c, nv);
    call.missing = call.missing || (!tau_c && nv) || td_check_forces(forces) != TD_OK;
    return td_call_run(&site, &call);
}
