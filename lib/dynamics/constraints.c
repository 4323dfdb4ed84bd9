/* SPDX-License-Identifier: MIT */
/*
 * The closure as implicit constraints: φ, K and k; also the forces of the closure and of loop
 * joints on the tree.
 */
#include "tandem/constraint.h"

#include "dynamics/arguments.h"
#include "dynamics/operations.h"

size_t td_constraint_count(const td_model *model)
{
    return model->closure.rows;
}

void td_eval_constraints(const td_eval *eval, const void *q, const void *qd)
{
    const td_closure_map *closure = eval->closure;
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    k->linear_constraints(closure, eval->tree->nv, s, q);
    k->clear(s->drift, (size_t)closure->constraint.rows);
    k->constraints(eval->tree, &closure->loops, s, q, qd);
}

void td_op_constraint_jacobian(const td_eval *eval, const td_constraint_jacobian_arguments *a)
{
    td_eval_constraints(eval, a->q, NULL);
    eval->kernels->copy(a->K, eval->scratch->K, eval->closure->rows * eval->tree->nv);
}

void td_op_constraint_residual(const td_eval *eval, const td_constraint_residual_arguments *a)
{
    td_eval_constraints(eval, a->q, NULL);
    eval->kernels->copy(a->phi, eval->scratch->phi, eval->closure->rows);
}

void td_op_constraint_drift(const td_eval *eval, const td_constraint_drift_arguments *a)
{
    const size_t rows = eval->closure->rows;
    td_eval_constraints(eval, a->q, a->qd);
    eval->kernels->clear(a->k, rows);
    eval->kernels->subtract_from(a->k, eval->scratch->drift, rows);
}

/* ---- forces ---------------------------------------------------------------------------------- */

void td_op_constraint_force(const td_eval *eval, const td_constraint_force_arguments *a)
{
    const void *q = td_eval_position(eval, a->y);
    const void *qd = td_eval_velocity(eval, a->yd);
    td_eval_tree_force(eval, q, qd, td_eval_acceleration(eval, a->ydd), a->forces, false, a->tau_c);
    if (a->tau)
        eval->kernels->subtract_from(a->tau_c, a->tau, eval->tree->nv);
}

/* ---- joints that close loops ----------------------------------------------------------------- */

void td_op_loop_force(const td_eval *eval, const td_loop_force_arguments *a)
{
    const td_forces *forces = a->forces;
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const td_tree *tree = eval->tree;
    const td_loops *loops = &eval->closure->loops;
    const void *qd = a->qd ? a->qd : s->zeros;
    k->clear(a->tau_a, tree->nv);
    if (a->f)
        k->loop_push(tree, loops, s, a->q, a->f, a->tau_a);
    if (!forces || !forces->passive)
        return;
    k->clear(s->tau, tree->nv);
    k->loop_passive(tree, loops, s, a->q, qd, forces->friction_velocity, s->tau);
    k->subtract_from(a->tau_a, s->tau, tree->nv);
}

typedef struct loop_axis {
    size_t group;
    int axis;
} loop_axis;

/* Returns the group and axis of a loop; axis −1 if the loop is open or its joint has none. */
static loop_axis axis_of(const td_model *model, size_t loop)
{
    loop_axis place = {0, -1};
    if (loop < model->records.loop.count && model->closure.loop_group[loop] >= 0) {
        place.group = (size_t)model->closure.loop_group[loop];
        place.axis = td_loop_axis_of(&model->closure.loops.group[place.group], (int)loop);
    }
    return place;
}

void td_call_loop(td_call *call, const td_site *site, size_t loop)
{
    td_call_require(call, axis_of(site->model, loop).axis >= 0, "loop");
}

void td_op_loop_motion(const td_eval *eval, const td_loop_motion_arguments *a)
{
    const loop_axis place = axis_of(eval->model, a->loop);
    const void *q = td_eval_position(eval, a->y), *qd = td_eval_velocity(eval, a->yd);
    const td_motion_inputs in = {.q = q, .qd = qd, .qdd = td_eval_acceleration(eval, a->ydd)};
    eval->kernels->loop_motion(eval->tree, &eval->closure->loops.group[place.group], place.axis,
                               eval->scratch, &in, a->motion);
}
