/* SPDX-License-Identifier: MIT */
/*
 * The functions of actuation.h: how each is called, and its forms. Made by generate.py of the rows
 * in operations.py; change those.
 */
#include "tandem/actuation.h"

#include "dynamics/arguments.h"
#include "dynamics/operations.h"
#include "tandem/batch.h"

TD_RUNS(actuation_matrix)
TD_INLINED td_status call_actuation_matrix(const td_site *site, td_actuation_matrix_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_actuation_matrix, a);
    td_call_positions(&call, site, a, y, td_site_motors_change(site));
    td_call_output(&call, a, M_u, td_site_motors(site) * n, true);
    return td_call_run(site, &call);
}

td_status td_actuation_matrix(const td_model *model, td_workspace *workspace, const double *y,
                              double *M_u)
{
    return call_actuation_matrix(TD_SINGLE(model, workspace, TD_COORDINATES_INDEPENDENT),
                                 &(td_actuation_matrix_arguments){y, M_u});
}

TD_RUNS(forces_to_actuators)
TD_INLINED td_status call_forces_to_actuators(const td_site *site,
                                              td_forces_to_actuators_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_forces_to_actuators, a);
    td_call_solve(&call, TD_ERROR_ACTUATION_SINGULAR);
    td_call_positions(&call, site, a, y, td_site_motors_change(site));
    td_call_input(&call, a, tau_y, n, true);
    td_call_weight(&call, site, a->weight);
    td_call_output(&call, a, u, td_site_motors(site), true);
    td_call_output(&call, a, rest, n, false);
    return td_call_run(site, &call);
}

td_status td_forces_to_actuators(const td_model *model, td_workspace *workspace, const double *y,
                                 const double *tau_y, const double *weight, double *u, double *rest)
{
    return call_forces_to_actuators(TD_SINGLE(model, workspace, TD_COORDINATES_INDEPENDENT),
                                    &(td_forces_to_actuators_arguments){y, tau_y, weight, u, rest});
}

td_status td_batch_forces_to_actuators(const td_model *model, td_workspace *workspace, size_t n,
                                       const double *y, const double *tau_y, const double *weight,
                                       double *u, double *rest, td_status *statuses)
{
    return call_forces_to_actuators(
        TD_BATCH(model, workspace, TD_COORDINATES_INDEPENDENT, n, statuses),
        &(td_forces_to_actuators_arguments){y, tau_y, weight, u, rest});
}

TD_RUNS(forces_from_actuators)
TD_INLINED td_status call_forces_from_actuators(const td_site *site,
                                                td_forces_from_actuators_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_forces_from_actuators, a);
    td_call_positions(&call, site, a, y, td_site_motors_change(site));
    td_call_input(&call, a, u, td_site_motors(site), true);
    td_call_output(&call, a, tau_y, n, true);
    return td_call_run(site, &call);
}

td_status td_forces_from_actuators(const td_model *model, td_workspace *workspace, const double *y,
                                   const double *u, double *tau_y)
{
    return call_forces_from_actuators(TD_SINGLE(model, workspace, TD_COORDINATES_INDEPENDENT),
                                      &(td_forces_from_actuators_arguments){y, u, tau_y});
}

TD_RUNS(motion_to_actuators)
TD_INLINED td_status call_motion_to_actuators(const td_site *site,
                                              td_motion_to_actuators_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_motion_to_actuators, a);
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_input(&call, a, ydd, n, false);
    td_call_output(&call, a, position, td_site_motors(site), false);
    td_call_output(&call, a, velocity, td_site_motors(site), false);
    td_call_output(&call, a, acceleration, td_site_motors(site), false);
    return td_call_run(site, &call);
}

td_status td_motion_to_actuators(const td_model *model, td_workspace *workspace, const double *y,
                                 const double *yd, const double *ydd, double *position,
                                 double *velocity, double *acceleration)
{
    return call_motion_to_actuators(
        TD_SINGLE(model, workspace, TD_COORDINATES_INDEPENDENT),
        &(td_motion_to_actuators_arguments){y, yd, ydd, position, velocity, acceleration});
}
