/* SPDX-License-Identifier: MIT */
/*
 * Kinematics: poses, velocities, accelerations and Jacobians of links and points.
 */
#include "tandem/kinematics.h"

#include "functions/state_call.h"
#include "tandem/batch.h"

/* ---- links ----------------------------------------------------------------------------------- */

/* poses of all links, as output k of the operation */
static void write_link_poses(const td_eval *eval, void *out, size_t k)
{
    const td_tree *tree = eval->tree;
    td_rows *rows = eval->rows;
    if (eval->kernels->lanes == 1) {
        eval->kernels->link_poses(tree, eval->scratch, out);
        return;
    }
    rows->written |= 1U << k;
    rows->finite &= eval->kernels->store_link_poses(tree, eval->scratch, rows->at[k],
                                                    rows->columns[k], rows->count);
}

static void op_link_poses(const td_eval *eval, const void *const *in, void *const *out,
                          const void *context)
{
    (void)context;
    td_eval_poses(eval, in[0], TD_EVERY_LINK, false);
    write_link_poses(eval, out[0], 0);
}

static td_status link_poses(const td_site *site, const double *y, double *poses)
{
    return run_y(site, op_link_poses, NULL, y, poses, 12 * td_site_links(site));
}

td_status td_link_poses(const td_model *model, td_workspace *workspace, const double *y,
                        double *poses)
{
    return link_poses(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), y, poses);
}

td_status td_tree_link_poses(const td_model *model, td_workspace *workspace, const double *q,
                             double *poses)
{
    return link_poses(TD_SINGLE(model, workspace, TD_SPACE_TREE), q, poses);
}

td_status td_batch_link_poses(const td_model *model, td_workspace *workspace, size_t n,
                              const double *y, double *poses, td_status *statuses)
{
    return link_poses(TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses), y, poses);
}

td_status td_batch_tree_link_poses(const td_model *model, td_workspace *workspace, size_t n,
                                   const double *q, double *poses, td_status *statuses)
{
    return link_poses(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses), q, poses);
}

void td_pose_split(const double pose[12], double position[3], double xyzw[4])
{
    const double rotation[9] = {pose[0], pose[1], pose[2], pose[4], pose[5],
                                pose[6], pose[8], pose[9], pose[10]};
    for (int i = 0; i < 3; i++)
        position[i] = pose[4 * i + 3];
    td_quaternion_from_rotation(rotation, xyzw);
}

static void op_link_velocities(const td_eval *eval, const void *const *in, void *const *out,
                               const void *context)
{
    const options *o = context;
    td_eval_motions(eval, in[0], in[1], NULL, TD_EVERY_LINK);
    eval->kernels->link_velocities(eval->tree, eval->scratch, (int)o->frame, out[0]);
}

static td_status link_velocities(const td_site *site, const double *y, const double *yd,
                                 td_frame frame, double *velocities)
{
    options o = {.frame = frame};
    if (!is_frame(frame))
        return td_refuse_at(site, "frame");
    return run_yd(site, op_link_velocities, &o, y, yd, velocities, 6 * td_site_links(site));
}

td_status td_link_velocities(const td_model *model, td_workspace *workspace, const double *y,
                             const double *yd, td_frame frame, double *velocities)
{
    return link_velocities(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), y, yd, frame,
                           velocities);
}

td_status td_tree_link_velocities(const td_model *model, td_workspace *workspace, const double *q,
                                  const double *qd, td_frame frame, double *velocities)
{
    return link_velocities(TD_SINGLE(model, workspace, TD_SPACE_TREE), q, qd, frame, velocities);
}

td_status td_batch_link_velocities(const td_model *model, td_workspace *workspace, size_t n,
                                   const double *y, const double *yd, td_frame frame,
                                   double *velocities, td_status *statuses)
{
    return link_velocities(TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses), y, yd,
                           frame, velocities);
}

td_status td_batch_tree_link_velocities(const td_model *model, td_workspace *workspace, size_t n,
                                        const double *q, const double *qd, td_frame frame,
                                        double *velocities, td_status *statuses)
{
    return link_velocities(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses), q, qd, frame,
                           velocities);
}

static void op_link_accelerations(const td_eval *eval, const void *const *in, void *const *out,
                                  const void *context)
{
    const options *o = context;
    td_eval_motions(eval, in[0], in[1], in[2], TD_EVERY_LINK);
    eval->kernels->link_accelerations(eval->tree, eval->scratch, (int)o->frame, o->classical,
                                      out[0]);
}

static td_status link_accelerations(const td_site *site, const double *y, const double *yd,
                                    const double *ydd, td_frame frame, bool classical,
                                    double *accelerations)
{
    options o = {.frame = frame, .classical = classical};
    if (!is_frame(frame))
        return td_refuse_at(site, "frame");
    return run_ydd(site, op_link_accelerations, &o, y, yd, ydd, accelerations,
                   6 * td_site_links(site));
}

static td_status link_spatial_accelerations(const td_site *site, const double *y, const double *yd,
                                            const double *ydd, td_frame frame,
                                            double *accelerations)
{
    return link_accelerations(site, y, yd, ydd, frame, false, accelerations);
}

td_status td_link_spatial_accelerations(const td_model *model, td_workspace *workspace,
                                        const double *y, const double *yd, const double *ydd,
                                        td_frame frame, double *accelerations)
{
    return link_spatial_accelerations(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), y, yd, ydd,
                                      frame, accelerations);
}

td_status td_tree_link_spatial_accelerations(const td_model *model, td_workspace *workspace,
                                             const double *q, const double *qd, const double *qdd,
                                             td_frame frame, double *accelerations)
{
    return link_spatial_accelerations(TD_SINGLE(model, workspace, TD_SPACE_TREE), q, qd, qdd, frame,
                                      accelerations);
}

td_status td_batch_link_spatial_accelerations(const td_model *model, td_workspace *workspace,
                                              size_t n, const double *y, const double *yd,
                                              const double *ydd, td_frame frame,
                                              double *accelerations, td_status *statuses)
{
    return link_spatial_accelerations(TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses),
                                      y, yd, ydd, frame, accelerations);
}

td_status td_batch_tree_link_spatial_accelerations(const td_model *model, td_workspace *workspace,
                                                   size_t n, const double *q, const double *qd,
                                                   const double *qdd, td_frame frame,
                                                   double *accelerations, td_status *statuses)
{
    return link_spatial_accelerations(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses), q, qd,
                                      qdd, frame, accelerations);
}

static td_status link_classical_accelerations(const td_site *site, const double *y,
                                              const double *yd, const double *ydd, td_frame frame,
                                              double *accelerations)
{
    return link_accelerations(site, y, yd, ydd, frame, true, accelerations);
}

td_status td_link_classical_accelerations(const td_model *model, td_workspace *workspace,
                                          const double *y, const double *yd, const double *ydd,
                                          td_frame frame, double *accelerations)
{
    return link_classical_accelerations(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), y, yd,
                                        ydd, frame, accelerations);
}

td_status td_tree_link_classical_accelerations(const td_model *model, td_workspace *workspace,
                                               const double *q, const double *qd, const double *qdd,
                                               td_frame frame, double *accelerations)
{
    return link_classical_accelerations(TD_SINGLE(model, workspace, TD_SPACE_TREE), q, qd, qdd,
                                        frame, accelerations);
}

td_status td_batch_link_classical_accelerations(const td_model *model, td_workspace *workspace,
                                                size_t n, const double *y, const double *yd,
                                                const double *ydd, td_frame frame,
                                                double *accelerations, td_status *statuses)
{
    return link_classical_accelerations(
        TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses), y, yd, ydd, frame,
        accelerations);
}

td_status td_batch_tree_link_classical_accelerations(const td_model *model, td_workspace *workspace,
                                                     size_t n, const double *q, const double *qd,
                                                     const double *qdd, td_frame frame,
                                                     double *accelerations, td_status *statuses)
{
    return link_classical_accelerations(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses), q,
                                        qd, qdd, frame, accelerations);
}

/* ---- points and Jacobians -------------------------------------------------------------------- */

static void op_point_motion(const td_eval *eval, const void *const *in, void *const *out,
                            const void *context)
{
    const options *o = context;
    td_eval_motions(eval, in[0], in[1], in[2], (int)o->link);
    eval->kernels->point_motion(eval->tree, eval->scratch, (int)o->link, o->point, out[0]);
}

static td_status point_motion(const td_site *site, size_t link, const double point[3],
                              const double *y, const double *yd, const double *ydd, double *motion)
{
    options o = {.link = link, .point = point ? point : origin};
    if (link >= td_site_links(site))
        return td_refuse_at(site, "link");
    return run_ydd(site, op_point_motion, &o, y, yd, ydd, motion, 9);
}

td_status td_point_motion(const td_model *model, td_workspace *workspace, size_t link,
                          const double point[3], const double *y, const double *yd,
                          const double *ydd, double *motion)
{
    return point_motion(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), link, point, y, yd, ydd,
                        motion);
}

td_status td_tree_point_motion(const td_model *model, td_workspace *workspace, size_t link,
                               const double point[3], const double *q, const double *qd,
                               const double *qdd, double *motion)
{
    return point_motion(TD_SINGLE(model, workspace, TD_SPACE_TREE), link, point, q, qd, qdd,
                        motion);
}

td_status td_batch_point_motion(const td_model *model, td_workspace *workspace, size_t n,
                                size_t link, const double point[3], const double *y,
                                const double *yd, const double *ydd, double *motion,
                                td_status *statuses)
{
    return point_motion(TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses), link, point,
                        y, yd, ydd, motion);
}

td_status td_batch_tree_point_motion(const td_model *model, td_workspace *workspace, size_t n,
                                     size_t link, const double point[3], const double *q,
                                     const double *qd, const double *qdd, double *motion,
                                     td_status *statuses)
{
    return point_motion(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses), link, point, q, qd,
                        qdd, motion);
}

static void op_link_jacobian(const td_eval *eval, const void *const *in, void *const *out,
                             const void *context)
{
    const options *o = context;
    td_eval_poses(eval, in[0], (int)o->link, false);
    eval->kernels->jacobian(eval->tree, eval->scratch, (int)o->link, o->point, (int)o->frame,
                            td_eval_matrix_storage(eval, out[0]));
    td_eval_times_G(eval, 6, out[0]);
}

static td_status link_jacobian(const td_site *site, size_t link, const double point[3],
                               td_frame frame, const double *y, double *J)
{
    options o = {.link = link, .point = point ? point : origin, .frame = frame};
    if (link >= td_site_links(site) || !is_frame(frame))
        return td_refuse_at(site, is_frame(frame) ? "link" : "frame");
    return run_y(site, op_link_jacobian, &o, y, J, 6 * td_site_velocities(site));
}

td_status td_link_jacobian(const td_model *model, td_workspace *workspace, size_t link,
                           const double point[3], td_frame frame, const double *y, double *J)
{
    return link_jacobian(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), link, point, frame, y,
                         J);
}

td_status td_tree_link_jacobian(const td_model *model, td_workspace *workspace, size_t link,
                                const double point[3], td_frame frame, const double *q, double *J)
{
    return link_jacobian(TD_SINGLE(model, workspace, TD_SPACE_TREE), link, point, frame, q, J);
}

td_status td_batch_link_jacobian(const td_model *model, td_workspace *workspace, size_t n,
                                 size_t link, const double point[3], td_frame frame,
                                 const double *y, double *J, td_status *statuses)
{
    return link_jacobian(TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses), link, point,
                         frame, y, J);
}

td_status td_batch_tree_link_jacobian(const td_model *model, td_workspace *workspace, size_t n,
                                      size_t link, const double point[3], td_frame frame,
                                      const double *q, double *J, td_status *statuses)
{
    return link_jacobian(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses), link, point, frame,
                         q, J);
}

static void op_motion_subspaces(const td_eval *eval, const void *const *in, void *const *out,
                                const void *context)
{
    const options *o = context;
    const td_tree *tree = eval->tree;
    td_eval_poses(eval, in[0], TD_EVERY_LINK, false);
    if (out[0])
        eval->kernels->joint_columns(tree, eval->scratch, (int)o->frame, out[0]);
    if (out[1])
        write_link_poses(eval, out[1], 1);
}

static td_status motion_subspaces(const td_site *site, td_frame frame, const double *y,
                                  double *columns, double *poses)
{
    options o = {.frame = frame};
    size_t nv = site->model ? site->model->tree.nv : 0;
    if (!is_frame(frame))
        return td_refuse_at(site, "frame");
    td_call call;
    td_call_begin(&call, op_motion_subspaces, &o);
    td_call_positions(&call, site, y, true);
    td_call_output(&call, columns, 6 * nv, false);
    td_call_output(&call, poses, 12 * td_site_links(site), false);
    return td_call_run(site, &call);
}

td_status td_motion_subspaces(const td_model *model, td_workspace *workspace, td_frame frame,
                              const double *y, double *columns, double *poses)
{
    return motion_subspaces(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), frame, y, columns,
                            poses);
}

td_status td_tree_motion_subspaces(const td_model *model, td_workspace *workspace, td_frame frame,
                                   const double *q, double *columns, double *poses)
{
    return motion_subspaces(TD_SINGLE(model, workspace, TD_SPACE_TREE), frame, q, columns, poses);
}

td_status td_batch_motion_subspaces(const td_model *model, td_workspace *workspace, size_t n,
                                    td_frame frame, const double *y, double *columns, double *poses,
                                    td_status *statuses)
{
    return motion_subspaces(TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses), frame, y,
                            columns, poses);
}

td_status td_batch_tree_motion_subspaces(const td_model *model, td_workspace *workspace, size_t n,
                                         td_frame frame, const double *q, double *columns,
                                         double *poses, td_status *statuses)
{
    return motion_subspaces(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses), frame, q,
                            columns, poses);
}

static void op_jacobian_rate(const td_eval *eval, const void *const *in, void *const *out,
                             const void *context)
{
    const options *o = context;
    td_eval_motions(eval, in[0], in[1], NULL, (int)o->link);
    eval->kernels->jacobian_rate(eval->tree, eval->scratch, (int)o->link, o->point, (int)o->frame,
                                 out[0]);
}

static td_status link_bias_acceleration(const td_site *site, size_t link, const double point[3],
                                        td_frame frame, const double *y, const double *yd,
                                        double *rate)
{
    options o = {.link = link, .point = point ? point : origin, .frame = frame};
    if (link >= td_site_links(site) || !is_frame(frame))
        return td_refuse_at(site, is_frame(frame) ? "link" : "frame");
    return run_yd(site, op_jacobian_rate, &o, y, yd, rate, 6);
}

td_status td_link_bias_acceleration(const td_model *model, td_workspace *workspace, size_t link,
                                    const double point[3], td_frame frame, const double *y,
                                    const double *yd, double *rate)
{
    return link_bias_acceleration(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), link, point,
                                  frame, y, yd, rate);
}

td_status td_tree_link_bias_acceleration(const td_model *model, td_workspace *workspace,
                                         size_t link, const double point[3], td_frame frame,
                                         const double *q, const double *qd, double *rate)
{
    return link_bias_acceleration(TD_SINGLE(model, workspace, TD_SPACE_TREE), link, point, frame, q,
                                  qd, rate);
}

td_status td_batch_link_bias_acceleration(const td_model *model, td_workspace *workspace, size_t n,
                                          size_t link, const double point[3], td_frame frame,
                                          const double *y, const double *yd, double *rate,
                                          td_status *statuses)
{
    return link_bias_acceleration(TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses),
                                  link, point, frame, y, yd, rate);
}

td_status td_batch_tree_link_bias_acceleration(const td_model *model, td_workspace *workspace,
                                               size_t n, size_t link, const double point[3],
                                               td_frame frame, const double *q, const double *qd,
                                               double *rate, td_status *statuses)
{
    return link_bias_acceleration(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses), link,
                                  point, frame, q, qd, rate);
}
