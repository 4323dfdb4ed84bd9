/* SPDX-License-Identifier: MIT */
/*
 * The closure as implicit constraints, φ, K and k; what they and the joints that close loops do to
 * the tree.
 */
#include "tandem/constraint.h"

#include "functions/arguments.h"
#include "functions/operations.h"

size_t td_constraint_count(const td_model *model)
{
    return model->closure.rows;
}

void td_eval_constraints(const td_eval *eval, const void *q, const void *qd)
{
    const td_closure_map *closure = eval->closure;
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    size_t linear = (size_t)closure->constraint.rows, nv = eval->tree->nv;
    k->linear_constraints(&closure->constraint, closure->constraint_q, closure->constraint_offset,
                          nv, q, s->phi, s->K);
    k->clear(s->drift, linear);
    k->constraints(eval->tree, &closure->loops, s, q, qd, s->phi, s->K, s->drift);
}

void td_op_constraint_jacobian(const td_eval *eval, const void *const *in, void *const *out,
                               const void *context)
{
    (void)context;
    td_eval_constraints(eval, in[0], NULL);
    eval->kernels->copy(out[0], eval->scratch->K, eval->closure->rows * eval->tree->nv);
}

void td_op_constraint_residual(const td_eval *eval, const void *const *in, void *const *out,
                               const void *context)
{
    (void)context;
    td_eval_constraints(eval, in[0], NULL);
    eval->kernels->copy(out[0], eval->scratch->phi, eval->closure->rows);
}

void td_op_constraint_drift(const td_eval *eval, const void *const *in, void *const *out,
                            const void *context)
{
    (void)context;
    const size_t rows = eval->closure->rows;
    td_eval_constraints(eval, in[0], in[1]);
    eval->kernels->clear(out[0], rows);
    eval->kernels->subtract_from(out[0], eval->scratch->drift, rows);
}

/* ---- forces ---------------------------------------------------------------------------------- */

void td_op_constraint_force(const td_eval *eval, const void *const *in, void *const *out,
                            const void *context)
{
    const td_arguments *with = context;
    const void *q = td_eval_position(eval, in[0]);
    const void *qd = td_eval_velocity(eval, in[1]);
    td_eval_tree_force(eval, q, qd, td_eval_acceleration(eval, in[2]), with->forces, false, out[0]);
    if (in[3])
        eval->kernels->subtract_from(out[0], in[3], eval->tree->nv);
}

/* ---- joints that close loops ----------------------------------------------------------------- */

void td_op_loop_force(const td_eval *eval, const void *const *in, void *const *out,
                      const void *context)
{
    const td_forces *forces = ((const td_arguments *)context)->forces;
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const td_tree *tree = eval->tree;
    const td_loops *loops = &eval->closure->loops;
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

typedef struct loop_axis {
    size_t group;
    int axis;
} loop_axis;

/* the axis of a loop; -1 where it is open or has none */
static loop_axis axis_of(const td_model *model, size_t loop)
{
    loop_axis place = {0, -1};
    if (loop < model->records.loop.count && model->closure.loop_group[loop] >= 0) {
        place.group = (size_t)model->closure.loop_group[loop];
        place.axis = td_loop_axis_of(&model->closure.loops.group[place.group], (int)loop);
    }
    return place;
}

void td_call_loop(td_call *call, const td_site *site, td_arguments *with, size_t loop)
{
    td_call_require(call, axis_of(site->model, loop).axis >= 0, "loop");
    with->loop = loop;
}

void td_op_loop_motion(const td_eval *eval, const void *const *in, void *const *out,
                       const void *context)
{
    const td_arguments *with = context;
    const loop_axis place = axis_of(eval->model, with->loop);
    const void *q = td_eval_position(eval, in[0]), *qd = td_eval_velocity(eval, in[1]);
    eval->kernels->loop_motion(eval->tree, &eval->closure->loops, eval->scratch, place.group,
                               place.axis, q, qd, td_eval_acceleration(eval, in[2]), out[0]);
}
