/* SPDX-License-Identifier: MIT */
/*
 * Kinematics: poses, velocities, accelerations and Jacobians of links and points.
 */
#include "tandem/kinematics.h"

#include "functions/arguments.h"
#include "functions/operations.h"

/* ---- links ----------------------------------------------------------------------------------- */

/* poses of some links (NULL: all), as output k of the operation */
static void write_link_poses(const td_eval *eval, const int *links, void *out, size_t k)
{
    const td_tree *tree = eval->tree;
    const size_t count = links ? tree->movable : tree->links;
    td_rows *rows = eval->rows;
    if (eval->kernels->lanes == 1) {
        eval->kernels->link_poses(tree, eval->scratch, links, count, out);
        return;
    }
    rows->written |= 1U << k;
    rows->finite &= eval->kernels->store_link_poses(tree, eval->scratch, links, count, rows->at[k],
                                                    rows->columns[k], rows->count);
}

void td_op_link_poses(const td_eval *eval, const void *const *in, void *const *out,
                      const void *context)
{
    (void)context;
    td_eval_poses(eval, in[0], TD_EVERY_LINK, false);
    write_link_poses(eval, NULL, out[0], 0);
}

void td_op_moving_link_poses(const td_eval *eval, const void *const *in, void *const *out,
                             const void *context)
{
    (void)context;
    td_eval_poses(eval, in[0], TD_EVERY_LINK, false);
    write_link_poses(eval, eval->tree->moving_link, out[0], 0);
}

void td_op_link_pose(const td_eval *eval, const void *const *in, void *const *out,
                     const void *context)
{
    const td_arguments *with = context;
    const int link = (int)with->link;
    td_eval_poses(eval, in[0], link, false);
    eval->kernels->link_poses(eval->tree, eval->scratch, &link, 1, out[0]);
}

void td_op_link_velocities(const td_eval *eval, const void *const *in, void *const *out,
                           const void *context)
{
    const td_arguments *with = context;
    td_eval_motions(eval, in[0], in[1], NULL, TD_EVERY_LINK);
    eval->kernels->link_velocities(eval->tree, eval->scratch, (int)with->frame, out[0]);
}

void td_op_link_velocity(const td_eval *eval, const void *const *in, void *const *out,
                         const void *context)
{
    const td_arguments *with = context;
    td_eval_motions(eval, in[0], in[1], NULL, (int)with->link);
    eval->kernels->point_velocity(eval->tree, eval->scratch, (int)with->link, with->point,
                                  (int)with->frame, out[0]);
}

static void link_accelerations(const td_eval *eval, const void *const *in, void *out,
                               const td_arguments *with, bool classical)
{
    td_eval_motions(eval, in[0], in[1], in[2], TD_EVERY_LINK);
    eval->kernels->link_accelerations(eval->tree, eval->scratch, (int)with->frame, classical, out);
}

void td_op_link_spatial_accelerations(const td_eval *eval, const void *const *in, void *const *out,
                                      const void *context)
{
    link_accelerations(eval, in, out[0], context, false);
}

void td_op_link_classical_accelerations(const td_eval *eval, const void *const *in,
                                        void *const *out, const void *context)
{
    link_accelerations(eval, in, out[0], context, true);
}

/* ---- points and Jacobians -------------------------------------------------------------------- */

void td_op_point_motion(const td_eval *eval, const void *const *in, void *const *out,
                        const void *context)
{
    const td_arguments *with = context;
    td_eval_motions(eval, in[0], in[1], in[2], (int)with->link);
    eval->kernels->point_motion(eval->tree, eval->scratch, (int)with->link, with->point, out[0]);
}

void td_op_link_jacobian(const td_eval *eval, const void *const *in, void *const *out,
                         const void *context)
{
    const td_arguments *with = context;
    td_eval_poses(eval, in[0], (int)with->link, false);
    eval->kernels->jacobian(eval->tree, eval->scratch, (int)with->link, with->point,
                            (int)with->frame, td_eval_columns_storage(eval, out[0]));
    td_eval_times_G(eval, 6, out[0]);
}

void td_op_motion_subspaces(const td_eval *eval, const void *const *in, void *const *out,
                            const void *context)
{
    const td_arguments *with = context;
    const td_tree *tree = eval->tree;
    td_eval_poses(eval, in[0], TD_EVERY_LINK, false);
    if (out[0])
        eval->kernels->joint_columns(tree, eval->scratch, (int)with->frame, out[0]);
    if (out[1])
        write_link_poses(eval, NULL, out[1], 1);
}

void td_op_link_bias_acceleration(const td_eval *eval, const void *const *in, void *const *out,
                                  const void *context)
{
    const td_arguments *with = context;
    td_eval_motions(eval, in[0], in[1], NULL, (int)with->link);
    /* The rate of the velocity's components: a spatial acceleration where the reference point moves
       with the axes or rests, a classical one where it moves and they do not. */
    eval->kernels->point_acceleration(eval->tree, eval->scratch, (int)with->link, with->point,
                                      (int)with->frame, with->frame == TD_FRAME_ALIGNED, out[0]);
}
