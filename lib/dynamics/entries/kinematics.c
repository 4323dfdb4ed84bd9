/* SPDX-License-Identifier: MIT */
/*
 * The functions of kinematics.h: how each is called, and its forms. Made by generate.py of the rows
 * in operations.py; change those.
 */
#include "tandem/kinematics.h"

#include "dynamics/arguments.h"
#include "dynamics/operations.h"
#include "tandem/batch.h"

TD_RUNS(link_poses)
TD_INLINED td_status call_link_poses(const td_site *site, td_link_poses_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    td_call call;
    td_call_begin(&call, run_link_poses, a);
    td_call_positions(&call, site, a, y, true);
    td_call_output(&call, a, poses, 12 * td_site_links(site), true);
    return td_call_run(site, &call);
}

td_status td_link_poses(const td_model *model, td_workspace *workspace, const double *y,
                        double *poses)
{
    return call_link_poses(TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
                           &(td_link_poses_arguments){y, poses});
}

td_status td_batch_link_poses(const td_model *model, td_workspace *workspace, size_t n,
                              const double *y, double *poses, td_status *statuses)
{
    return call_link_poses(TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
                           &(td_link_poses_arguments){y, poses});
}

TD_RUNS(moving_link_poses)
TD_INLINED td_status call_moving_link_poses(const td_site *site, td_moving_link_poses_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    td_call call;
    td_call_begin(&call, run_moving_link_poses, a);
    td_call_positions(&call, site, a, y, true);
    td_call_output(&call, a, poses, 12 * td_site_movable(site), true);
    return td_call_run(site, &call);
}

td_status td_moving_link_poses(const td_model *model, td_workspace *workspace, const double *y,
                               double *poses)
{
    return call_moving_link_poses(TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
                                  &(td_moving_link_poses_arguments){y, poses});
}

td_status td_batch_moving_link_poses(const td_model *model, td_workspace *workspace, size_t n,
                                     const double *y, double *poses, td_status *statuses)
{
    return call_moving_link_poses(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        &(td_moving_link_poses_arguments){y, poses});
}

TD_RUNS(link_pose)
TD_INLINED td_status call_link_pose(const td_site *site, td_link_pose_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    td_call call;
    td_call_begin(&call, run_link_pose, a);
    td_call_link(&call, site, a->link);
    td_call_positions(&call, site, a, y, true);
    td_call_output(&call, a, pose, 12, true);
    return td_call_run(site, &call);
}

td_status td_link_pose(const td_model *model, td_workspace *workspace, size_t link, const double *y,
                       double *pose)
{
    return call_link_pose(TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
                          &(td_link_pose_arguments){link, y, pose});
}

td_status td_batch_link_pose(const td_model *model, td_workspace *workspace, size_t n, size_t link,
                             const double *y, double *pose, td_status *statuses)
{
    return call_link_pose(TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
                          &(td_link_pose_arguments){link, y, pose});
}

TD_RUNS(link_velocities)
TD_INLINED td_status call_link_velocities(const td_site *site, td_link_velocities_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_link_velocities, a);
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_frame(&call, site, a->frame);
    td_call_output(&call, a, velocities, 6 * td_site_links(site), true);
    return td_call_run(site, &call);
}

td_status td_link_velocities(const td_model *model, td_workspace *workspace, const double *y,
                             const double *yd, td_frame frame, double *velocities)
{
    return call_link_velocities(TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
                                &(td_link_velocities_arguments){y, yd, frame, velocities});
}

td_status td_batch_link_velocities(const td_model *model, td_workspace *workspace, size_t n,
                                   const double *y, const double *yd, td_frame frame,
                                   double *velocities, td_status *statuses)
{
    return call_link_velocities(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        &(td_link_velocities_arguments){y, yd, frame, velocities});
}

TD_RUNS(link_velocity)
TD_INLINED td_status call_link_velocity(const td_site *site, td_link_velocity_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_link_velocity, a);
    td_call_link(&call, site, a->link);
    td_call_point(&call, &a->point);
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_frame(&call, site, a->frame);
    td_call_output(&call, a, velocity, 6, true);
    return td_call_run(site, &call);
}

td_status td_link_velocity(const td_model *model, td_workspace *workspace, size_t link,
                           const double point[3], const double *y, const double *yd, td_frame frame,
                           double *velocity)
{
    return call_link_velocity(TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
                              &(td_link_velocity_arguments){link, point, y, yd, frame, velocity});
}

td_status td_batch_link_velocity(const td_model *model, td_workspace *workspace, size_t n,
                                 size_t link, const double point[3], const double *y,
                                 const double *yd, td_frame frame, double *velocity,
                                 td_status *statuses)
{
    return call_link_velocity(TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
                              &(td_link_velocity_arguments){link, point, y, yd, frame, velocity});
}

TD_RUNS(link_spatial_accelerations)
TD_INLINED td_status call_link_spatial_accelerations(const td_site *site, td_operation run,
                                                     td_link_spatial_accelerations_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run, a);
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_input(&call, a, ydd, n, false);
    td_call_frame(&call, site, a->frame);
    td_call_output(&call, a, accelerations, 6 * td_site_links(site), true);
    return td_call_run(site, &call);
}

td_status td_link_spatial_accelerations(const td_model *model, td_workspace *workspace,
                                        const double *y, const double *yd, const double *ydd,
                                        td_frame frame, double *accelerations)
{
    return call_link_spatial_accelerations(
        TD_SINGLE(model, workspace, td_coordinates_at(workspace)), run_link_spatial_accelerations,
        &(td_link_spatial_accelerations_arguments){y, yd, ydd, frame, accelerations});
}

td_status td_batch_link_spatial_accelerations(const td_model *model, td_workspace *workspace,
                                              size_t n, const double *y, const double *yd,
                                              const double *ydd, td_frame frame,
                                              double *accelerations, td_status *statuses)
{
    return call_link_spatial_accelerations(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        run_link_spatial_accelerations,
        &(td_link_spatial_accelerations_arguments){y, yd, ydd, frame, accelerations});
}

TD_RUNS(link_classical_accelerations)
td_status td_link_classical_accelerations(const td_model *model, td_workspace *workspace,
                                          const double *y, const double *yd, const double *ydd,
                                          td_frame frame, double *accelerations)
{
    return call_link_spatial_accelerations(
        TD_SINGLE(model, workspace, td_coordinates_at(workspace)), run_link_classical_accelerations,
        &(td_link_spatial_accelerations_arguments){y, yd, ydd, frame, accelerations});
}

td_status td_batch_link_classical_accelerations(const td_model *model, td_workspace *workspace,
                                                size_t n, const double *y, const double *yd,
                                                const double *ydd, td_frame frame,
                                                double *accelerations, td_status *statuses)
{
    return call_link_spatial_accelerations(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        run_link_classical_accelerations,
        &(td_link_spatial_accelerations_arguments){y, yd, ydd, frame, accelerations});
}

TD_RUNS(point_motion)
TD_INLINED td_status call_point_motion(const td_site *site, td_point_motion_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_point_motion, a);
    td_call_link(&call, site, a->link);
    td_call_point(&call, &a->point);
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_input(&call, a, ydd, n, false);
    td_call_output(&call, a, motion, 9, true);
    return td_call_run(site, &call);
}

td_status td_point_motion(const td_model *model, td_workspace *workspace, size_t link,
                          const double point[3], const double *y, const double *yd,
                          const double *ydd, double *motion)
{
    return call_point_motion(TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
                             &(td_point_motion_arguments){link, point, y, yd, ydd, motion});
}

td_status td_batch_point_motion(const td_model *model, td_workspace *workspace, size_t n,
                                size_t link, const double point[3], const double *y,
                                const double *yd, const double *ydd, double *motion,
                                td_status *statuses)
{
    return call_point_motion(TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
                             &(td_point_motion_arguments){link, point, y, yd, ydd, motion});
}

TD_RUNS(link_jacobian)
TD_INLINED td_status call_link_jacobian(const td_site *site, td_link_jacobian_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_link_jacobian, a);
    td_call_link(&call, site, a->link);
    td_call_point(&call, &a->point);
    td_call_positions(&call, site, a, y, true);
    td_call_frame(&call, site, a->frame);
    td_call_output(&call, a, J, 6 * n, true);
    return td_call_run(site, &call);
}

td_status td_link_jacobian(const td_model *model, td_workspace *workspace, size_t link,
                           const double point[3], const double *y, td_frame frame, double *J)
{
    return call_link_jacobian(TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
                              &(td_link_jacobian_arguments){link, point, y, frame, J});
}

td_status td_batch_link_jacobian(const td_model *model, td_workspace *workspace, size_t n,
                                 size_t link, const double point[3], const double *y,
                                 td_frame frame, double *J, td_status *statuses)
{
    return call_link_jacobian(TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
                              &(td_link_jacobian_arguments){link, point, y, frame, J});
}

TD_RUNS(link_bias_acceleration)
TD_INLINED td_status call_link_bias_acceleration(const td_site *site,
                                                 td_link_bias_acceleration_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_link_bias_acceleration, a);
    td_call_link(&call, site, a->link);
    td_call_point(&call, &a->point);
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_frame(&call, site, a->frame);
    td_call_output(&call, a, rate, 6, true);
    return td_call_run(site, &call);
}

td_status td_link_bias_acceleration(const td_model *model, td_workspace *workspace, size_t link,
                                    const double point[3], const double *y, const double *yd,
                                    td_frame frame, double *rate)
{
    return call_link_bias_acceleration(
        TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
        &(td_link_bias_acceleration_arguments){link, point, y, yd, frame, rate});
}

td_status td_batch_link_bias_acceleration(const td_model *model, td_workspace *workspace, size_t n,
                                          size_t link, const double point[3], const double *y,
                                          const double *yd, td_frame frame, double *rate,
                                          td_status *statuses)
{
    return call_link_bias_acceleration(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        &(td_link_bias_acceleration_arguments){link, point, y, yd, frame, rate});
}

TD_RUNS(motion_subspaces)
TD_INLINED td_status call_motion_subspaces(const td_site *site, td_motion_subspaces_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    td_call call;
    td_call_begin(&call, run_motion_subspaces, a);
    td_call_positions(&call, site, a, y, true);
    td_call_frame(&call, site, a->frame);
    td_call_output(&call, a, columns, 6 * td_site_tree_velocities(site), false);
    td_call_output(&call, a, poses, 12 * td_site_links(site), false);
    return td_call_run(site, &call);
}

td_status td_motion_subspaces(const td_model *model, td_workspace *workspace, const double *y,
                              td_frame frame, double *columns, double *poses)
{
    return call_motion_subspaces(TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
                                 &(td_motion_subspaces_arguments){y, frame, columns, poses});
}

td_status td_batch_motion_subspaces(const td_model *model, td_workspace *workspace, size_t n,
                                    const double *y, td_frame frame, double *columns, double *poses,
                                    td_status *statuses)
{
    return call_motion_subspaces(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        &(td_motion_subspaces_arguments){y, frame, columns, poses});
}

TD_RUNS(center_of_mass)
TD_INLINED td_status call_center_of_mass(const td_site *site, td_center_of_mass_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    td_call call;
    td_call_begin(&call, run_center_of_mass, a);
    td_call_positions(&call, site, a, y, true);
    td_call_scope(&call, site, a->scope);
    td_call_output(&call, a, com, 3, true);
    return td_call_run(site, &call);
}

td_status td_center_of_mass(const td_model *model, td_workspace *workspace, const double *y,
                            td_scope scope, double *com)
{
    return call_center_of_mass(TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
                               &(td_center_of_mass_arguments){y, scope, com});
}

td_status td_batch_center_of_mass(const td_model *model, td_workspace *workspace, size_t n,
                                  const double *y, td_scope scope, double *com, td_status *statuses)
{
    return call_center_of_mass(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        &(td_center_of_mass_arguments){y, scope, com});
}

TD_RUNS(center_of_mass_motion)
TD_INLINED td_status call_center_of_mass_motion(const td_site *site,
                                                td_center_of_mass_motion_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_center_of_mass_motion, a);
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_input(&call, a, ydd, n, false);
    td_call_scope(&call, site, a->scope);
    td_call_output(&call, a, motion, 9, true);
    return td_call_run(site, &call);
}

td_status td_center_of_mass_motion(const td_model *model, td_workspace *workspace, const double *y,
                                   const double *yd, const double *ydd, td_scope scope,
                                   double *motion)
{
    return call_center_of_mass_motion(
        TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
        &(td_center_of_mass_motion_arguments){y, yd, ydd, scope, motion});
}

td_status td_batch_center_of_mass_motion(const td_model *model, td_workspace *workspace, size_t n,
                                         const double *y, const double *yd, const double *ydd,
                                         td_scope scope, double *motion, td_status *statuses)
{
    return call_center_of_mass_motion(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        &(td_center_of_mass_motion_arguments){y, yd, ydd, scope, motion});
}

TD_RUNS(center_of_mass_jacobian)
TD_INLINED td_status call_center_of_mass_jacobian(const td_site *site,
                                                  td_center_of_mass_jacobian_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_center_of_mass_jacobian, a);
    td_call_positions(&call, site, a, y, true);
    td_call_scope(&call, site, a->scope);
    td_call_output(&call, a, J, 3 * n, true);
    return td_call_run(site, &call);
}

td_status td_center_of_mass_jacobian(const td_model *model, td_workspace *workspace,
                                     const double *y, td_scope scope, double *J)
{
    return call_center_of_mass_jacobian(TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
                                        &(td_center_of_mass_jacobian_arguments){y, scope, J});
}

td_status td_batch_center_of_mass_jacobian(const td_model *model, td_workspace *workspace, size_t n,
                                           const double *y, td_scope scope, double *J,
                                           td_status *statuses)
{
    return call_center_of_mass_jacobian(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        &(td_center_of_mass_jacobian_arguments){y, scope, J});
}

TD_RUNS(centroidal_momentum_matrix)
TD_INLINED td_status call_centroidal_momentum_matrix(const td_site *site,
                                                     td_centroidal_momentum_matrix_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_centroidal_momentum_matrix, a);
    td_call_positions(&call, site, a, y, true);
    td_call_scope(&call, site, a->scope);
    td_call_output(&call, a, A, 6 * n, true);
    return td_call_run(site, &call);
}

td_status td_centroidal_momentum_matrix(const td_model *model, td_workspace *workspace,
                                        const double *y, td_scope scope, double *A)
{
    return call_centroidal_momentum_matrix(
        TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
        &(td_centroidal_momentum_matrix_arguments){y, scope, A});
}

td_status td_batch_centroidal_momentum_matrix(const td_model *model, td_workspace *workspace,
                                              size_t n, const double *y, td_scope scope, double *A,
                                              td_status *statuses)
{
    return call_centroidal_momentum_matrix(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        &(td_centroidal_momentum_matrix_arguments){y, scope, A});
}

TD_RUNS(centroidal_momentum)
TD_INLINED td_status call_centroidal_momentum(const td_site *site,
                                              td_centroidal_momentum_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_centroidal_momentum, a);
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_scope(&call, site, a->scope);
    td_call_output(&call, a, momentum, 6, true);
    return td_call_run(site, &call);
}

td_status td_centroidal_momentum(const td_model *model, td_workspace *workspace, const double *y,
                                 const double *yd, td_scope scope, double *momentum)
{
    return call_centroidal_momentum(TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
                                    &(td_centroidal_momentum_arguments){y, yd, scope, momentum});
}

td_status td_batch_centroidal_momentum(const td_model *model, td_workspace *workspace, size_t n,
                                       const double *y, const double *yd, td_scope scope,
                                       double *momentum, td_status *statuses)
{
    return call_centroidal_momentum(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        &(td_centroidal_momentum_arguments){y, yd, scope, momentum});
}

TD_RUNS(centroidal_momentum_bias)
TD_INLINED td_status call_centroidal_momentum_bias(const td_site *site,
                                                   td_centroidal_momentum_bias_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_centroidal_momentum_bias, a);
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_scope(&call, site, a->scope);
    td_call_output(&call, a, bias, 6, true);
    return td_call_run(site, &call);
}

td_status td_centroidal_momentum_bias(const td_model *model, td_workspace *workspace,
                                      const double *y, const double *yd, td_scope scope,
                                      double *bias)
{
    return call_centroidal_momentum_bias(
        TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
        &(td_centroidal_momentum_bias_arguments){y, yd, scope, bias});
}

td_status td_batch_centroidal_momentum_bias(const td_model *model, td_workspace *workspace,
                                            size_t n, const double *y, const double *yd,
                                            td_scope scope, double *bias, td_status *statuses)
{
    return call_centroidal_momentum_bias(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        &(td_centroidal_momentum_bias_arguments){y, yd, scope, bias});
}

TD_RUNS(energy)
TD_INLINED td_status call_energy(const td_site *site, td_energy_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_energy, a);
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_scope(&call, site, a->scope);
    td_call_output(&call, a, energy, 2, true);
    return td_call_run(site, &call);
}

td_status td_energy(const td_model *model, td_workspace *workspace, const double *y,
                    const double *yd, td_scope scope, double *energy)
{
    return call_energy(TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
                       &(td_energy_arguments){y, yd, scope, energy});
}

td_status td_batch_energy(const td_model *model, td_workspace *workspace, size_t n, const double *y,
                          const double *yd, td_scope scope, double *energy, td_status *statuses)
{
    return call_energy(TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
                       &(td_energy_arguments){y, yd, scope, energy});
}

TD_RUNS(spring_energy)
TD_INLINED td_status call_spring_energy(const td_site *site, td_spring_energy_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    td_call call;
    td_call_begin(&call, run_spring_energy, a);
    td_call_positions(&call, site, a, y, true);
    td_call_output(&call, a, energy, 1, true);
    return td_call_run(site, &call);
}

td_status td_spring_energy(const td_model *model, td_workspace *workspace, const double *y,
                           double *energy)
{
    return call_spring_energy(TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
                              &(td_spring_energy_arguments){y, energy});
}

td_status td_batch_spring_energy(const td_model *model, td_workspace *workspace, size_t n,
                                 const double *y, double *energy, td_status *statuses)
{
    return call_spring_energy(TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
                              &(td_spring_energy_arguments){y, energy});
}

TD_RUNS(spring_state)
TD_INLINED td_status call_spring_state(const td_site *site, td_spring_state_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_spring_state, a);
    td_call_spring(&call, site, a->spring);
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_output(&call, a, motion, 4, true);
    return td_call_run(site, &call);
}

td_status td_spring_state(const td_model *model, td_workspace *workspace, size_t spring,
                          const double *y, const double *yd, double motion[4])
{
    return call_spring_state(TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
                             &(td_spring_state_arguments){spring, y, yd, motion});
}
