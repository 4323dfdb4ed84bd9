/* SPDX-License-Identifier: MIT */
/*
 * Kinematics: poses, velocities, accelerations and Jacobians of links and points.
 */
#include "tandem/kinematics.h"

#include "dynamics/arguments.h"
#include "dynamics/operations.h"

/* ---- links ----------------------------------------------------------------------------------- */

/* Writes the poses of some links (NULL: all) to a member of the operation's arguments. */
static inline void write_link_poses(const td_eval *eval, const int *links, td_reals *const *poses)
{
    const td_tree *tree = eval->tree;
    const size_t count = links ? tree->movable : tree->links;
    td_rows *rows = eval->rows;
    if (eval->kernels->lanes == 1) {
        eval->kernels->link_poses(tree, eval->scratch, links, count, *poses);
        return;
    }
    const size_t k = td_rows_find(rows, poses);
    rows->written |= 1U << k;
    rows->finite &= eval->kernels->store_link_poses(tree, eval->scratch, links, count, rows->at[k],
                                                    rows->columns[k], rows->count);
}

void td_op_link_poses(const td_eval *eval, const td_link_poses_arguments *a)
{
    td_eval_poses(eval, a->y, TD_EVERY_LINK, false);
    write_link_poses(eval, NULL, &a->poses);
}

void td_op_moving_link_poses(const td_eval *eval, const td_moving_link_poses_arguments *a)
{
    td_eval_poses(eval, a->y, TD_EVERY_LINK, false);
    write_link_poses(eval, eval->tree->moving_link, &a->poses);
}

void td_op_link_pose(const td_eval *eval, const td_link_pose_arguments *a)
{
    const int link = (int)a->link;
    td_eval_poses(eval, a->y, link, false);
    eval->kernels->link_poses(eval->tree, eval->scratch, &link, 1, a->pose);
}

void td_op_link_velocities(const td_eval *eval, const td_link_velocities_arguments *a)
{
    td_eval_motions(eval, a->y, a->yd, NULL, TD_EVERY_LINK);
    eval->kernels->link_velocities(eval->tree, eval->scratch, (int)a->frame, a->velocities);
}

void td_op_link_velocity(const td_eval *eval, const td_link_velocity_arguments *a)
{
    td_eval_motions(eval, a->y, a->yd, NULL, (int)a->link);
    eval->kernels->point_velocity(eval->tree, eval->scratch, (int)a->link, a->point, (int)a->frame,
                                  a->velocity);
}

static void link_accelerations(const td_eval *eval,
                               const td_link_spatial_accelerations_arguments *a, bool classical)
{
    td_eval_motions(eval, a->y, a->yd, a->ydd, TD_EVERY_LINK);
    eval->kernels->link_accelerations(eval->tree, eval->scratch, (int)a->frame, classical,
                                      a->accelerations);
}

void td_op_link_spatial_accelerations(const td_eval *eval,
                                      const td_link_spatial_accelerations_arguments *a)
{
    link_accelerations(eval, a, false);
}

void td_op_link_classical_accelerations(const td_eval *eval,
                                        const td_link_spatial_accelerations_arguments *a)
{
    link_accelerations(eval, a, true);
}

/* ---- points and Jacobians -------------------------------------------------------------------- */

void td_op_point_motion(const td_eval *eval, const td_point_motion_arguments *a)
{
    td_eval_motions(eval, a->y, a->yd, a->ydd, (int)a->link);
    eval->kernels->point_motion(eval->tree, eval->scratch, (int)a->link, a->point, a->motion);
}

void td_op_link_jacobian(const td_eval *eval, const td_link_jacobian_arguments *a)
{
    td_eval_poses(eval, a->y, (int)a->link, false);
    eval->kernels->jacobian(eval->tree, eval->scratch, (int)a->link, a->point, (int)a->frame,
                            td_eval_columns_storage(eval, a->J));
    td_eval_times_G(eval, 6, a->J);
}

void td_op_motion_subspaces(const td_eval *eval, const td_motion_subspaces_arguments *a)
{
    const td_tree *tree = eval->tree;
    td_eval_poses(eval, a->y, TD_EVERY_LINK, false);
    if (a->columns)
        eval->kernels->joint_columns(tree, eval->scratch, (int)a->frame, a->columns);
    if (a->poses)
        write_link_poses(eval, NULL, &a->poses);
}

void td_op_link_bias_acceleration(const td_eval *eval, const td_link_bias_acceleration_arguments *a)
{
    td_eval_motions(eval, a->y, a->yd, NULL, (int)a->link);
    /* The rate of the velocity's components. It is a spatial acceleration if the reference point
       moves with the axes or is fixed, and a classical one if only the point moves. */
    eval->kernels->point_acceleration(eval->tree, eval->scratch, (int)a->link, a->point,
                                      (int)a->frame, a->frame == TD_FRAME_ALIGNED, a->rate);
}
