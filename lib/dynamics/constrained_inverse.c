/* SPDX-License-Identifier: MIT */
/*
 * Inverse dynamics of the tree under the implicit constraints. A motion is given joint by joint;
 * motors supply what they can, and the multipliers of loops supply the rest.
 */
#include <math.h>
#include <string.h>

#include "dynamics/configuration.h"
#include "dynamics/constrained.h"
#include "dynamics/operations.h"
#include "tandem/constraint.h"

/* `tau` is the sum of the motors' forces and the rest, for computing multipliers. */
typedef struct motor_arguments {
    const td_reals *q, *qd, *qdd, *tau;
    const td_forces *forces;
    const double *weight;
    td_reals *u, *rest, *lambda;
} motor_arguments;

/* Computes the forces of the tree into tau of the scratch, and G at q. */
static void tree_forces(const td_eval *eval, const motor_arguments *a)
{
    const td_closure_map *closure = eval->closure;
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const void *qd = a->qd ? a->qd : s->zeros, *qdd = a->qdd ? a->qdd : s->zeros;
    if (closure->loops.solved) {
        for (size_t i = 0; i < eval->model->records.joint.count; i++)
            if (closure->w[i] >= 0)
                k->copy((char *)s->w + (size_t)closure->w[i] * k->real_size,
                        (const char *)a->q + (size_t)eval->model->place[i].q * k->real_size,
                        (size_t)eval->model->place[i].nq);
        k->tangent(eval->tree, closure, s);
    }
    td_eval_tree_force(eval, a->q, qd, qdd, a->forces, false, s->tau);
}

static void op_motor_forces(const td_eval *eval, const void *arguments)
{
    const motor_arguments *a = arguments;
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    tree_forces(eval, a);
    const void *tau_y = s->tau;
    if (!eval->closure->identity) {
        k->transposed(&eval->closure->velocity, s->G, s->tau, s->tau_y);
        tau_y = s->tau_y;
    }
    td_eval_motors(eval, a->q);
    k->drive_forces(eval->actuation, s, a->weight, tau_y, a->u, a->rest);
}

/* Computes lambda from tau, the forces on the tree. */
static void op_multipliers(const td_eval *eval, const void *arguments)
{
    const motor_arguments *a = arguments;
    const td_scratch *s = eval->scratch;
    const void *qd = a->qd ? a->qd : s->zeros, *qdd = a->qdd ? a->qdd : s->zeros;
    td_free_acceleration(eval, a->q, qd, qdd, a->forces, a->tau, s->qdd);
    td_eval_constraints(eval, a->q, NULL);
    td_constrain(eval, NULL, s->qdd, a->lambda);
}

/* Computes tau = S u + E rest. */
static td_status spread_forces(const td_model *model, td_workspace *workspace, const double *q,
                               const double *u, const double *rest, double *tau)
{
    double *in_loops = workspace->in_loops;
    memset(in_loops, 0, model->records.loop.count * sizeof *in_loops);
    for (size_t i = 0; i < model->actuation.nu; i++)
        if (model->actuation.loop[i] >= 0)
            in_loops[model->actuation.loop[i]] = u[i];
    td_status status = td_loop_force(model, workspace, q, NULL, in_loops, NULL, tau);
    for (size_t i = 0; i < model->actuation.nu; i++)
        if (model->actuation.row[i] >= 0)
            tau[model->actuation.row[i]] += u[i];
    const td_closure_map *closure = workspace->eval.closure;
    for (size_t i = 0; i < closure->nyd; i++)
        tau[closure->qd_of_yd[i]] += rest[i];
    return status;
}

td_status td_constrained_inverse_dynamics(const td_model *model, td_workspace *workspace,
                                          const double *q, const double *qd, const double *qdd,
                                          const td_forces *forces, const double *weight, double *u,
                                          double *rest, double *lambda)
{
    const td_site *site = TD_SINGLE(model, workspace, TD_COORDINATES_TREE);
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    double *left = rest ? rest : workspace->motion_yd;
    motor_arguments a = {.q = q,
                         .qd = qd,
                         .qdd = qdd,
                         .forces = forces,
                         .weight = weight,
                         .u = u,
                         .rest = left,
                         .lambda = lambda};
    td_call call;
    td_call_begin(&call, op_motor_forces, &a);
    td_call_matrices(&call, lambda != NULL);
    td_call_solve(&call, TD_ERROR_ACTUATION_SINGULAR);
    call.closes = true;
    td_call_positions(&call, site, &a, q, true);
    td_call_input(&call, &a, qd, n, false);
    td_call_input(&call, &a, qdd, n, false);
    td_call_forces(&call, site, &a.forces);
    td_call_weight(&call, site, weight);
    td_call_output(&call, &a, u, td_site_motors(site), true);
    td_call_output(&call, &a, rest, model->closure.nyd, false);
    td_status status = td_call_run(site, &call);
    if (!lambda || (status != TD_OK && status != call.good_status))
        return status;
    a.tau = workspace->correction;
    spread_forces(model, workspace, q, u, left, workspace->correction);
    call.operation = op_multipliers;
    call.closes = false;
    td_call_solve(&call, TD_ERROR_SINGULAR);
    td_call_input(&call, &a, tau, n, true);
    call.outputs = 0;
    td_call_output(&call, &a, lambda, td_constraint_count(model), false);
    return td_call_run(site, &call);
}
