/* SPDX-License-Identifier: MIT */
/*
 * The functions of derivatives.h: how each is called, and its forms. Made by generate.py of the
 * rows in operations.py; change those.
 */
#include "tandem/derivatives.h"

#include "functions/arguments.h"
#include "functions/operations.h"
#include "tandem/batch.h"

static td_status call_inverse_dynamics_derivatives(const td_site *site, const double *y,
                                                   const double *yd, const double *ydd,
                                                   const td_forces *forces, double *tau_y,
                                                   double *dtau_dy, double *dtau_dyd, double *H)
{
    const size_t n = td_site_velocities(site);
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_inverse_dynamics_derivatives, &with);
    td_call_matrices(&call, true);
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_input(&call, ydd, n, false);
    td_call_forces(&call, site, &with, forces);
    td_call_output(&call, tau_y, n, false);
    td_call_output(&call, dtau_dy, n * n, false);
    td_call_output(&call, dtau_dyd, n * n, false);
    td_call_output(&call, H, n * n, false);
    return td_call_run(site, &call);
}

td_status td_inverse_dynamics_derivatives(const td_model *model, td_workspace *workspace,
                                          const double *y, const double *yd, const double *ydd,
                                          const td_forces *forces, double *tau_y, double *dtau_dy,
                                          double *dtau_dyd, double *H)
{
    return call_inverse_dynamics_derivatives(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), y,
                                             yd, ydd, forces, tau_y, dtau_dy, dtau_dyd, H);
}

td_status td_tree_inverse_dynamics_derivatives(const td_model *model, td_workspace *workspace,
                                               const double *q, const double *qd, const double *qdd,
                                               const td_forces *forces, double *tau,
                                               double *dtau_dq, double *dtau_dqd, double *H)
{
    return call_inverse_dynamics_derivatives(TD_SINGLE(model, workspace, TD_SPACE_TREE), q, qd, qdd,
                                             forces, tau, dtau_dq, dtau_dqd, H);
}

td_status td_batch_inverse_dynamics_derivatives(const td_model *model, td_workspace *workspace,
                                                size_t n, const double *y, const double *yd,
                                                const double *ydd, const td_forces *forces,
                                                double *tau_y, double *dtau_dy, double *dtau_dyd,
                                                double *H, td_status *statuses)
{
    return call_inverse_dynamics_derivatives(
        TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses), y, yd, ydd, forces, tau_y,
        dtau_dy, dtau_dyd, H);
}

td_status td_batch_tree_inverse_dynamics_derivatives(const td_model *model, td_workspace *workspace,
                                                     size_t n, const double *q, const double *qd,
                                                     const double *qdd, const td_forces *forces,
                                                     double *tau, double *dtau_dq, double *dtau_dqd,
                                                     double *H, td_status *statuses)
{
    return call_inverse_dynamics_derivatives(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses),
                                             q, qd, qdd, forces, tau, dtau_dq, dtau_dqd, H);
}

static td_status call_forward_dynamics_derivatives(const td_site *site, const double *y,
                                                   const double *yd, const double *tau_y,
                                                   const td_forces *forces, double *ydd,
                                                   double *dydd_dy, double *dydd_dyd,
                                                   double *dydd_dtau)
{
    const size_t n = td_site_velocities(site);
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_forward_dynamics_derivatives, &with);
    td_call_solve(&call, TD_ERROR_SINGULAR);
    td_call_matrices(&call, true);
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_input(&call, tau_y, n, false);
    td_call_forces(&call, site, &with, forces);
    td_call_output(&call, ydd, n, false);
    td_call_output(&call, dydd_dy, n * n, false);
    td_call_output(&call, dydd_dyd, n * n, false);
    td_call_output(&call, dydd_dtau, n * n, false);
    return td_call_run(site, &call);
}

td_status td_forward_dynamics_derivatives(const td_model *model, td_workspace *workspace,
                                          const double *y, const double *yd, const double *tau_y,
                                          const td_forces *forces, double *ydd, double *dydd_dy,
                                          double *dydd_dyd, double *dydd_dtau)
{
    return call_forward_dynamics_derivatives(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), y,
                                             yd, tau_y, forces, ydd, dydd_dy, dydd_dyd, dydd_dtau);
}

td_status td_tree_forward_dynamics_derivatives(const td_model *model, td_workspace *workspace,
                                               const double *q, const double *qd, const double *tau,
                                               const td_forces *forces, double *qdd,
                                               double *dqdd_dq, double *dqdd_dqd, double *dqdd_dtau)
{
    return call_forward_dynamics_derivatives(TD_SINGLE(model, workspace, TD_SPACE_TREE), q, qd, tau,
                                             forces, qdd, dqdd_dq, dqdd_dqd, dqdd_dtau);
}

td_status td_batch_forward_dynamics_derivatives(const td_model *model, td_workspace *workspace,
                                                size_t n, const double *y, const double *yd,
                                                const double *tau_y, const td_forces *forces,
                                                double *ydd, double *dydd_dy, double *dydd_dyd,
                                                double *dydd_dtau, td_status *statuses)
{
    return call_forward_dynamics_derivatives(
        TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses), y, yd, tau_y, forces, ydd,
        dydd_dy, dydd_dyd, dydd_dtau);
}

td_status td_batch_tree_forward_dynamics_derivatives(const td_model *model, td_workspace *workspace,
                                                     size_t n, const double *q, const double *qd,
                                                     const double *tau, const td_forces *forces,
                                                     double *qdd, double *dqdd_dq, double *dqdd_dqd,
                                                     double *dqdd_dtau, td_status *statuses)
{
    return call_forward_dynamics_derivatives(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses),
                                             q, qd, tau, forces, qdd, dqdd_dq, dqdd_dqd, dqdd_dtau);
}

static td_status call_inverse_dynamics_tangent(const td_site *site, const double *y,
                                               const double *yd, const double *ydd,
                                               const td_forces *forces, const double *dy,
                                               const double *dyd, const double *dydd,
                                               double *dtau_y)
{
    const size_t n = td_site_velocities(site);
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_inverse_dynamics_tangent, &with);
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_input(&call, ydd, n, false);
    td_call_forces(&call, site, &with, forces);
    td_call_input(&call, dy, n, false);
    td_call_input(&call, dyd, n, false);
    td_call_input(&call, dydd, n, false);
    td_call_output(&call, dtau_y, n, true);
    return td_call_run(site, &call);
}

td_status td_inverse_dynamics_tangent(const td_model *model, td_workspace *workspace,
                                      const double *y, const double *yd, const double *ydd,
                                      const td_forces *forces, const double *dy, const double *dyd,
                                      const double *dydd, double *dtau_y)
{
    return call_inverse_dynamics_tangent(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), y, yd,
                                         ydd, forces, dy, dyd, dydd, dtau_y);
}

td_status td_tree_inverse_dynamics_tangent(const td_model *model, td_workspace *workspace,
                                           const double *q, const double *qd, const double *qdd,
                                           const td_forces *forces, const double *dq,
                                           const double *dqd, const double *dqdd, double *dtau)
{
    return call_inverse_dynamics_tangent(TD_SINGLE(model, workspace, TD_SPACE_TREE), q, qd, qdd,
                                         forces, dq, dqd, dqdd, dtau);
}

td_status td_batch_inverse_dynamics_tangent(const td_model *model, td_workspace *workspace,
                                            size_t n, const double *y, const double *yd,
                                            const double *ydd, const td_forces *forces,
                                            const double *dy, const double *dyd, const double *dydd,
                                            double *dtau_y, td_status *statuses)
{
    return call_inverse_dynamics_tangent(
        TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses), y, yd, ydd, forces, dy, dyd,
        dydd, dtau_y);
}

td_status td_batch_tree_inverse_dynamics_tangent(const td_model *model, td_workspace *workspace,
                                                 size_t n, const double *q, const double *qd,
                                                 const double *qdd, const td_forces *forces,
                                                 const double *dq, const double *dqd,
                                                 const double *dqdd, double *dtau,
                                                 td_status *statuses)
{
    return call_inverse_dynamics_tangent(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses), q,
                                         qd, qdd, forces, dq, dqd, dqdd, dtau);
}

static td_status call_inverse_dynamics_adjoint(const td_site *site, const double *y,
                                               const double *yd, const double *ydd,
                                               const td_forces *forces, const double *covector,
                                               double *by_y, double *by_yd, double *by_ydd)
{
    const size_t n = td_site_velocities(site);
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_inverse_dynamics_adjoint, &with);
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_input(&call, ydd, n, false);
    td_call_forces(&call, site, &with, forces);
    td_call_input(&call, covector, n, true);
    td_call_output(&call, by_y, n, false);
    td_call_output(&call, by_yd, n, false);
    td_call_output(&call, by_ydd, n, false);
    return td_call_run(site, &call);
}

td_status td_inverse_dynamics_adjoint(const td_model *model, td_workspace *workspace,
                                      const double *y, const double *yd, const double *ydd,
                                      const td_forces *forces, const double *covector, double *by_y,
                                      double *by_yd, double *by_ydd)
{
    return call_inverse_dynamics_adjoint(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), y, yd,
                                         ydd, forces, covector, by_y, by_yd, by_ydd);
}

td_status td_tree_inverse_dynamics_adjoint(const td_model *model, td_workspace *workspace,
                                           const double *q, const double *qd, const double *qdd,
                                           const td_forces *forces, const double *covector,
                                           double *by_q, double *by_qd, double *by_qdd)
{
    return call_inverse_dynamics_adjoint(TD_SINGLE(model, workspace, TD_SPACE_TREE), q, qd, qdd,
                                         forces, covector, by_q, by_qd, by_qdd);
}

td_status td_batch_inverse_dynamics_adjoint(const td_model *model, td_workspace *workspace,
                                            size_t n, const double *y, const double *yd,
                                            const double *ydd, const td_forces *forces,
                                            const double *covector, double *by_y, double *by_yd,
                                            double *by_ydd, td_status *statuses)
{
    return call_inverse_dynamics_adjoint(
        TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses), y, yd, ydd, forces, covector,
        by_y, by_yd, by_ydd);
}

td_status td_batch_tree_inverse_dynamics_adjoint(const td_model *model, td_workspace *workspace,
                                                 size_t n, const double *q, const double *qd,
                                                 const double *qdd, const td_forces *forces,
                                                 const double *covector, double *by_q,
                                                 double *by_qd, double *by_qdd, td_status *statuses)
{
    return call_inverse_dynamics_adjoint(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses), q,
                                         qd, qdd, forces, covector, by_q, by_qd, by_qdd);
}

static td_status call_forward_dynamics_tangent(const td_site *site, const double *y,
                                               const double *yd, const double *tau_y,
                                               const td_forces *forces, const double *dy,
                                               const double *dyd, const double *dtau_y, double *ydd,
                                               double *dydd)
{
    const size_t n = td_site_velocities(site);
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_forward_dynamics_tangent, &with);
    td_call_solve(&call, TD_ERROR_SINGULAR);
    td_call_matrices(&call, td_site_forward_matrices(site));
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_input(&call, tau_y, n, false);
    td_call_forces(&call, site, &with, forces);
    td_call_input(&call, dy, n, false);
    td_call_input(&call, dyd, n, false);
    td_call_input(&call, dtau_y, n, false);
    td_call_output(&call, ydd, n, false);
    td_call_output(&call, dydd, n, false);
    return td_call_run(site, &call);
}

td_status td_forward_dynamics_tangent(const td_model *model, td_workspace *workspace,
                                      const double *y, const double *yd, const double *tau_y,
                                      const td_forces *forces, const double *dy, const double *dyd,
                                      const double *dtau_y, double *ydd, double *dydd)
{
    return call_forward_dynamics_tangent(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), y, yd,
                                         tau_y, forces, dy, dyd, dtau_y, ydd, dydd);
}

td_status td_tree_forward_dynamics_tangent(const td_model *model, td_workspace *workspace,
                                           const double *q, const double *qd, const double *tau,
                                           const td_forces *forces, const double *dq,
                                           const double *dqd, const double *dtau, double *qdd,
                                           double *dqdd)
{
    return call_forward_dynamics_tangent(TD_SINGLE(model, workspace, TD_SPACE_TREE), q, qd, tau,
                                         forces, dq, dqd, dtau, qdd, dqdd);
}

td_status td_batch_forward_dynamics_tangent(const td_model *model, td_workspace *workspace,
                                            size_t n, const double *y, const double *yd,
                                            const double *tau_y, const td_forces *forces,
                                            const double *dy, const double *dyd,
                                            const double *dtau_y, double *ydd, double *dydd,
                                            td_status *statuses)
{
    return call_forward_dynamics_tangent(
        TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses), y, yd, tau_y, forces, dy,
        dyd, dtau_y, ydd, dydd);
}

td_status td_batch_tree_forward_dynamics_tangent(const td_model *model, td_workspace *workspace,
                                                 size_t n, const double *q, const double *qd,
                                                 const double *tau, const td_forces *forces,
                                                 const double *dq, const double *dqd,
                                                 const double *dtau, double *qdd, double *dqdd,
                                                 td_status *statuses)
{
    return call_forward_dynamics_tangent(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses), q,
                                         qd, tau, forces, dq, dqd, dtau, qdd, dqdd);
}

static td_status call_forward_dynamics_adjoint(const td_site *site, const double *y,
                                               const double *yd, const double *tau_y,
                                               const td_forces *forces, const double *covector,
                                               double *ydd, double *by_y, double *by_yd,
                                               double *by_tau)
{
    const size_t n = td_site_velocities(site);
    td_arguments with;
    td_call call;
    td_call_begin(&call, td_op_forward_dynamics_adjoint, &with);
    td_call_solve(&call, TD_ERROR_SINGULAR);
    td_call_matrices(&call, td_site_forward_matrices(site));
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_input(&call, tau_y, n, false);
    td_call_forces(&call, site, &with, forces);
    td_call_input(&call, covector, n, true);
    td_call_output(&call, ydd, n, false);
    td_call_output(&call, by_y, n, false);
    td_call_output(&call, by_yd, n, false);
    td_call_output(&call, by_tau, n, false);
    return td_call_run(site, &call);
}

td_status td_forward_dynamics_adjoint(const td_model *model, td_workspace *workspace,
                                      const double *y, const double *yd, const double *tau_y,
                                      const td_forces *forces, const double *covector, double *ydd,
                                      double *by_y, double *by_yd, double *by_tau)
{
    return call_forward_dynamics_adjoint(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), y, yd,
                                         tau_y, forces, covector, ydd, by_y, by_yd, by_tau);
}

td_status td_tree_forward_dynamics_adjoint(const td_model *model, td_workspace *workspace,
                                           const double *q, const double *qd, const double *tau,
                                           const td_forces *forces, const double *covector,
                                           double *qdd, double *by_q, double *by_qd, double *by_tau)
{
    return call_forward_dynamics_adjoint(TD_SINGLE(model, workspace, TD_SPACE_TREE), q, qd, tau,
                                         forces, covector, qdd, by_q, by_qd, by_tau);
}

td_status td_batch_forward_dynamics_adjoint(const td_model *model, td_workspace *workspace,
                                            size_t n, const double *y, const double *yd,
                                            const double *tau_y, const td_forces *forces,
                                            const double *covector, double *ydd, double *by_y,
                                            double *by_yd, double *by_tau, td_status *statuses)
{
    return call_forward_dynamics_adjoint(
        TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses), y, yd, tau_y, forces,
        covector, ydd, by_y, by_yd, by_tau);
}

td_status td_batch_tree_forward_dynamics_adjoint(const td_model *model, td_workspace *workspace,
                                                 size_t n, const double *q, const double *qd,
                                                 const double *tau, const td_forces *forces,
                                                 const double *covector, double *qdd, double *by_q,
                                                 double *by_qd, double *by_tau, td_status *statuses)
{
    return call_forward_dynamics_adjoint(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses), q,
                                         qd, tau, forces, covector, qdd, by_q, by_qd, by_tau);
}

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
