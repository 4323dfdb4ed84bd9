/* SPDX-License-Identifier: MIT */
/*
 * The functions of closure.h: how each is called, and its forms. Made by generate.py of the rows in
 * operations.py; change those.
 */
#include "tandem/closure.h"

#include "dynamics/arguments.h"
#include "dynamics/operations.h"
#include "tandem/batch.h"

TD_RUNS(closure)
TD_INLINED td_status call_closure(const td_site *site, td_closure_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_closure, a);
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_input(&call, a, ydd, n, false);
    td_call_output(&call, a, q, td_site_tree_positions(site), false);
    td_call_output(&call, a, qd, td_site_tree_velocities(site), false);
    td_call_output(&call, a, qdd, td_site_tree_velocities(site), false);
    return td_call_run(site, &call);
}

td_status td_closure(const td_model *model, td_workspace *workspace, const double *y,
                     const double *yd, const double *ydd, double *q, double *qd, double *qdd)
{
    return call_closure(TD_SINGLE(model, workspace, TD_COORDINATES_INDEPENDENT),
                        &(td_closure_arguments){y, yd, ydd, q, qd, qdd});
}

td_status td_batch_closure(const td_model *model, td_workspace *workspace, size_t n,
                           const double *y, const double *yd, const double *ydd, double *q,
                           double *qd, double *qdd, td_status *statuses)
{
    return call_closure(TD_BATCH(model, workspace, TD_COORDINATES_INDEPENDENT, n, statuses),
                        &(td_closure_arguments){y, yd, ydd, q, qd, qdd});
}

TD_RUNS(project_force)
TD_INLINED td_status call_project_force(const td_site *site, td_project_force_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_project_force, a);
    td_call_positions(&call, site, a, y, td_site_solves(site));
    td_call_input(&call, a, tau, td_site_tree_velocities(site), true);
    td_call_output(&call, a, tau_y, n, true);
    return td_call_run(site, &call);
}

td_status td_project_force(const td_model *model, td_workspace *workspace, const double *y,
                           const double *tau, double *tau_y)
{
    return call_project_force(TD_SINGLE(model, workspace, TD_COORDINATES_INDEPENDENT),
                              &(td_project_force_arguments){y, tau, tau_y});
}

TD_RUNS(closure_jacobian)
TD_INLINED td_status call_closure_jacobian(const td_site *site, td_closure_jacobian_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_closure_jacobian, a);
    td_call_positions(&call, site, a, y, td_site_solves(site));
    td_call_output(&call, a, G, td_site_tree_velocities(site) * n, true);
    return td_call_run(site, &call);
}

td_status td_closure_jacobian(const td_model *model, td_workspace *workspace, const double *y,
                              double *G)
{
    return call_closure_jacobian(TD_SINGLE(model, workspace, TD_COORDINATES_INDEPENDENT),
                                 &(td_closure_jacobian_arguments){y, G});
}
