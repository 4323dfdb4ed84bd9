/* SPDX-License-Identifier: MIT */
/*
 * The functions of closure.h: how each is called, and its forms. Made by generate.py of the rows in
 * operations.py; change those.
 */
#include "tandem/closure.h"

#include "functions/arguments.h"
#include "functions/operations.h"
#include "tandem/batch.h"

static td_status call_closure(const td_site *site, const double *y, const double *yd,
                              const double *ydd, double *q, double *qd, double *qdd)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, td_op_closure, NULL);
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_input(&call, ydd, n, false);
    td_call_output(&call, q, td_site_tree_positions(site), false);
    td_call_output(&call, qd, td_site_tree_velocities(site), false);
    td_call_output(&call, qdd, td_site_tree_velocities(site), false);
    return td_call_run(site, &call);
}

td_status td_closure(const td_model *model, td_workspace *workspace, const double *y,
                     const double *yd, const double *ydd, double *q, double *qd, double *qdd)
{
    return call_closure(TD_SINGLE(model, workspace, TD_COORDINATES_INDEPENDENT), y, yd, ydd, q, qd,
                        qdd);
}

td_status td_batch_closure(const td_model *model, td_workspace *workspace, size_t n,
                           const double *y, const double *yd, const double *ydd, double *q,
                           double *qd, double *qdd, td_status *statuses)
{
    return call_closure(TD_BATCH(model, workspace, TD_COORDINATES_INDEPENDENT, n, statuses), y, yd,
                        ydd, q, qd, qdd);
}

static td_status call_project_force(const td_site *site, const double *y, const double *tau,
                                    double *tau_y)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, td_op_project_force, NULL);
    td_call_positions(&call, site, y, td_site_solves(site));
    td_call_input(&call, tau, td_site_tree_velocities(site), true);
    td_call_output(&call, tau_y, n, true);
    return td_call_run(site, &call);
}

td_status td_project_force(const td_model *model, td_workspace *workspace, const double *y,
                           const double *tau, double *tau_y)
{
    return call_project_force(TD_SINGLE(model, workspace, TD_COORDINATES_INDEPENDENT), y, tau,
                              tau_y);
}

static td_status call_closure_jacobian(const td_site *site, const double *y, double *G)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, td_op_closure_jacobian, NULL);
    td_call_positions(&call, site, y, td_site_solves(site));
    td_call_output(&call, G, td_site_tree_velocities(site) * n, true);
    return td_call_run(site, &call);
}

td_status td_closure_jacobian(const td_model *model, td_workspace *workspace, const double *y,
                              double *G)
{
    return call_closure_jacobian(TD_SINGLE(model, workspace, TD_COORDINATES_INDEPENDENT), y, G);
}
