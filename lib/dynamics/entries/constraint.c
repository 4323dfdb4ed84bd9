/* SPDX-License-Identifier: MIT */
/*
 * The functions of constraint.h: how each is called, and its forms. Made by generate.py of the rows
 * in operations.py; change those.
 */
#include "tandem/constraint.h"

#include "dynamics/arguments.h"
#include "dynamics/operations.h"
#include "tandem/batch.h"

TD_RUNS(constraint_jacobian)
TD_INLINED td_status call_constraint_jacobian(const td_site *site,
                                              td_constraint_jacobian_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    td_call call;
    td_call_begin(&call, run_constraint_jacobian, a);
    td_call_matrices(&call, true);
    td_call_positions(&call, site, a, q, td_site_constraints(site));
    td_call_output(&call, a, K, td_site_constraints(site) * td_site_tree_velocities(site), true);
    return td_call_run(site, &call);
}

td_status td_constraint_jacobian(const td_model *model, td_workspace *workspace, const double *q,
                                 double *K)
{
    return call_constraint_jacobian(TD_SINGLE(model, workspace, TD_COORDINATES_TREE),
                                    &(td_constraint_jacobian_arguments){q, K});
}

TD_RUNS(constraint_residual)
TD_INLINED td_status call_constraint_residual(const td_site *site,
                                              td_constraint_residual_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    td_call call;
    td_call_begin(&call, run_constraint_residual, a);
    td_call_matrices(&call, true);
    td_call_positions(&call, site, a, q, td_site_constraints(site));
    td_call_output(&call, a, phi, td_site_constraints(site), true);
    return td_call_run(site, &call);
}

td_status td_constraint_residual(const td_model *model, td_workspace *workspace, const double *q,
                                 double *phi)
{
    return call_constraint_residual(TD_SINGLE(model, workspace, TD_COORDINATES_TREE),
                                    &(td_constraint_residual_arguments){q, phi});
}

TD_RUNS(constraint_drift)
TD_INLINED td_status call_constraint_drift(const td_site *site, td_constraint_drift_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    td_call call;
    td_call_begin(&call, run_constraint_drift, a);
    td_call_matrices(&call, true);
    td_call_positions(&call, site, a, q, td_site_constraints(site));
    td_call_input(&call, a, qd, td_site_tree_velocities(site), true);
    td_call_output(&call, a, k, td_site_constraints(site), true);
    return td_call_run(site, &call);
}

td_status td_constraint_drift(const td_model *model, td_workspace *workspace, const double *q,
                              const double *qd, double *k)
{
    return call_constraint_drift(TD_SINGLE(model, workspace, TD_COORDINATES_TREE),
                                 &(td_constraint_drift_arguments){q, qd, k});
}

TD_RUNS(project_velocity)
TD_INLINED td_status call_project_velocity(const td_site *site, td_project_velocity_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    td_call call;
    td_call_begin(&call, run_project_velocity, a);
    td_call_solve(&call, TD_ERROR_SINGULAR);
    td_call_matrices(&call, true);
    td_call_positions(&call, site, a, q, true);
    td_call_input(&call, a, qd, td_site_tree_velocities(site), true);
    td_call_output(&call, a, projected, td_site_tree_velocities(site), true);
    td_call_output(&call, a, impulse, td_site_constraints(site), false);
    return td_call_run(site, &call);
}

td_status td_project_velocity(const td_model *model, td_workspace *workspace, const double *q,
                              const double *qd, double *projected, double *impulse)
{
    return call_project_velocity(TD_SINGLE(model, workspace, TD_COORDINATES_TREE),
                                 &(td_project_velocity_arguments){q, qd, projected, impulse});
}

TD_RUNS(loop_force)
TD_INLINED td_status call_loop_force(const td_site *site, td_loop_force_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    td_forces known;
    td_call call;
    td_call_begin(&call, run_loop_force, a);
    td_call_positions(&call, site, a, q, true);
    td_call_input(&call, a, qd, td_site_tree_velocities(site), false);
    td_call_input(&call, a, f, td_site_loops(site), false);
    td_call_passive(&call, site, &known, &a->forces);
    td_call_output(&call, a, tau_a, td_site_tree_velocities(site), true);
    return td_call_run(site, &call);
}

td_status td_loop_force(const td_model *model, td_workspace *workspace, const double *q,
                        const double *qd, const double *f, const td_forces *forces, double *tau_a)
{
    return call_loop_force(TD_SINGLE(model, workspace, TD_COORDINATES_TREE),
                           &(td_loop_force_arguments){q, qd, f, forces, tau_a});
}

TD_RUNS(loop_motion)
TD_INLINED td_status call_loop_motion(const td_site *site, td_loop_motion_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, run_loop_motion, a);
    td_call_loop(&call, site, a->loop);
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_input(&call, a, ydd, n, false);
    td_call_output(&call, a, motion, 3, true);
    return td_call_run(site, &call);
}

td_status td_loop_motion(const td_model *model, td_workspace *workspace, size_t loop,
                         const double *y, const double *yd, const double *ydd, double motion[3])
{
    return call_loop_motion(TD_SINGLE(model, workspace, td_coordinates_at(workspace)),
                            &(td_loop_motion_arguments){loop, y, yd, ydd, motion});
}

TD_RUNS(constraint_force)
TD_INLINED td_status call_constraint_force(const td_site *site, td_constraint_force_arguments *a)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    td_forces known;
    td_call call;
    td_call_begin(&call, run_constraint_force, a);
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_input(&call, a, ydd, n, false);
    td_call_input(&call, a, tau, td_site_tree_velocities(site), false);
    td_call_forces(&call, site, &known, &a->forces);
    td_call_output(&call, a, tau_c, td_site_tree_velocities(site), true);
    return td_call_run(site, &call);
}

td_status td_constraint_force(const td_model *model, td_workspace *workspace, const double *y,
                              const double *yd, const double *ydd, const double *tau,
                              const td_forces *forces, double *tau_c)
{
    return call_constraint_force(TD_SINGLE(model, workspace, TD_COORDINATES_INDEPENDENT),
                                 &(td_constraint_force_arguments){y, yd, ydd, tau, forces, tau_c});
}
