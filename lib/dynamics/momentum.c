/* SPDX-License-Identifier: MIT */
/*
 * The center of mass, momentum and energy of the whole robot.
 */
#include "dynamics/arguments.h"
#include "dynamics/operations.h"

void td_op_center_of_mass_motion(const td_eval *eval, const td_center_of_mass_motion_arguments *a)
{
    td_eval_motions(eval, a->y, a->yd, a->ydd, TD_EVERY_LINK);
    eval->kernels->mass_center(eval->tree, eval->scratch, a->scope == TD_SCOPE_MOVING, a->motion);
}

void td_op_center_of_mass(const td_eval *eval, const td_center_of_mass_arguments *a)
{
    td_eval_poses(eval, a->y, TD_EVERY_LINK, false);
    eval->kernels->center_of_mass(eval->tree, eval->scratch, a->scope == TD_SCOPE_MOVING, a->com);
}

/* Computes poses and composite inertias, then the momentum matrix of the tree. */
static void tree_momentum_matrix(const td_eval *eval, const void *y, td_scope scope, void *known)
{
    const td_tree *tree = eval->tree;
    td_eval_poses(eval, y, TD_EVERY_LINK, true);
    eval->kernels->composites(tree, eval->scratch);
    eval->kernels->momentum_matrix(tree, eval->scratch, scope == TD_SCOPE_MOVING, known);
}

void td_op_centroidal_momentum_matrix(const td_eval *eval,
                                      const td_centroidal_momentum_matrix_arguments *a)
{
    tree_momentum_matrix(eval, a->y, a->scope, td_eval_columns_storage(eval, a->A));
    td_eval_times_G(eval, 6, a->A);
}

void td_op_center_of_mass_jacobian(const td_eval *eval,
                                   const td_center_of_mass_jacobian_arguments *a)
{
    const td_tree *tree = eval->tree;
    td_eval_poses(eval, a->y, TD_EVERY_LINK, true);
    eval->kernels->composites(tree, eval->scratch);
    eval->kernels->com_jacobian(tree, eval->scratch, a->scope == TD_SCOPE_MOVING,
                                td_eval_columns_storage(eval, a->J));
    td_eval_times_G(eval, 3, a->J);
}

void td_op_centroidal_momentum(const td_eval *eval, const td_centroidal_momentum_arguments *a)
{
    const td_tree *tree = eval->tree;
    td_eval_motions(eval, a->y, a->yd, NULL, TD_EVERY_LINK);
    eval->kernels->inertias(tree, eval->scratch);
    eval->kernels->momentum(tree, eval->scratch, a->scope == TD_SCOPE_MOVING, a->momentum);
}

void td_op_centroidal_momentum_bias(const td_eval *eval,
                                    const td_centroidal_momentum_bias_arguments *a)
{
    const td_tree *tree = eval->tree;
    td_eval_motions(eval, a->y, a->yd, NULL, TD_EVERY_LINK);
    eval->kernels->inertias(tree, eval->scratch);
    eval->kernels->momentum_rate(tree, eval->scratch, a->scope == TD_SCOPE_MOVING, a->bias);
}

void td_op_energy(const td_eval *eval, const td_energy_arguments *a)
{
    const td_kernels *k = eval->kernels;
    const void *q = td_eval_position(eval, a->y), *qd = td_eval_velocity(eval, a->yd);
    k->poses(eval->tree, eval->scratch, q, TD_EVERY_LINK, true);
    k->motions(eval->tree, eval->scratch, qd, eval->scratch->zeros, TD_EVERY_LINK);
    td_eval_energy(eval, a->scope == TD_SCOPE_MOVING, a->energy);
    if (a->scope == TD_SCOPE_SPRINGS)
        td_eval_add_spring_energy(eval, q, (char *)a->energy + k->real_size);
}
