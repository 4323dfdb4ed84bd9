/* SPDX-License-Identifier: MIT */
/*
 * The functions of dynamics.h: how each is called, and its forms. Made by generate.py of the rows
 * in operations.py; change those.
 */
#include "tandem/dynamics.h"

#include "functions/arguments.h"
#include "functions/operations.h"
#include "tandem/batch.h"

static td_status call_inverse_dynamics(const td_site *site, const double *y, const double *yd,
                                       const double *ydd, const td_forces *forces, double *tau_y)
{
    const size_t n = td_site_velocities(site);
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_inverse_dynamics, &with);
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_input(&call, ydd, n, false);
    td_call_forces(&call, site, &with, forces);
    td_call_output(&call, tau_y, n, true);
    return td_call_run(site, &call);
}

td_status td_inverse_dynamics(const td_model *model, td_workspace *workspace, const double *y,
                              const double *yd, const double *ydd, const td_forces *forces,
                              double *tau_y)
{
    return call_inverse_dynamics(TD_SINGLE(model, workspace, td_coordinates_at(workspace)), y, yd,
                                 ydd, forces, tau_y);
}

td_status td_batch_inverse_dynamics(const td_model *model, td_workspace *workspace, size_t n,
                                    const double *y, const double *yd, const double *ydd,
                                    const td_forces *forces, double *tau_y, td_status *statuses)
{
    return call_inverse_dynamics(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses), y, yd, ydd, forces,
        tau_y);
}

static td_status call_forward_dynamics(const td_site *site, const double *y, const double *yd,
                                       const double *tau_y, const td_forces *forces, double *ydd)
{
    const size_t n = td_site_velocities(site);
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_forward_dynamics, &with);
    td_call_solve(&call, TD_ERROR_SINGULAR);
    td_call_matrices(&call, td_site_forward_matrices(site));
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_input(&call, tau_y, n, false);
    td_call_forces(&call, site, &with, forces);
    td_call_output(&call, ydd, n, true);
    return td_call_run(site, &call);
}

td_status td_forward_dynamics(const td_model *model, td_workspace *workspace, const double *y,
                              const double *yd, const double *tau_y, const td_forces *forces,
                              double *ydd)
{
    return call_forward_dynamics(TD_SINGLE(model, workspace, td_coordinates_at(workspace)), y, yd,
                                 tau_y, forces, ydd);
}

td_status td_batch_forward_dynamics(const td_model *model, td_workspace *workspace, size_t n,
                                    const double *y, const double *yd, const double *tau_y,
                                    const td_forces *forces, double *ydd, td_status *statuses)
{
    return call_forward_dynamics(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses), y, yd, tau_y, forces,
        ydd);
}

static td_status call_hybrid_dynamics(const td_site *site, const double *y, const double *yd,
                                      const unsigned char *given, const td_forces *forces,
                                      double *ydd, double *tau_y)
{
    const size_t n = td_site_velocities(site);
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_hybrid_dynamics, &with);
    td_call_solve(&call, TD_ERROR_SINGULAR);
    td_call_matrices(&call, td_site_hybrid_matrices(site));
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_given(&call, site, &with, given);
    td_call_forces(&call, site, &with, forces);
    td_call_input(&call, ydd, n, true);
    td_call_output(&call, ydd, n, true);
    td_call_input(&call, tau_y, n, true);
    td_call_output(&call, tau_y, n, true);
    return td_call_run(site, &call);
}

td_status td_hybrid_dynamics(const td_model *model, td_workspace *workspace, const double *y,
                             const double *yd, const unsigned char *given, const td_forces *forces,
                             double *ydd, double *tau_y)
{
    return call_hybrid_dynamics(TD_SINGLE(model, workspace, td_coordinates_at(workspace)), y, yd,
                                given, forces, ydd, tau_y);
}

td_status td_batch_hybrid_dynamics(const td_model *model, td_workspace *workspace, size_t n,
                                   const double *y, const double *yd, const unsigned char *given,
                                   const td_forces *forces, double *ydd, double *tau_y,
                                   td_status *statuses)
{
    return call_hybrid_dynamics(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses), y, yd, given, forces,
        ydd, tau_y);
}

static td_status call_mass_matrix(const td_site *site, const double *y, const td_forces *forces,
                                  double *H)
{
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_mass_matrix, &with);
    td_call_matrices(&call, true);
    td_call_positions(&call, site, y, true);
    td_call_passive(&call, &with, forces);
    td_call_matrix_output(&call, site, H, TD_MATRIX_WHOLE, true);
    return td_call_run(site, &call);
}

td_status td_mass_matrix(const td_model *model, td_workspace *workspace, const double *y,
                         const td_forces *forces, double *H)
{
    return call_mass_matrix(TD_SINGLE(model, workspace, td_coordinates_at(workspace)), y, forces,
                            H);
}

td_status td_batch_mass_matrix(const td_model *model, td_workspace *workspace, size_t n,
                               const double *y, const td_forces *forces, double *H,
                               td_status *statuses)
{
    return call_mass_matrix(TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
                            y, forces, H);
}

static td_status call_mass_matrix_inverse(const td_site *site, const double *y,
                                          const td_forces *forces, double *inverse)
{
    const size_t n = td_site_velocities(site);
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_mass_matrix_inverse, &with);
    td_call_solve(&call, TD_ERROR_SINGULAR);
    td_call_matrices(&call, true);
    td_call_positions(&call, site, y, true);
    td_call_passive(&call, &with, forces);
    td_call_direct_output(&call, inverse, n * n, true);
    return td_call_run(site, &call);
}

td_status td_mass_matrix_inverse(const td_model *model, td_workspace *workspace, const double *y,
                                 const td_forces *forces, double *inverse)
{
    return call_mass_matrix_inverse(TD_SINGLE(model, workspace, td_coordinates_at(workspace)), y,
                                    forces, inverse);
}

td_status td_batch_mass_matrix_inverse(const td_model *model, td_workspace *workspace, size_t n,
                                       const double *y, const td_forces *forces, double *inverse,
                                       td_status *statuses)
{
    return call_mass_matrix_inverse(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses), y, forces, inverse);
}

static td_status call_operational_inertia(const td_site *site, size_t link, const double point[3],
                                          const unsigned char *axes, const double *y,
                                          const td_forces *forces, td_frame frame, double *mobility,
                                          double *inertia, double *J_inverse)
{
    const size_t n = td_site_velocities(site);
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_operational_inertia, &with);
    td_call_solve(&call, TD_ERROR_SINGULAR);
    td_call_matrices(&call, true);
    td_call_link(&call, site, &with, link);
    td_call_point(&call, site, &with, point);
    td_call_axes(&call, site, &with, axes);
    td_call_positions(&call, site, y, true);
    td_call_passive(&call, &with, forces);
    td_call_frame(&call, site, &with, frame);
    td_call_output(&call, mobility, 36, false);
    td_call_output(&call, inertia, 36, false);
    td_call_output(&call, J_inverse, 6 * n, false);
    return td_call_run(site, &call);
}

td_status td_operational_inertia(const td_model *model, td_workspace *workspace, size_t link,
                                 const double point[3], const unsigned char *axes, const double *y,
                                 const td_forces *forces, td_frame frame, double *mobility,
                                 double *inertia, double *J_inverse)
{
    return call_operational_inertia(TD_SINGLE(model, workspace, td_coordinates_at(workspace)), link,
                                    point, axes, y, forces, frame, mobility, inertia, J_inverse);
}

td_status td_batch_operational_inertia(const td_model *model, td_workspace *workspace, size_t n,
                                       size_t link, const double point[3],
                                       const unsigned char *axes, const double *y,
                                       const td_forces *forces, td_frame frame, double *mobility,
                                       double *inertia, double *J_inverse, td_status *statuses)
{
    return call_operational_inertia(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses), link, point, axes, y,
        forces, frame, mobility, inertia, J_inverse);
}

static td_status call_mass_matrix_factors(const td_site *site, const double *y,
                                          const td_forces *forces, double *factors)
{
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_mass_matrix_factors, &with);
    td_call_solve(&call, TD_ERROR_SINGULAR);
    td_call_matrices(&call, true);
    td_call_positions(&call, site, y, true);
    td_call_passive(&call, &with, forces);
    td_call_matrix_output(&call, site, factors, TD_MATRIX_PACKED, true);
    return td_call_run(site, &call);
}

td_status td_mass_matrix_factors(const td_model *model, td_workspace *workspace, const double *y,
                                 const td_forces *forces, double *factors)
{
    return call_mass_matrix_factors(TD_SINGLE(model, workspace, td_coordinates_at(workspace)), y,
                                    forces, factors);
}

td_status td_batch_mass_matrix_factors(const td_model *model, td_workspace *workspace, size_t n,
                                       const double *y, const td_forces *forces, double *factors,
                                       td_status *statuses)
{
    return call_mass_matrix_factors(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses), y, forces, factors);
}

td_status td_factors_solve(const td_model *model, td_workspace *workspace, const double *factors,
                           size_t columns, const double *B, double *X)
{
    return td_run_factors_solve(TD_SINGLE(model, workspace, td_coordinates_at(workspace)), factors,
                                columns, B, X);
}

static td_status call_bias_force(const td_site *site, const double *y, const double *yd,
                                 const td_forces *forces, double *C)
{
    const size_t n = td_site_velocities(site);
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_bias_force, &with);
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_forces(&call, site, &with, forces);
    td_call_output(&call, C, n, true);
    return td_call_run(site, &call);
}

td_status td_bias_force(const td_model *model, td_workspace *workspace, const double *y,
                        const double *yd, const td_forces *forces, double *C)
{
    return call_bias_force(TD_SINGLE(model, workspace, td_coordinates_at(workspace)), y, yd, forces,
                           C);
}

td_status td_batch_bias_force(const td_model *model, td_workspace *workspace, size_t n,
                              const double *y, const double *yd, const td_forces *forces, double *C,
                              td_status *statuses)
{
    return call_bias_force(TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses), y,
                           yd, forces, C);
}

static td_status call_gravity_force(const td_site *site, const double *y, double *tau_y)
{
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, td_op_gravity_force, NULL);
    td_call_positions(&call, site, y, true);
    td_call_output(&call, tau_y, n, true);
    return td_call_run(site, &call);
}

td_status td_gravity_force(const td_model *model, td_workspace *workspace, const double *y,
                           double *tau_y)
{
    return call_gravity_force(TD_SINGLE(model, workspace, td_coordinates_at(workspace)), y, tau_y);
}

td_status td_batch_gravity_force(const td_model *model, td_workspace *workspace, size_t n,
                                 const double *y, double *tau_y, td_status *statuses)
{
    return call_gravity_force(TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
                              y, tau_y);
}

static td_status call_coriolis_matrix(const td_site *site, const double *y, const double *yd,
                                      double *C)
{
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, td_op_coriolis_matrix, NULL);
    td_call_matrices(&call, true);
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_output(&call, C, n * n, true);
    return td_call_run(site, &call);
}

td_status td_coriolis_matrix(const td_model *model, td_workspace *workspace, const double *y,
                             const double *yd, double *C)
{
    return call_coriolis_matrix(TD_SINGLE(model, workspace, td_coordinates_at(workspace)), y, yd,
                                C);
}

td_status td_batch_coriolis_matrix(const td_model *model, td_workspace *workspace, size_t n,
                                   const double *y, const double *yd, double *C,
                                   td_status *statuses)
{
    return call_coriolis_matrix(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses), y, yd, C);
}

td_status td_dynamics_terms(const td_model *model, td_workspace *workspace, const double *y,
                            const double *yd, const td_forces *forces, const td_terms *terms)
{
    return td_run_dynamics_terms(TD_SINGLE(model, workspace, td_coordinates_at(workspace)), y, yd,
                                 forces, terms);
}

td_status td_batch_dynamics_terms(const td_model *model, td_workspace *workspace, size_t n,
                                  const double *y, const double *yd, const td_forces *forces,
                                  const td_terms *terms, td_status *statuses)
{
    return td_run_dynamics_terms(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses), y, yd, forces,
        terms);
}

td_status td_joint_reactions(const td_model *model, td_workspace *workspace, const double *y,
                             const double *yd, const double *ydd, const td_forces *forces,
                             td_frame frame, double *reactions)
{
    return td_run_joint_reactions(TD_SINGLE(model, workspace, td_coordinates_at(workspace)), y, yd,
                                  ydd, forces, frame, reactions);
}

td_status td_batch_joint_reactions(const td_model *model, td_workspace *workspace, size_t n,
                                   const double *y, const double *yd, const double *ydd,
                                   const td_forces *forces, td_frame frame, double *reactions,
                                   td_status *statuses)
{
    return td_run_joint_reactions(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses), y, yd, ydd, forces,
        frame, reactions);
}

td_status td_loop_reactions(const td_model *model, td_workspace *workspace, const double *y,
                            const double *yd, const double *ydd, const td_forces *forces,
                            td_frame frame, double *joints, double *loops, double *joint_ambiguity,
                            double *loop_ambiguity)
{
    return td_run_loop_reactions(TD_SINGLE(model, workspace, td_coordinates_at(workspace)), y, yd,
                                 ydd, forces, frame, joints, loops, joint_ambiguity,
                                 loop_ambiguity);
}

td_status td_batch_loop_reactions(const td_model *model, td_workspace *workspace, size_t n,
                                  const double *y, const double *yd, const double *ydd,
                                  const td_forces *forces, td_frame frame, double *joints,
                                  double *loops, double *joint_ambiguity, double *loop_ambiguity,
                                  td_status *statuses)
{
    return td_run_loop_reactions(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses), y, yd, ydd, forces,
        frame, joints, loops, joint_ambiguity, loop_ambiguity);
}
