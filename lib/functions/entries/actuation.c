/* SPDX-License-Identifier: MIT */
/*
 * The functions of actuation.h: how each is called, and its forms. Made by generate.py of the rows
 * in operations.py; change those.
 */
#include "tandem/actuation.h"

#include "functions/arguments.h"
#include "functions/operations.h"
#include "tandem/batch.h"

static td_status call_actuation_matrix(const td_site *site, const double *y, double *M_u)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, td_op_actuation_matrix, NULL);
    td_call_positions(&call, site, y, td_site_motors_change(site));
    td_call_output(&call, M_u, td_site_motors(site) * n, true);
    return td_call_run(site, &call);
}

td_status td_actuation_matrix(const td_model *model, td_workspace *workspace, const double *y,
                              double *M_u)
{
    return call_actuation_matrix(TD_SINGLE(model, workspace, TD_COORDINATES_INDEPENDENT), y, M_u);
}

static td_status call_forces_to_actuators(const td_site *site, const double *y, const double *tau_y,
                                          const double *weight, double *u, double *rest)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_forces_to_actuators, &with);
    td_call_solve(&call, TD_ERROR_ACTUATION_SINGULAR);
    td_call_positions(&call, site, y, td_site_motors_change(site));
    td_call_input(&call, tau_y, n, true);
    td_call_weight(&call, site, &with, weight);
    td_call_output(&call, u, td_site_motors(site), true);
    td_call_output(&call, rest, n, false);
    return td_call_run(site, &call);
}

td_status td_forces_to_actuators(const td_model *model, td_workspace *workspace, const double *y,
                                 const double *tau_y, const double *weight, double *u, double *rest)
{
    return call_forces_to_actuators(TD_SINGLE(model, workspace, TD_COORDINATES_INDEPENDENT), y,
                                    tau_y, weight, u, rest);
}

td_status td_batch_forces_to_actuators(const td_model *model, td_workspace *workspace, size_t n,
                                       const double *y, const double *tau_y, const double *weight,
                                       double *u, double *rest, td_status *statuses)
{
    return call_forces_to_actuators(
        TD_BATCH(model, workspace, TD_COORDINATES_INDEPENDENT, n, statuses), y, tau_y, weight, u,
        rest);
}

static td_status call_forces_from_actuators(const td_site *site, const double *y, const double *u,
                                            double *tau_y)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, td_op_forces_from_actuators, NULL);
    td_call_positions(&call, site, y, td_site_motors_change(site));
    td_call_input(&call, u, td_site_motors(site), true);
    td_call_output(&call, tau_y, n, true);
    return td_call_run(site, &call);
}

td_status td_forces_from_actuators(const td_model *model, td_workspace *workspace, const double *y,
                                   const double *u, double *tau_y)
{
    return call_forces_from_actuators(TD_SINGLE(model, workspace, TD_COORDINATES_INDEPENDENT), y, u,
                                      tau_y);
}

static td_status call_motion_to_actuators(const td_site *site, const double *y, const double *yd,
                                          const double *ydd, double *position, double *velocity,
                                          double *acceleration)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, td_op_motion_to_actuators, NULL);
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_input(&call, ydd, n, false);
    td_call_output(&call, position, td_site_motors(site), false);
    td_call_output(&call, velocity, td_site_motors(site), false);
    td_call_output(&call, acceleration, td_site_motors(site), false);
    return td_call_run(site, &call);
}

td_status td_motion_to_actuators(const td_model *model, td_workspace *workspace, const double *y,
                                 const double *yd, const double *ydd, double *position,
                                 double *velocity, double *acceleration)
{
    return call_motion_to_actuators(TD_SINGLE(model, workspace, TD_COORDINATES_INDEPENDENT), y, yd,
                                    ydd, position, velocity, acceleration);
}
