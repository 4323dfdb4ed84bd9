/* SPDX-License-Identifier: MIT */
/*
 * The functions of derivatives.h: how each is called, and its forms. Made by generate.py of the
 * rows in operations.py; change those.
 */
#include "tandem/derivatives.h"

#include "dynamics/arguments.h"
#include "dynamics/operations.h"
#include "tandem/batch.h"

TD_RUNS(inverse_dynamics_derivatives)
TD_INLINED td_status call_inverse_dynamics_derivatives(const td_site *site,
                                                       td_inverse_dynamics_derivatives_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_forces known;
    td_call call;
    td_call_begin(&call, run_inverse_dynamics_derivatives, a);
    td_call_matrices(&call, true);
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_input(&call, a, ydd, n, false);
    td_call_forces(&call, site, &known, &a->forces);
    td_call_output(&call, a, tau_y, n, false);
    td_call_output(&call, a, dtau_y_dy, n * n, false);
    td_call_output(&call, a, dtau_y_dyd, n * n, false);
    td_call_matrix_output(&call, site, a, H, TD_MATRIX_WHOLE, false);
    return td_call_run(site, &call);
}

td_status td_inverse_dynamics_derivatives(const td_model *model, td_workspace *workspace,
                                          const double *y, const double *yd, const double *ydd,
                                          const td_forces *forces, double *tau_y, double *dtau_y_dy,
                                          double *dtau_y_dyd, double *H)
{
    return call_inverse_dynamics_derivatives(
        TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
        &(td_inverse_dynamics_derivatives_arguments){y, yd, ydd, forces, tau_y, dtau_y_dy,
                                                     dtau_y_dyd, H});
}

td_status td_batch_inverse_dynamics_derivatives(const td_model *model, td_workspace *workspace,
                                                size_t n, const double *y, const double *yd,
                                                const double *ydd, const td_forces *forces,
                                                double *tau_y, double *dtau_y_dy,
                                                double *dtau_y_dyd, double *H, td_status *statuses)
{
    return call_inverse_dynamics_derivatives(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        &(td_inverse_dynamics_derivatives_arguments){y, yd, ydd, forces, tau_y, dtau_y_dy,
                                                     dtau_y_dyd, H});
}

TD_RUNS(mass_matrix_derivatives)
TD_INLINED td_status call_mass_matrix_derivatives(const td_site *site,
                                                  td_mass_matrix_derivatives_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_mass_matrix_derivatives, a);
    td_call_matrices(&call, true);
    td_call_positions(&call, site, a, y, true);
    td_call_output(&call, a, dH_dy, n * n * n, true);
    return td_call_run(site, &call);
}

td_status td_mass_matrix_derivatives(const td_model *model, td_workspace *workspace,
                                     const double *y, double *dH_dy)
{
    return call_mass_matrix_derivatives(TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
                                        &(td_mass_matrix_derivatives_arguments){y, dH_dy});
}

TD_RUNS(mass_matrix_product_derivatives)
TD_INLINED td_status call_mass_matrix_product_derivatives(
    const td_site *site, td_mass_matrix_product_derivatives_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_mass_matrix_product_derivatives, a);
    td_call_matrices(&call, true);
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, b, n, true);
    td_call_output(&call, a, dHb_dy, n * n, true);
    return td_call_run(site, &call);
}

td_status td_mass_matrix_product_derivatives(const td_model *model, td_workspace *workspace,
                                             const double *y, const double *b, double *dHb_dy)
{
    return call_mass_matrix_product_derivatives(
        TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
        &(td_mass_matrix_product_derivatives_arguments){y, b, dHb_dy});
}

td_status td_batch_mass_matrix_product_derivatives(const td_model *model, td_workspace *workspace,
                                                   size_t n, const double *y, const double *b,
                                                   double *dHb_dy, td_status *statuses)
{
    return call_mass_matrix_product_derivatives(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        &(td_mass_matrix_product_derivatives_arguments){y, b, dHb_dy});
}

TD_RUNS(forward_dynamics_derivatives)
TD_INLINED td_status call_forward_dynamics_derivatives(const td_site *site,
                                                       td_forward_dynamics_derivatives_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_forces known;
    td_call call;
    td_call_begin(&call, run_forward_dynamics_derivatives, a);
    td_call_solve(&call, TD_ERROR_SINGULAR);
    td_call_matrices(&call, true);
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_input(&call, a, tau_y, n, false);
    td_call_forces(&call, site, &known, &a->forces);
    td_call_output(&call, a, ydd, n, false);
    td_call_output(&call, a, dydd_dy, n * n, false);
    td_call_output(&call, a, dydd_dyd, n * n, false);
    td_call_direct_output(&call, a, dydd_dtau_y, n * n, false);
    return td_call_run(site, &call);
}

td_status td_forward_dynamics_derivatives(const td_model *model, td_workspace *workspace,
                                          const double *y, const double *yd, const double *tau_y,
                                          const td_forces *forces, double *ydd, double *dydd_dy,
                                          double *dydd_dyd, double *dydd_dtau_y)
{
    return call_forward_dynamics_derivatives(
        TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
        &(td_forward_dynamics_derivatives_arguments){y, yd, tau_y, forces, ydd, dydd_dy, dydd_dyd,
                                                     dydd_dtau_y});
}

td_status td_batch_forward_dynamics_derivatives(const td_model *model, td_workspace *workspace,
                                                size_t n, const double *y, const double *yd,
                                                const double *tau_y, const td_forces *forces,
                                                double *ydd, double *dydd_dy, double *dydd_dyd,
                                                double *dydd_dtau_y, td_status *statuses)
{
    return call_forward_dynamics_derivatives(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        &(td_forward_dynamics_derivatives_arguments){y, yd, tau_y, forces, ydd, dydd_dy, dydd_dyd,
                                                     dydd_dtau_y});
}

TD_RUNS(inverse_dynamics_tangent)
TD_INLINED td_status call_inverse_dynamics_tangent(const td_site *site,
                                                   td_inverse_dynamics_tangent_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_forces known;
    td_call call;
    td_call_begin(&call, run_inverse_dynamics_tangent, a);
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_input(&call, a, ydd, n, false);
    td_call_forces(&call, site, &known, &a->forces);
    td_call_input(&call, a, dy, n, false);
    td_call_input(&call, a, dyd, n, false);
    td_call_input(&call, a, dydd, n, false);
    td_call_output(&call, a, dtau_y, n, true);
    return td_call_run(site, &call);
}

td_status td_inverse_dynamics_tangent(const td_model *model, td_workspace *workspace,
                                      const double *y, const double *yd, const double *ydd,
                                      const td_forces *forces, const double *dy, const double *dyd,
                                      const double *dydd, double *dtau_y)
{
    return call_inverse_dynamics_tangent(
        TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
        &(td_inverse_dynamics_tangent_arguments){y, yd, ydd, forces, dy, dyd, dydd, dtau_y});
}

td_status td_batch_inverse_dynamics_tangent(const td_model *model, td_workspace *workspace,
                                            size_t n, const double *y, const double *yd,
                                            const double *ydd, const td_forces *forces,
                                            const double *dy, const double *dyd, const double *dydd,
                                            double *dtau_y, td_status *statuses)
{
    return call_inverse_dynamics_tangent(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        &(td_inverse_dynamics_tangent_arguments){y, yd, ydd, forces, dy, dyd, dydd, dtau_y});
}

TD_RUNS(inverse_dynamics_adjoint)
TD_INLINED td_status call_inverse_dynamics_adjoint(const td_site *site,
                                                   td_inverse_dynamics_adjoint_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_forces known;
    td_call call;
    td_call_begin(&call, run_inverse_dynamics_adjoint, a);
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_input(&call, a, ydd, n, false);
    td_call_forces(&call, site, &known, &a->forces);
    td_call_input(&call, a, covector, n, true);
    td_call_output(&call, a, by_y, n, false);
    td_call_output(&call, a, by_yd, n, false);
    td_call_output(&call, a, by_ydd, n, false);
    return td_call_run(site, &call);
}

td_status td_inverse_dynamics_adjoint(const td_model *model, td_workspace *workspace,
                                      const double *y, const double *yd, const double *ydd,
                                      const td_forces *forces, const double *covector, double *by_y,
                                      double *by_yd, double *by_ydd)
{
    return call_inverse_dynamics_adjoint(TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
                                         &(td_inverse_dynamics_adjoint_arguments){
                                             y, yd, ydd, forces, covector, by_y, by_yd, by_ydd});
}

td_status td_batch_inverse_dynamics_adjoint(const td_model *model, td_workspace *workspace,
                                            size_t n, const double *y, const double *yd,
                                            const double *ydd, const td_forces *forces,
                                            const double *covector, double *by_y, double *by_yd,
                                            double *by_ydd, td_status *statuses)
{
    return call_inverse_dynamics_adjoint(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        &(td_inverse_dynamics_adjoint_arguments){y, yd, ydd, forces, covector, by_y, by_yd,
                                                 by_ydd});
}

TD_RUNS(forward_dynamics_tangent)
TD_INLINED td_status call_forward_dynamics_tangent(const td_site *site,
                                                   td_forward_dynamics_tangent_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_forces known;
    td_call call;
    td_call_begin(&call, run_forward_dynamics_tangent, a);
    td_call_solve(&call, TD_ERROR_SINGULAR);
    td_call_matrices(&call, td_site_forward_matrices(site));
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_input(&call, a, tau_y, n, false);
    td_call_forces(&call, site, &known, &a->forces);
    td_call_input(&call, a, dy, n, false);
    td_call_input(&call, a, dyd, n, false);
    td_call_input(&call, a, dtau_y, n, false);
    td_call_output(&call, a, ydd, n, false);
    td_call_output(&call, a, dydd, n, false);
    return td_call_run(site, &call);
}

td_status td_forward_dynamics_tangent(const td_model *model, td_workspace *workspace,
                                      const double *y, const double *yd, const double *tau_y,
                                      const td_forces *forces, const double *dy, const double *dyd,
                                      const double *dtau_y, double *ydd, double *dydd)
{
    return call_forward_dynamics_tangent(
        TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
        &(td_forward_dynamics_tangent_arguments){y, yd, tau_y, forces, dy, dyd, dtau_y, ydd, dydd});
}

td_status td_batch_forward_dynamics_tangent(const td_model *model, td_workspace *workspace,
                                            size_t n, const double *y, const double *yd,
                                            const double *tau_y, const td_forces *forces,
                                            const double *dy, const double *dyd,
                                            const double *dtau_y, double *ydd, double *dydd,
                                            td_status *statuses)
{
    return call_forward_dynamics_tangent(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        &(td_forward_dynamics_tangent_arguments){y, yd, tau_y, forces, dy, dyd, dtau_y, ydd, dydd});
}

TD_RUNS(forward_dynamics_adjoint)
TD_INLINED td_status call_forward_dynamics_adjoint(const td_site *site,
                                                   td_forward_dynamics_adjoint_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_forces known;
    td_call call;
    td_call_begin(&call, run_forward_dynamics_adjoint, a);
    td_call_solve(&call, TD_ERROR_SINGULAR);
    td_call_matrices(&call, td_site_forward_matrices(site));
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_input(&call, a, tau_y, n, false);
    td_call_forces(&call, site, &known, &a->forces);
    td_call_input(&call, a, covector, n, true);
    td_call_output(&call, a, ydd, n, false);
    td_call_output(&call, a, by_y, n, false);
    td_call_output(&call, a, by_yd, n, false);
    td_call_output(&call, a, by_tau, n, false);
    return td_call_run(site, &call);
}

td_status td_forward_dynamics_adjoint(const td_model *model, td_workspace *workspace,
                                      const double *y, const double *yd, const double *tau_y,
                                      const td_forces *forces, const double *covector, double *ydd,
                                      double *by_y, double *by_yd, double *by_tau)
{
    return call_forward_dynamics_adjoint(
        TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
        &(td_forward_dynamics_adjoint_arguments){y, yd, tau_y, forces, covector, ydd, by_y, by_yd,
                                                 by_tau});
}

td_status td_batch_forward_dynamics_adjoint(const td_model *model, td_workspace *workspace,
                                            size_t n, const double *y, const double *yd,
                                            const double *tau_y, const td_forces *forces,
                                            const double *covector, double *ydd, double *by_y,
                                            double *by_yd, double *by_tau, td_status *statuses)
{
    return call_forward_dynamics_adjoint(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        &(td_forward_dynamics_adjoint_arguments){y, yd, tau_y, forces, covector, ydd, by_y, by_yd,
                                                 by_tau});
}

TD_RUNS(closure_derivatives)
TD_INLINED td_status call_closure_derivatives(const td_site *site,
                                              td_closure_derivatives_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_closure_derivatives, a);
    td_call_matrices(&call, true);
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_input(&call, a, ydd, n, false);
    td_call_input(&call, a, tau, td_site_tree_velocities(site), false);
    td_call_direct_output(&call, a, dqd_dy, td_site_tree_velocities(site) * n, false);
    td_call_direct_output(&call, a, dqdd_dy, td_site_tree_velocities(site) * n, false);
    td_call_direct_output(&call, a, dqdd_dyd, td_site_tree_velocities(site) * n, false);
    td_call_output(&call, a, dtau_y_dy, n * n, false);
    return td_call_run(site, &call);
}

td_status td_closure_derivatives(const td_model *model, td_workspace *workspace, const double *y,
                                 const double *yd, const double *ydd, const double *tau,
                                 double *dqd_dy, double *dqdd_dy, double *dqdd_dyd,
                                 double *dtau_y_dy)
{
    return call_closure_derivatives(
        TD_SINGLE(model, workspace, TD_COORDINATES_INDEPENDENT),
        &(td_closure_derivatives_arguments){y, yd, ydd, tau, dqd_dy, dqdd_dy, dqdd_dyd, dtau_y_dy});
}

td_status td_batch_closure_derivatives(const td_model *model, td_workspace *workspace, size_t n,
                                       const double *y, const double *yd, const double *ydd,
                                       const double *tau, double *dqd_dy, double *dqdd_dy,
                                       double *dqdd_dyd, double *dtau_y_dy, td_status *statuses)
{
    return call_closure_derivatives(
        TD_BATCH(model, workspace, TD_COORDINATES_INDEPENDENT, n, statuses),
        &(td_closure_derivatives_arguments){y, yd, ydd, tau, dqd_dy, dqdd_dy, dqdd_dyd, dtau_y_dy});
}

TD_RUNS(link_velocity_derivatives)
TD_INLINED td_status call_link_velocity_derivatives(const td_site *site,
                                                    td_link_velocity_derivatives_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_link_velocity_derivatives, a);
    td_call_matrices(&call, true);
    td_call_link(&call, site, a->link);
    td_call_point(&call, &a->point);
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_frame(&call, site, a->frame);
    td_call_output(&call, a, velocity, 6, false);
    td_call_output(&call, a, dv_dy, 6 * n, false);
    td_call_output(&call, a, dv_dyd, 6 * n, false);
    return td_call_run(site, &call);
}

td_status td_link_velocity_derivatives(const td_model *model, td_workspace *workspace, size_t link,
                                       const double point[3], const double *y, const double *yd,
                                       td_frame frame, double *velocity, double *dv_dy,
                                       double *dv_dyd)
{
    return call_link_velocity_derivatives(TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
                                          &(td_link_velocity_derivatives_arguments){
                                              link, point, y, yd, frame, velocity, dv_dy, dv_dyd});
}

td_status td_batch_link_velocity_derivatives(const td_model *model, td_workspace *workspace,
                                             size_t n, size_t link, const double point[3],
                                             const double *y, const double *yd, td_frame frame,
                                             double *velocity, double *dv_dy, double *dv_dyd,
                                             td_status *statuses)
{
    return call_link_velocity_derivatives(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        &(td_link_velocity_derivatives_arguments){link, point, y, yd, frame, velocity, dv_dy,
                                                  dv_dyd});
}

TD_RUNS(link_jacobian_rate)
TD_INLINED td_status call_link_jacobian_rate(const td_site *site,
                                             td_link_jacobian_rate_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_link_jacobian_rate, a);
    td_call_matrices(&call, true);
    td_call_link(&call, site, a->link);
    td_call_point(&call, &a->point);
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_frame(&call, site, a->frame);
    td_call_output(&call, a, Jd, 6 * n, true);
    return td_call_run(site, &call);
}

td_status td_link_jacobian_rate(const td_model *model, td_workspace *workspace, size_t link,
                                const double point[3], const double *y, const double *yd,
                                td_frame frame, double *Jd)
{
    return call_link_jacobian_rate(
        TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
        &(td_link_jacobian_rate_arguments){link, point, y, yd, frame, Jd});
}

td_status td_batch_link_jacobian_rate(const td_model *model, td_workspace *workspace, size_t n,
                                      size_t link, const double point[3], const double *y,
                                      const double *yd, td_frame frame, double *Jd,
                                      td_status *statuses)
{
    return call_link_jacobian_rate(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        &(td_link_jacobian_rate_arguments){link, point, y, yd, frame, Jd});
}

TD_RUNS(link_spatial_acceleration_derivatives)
TD_INLINED td_status call_link_spatial_acceleration_derivatives(
    const td_site *site, td_operation run, td_link_spatial_acceleration_derivatives_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run, a);
    td_call_matrices(&call, true);
    td_call_link(&call, site, a->link);
    td_call_point(&call, &a->point);
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_input(&call, a, ydd, n, false);
    td_call_frame(&call, site, a->frame);
    td_call_output(&call, a, acceleration, 6, false);
    td_call_output(&call, a, da_dy, 6 * n, false);
    td_call_output(&call, a, da_dyd, 6 * n, false);
    return td_call_run(site, &call);
}

td_status td_link_spatial_acceleration_derivatives(const td_model *model, td_workspace *workspace,
                                                   size_t link, const double point[3],
                                                   const double *y, const double *yd,
                                                   const double *ydd, td_frame frame,
                                                   double *acceleration, double *da_dy,
                                                   double *da_dyd)
{
    return call_link_spatial_acceleration_derivatives(
        TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
        run_link_spatial_acceleration_derivatives,
        &(td_link_spatial_acceleration_derivatives_arguments){link, point, y, yd, ydd, frame,
                                                              acceleration, da_dy, da_dyd});
}

td_status td_batch_link_spatial_acceleration_derivatives(
    const td_model *model, td_workspace *workspace, size_t n, size_t link, const double point[3],
    const double *y, const double *yd, const double *ydd, td_frame frame, double *acceleration,
    double *da_dy, double *da_dyd, td_status *statuses)
{
    return call_link_spatial_acceleration_derivatives(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        run_link_spatial_acceleration_derivatives,
        &(td_link_spatial_acceleration_derivatives_arguments){link, point, y, yd, ydd, frame,
                                                              acceleration, da_dy, da_dyd});
}

TD_RUNS(link_classical_acceleration_derivatives)
td_status td_link_classical_acceleration_derivatives(const td_model *model, td_workspace *workspace,
                                                     size_t link, const double point[3],
                                                     const double *y, const double *yd,
                                                     const double *ydd, td_frame frame,
                                                     double *acceleration, double *da_dy,
                                                     double *da_dyd)
{
    return call_link_spatial_acceleration_derivatives(
        TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
        run_link_classical_acceleration_derivatives,
        &(td_link_spatial_acceleration_derivatives_arguments){link, point, y, yd, ydd, frame,
                                                              acceleration, da_dy, da_dyd});
}

td_status td_batch_link_classical_acceleration_derivatives(
    const td_model *model, td_workspace *workspace, size_t n, size_t link, const double point[3],
    const double *y, const double *yd, const double *ydd, td_frame frame, double *acceleration,
    double *da_dy, double *da_dyd, td_status *statuses)
{
    return call_link_spatial_acceleration_derivatives(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        run_link_classical_acceleration_derivatives,
        &(td_link_spatial_acceleration_derivatives_arguments){link, point, y, yd, ydd, frame,
                                                              acceleration, da_dy, da_dyd});
}

TD_RUNS(center_of_mass_derivatives)
TD_INLINED td_status call_center_of_mass_derivatives(const td_site *site,
                                                     td_center_of_mass_derivatives_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_center_of_mass_derivatives, a);
    td_call_matrices(&call, true);
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_input(&call, a, ydd, n, false);
    td_call_scope(&call, site, a->scope);
    td_call_output(&call, a, motion, 9, false);
    td_call_output(&call, a, dv_dy, 3 * n, false);
    td_call_output(&call, a, da_dy, 3 * n, false);
    td_call_output(&call, a, da_dyd, 3 * n, false);
    return td_call_run(site, &call);
}

td_status td_center_of_mass_derivatives(const td_model *model, td_workspace *workspace,
                                        const double *y, const double *yd, const double *ydd,
                                        td_scope scope, double *motion, double *dv_dy,
                                        double *da_dy, double *da_dyd)
{
    return call_center_of_mass_derivatives(
        TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
        &(td_center_of_mass_derivatives_arguments){y, yd, ydd, scope, motion, dv_dy, da_dy,
                                                   da_dyd});
}

td_status td_batch_center_of_mass_derivatives(const td_model *model, td_workspace *workspace,
                                              size_t n, const double *y, const double *yd,
                                              const double *ydd, td_scope scope, double *motion,
                                              double *dv_dy, double *da_dy, double *da_dyd,
                                              td_status *statuses)
{
    return call_center_of_mass_derivatives(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        &(td_center_of_mass_derivatives_arguments){y, yd, ydd, scope, motion, dv_dy, da_dy,
                                                   da_dyd});
}

TD_RUNS(centroidal_momentum_derivatives)
TD_INLINED td_status call_centroidal_momentum_derivatives(
    const td_site *site, td_centroidal_momentum_derivatives_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_centroidal_momentum_derivatives, a);
    td_call_matrices(&call, true);
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_input(&call, a, ydd, n, false);
    td_call_scope(&call, site, a->scope);
    td_call_output(&call, a, momentum, 6, false);
    td_call_output(&call, a, rate, 6, false);
    td_call_output(&call, a, dh_dy, 6 * n, false);
    td_call_output(&call, a, dh_dyd, 6 * n, false);
    td_call_output(&call, a, drate_dy, 6 * n, false);
    td_call_output(&call, a, drate_dyd, 6 * n, false);
    return td_call_run(site, &call);
}

td_status td_centroidal_momentum_derivatives(const td_model *model, td_workspace *workspace,
                                             const double *y, const double *yd, const double *ydd,
                                             td_scope scope, double *momentum, double *rate,
                                             double *dh_dy, double *dh_dyd, double *drate_dy,
                                             double *drate_dyd)
{
    return call_centroidal_momentum_derivatives(
        TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
        &(td_centroidal_momentum_derivatives_arguments){y, yd, ydd, scope, momentum, rate, dh_dy,
                                                        dh_dyd, drate_dy, drate_dyd});
}

td_status td_batch_centroidal_momentum_derivatives(const td_model *model, td_workspace *workspace,
                                                   size_t n, const double *y, const double *yd,
                                                   const double *ydd, td_scope scope,
                                                   double *momentum, double *rate, double *dh_dy,
                                                   double *dh_dyd, double *drate_dy,
                                                   double *drate_dyd, td_status *statuses)
{
    return call_centroidal_momentum_derivatives(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        &(td_centroidal_momentum_derivatives_arguments){y, yd, ydd, scope, momentum, rate, dh_dy,
                                                        dh_dyd, drate_dy, drate_dyd});
}

TD_RUNS(energy_derivatives)
TD_INLINED td_status call_energy_derivatives(const td_site *site,
                                             td_energy_derivatives_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_energy_derivatives, a);
    td_call_matrices(&call, true);
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_scope(&call, site, a->scope);
    td_call_output(&call, a, energy, 2, false);
    td_call_output(&call, a, dT_dy, n, false);
    td_call_output(&call, a, dT_dyd, n, false);
    td_call_output(&call, a, dV_dy, n, false);
    return td_call_run(site, &call);
}

td_status td_energy_derivatives(const td_model *model, td_workspace *workspace, const double *y,
                                const double *yd, td_scope scope, double *energy, double *dT_dy,
                                double *dT_dyd, double *dV_dy)
{
    return call_energy_derivatives(
        TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
        &(td_energy_derivatives_arguments){y, yd, scope, energy, dT_dy, dT_dyd, dV_dy});
}

td_status td_batch_energy_derivatives(const td_model *model, td_workspace *workspace, size_t n,
                                      const double *y, const double *yd, td_scope scope,
                                      double *energy, double *dT_dy, double *dT_dyd, double *dV_dy,
                                      td_status *statuses)
{
    return call_energy_derivatives(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        &(td_energy_derivatives_arguments){y, yd, scope, energy, dT_dy, dT_dyd, dV_dy});
}

TD_RUNS(spring_state_derivatives)
TD_INLINED td_status call_spring_state_derivatives(const td_site *site,
                                                   td_spring_state_derivatives_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_spring_state_derivatives, a);
    td_call_matrices(&call, true);
    td_call_spring(&call, site, a->spring);
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_output(&call, a, motion, 4, false);
    td_call_output(&call, a, dmotion_dy, 4 * n, false);
    td_call_output(&call, a, dmotion_dyd, 4 * n, false);
    return td_call_run(site, &call);
}

td_status td_spring_state_derivatives(const td_model *model, td_workspace *workspace, size_t spring,
                                      const double *y, const double *yd, double *motion,
                                      double *dmotion_dy, double *dmotion_dyd)
{
    return call_spring_state_derivatives(
        TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
        &(td_spring_state_derivatives_arguments){spring, y, yd, motion, dmotion_dy, dmotion_dyd});
}

TD_RUNS(forces_to_actuators_derivatives)
TD_INLINED td_status call_forces_to_actuators_derivatives(
    const td_site *site, td_forces_to_actuators_derivatives_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_forces_to_actuators_derivatives, a);
    td_call_solve(&call, TD_ERROR_ACTUATION_SINGULAR);
    td_call_matrices(&call, true);
    td_call_positions(&call, site, a, y, td_site_motors_change(site));
    td_call_input(&call, a, tau_y, n, true);
    td_call_weight(&call, site, a->weight);
    td_call_output(&call, a, u, td_site_motors(site), true);
    td_call_output(&call, a, du_dy, td_site_motors(site) * n, false);
    td_call_output(&call, a, du_dtau_y, td_site_motors(site) * n, false);
    return td_call_run(site, &call);
}

td_status td_forces_to_actuators_derivatives(const td_model *model, td_workspace *workspace,
                                             const double *y, const double *tau_y,
                                             const double *weight, double *u, double *du_dy,
                                             double *du_dtau_y)
{
    return call_forces_to_actuators_derivatives(
        TD_SINGLE(model, workspace, TD_COORDINATES_INDEPENDENT),
        &(td_forces_to_actuators_derivatives_arguments){y, tau_y, weight, u, du_dy, du_dtau_y});
}

td_status td_batch_forces_to_actuators_derivatives(const td_model *model, td_workspace *workspace,
                                                   size_t n, const double *y, const double *tau_y,
                                                   const double *weight, double *u, double *du_dy,
                                                   double *du_dtau_y, td_status *statuses)
{
    return call_forces_to_actuators_derivatives(
        TD_BATCH(model, workspace, TD_COORDINATES_INDEPENDENT, n, statuses),
        &(td_forces_to_actuators_derivatives_arguments){y, tau_y, weight, u, du_dy, du_dtau_y});
}

TD_RUNS(forces_from_actuators_derivatives)
TD_INLINED td_status call_forces_from_actuators_derivatives(
    const td_site *site, td_forces_from_actuators_derivatives_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_forces_from_actuators_derivatives, a);
    td_call_matrices(&call, true);
    td_call_positions(&call, site, a, y, td_site_motors_change(site));
    td_call_input(&call, a, u, td_site_motors(site), true);
    td_call_output(&call, a, tau_y, n, false);
    td_call_output(&call, a, dtau_y_dy, n * n, false);
    return td_call_run(site, &call);
}

td_status td_forces_from_actuators_derivatives(const td_model *model, td_workspace *workspace,
                                               const double *y, const double *u, double *tau_y,
                                               double *dtau_y_dy)
{
    return call_forces_from_actuators_derivatives(
        TD_SINGLE(model, workspace, TD_COORDINATES_INDEPENDENT),
        &(td_forces_from_actuators_derivatives_arguments){y, u, tau_y, dtau_y_dy});
}

td_status td_batch_forces_from_actuators_derivatives(const td_model *model, td_workspace *workspace,
                                                     size_t n, const double *y, const double *u,
                                                     double *tau_y, double *dtau_y_dy,
                                                     td_status *statuses)
{
    return call_forces_from_actuators_derivatives(
        TD_BATCH(model, workspace, TD_COORDINATES_INDEPENDENT, n, statuses),
        &(td_forces_from_actuators_derivatives_arguments){y, u, tau_y, dtau_y_dy});
}
