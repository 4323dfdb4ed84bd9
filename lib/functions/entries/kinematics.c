/* SPDX-License-Identifier: MIT */
/*
 * The functions of kinematics.h: how each is called, and its forms. Made by generate.py of the rows
 * in operations.py; change those.
 */
#include "tandem/kinematics.h"

#include "functions/arguments.h"
#include "functions/operations.h"
#include "tandem/batch.h"

static td_status call_link_poses(const td_site *site, const double *y, double *poses)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    td_call call;
    td_call_begin(&call, td_op_link_poses, NULL);
    td_call_positions(&call, site, y, true);
    td_call_output(&call, poses, 12 * td_site_links(site), true);
    return td_call_run(site, &call);
}

td_status td_link_poses(const td_model *model, td_workspace *workspace, const double *y,
                        double *poses)
{
    return call_link_poses(TD_SINGLE(model, workspace, td_coordinates_at(workspace)), y, poses);
}

td_status td_batch_link_poses(const td_model *model, td_workspace *workspace, size_t n,
                              const double *y, double *poses, td_status *statuses)
{
    return call_link_poses(TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses), y,
                           poses);
}

static td_status call_moving_link_poses(const td_site *site, const double *y, double *poses)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    td_call call;
    td_call_begin(&call, td_op_moving_link_poses, NULL);
    td_call_positions(&call, site, y, true);
    td_call_output(&call, poses, 12 * td_site_movable(site), true);
    return td_call_run(site, &call);
}

td_status td_moving_link_poses(const td_model *model, td_workspace *workspace, const double *y,
                               double *poses)
{
    return call_moving_link_poses(TD_SINGLE(model, workspace, td_coordinates_at(workspace)), y,
                                  poses);
}

td_status td_batch_moving_link_poses(const td_model *model, td_workspace *workspace, size_t n,
                                     const double *y, double *poses, td_status *statuses)
{
    return call_moving_link_poses(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses), y, poses);
}

static td_status call_link_pose(const td_site *site, size_t link, const double *y, double *pose)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_link_pose, &with);
    td_call_link(&call, site, &with, link);
    td_call_positions(&call, site, y, true);
    td_call_output(&call, pose, 12, true);
    return td_call_run(site, &call);
}

td_status td_link_pose(const td_model *model, td_workspace *workspace, size_t link, const double *y,
                       double *pose)
{
    return call_link_pose(TD_SINGLE(model, workspace, td_coordinates_at(workspace)), link, y, pose);
}

td_status td_batch_link_pose(const td_model *model, td_workspace *workspace, size_t n, size_t link,
                             const double *y, double *pose, td_status *statuses)
{
    return call_link_pose(TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
                          link, y, pose);
}

static td_status call_link_velocities(const td_site *site, const double *y, const double *yd,
                                      td_frame frame, double *velocities)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_link_velocities, &with);
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_frame(&call, site, &with, frame);
    td_call_output(&call, velocities, 6 * td_site_links(site), true);
    return td_call_run(site, &call);
}

td_status td_link_velocities(const td_model *model, td_workspace *workspace, const double *y,
                             const double *yd, td_frame frame, double *velocities)
{
    return call_link_velocities(TD_SINGLE(model, workspace, td_coordinates_at(workspace)), y, yd,
                                frame, velocities);
}

td_status td_batch_link_velocities(const td_model *model, td_workspace *workspace, size_t n,
                                   const double *y, const double *yd, td_frame frame,
                                   double *velocities, td_status *statuses)
{
    return call_link_velocities(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses), y, yd, frame,
        velocities);
}

static td_status call_link_velocity(const td_site *site, size_t link, const double point[3],
                                    const double *y, const double *yd, td_frame frame,
                                    double *velocity)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_link_velocity, &with);
    td_call_link(&call, site, &with, link);
    td_call_point(&call, site, &with, point);
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_frame(&call, site, &with, frame);
    td_call_output(&call, velocity, 6, true);
    return td_call_run(site, &call);
}

td_status td_link_velocity(const td_model *model, td_workspace *workspace, size_t link,
                           const double point[3], const double *y, const double *yd, td_frame frame,
                           double *velocity)
{
    return call_link_velocity(TD_SINGLE(model, workspace, td_coordinates_at(workspace)), link,
                              point, y, yd, frame, velocity);
}

td_status td_batch_link_velocity(const td_model *model, td_workspace *workspace, size_t n,
                                 size_t link, const double point[3], const double *y,
                                 const double *yd, td_frame frame, double *velocity,
                                 td_status *statuses)
{
    return call_link_velocity(TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
                              link, point, y, yd, frame, velocity);
}

static td_status call_link_spatial_accelerations(const td_site *site, const double *y,
                                                 const double *yd, const double *ydd,
                                                 td_frame frame, double *accelerations)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_link_spatial_accelerations, &with);
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_input(&call, ydd, n, false);
    td_call_frame(&call, site, &with, frame);
    td_call_output(&call, accelerations, 6 * td_site_links(site), true);
    return td_call_run(site, &call);
}

td_status td_link_spatial_accelerations(const td_model *model, td_workspace *workspace,
                                        const double *y, const double *yd, const double *ydd,
                                        td_frame frame, double *accelerations)
{
    return call_link_spatial_accelerations(
        TD_SINGLE(model, workspace, td_coordinates_at(workspace)), y, yd, ydd, frame,
        accelerations);
}

td_status td_batch_link_spatial_accelerations(const td_model *model, td_workspace *workspace,
                                              size_t n, const double *y, const double *yd,
                                              const double *ydd, td_frame frame,
                                              double *accelerations, td_status *statuses)
{
    return call_link_spatial_accelerations(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses), y, yd, ydd, frame,
        accelerations);
}

static td_status call_link_classical_accelerations(const td_site *site, const double *y,
                                                   const double *yd, const double *ydd,
                                                   td_frame frame, double *accelerations)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_link_classical_accelerations, &with);
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_input(&call, ydd, n, false);
    td_call_frame(&call, site, &with, frame);
    td_call_output(&call, accelerations, 6 * td_site_links(site), true);
    return td_call_run(site, &call);
}

td_status td_link_classical_accelerations(const td_model *model, td_workspace *workspace,
                                          const double *y, const double *yd, const double *ydd,
                                          td_frame frame, double *accelerations)
{
    return call_link_classical_accelerations(
        TD_SINGLE(model, workspace, td_coordinates_at(workspace)), y, yd, ydd, frame,
        accelerations);
}

td_status td_batch_link_classical_accelerations(const td_model *model, td_workspace *workspace,
                                                size_t n, const double *y, const double *yd,
                                                const double *ydd, td_frame frame,
                                                double *accelerations, td_status *statuses)
{
    return call_link_classical_accelerations(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses), y, yd, ydd, frame,
        accelerations);
}

static td_status call_point_motion(const td_site *site, size_t link, const double point[3],
                                   const double *y, const double *yd, const double *ydd,
                                   double *motion)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_point_motion, &with);
    td_call_link(&call, site, &with, link);
    td_call_point(&call, site, &with, point);
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_input(&call, ydd, n, false);
    td_call_output(&call, motion, 9, true);
    return td_call_run(site, &call);
}

td_status td_point_motion(const td_model *model, td_workspace *workspace, size_t link,
                          const double point[3], const double *y, const double *yd,
                          const double *ydd, double *motion)
{
    return call_point_motion(TD_SINGLE(model, workspace, td_coordinates_at(workspace)), link, point,
                             y, yd, ydd, motion);
}

td_status td_batch_point_motion(const td_model *model, td_workspace *workspace, size_t n,
                                size_t link, const double point[3], const double *y,
                                const double *yd, const double *ydd, double *motion,
                                td_status *statuses)
{
    return call_point_motion(TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
                             link, point, y, yd, ydd, motion);
}

static td_status call_link_jacobian(const td_site *site, size_t link, const double point[3],
                                    const double *y, td_frame frame, double *J)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_link_jacobian, &with);
    td_call_link(&call, site, &with, link);
    td_call_point(&call, site, &with, point);
    td_call_positions(&call, site, y, true);
    td_call_frame(&call, site, &with, frame);
    td_call_output(&call, J, 6 * n, true);
    return td_call_run(site, &call);
}

td_status td_link_jacobian(const td_model *model, td_workspace *workspace, size_t link,
                           const double point[3], const double *y, td_frame frame, double *J)
{
    return call_link_jacobian(TD_SINGLE(model, workspace, td_coordinates_at(workspace)), link,
                              point, y, frame, J);
}

td_status td_batch_link_jacobian(const td_model *model, td_workspace *workspace, size_t n,
                                 size_t link, const double point[3], const double *y,
                                 td_frame frame, double *J, td_status *statuses)
{
    return call_link_jacobian(TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
                              link, point, y, frame, J);
}

static td_status call_link_bias_acceleration(const td_site *site, size_t link,
                                             const double point[3], const double *y,
                                             const double *yd, td_frame frame, double *rate)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_link_bias_acceleration, &with);
    td_call_link(&call, site, &with, link);
    td_call_point(&call, site, &with, point);
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_frame(&call, site, &with, frame);
    td_call_output(&call, rate, 6, true);
    return td_call_run(site, &call);
}

td_status td_link_bias_acceleration(const td_model *model, td_workspace *workspace, size_t link,
                                    const double point[3], const double *y, const double *yd,
                                    td_frame frame, double *rate)
{
    return call_link_bias_acceleration(TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
                                       link, point, y, yd, frame, rate);
}

td_status td_batch_link_bias_acceleration(const td_model *model, td_workspace *workspace, size_t n,
                                          size_t link, const double point[3], const double *y,
                                          const double *yd, td_frame frame, double *rate,
                                          td_status *statuses)
{
    return call_link_bias_acceleration(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses), link, point, y, yd,
        frame, rate);
}

static td_status call_motion_subspaces(const td_site *site, const double *y, td_frame frame,
                                       double *columns, double *poses)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_motion_subspaces, &with);
    td_call_positions(&call, site, y, true);
    td_call_frame(&call, site, &with, frame);
    td_call_output(&call, columns, 6 * td_site_tree_velocities(site), false);
    td_call_output(&call, poses, 12 * td_site_links(site), false);
    return td_call_run(site, &call);
}

td_status td_motion_subspaces(const td_model *model, td_workspace *workspace, const double *y,
                              td_frame frame, double *columns, double *poses)
{
    return call_motion_subspaces(TD_SINGLE(model, workspace, td_coordinates_at(workspace)), y,
                                 frame, columns, poses);
}

td_status td_batch_motion_subspaces(const td_model *model, td_workspace *workspace, size_t n,
                                    const double *y, td_frame frame, double *columns, double *poses,
                                    td_status *statuses)
{
    return call_motion_subspaces(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses), y, frame, columns,
        poses);
}

static td_status call_center_of_mass(const td_site *site, const double *y, td_scope scope,
                                     double *com)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_center_of_mass, &with);
    td_call_positions(&call, site, y, true);
    td_call_scope(&call, site, &with, scope);
    td_call_output(&call, com, 3, true);
    return td_call_run(site, &call);
}

td_status td_center_of_mass(const td_model *model, td_workspace *workspace, const double *y,
                            td_scope scope, double *com)
{
    return call_center_of_mass(TD_SINGLE(model, workspace, td_coordinates_at(workspace)), y, scope,
                               com);
}

td_status td_batch_center_of_mass(const td_model *model, td_workspace *workspace, size_t n,
                                  const double *y, td_scope scope, double *com, td_status *statuses)
{
    return call_center_of_mass(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses), y, scope, com);
}

static td_status call_center_of_mass_motion(const td_site *site, const double *y, const double *yd,
                                            const double *ydd, td_scope scope, double *motion)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_center_of_mass_motion, &with);
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_input(&call, ydd, n, false);
    td_call_scope(&call, site, &with, scope);
    td_call_output(&call, motion, 9, true);
    return td_call_run(site, &call);
}

td_status td_center_of_mass_motion(const td_model *model, td_workspace *workspace, const double *y,
                                   const double *yd, const double *ydd, td_scope scope,
                                   double *motion)
{
    return call_center_of_mass_motion(TD_SINGLE(model, workspace, td_coordinates_at(workspace)), y,
                                      yd, ydd, scope, motion);
}

td_status td_batch_center_of_mass_motion(const td_model *model, td_workspace *workspace, size_t n,
                                         const double *y, const double *yd, const double *ydd,
                                         td_scope scope, double *motion, td_status *statuses)
{
    return call_center_of_mass_motion(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses), y, yd, ydd, scope,
        motion);
}

static td_status call_center_of_mass_jacobian(const td_site *site, const double *y, td_scope scope,
                                              double *J)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_center_of_mass_jacobian, &with);
    td_call_positions(&call, site, y, true);
    td_call_scope(&call, site, &with, scope);
    td_call_output(&call, J, 3 * n, true);
    return td_call_run(site, &call);
}

td_status td_center_of_mass_jacobian(const td_model *model, td_workspace *workspace,
                                     const double *y, td_scope scope, double *J)
{
    return call_center_of_mass_jacobian(TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
                                        y, scope, J);
}

td_status td_batch_center_of_mass_jacobian(const td_model *model, td_workspace *workspace, size_t n,
                                           const double *y, td_scope scope, double *J,
                                           td_status *statuses)
{
    return call_center_of_mass_jacobian(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses), y, scope, J);
}

static td_status call_centroidal_momentum_matrix(const td_site *site, const double *y,
                                                 td_scope scope, double *A)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_centroidal_momentum_matrix, &with);
    td_call_positions(&call, site, y, true);
    td_call_scope(&call, site, &with, scope);
    td_call_output(&call, A, 6 * n, true);
    return td_call_run(site, &call);
}

td_status td_centroidal_momentum_matrix(const td_model *model, td_workspace *workspace,
                                        const double *y, td_scope scope, double *A)
{
    return call_centroidal_momentum_matrix(
        TD_SINGLE(model, workspace, td_coordinates_at(workspace)), y, scope, A);
}

td_status td_batch_centroidal_momentum_matrix(const td_model *model, td_workspace *workspace,
                                              size_t n, const double *y, td_scope scope, double *A,
                                              td_status *statuses)
{
    return call_centroidal_momentum_matrix(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses), y, scope, A);
}

static td_status call_centroidal_momentum(const td_site *site, const double *y, const double *yd,
                                          td_scope scope, double *momentum)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_centroidal_momentum, &with);
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_scope(&call, site, &with, scope);
    td_call_output(&call, momentum, 6, true);
    return td_call_run(site, &call);
}

td_status td_centroidal_momentum(const td_model *model, td_workspace *workspace, const double *y,
                                 const double *yd, td_scope scope, double *momentum)
{
    return call_centroidal_momentum(TD_SINGLE(model, workspace, td_coordinates_at(workspace)), y,
                                    yd, scope, momentum);
}

td_status td_batch_centroidal_momentum(const td_model *model, td_workspace *workspace, size_t n,
                                       const double *y, const double *yd, td_scope scope,
                                       double *momentum, td_status *statuses)
{
    return call_centroidal_momentum(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses), y, yd, scope,
        momentum);
}

static td_status call_centroidal_momentum_bias(const td_site *site, const double *y,
                                               const double *yd, td_scope scope, double *bias)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_centroidal_momentum_bias, &with);
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_scope(&call, site, &with, scope);
    td_call_output(&call, bias, 6, true);
    return td_call_run(site, &call);
}

td_status td_centroidal_momentum_bias(const td_model *model, td_workspace *workspace,
                                      const double *y, const double *yd, td_scope scope,
                                      double *bias)
{
    return call_centroidal_momentum_bias(TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
                                         y, yd, scope, bias);
}

td_status td_batch_centroidal_momentum_bias(const td_model *model, td_workspace *workspace,
                                            size_t n, const double *y, const double *yd,
                                            td_scope scope, double *bias, td_status *statuses)
{
    return call_centroidal_momentum_bias(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses), y, yd, scope, bias);
}

static td_status call_energy(const td_site *site, const double *y, const double *yd, td_scope scope,
                             double *energy)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_energy, &with);
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_scope(&call, site, &with, scope);
    td_call_output(&call, energy, 2, true);
    return td_call_run(site, &call);
}

td_status td_energy(const td_model *model, td_workspace *workspace, const double *y,
                    const double *yd, td_scope scope, double *energy)
{
    return call_energy(TD_SINGLE(model, workspace, td_coordinates_at(workspace)), y, yd, scope,
                       energy);
}

td_status td_batch_energy(const td_model *model, td_workspace *workspace, size_t n, const double *y,
                          const double *yd, td_scope scope, double *energy, td_status *statuses)
{
    return call_energy(TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses), y, yd,
                       scope, energy);
}

static td_status call_spring_energy(const td_site *site, const double *y, double *energy)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    td_call call;
    td_call_begin(&call, td_op_spring_energy, NULL);
    td_call_positions(&call, site, y, true);
    td_call_output(&call, energy, 1, true);
    return td_call_run(site, &call);
}

td_status td_spring_energy(const td_model *model, td_workspace *workspace, const double *y,
                           double *energy)
{
    return call_spring_energy(TD_SINGLE(model, workspace, td_coordinates_at(workspace)), y, energy);
}

td_status td_batch_spring_energy(const td_model *model, td_workspace *workspace, size_t n,
                                 const double *y, double *energy, td_status *statuses)
{
    return call_spring_energy(TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
                              y, energy);
}

static td_status call_spring_state(const td_site *site, size_t spring, const double *y,
                                   const double *yd, double motion[4])
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_spring_state, &with);
    td_call_spring(&call, site, &with, spring);
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_output(&call, motion, 4, true);
    return td_call_run(site, &call);
}

td_status td_spring_state(const td_model *model, td_workspace *workspace, size_t spring,
                          const double *y, const double *yd, double motion[4])
{
    return call_spring_state(TD_SINGLE(model, workspace, td_coordinates_at(workspace)), spring, y,
                             yd, motion);
}
