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
    if (!td_with_passive(forces))
        return;
    k->passive_derivatives(tree, G, s->G, NULL, NULL, NULL, qd, forces->friction_velocity,
                           by_position, by_rate, mass);
    if (tree->springs)
        k->spring_derivatives(tree, s, G, NULL, qd, by_position, by_rate);
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
