/* SPDX-License-Identifier: MIT */
/*
 * The functions of dynamics.h: how each is called, and its forms. Made by generate.py of the rows
 * in operations.py; change those.
 */
#include "tandem/dynamics.h"

#include "dynamics/arguments.h"
#include "dynamics/operations.h"
#include "tandem/batch.h"

TD_RUNS(inverse_dynamics)
TD_INLINED td_status call_inverse_dynamics(const td_site *site, td_inverse_dynamics_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_forces known;
    td_call call;
    td_call_begin(&call, run_inverse_dynamics, a);
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_input(&call, a, ydd, n, false);
    td_call_forces(&call, site, &known, &a->forces);
    td_call_output(&call, a, tau_y, n, true);
    return td_call_run(site, &call);
}

td_status td_inverse_dynamics(const td_model *model, td_workspace *workspace, const double *y,
                              const double *yd, const double *ydd, const td_forces *forces,
                              double *tau_y)
{
    return call_inverse_dynamics(TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
                                 &(td_inverse_dynamics_arguments){y, yd, ydd, forces, tau_y});
}

td_status td_batch_inverse_dynamics(const td_model *model, td_workspace *workspace, size_t n,
                                    const double *y, const double *yd, const double *ydd,
                                    const td_forces *forces, double *tau_y, td_status *statuses)
{
    return call_inverse_dynamics(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        &(td_inverse_dynamics_arguments){y, yd, ydd, forces, tau_y});
}

TD_RUNS(forward_dynamics)
TD_INLINED td_status call_forward_dynamics(const td_site *site, td_forward_dynamics_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_forces known;
    td_call call;
    td_call_begin(&call, run_forward_dynamics, a);
    td_call_solve(&call, TD_ERROR_SINGULAR);
    td_call_matrices(&call, td_site_forward_matrices(site));
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_input(&call, a, tau_y, n, false);
    td_call_forces(&call, site, &known, &a->forces);
    td_call_output(&call, a, ydd, n, true);
    return td_call_run(site, &call);
}

td_status td_forward_dynamics(const td_model *model, td_workspace *workspace, const double *y,
                              const double *yd, const double *tau_y, const td_forces *forces,
                              double *ydd)
{
    return call_forward_dynamics(TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
                                 &(td_forward_dynamics_arguments){y, yd, tau_y, forces, ydd});
}

td_status td_batch_forward_dynamics(const td_model *model, td_workspace *workspace, size_t n,
                                    const double *y, const double *yd, const double *tau_y,
                                    const td_forces *forces, double *ydd, td_status *statuses)
{
    return call_forward_dynamics(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        &(td_forward_dynamics_arguments){y, yd, tau_y, forces, ydd});
}

TD_RUNS(hybrid_dynamics)
TD_INLINED td_status call_hybrid_dynamics(const td_site *site, td_hybrid_dynamics_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_forces known;
    td_call call;
    td_call_begin(&call, run_hybrid_dynamics, a);
    td_call_solve(&call, TD_ERROR_SINGULAR);
    td_call_matrices(&call, td_site_hybrid_matrices(site));
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_given(&call, site, a->given);
    td_call_forces(&call, site, &known, &a->forces);
    td_call_input(&call, a, given_ydd, n, true);
    td_call_output(&call, a, ydd, n, true);
    td_call_input(&call, a, given_tau_y, n, true);
    td_call_output(&call, a, tau_y, n, true);
    return td_call_run(site, &call);
}

td_status td_hybrid_dynamics(const td_model *model, td_workspace *workspace, const double *y,
                             const double *yd, const unsigned char *given, const td_forces *forces,
                             double *ydd, double *tau_y)
{
    return call_hybrid_dynamics(
        TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
        &(td_hybrid_dynamics_arguments){y, yd, given, forces, ydd, ydd, tau_y, tau_y});
}

td_status td_batch_hybrid_dynamics(const td_model *model, td_workspace *workspace, size_t n,
                                   const double *y, const double *yd, const unsigned char *given,
                                   const td_forces *forces, double *ydd, double *tau_y,
                                   td_status *statuses)
{
    return call_hybrid_dynamics(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        &(td_hybrid_dynamics_arguments){y, yd, given, forces, ydd, ydd, tau_y, tau_y});
}

TD_RUNS(mass_matrix)
TD_INLINED td_status call_mass_matrix(const td_site *site, td_mass_matrix_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    td_forces known;
    td_call call;
    td_call_begin(&call, run_mass_matrix, a);
    td_call_matrices(&call, true);
    td_call_positions(&call, site, a, y, true);
    td_call_passive(&call, site, &known, &a->forces);
    td_call_matrix_output(&call, site, a, H, TD_MATRIX_WHOLE, true);
    return td_call_run(site, &call);
}

td_status td_mass_matrix(const td_model *model, td_workspace *workspace, const double *y,
                         const td_forces *forces, double *H)
{
    return call_mass_matrix(TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
                            &(td_mass_matrix_arguments){y, forces, H});
}

td_status td_batch_mass_matrix(const td_model *model, td_workspace *workspace, size_t n,
                               const double *y, const td_forces *forces, double *H,
                               td_status *statuses)
{
    return call_mass_matrix(TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
                            &(td_mass_matrix_arguments){y, forces, H});
}

TD_RUNS(mass_matrix_inverse)
TD_INLINED td_status call_mass_matrix_inverse(const td_site *site,
                                              td_mass_matrix_inverse_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_forces known;
    td_call call;
    td_call_begin(&call, run_mass_matrix_inverse, a);
    td_call_solve(&call, TD_ERROR_SINGULAR);
    td_call_matrices(&call, true);
    td_call_positions(&call, site, a, y, true);
    td_call_passive(&call, site, &known, &a->forces);
    td_call_direct_output(&call, a, inverse, n * n, true);
    return td_call_run(site, &call);
}

td_status td_mass_matrix_inverse(const td_model *model, td_workspace *workspace, const double *y,
                                 const td_forces *forces, double *inverse)
{
    return call_mass_matrix_inverse(TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
                                    &(td_mass_matrix_inverse_arguments){y, forces, inverse});
}

td_status td_batch_mass_matrix_inverse(const td_model *model, td_workspace *workspace, size_t n,
                                       const double *y, const td_forces *forces, double *inverse,
                                       td_status *statuses)
{
    return call_mass_matrix_inverse(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        &(td_mass_matrix_inverse_arguments){y, forces, inverse});
}

TD_RUNS(operational_inertia)
TD_INLINED td_status call_operational_inertia(const td_site *site,
                                              td_operational_inertia_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_forces known;
    td_call call;
    td_call_begin(&call, run_operational_inertia, a);
    td_call_solve(&call, TD_ERROR_SINGULAR);
    td_call_matrices(&call, true);
    td_call_link(&call, site, a->link);
    td_call_point(&call, &a->point);
    td_call_positions(&call, site, a, y, true);
    td_call_passive(&call, site, &known, &a->forces);
    td_call_frame(&call, site, a->frame);
    td_call_output(&call, a, mobility, 36, false);
    td_call_output(&call, a, inertia, 36, false);
    td_call_output(&call, a, J_inverse, 6 * n, false);
    return td_call_run(site, &call);
}

td_status td_operational_inertia(const td_model *model, td_workspace *workspace, size_t link,
                                 const double point[3], const unsigned char *axes, const double *y,
                                 const td_forces *forces, td_frame frame, double *mobility,
                                 double *inertia, double *J_inverse)
{
    return call_operational_inertia(TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
                                    &(td_operational_inertia_arguments){link, point, axes, y,
                                                                        forces, frame, mobility,
                                                                        inertia, J_inverse});
}

td_status td_batch_operational_inertia(const td_model *model, td_workspace *workspace, size_t n,
                                       size_t link, const double point[3],
                                       const unsigned char *axes, const double *y,
                                       const td_forces *forces, td_frame frame, double *mobility,
                                       double *inertia, double *J_inverse, td_status *statuses)
{
    return call_operational_inertia(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        &(td_operational_inertia_arguments){link, point, axes, y, forces, frame, mobility, inertia,
                                            J_inverse});
}

TD_RUNS(mass_matrix_factors)
TD_INLINED td_status call_mass_matrix_factors(const td_site *site,
                                              td_mass_matrix_factors_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    td_forces known;
    td_call call;
    td_call_begin(&call, run_mass_matrix_factors, a);
    td_call_solve(&call, TD_ERROR_SINGULAR);
    td_call_matrices(&call, true);
    td_call_positions(&call, site, a, y, true);
    td_call_passive(&call, site, &known, &a->forces);
    td_call_matrix_output(&call, site, a, factors, TD_MATRIX_PACKED, true);
    return td_call_run(site, &call);
}

td_status td_mass_matrix_factors(const td_model *model, td_workspace *workspace, const double *y,
                                 const td_forces *forces, double *factors)
{
    return call_mass_matrix_factors(TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
                                    &(td_mass_matrix_factors_arguments){y, forces, factors});
}

td_status td_batch_mass_matrix_factors(const td_model *model, td_workspace *workspace, size_t n,
                                       const double *y, const td_forces *forces, double *factors,
                                       td_status *statuses)
{
    return call_mass_matrix_factors(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        &(td_mass_matrix_factors_arguments){y, forces, factors});
}

td_status td_factors_solve(const td_model *model, td_workspace *workspace, const double *factors,
                           size_t columns, const double *B, double *X)
{
    return td_run_factors_solve(TD_SINGLE(model, workspace, td_coordinates_at(workspace)), factors,
                                columns, B, X);
}

TD_RUNS(bias_force)
TD_INLINED td_status call_bias_force(const td_site *site, td_bias_force_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_forces known;
    td_call call;
    td_call_begin(&call, run_bias_force, a);
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_forces(&call, site, &known, &a->forces);
    td_call_output(&call, a, C, n, true);
    return td_call_run(site, &call);
}

td_status td_bias_force(const td_model *model, td_workspace *workspace, const double *y,
                        const double *yd, const td_forces *forces, double *C)
{
    return call_bias_force(TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
                           &(td_bias_force_arguments){y, yd, forces, C});
}

td_status td_batch_bias_force(const td_model *model, td_workspace *workspace, size_t n,
                              const double *y, const double *yd, const td_forces *forces, double *C,
                              td_status *statuses)
{
    return call_bias_force(TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
                           &(td_bias_force_arguments){y, yd, forces, C});
}

TD_RUNS(gravity_force)
TD_INLINED td_status call_gravity_force(const td_site *site, td_gravity_force_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_gravity_force, a);
    td_call_positions(&call, site, a, y, true);
    td_call_output(&call, a, tau_y, n, true);
    return td_call_run(site, &call);
}

td_status td_gravity_force(const td_model *model, td_workspace *workspace, const double *y,
                           double *tau_y)
{
    return call_gravity_force(TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
                              &(td_gravity_force_arguments){y, tau_y});
}

td_status td_batch_gravity_force(const td_model *model, td_workspace *workspace, size_t n,
                                 const double *y, double *tau_y, td_status *statuses)
{
    return call_gravity_force(TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
                              &(td_gravity_force_arguments){y, tau_y});
}

TD_RUNS(coriolis_matrix)
TD_INLINED td_status call_coriolis_matrix(const td_site *site, td_coriolis_matrix_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_coriolis_matrix, a);
    td_call_matrices(&call, true);
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_output(&call, a, C, n * n, true);
    return td_call_run(site, &call);
}

td_status td_coriolis_matrix(const td_model *model, td_workspace *workspace, const double *y,
                             const double *yd, double *C)
{
    return call_coriolis_matrix(TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
                                &(td_coriolis_matrix_arguments){y, yd, C});
}

td_status td_batch_coriolis_matrix(const td_model *model, td_workspace *workspace, size_t n,
                                   const double *y, const double *yd, double *C,
                                   td_status *statuses)
{
    return call_coriolis_matrix(
        TD_BATCH(model, workspace, td_coordinates_at(workspace), n, statuses),
        &(td_coriolis_matrix_arguments){y, yd, C});
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
