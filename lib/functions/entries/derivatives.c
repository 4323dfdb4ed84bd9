/* SPDX-License-Identifier: MIT */
/*
 * The functions of derivatives.h: how each is called, and its forms. Made by generate.py of the
 * rows in operations.py; change those.
 */
#include "tandem/derivatives.h"

#include "functions/arguments.h"
#include "functions/operations.h"
#include "tandem/batch.h"

static td_status call_closure_derivatives(const td_site *site, const double *y, const double *yd,
                                          const double *ydd, const double *tau, double *dqd_dy,
                                          double *dqdd_dy, double *dqdd_dyd, double *dtau_y_dy)
{
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, td_op_closure_derivatives, NULL);
    td_call_matrices(&call, true);
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_input(&call, ydd, n, false);
    td_call_input(&call, tau, td_site_tree_velocities(site), false);
    td_call_output(&call, dqd_dy, td_site_tree_velocities(site) * n, false);
    td_call_output(&call, dqdd_dy, td_site_tree_velocities(site) * n, false);
    td_call_output(&call, dqdd_dyd, td_site_tree_velocities(site) * n, false);
    td_call_output(&call, dtau_y_dy, n * n, false);
    return td_call_run(site, &call);
}

td_status td_closure_derivatives(const td_model *model, td_workspace *workspace, const double *y,
                                 const double *yd, const double *ydd, const double *tau,
                                 double *dqd_dy, double *dqdd_dy, double *dqdd_dyd,
                                 double *dtau_y_dy)
{
    return call_closure_derivatives(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), y, yd, ydd,
                                    tau, dqd_dy, dqdd_dy, dqdd_dyd, dtau_y_dy);
}

td_status td_batch_closure_derivatives(const td_model *model, td_workspace *workspace, size_t n,
                                       const double *y, const double *yd, const double *ydd,
                                       const double *tau, double *dqd_dy, double *dqdd_dy,
                                       double *dqdd_dyd, double *dtau_y_dy, td_status *statuses)
{
    return call_closure_derivatives(TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses),
                                    y, yd, ydd, tau, dqd_dy, dqdd_dy, dqdd_dyd, dtau_y_dy);
}
