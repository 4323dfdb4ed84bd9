/* SPDX-License-Identifier: MIT */
/*
 * The centre of mass, momentum and energy of the whole robot.
 */
#include "functions/arguments.h"
#include "functions/operations.h"

void td_op_center_of_mass_motion(const td_eval *eval, const void *const *in, void *const *out,
                                 const void *context)
{
    const td_arguments *with = context;
    td_eval_motions(eval, in[0], in[1], in[2], TD_EVERY_LINK);
    eval->kernels->mass_center(eval->tree, eval->scratch, with->scope == TD_SCOPE_MOVING, out[0]);
}

void td_op_center_of_mass(const td_eval *eval, const void *const *in, void *const *out,
                          const void *context)
{
    const td_arguments *with = context;
    td_eval_poses(eval, in[0], TD_EVERY_LINK, false);
    eval->kernels->center_of_mass(eval->tree, eval->scratch, with->scope == TD_SCOPE_MOVING,
                                  out[0]);
}

/* poses and composite inertias, then the momentum matrix of the tree into room */
static void tree_momentum_matrix(const td_eval *eval, const void *y, td_scope scope, void *known)
{
    const td_tree *tree = eval->tree;
    td_eval_poses(eval, y, TD_EVERY_LINK, true);
    eval->kernels->composites(tree, eval->scratch);
    eval->kernels->momentum_matrix(tree, eval->scratch, scope == TD_SCOPE_MOVING, known);
}

void td_op_centroidal_momentum_matrix(const td_eval *eval, const void *const *in, void *const *out,
                                      const void *context)
{
    const td_arguments *with = context;
    tree_momentum_matrix(eval, in[0], with->scope, td_eval_columns_storage(eval, out[0]));
    td_eval_times_G(eval, 6, out[0]);
}

void td_op_center_of_mass_jacobian(const td_eval *eval, const void *const *in, void *const *out,
                                   const void *context)
{
    const td_arguments *with = context;
    const td_tree *tree = eval->tree;
    td_eval_poses(eval, in[0], TD_EVERY_LINK, true);
    eval->kernels->composites(tree, eval->scratch);
    eval->kernels->com_jacobian(tree, eval->scratch, with->scope == TD_SCOPE_MOVING,
                                td_eval_columns_storage(eval, out[0]));
    td_eval_times_G(eval, 3, out[0]);
}

void td_op_centroidal_momentum(const td_eval *eval, const void *const *in, void *const *out,
                               const void *context)
{
    const td_arguments *with = context;
    const td_tree *tree = eval->tree;
    td_eval_motions(eval, in[0], in[1], NULL, TD_EVERY_LINK);
    eval->kernels->inertias(tree, eval->scratch);
    eval->kernels->momentum(tree, eval->scratch, with->scope == TD_SCOPE_MOVING, out[0]);
}

void td_op_centroidal_momentum_bias(const td_eval *eval, const void *const *in, void *const *out,
                                    const void *context)
{
    const td_arguments *with = context;
    const td_tree *tree = eval->tree;
    td_eval_motions(eval, in[0], in[1], NULL, TD_EVERY_LINK);
    eval->kernels->inertias(tree, eval->scratch);
    eval->kernels->momentum_rate(tree, eval->scratch, with->scope == TD_SCOPE_MOVING, out[0]);
}

void td_op_energy(const td_eval *eval, const void *const *in, void *const *out, const void *context)
{
    const td_arguments *with = context;
    const td_kernels *k = eval->kernels;
    const void *q = td_eval_position(eval, in[0]), *qd = td_eval_velocity(eval, in[1]);
    k->poses(eval->tree, eval->scratch, q, TD_EVERY_LINK, true);
    k->motions(eval->tree, eval->scratch, qd, eval->scratch->zeros, TD_EVERY_LINK);
    td_eval_energy(eval, with->scope == TD_SCOPE_MOVING, out[0]);
    if (with->scope == TD_SCOPE_SPRINGS)
        td_eval_add_spring_energy(eval, q, (char *)out[0] + k->real_size);
}
