/* SPDX-License-Identifier: MIT */
/*
 * Derivatives of inverse and of forward dynamics.
 */
#include "functions/arguments.h"
#include "functions/operations.h"

/* Matrices of ∂τ/∂y and ∂τ/∂ẏ, and H (NULL: not wanted), in the call's coordinates at q, q̇, q̈ of
   the tree, whose poses are in the scratch, and the wrenches of forces if there are any. */
static void force_derivatives(const td_eval *eval, const void *qd, const void *qdd,
                              const td_forces *forces, bool loaded, void *by_position,
                              void *by_rate, void *mass)
{
    const td_kernels *k = eval->kernels;
    const td_tree *tree = eval->tree;
    const td_scratch *s = eval->scratch;
    const bool in_tree = td_eval_is_tree(eval);
    const td_csr *G = in_tree ? NULL : &eval->closure->velocity;
    const td_clusters *clusters = in_tree ? &eval->model->tree_clusters : &eval->closure->clusters;
    k->motions(tree, s, qd, qdd, TD_EVERY_LINK);
    k->inertias(tree, s);
    k->composites(tree, s);
    k->rnea_derivatives(tree, clusters, s, G, NULL, NULL, NULL, qd, qdd, loaded,
                        forces ? forces->wrenches : NULL, forces ? (int)forces->wrench_frame : 0,
                        by_position, by_rate, mass);
    if (td_with_passive(forces))
        k->passive_derivatives(tree, G, s->G, NULL, NULL, NULL, qd, forces->friction_velocity,
                               by_position, by_rate, mass);
}

void td_op_inverse_dynamics_derivatives(const td_eval *eval, const void *const *in,
                                        void *const *out, const void *context)
{
    const td_arguments *with = context;
    const void *q = td_eval_position(eval, in[0]), *qd = td_eval_velocity(eval, in[1]);
    const void *qdd = td_eval_acceleration(eval, in[2]);
    eval->kernels->poses(eval->tree, eval->scratch, q, TD_EVERY_LINK, true);
    if (out[0]) {
        td_eval_tree_force(eval, q, qd, qdd, with->forces, true, td_eval_tau_storage(eval, out[0]));
        td_eval_reduce(eval, out[0]);
    }
    const bool loaded = td_eval_load(eval, qd, with->forces);
    force_derivatives(eval, qd, qdd, with->forces, loaded, out[1], out[2], out[3]);
}

/* ---- forward dynamics ------------------------------------------------------------------------ */

/* accelerations, and H as a dense matrix, where those are no outputs */
td_reals *td_derivatives_take(td_stack *stack, const td_model *model, const td_kernels *k)
{
    const size_t n = model->tree.nv;
    return td_take_reals(stack, k, n + n * n);
}

/* ∂ÿ = −H⁻¹ ∂τ in place, from the factors */
static void solve_derivatives(const td_eval *eval, void *matrix)
{
    const size_t n = td_eval_pattern(eval)->size;
    if (!matrix)
        return;
    eval->kernels->solve_many(td_eval_pattern(eval), eval->scratch, td_eval_matrix(eval), n,
                              matrix);
    eval->kernels->negate(matrix, n * n);
}

/* H⁻¹ from the factors */
static void invert(const td_eval *eval, void *inverse)
{
    const td_kernels *k = eval->kernels;
    const size_t n = td_eval_pattern(eval)->size;
    static const double unity = 1;
    k->clear(inverse, n * n);
    for (size_t i = 0; i < n; i++)
        k->spread((char *)inverse + i * (n + 1) * k->real_size, &unity, 1);
    k->solve_many(td_eval_pattern(eval), eval->scratch, td_eval_matrix(eval), n, inverse);
}

void td_op_forward_dynamics_derivatives(const td_eval *eval, const void *const *in,
                                        void *const *out, const void *context)
{
    const td_arguments *with = context;
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const size_t n = td_eval_pattern(eval)->size;
    td_scope(s->stack, derivatives);
    char *room = td_derivatives_take(s->stack, eval->model, k);
    void *ydd = out[0] ? out[0] : room, *H = out[3] ? out[3] : room + n * k->real_size;
    const void *q = td_eval_position(eval, in[0]), *qd = td_eval_velocity(eval, in[1]);
    k->copy(s->tau_y, in[2] ? in[2] : s->zeros, n);
    td_eval_accelerations(eval, with->forces, NULL, q, qd,
                          eval->closure->loops.solved ? s->g : NULL, s->tau_y, ydd);
    if (!out[1] && !out[2] && !out[3])
        return;
    k->poses(eval->tree, s, q, TD_EVERY_LINK, true);
    const bool loaded = td_eval_load(eval, qd, with->forces);
    force_derivatives(eval, qd, td_eval_acceleration(eval, ydd), with->forces, loaded, out[1],
                      out[2], H);
    k->pack(td_eval_pattern(eval), H, td_eval_matrix(eval));
    td_eval_factor(eval, NULL, td_with_passive(with->forces));
    solve_derivatives(eval, out[1]);
    solve_derivatives(eval, out[2]);
    if (out[3])
        invert(eval, out[3]);
}
