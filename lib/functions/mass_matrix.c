/* SPDX-License-Identifier: MIT */
/*
 * The mass matrix, its inverse, and equations solved by its factors.
 */
#include "run/call.h"
#include "run/workspace.h"
#include "tandem/batch.h"
#include "tandem/dynamics.h"

static void op_mass(const td_eval *eval, const void *const *in, void *const *out,
                    const void *context)
{
    (void)out;
    td_eval_mass(eval, td_eval_position(eval, in[0]), TD_FROM_POSITIONS, td_with_passive(context),
                 0);
}

static td_status mass_matrix(const td_site *site, const double *y, const td_forces *forces,
                             double *H)
{
    td_forces known;
    const bool valid = td_forces_read(&forces, &known);
    size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, op_mass, forces);
    td_call_positions(&call, site, y, true);
    td_call_require(&call, valid, "forces");
    td_call_mass_output(&call, H, n, true);
    return td_call_run(site, &call);
}

td_status td_mass_matrix(const td_model *model, td_workspace *workspace, const double *y,
                         const td_forces *forces, double *H)
{
    return mass_matrix(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), y, forces, H);
}

td_status td_tree_mass_matrix(const td_model *model, td_workspace *workspace, const double *q,
                              const td_forces *forces, double *H)
{
    return mass_matrix(TD_SINGLE(model, workspace, TD_SPACE_TREE), q, forces, H);
}

td_status td_batch_mass_matrix(const td_model *model, td_workspace *workspace, size_t n,
                               const double *y, const td_forces *forces, double *H,
                               td_status *statuses)
{
    return mass_matrix(TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses), y, forces, H);
}

td_status td_batch_tree_mass_matrix(const td_model *model, td_workspace *workspace, size_t n,
                                    const double *q, const td_forces *forces, double *H,
                                    td_status *statuses)
{
    return mass_matrix(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses), q, forces, H);
}

static void factor_mass(const td_eval *eval, const void *y, const td_forces *forces)
{
    const void *q = td_eval_position(eval, y);
    td_eval_mass(eval, q, TD_FROM_POSITIONS, td_with_passive(forces), TD_NO_OUTPUT);
    td_eval_factor(eval, NULL, td_with_passive(forces));
}

static void op_inverse(const td_eval *eval, const void *const *in, void *const *out,
                       const void *context)
{
    factor_mass(eval, in[0], context);
    eval->kernels->invert(td_eval_pattern(eval), td_eval_matrix(eval), out[0]);
}

static td_status mass_matrix_inverse(const td_site *site, const double *y, const td_forces *forces,
                                     double *inverse)
{
    td_forces known;
    const bool valid = td_forces_read(&forces, &known);
    size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, op_inverse, forces);
    call.solves = true;
    td_call_positions(&call, site, y, true);
    td_call_require(&call, valid, "forces");
    td_call_output(&call, inverse, n * n, true);
    return td_call_run(site, &call);
}

td_status td_mass_matrix_inverse(const td_model *model, td_workspace *workspace, const double *y,
                                 const td_forces *forces, double *inverse)
{
    return mass_matrix_inverse(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), y, forces,
                               inverse);
}

td_status td_tree_mass_matrix_inverse(const td_model *model, td_workspace *workspace,
                                      const double *q, const td_forces *forces, double *inverse)
{
    return mass_matrix_inverse(TD_SINGLE(model, workspace, TD_SPACE_TREE), q, forces, inverse);
}

td_status td_batch_mass_matrix_inverse(const td_model *model, td_workspace *workspace, size_t n,
                                       const double *y, const td_forces *forces, double *inverse,
                                       td_status *statuses)
{
    return mass_matrix_inverse(TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses), y,
                               forces, inverse);
}

td_status td_batch_tree_mass_matrix_inverse(const td_model *model, td_workspace *workspace,
                                            size_t n, const double *q, const td_forces *forces,
                                            double *inverse, td_status *statuses)
{
    return mass_matrix_inverse(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses), q, forces,
                               inverse);
}

/* where td_factored_solve finds the factors of one state */
static const void *factors_of(const td_site *site)
{
    const td_workspace *w = site->workspace;
    td_eval eval = {site->model, w->tree, NULL, &w->single, site->space, NULL};
    return td_eval_matrix(&eval);
}

static void op_solve(const td_eval *eval, const void *const *in, void *const *out,
                     const void *context)
{
    factor_mass(eval, in[0], context);
    eval->kernels->copy(out[0], in[1], td_eval_pattern(eval)->size);
    eval->kernels->solve(td_eval_pattern(eval), td_eval_matrix(eval), out[0]);
}

static td_status mass_matrix_solve(const td_site *site, const double *y, const double *b,
                                   const td_forces *forces, double *x)
{
    td_forces known;
    const bool valid = td_forces_read(&forces, &known);
    size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, op_solve, forces);
    call.solves = true;
    td_call_positions(&call, site, y, true);
    td_call_input(&call, b, n, true);
    td_call_require(&call, valid, "forces");
    td_call_output(&call, x, n, true);
    td_status status = td_call_run(site, &call);
    if (status == TD_OK && !site->batch)
        site->workspace->factors = factors_of(site);
    return status;
}

td_status td_mass_matrix_solve(const td_model *model, td_workspace *workspace, const double *y,
                               const double *b, const td_forces *forces, double *x)
{
    return mass_matrix_solve(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), y, b, forces, x);
}

td_status td_tree_mass_matrix_solve(const td_model *model, td_workspace *workspace, const double *q,
                                    const double *b, const td_forces *forces, double *x)
{
    return mass_matrix_solve(TD_SINGLE(model, workspace, TD_SPACE_TREE), q, b, forces, x);
}

td_status td_batch_mass_matrix_solve(const td_model *model, td_workspace *workspace, size_t n,
                                     const double *y, const double *b, const td_forces *forces,
                                     double *x, td_status *statuses)
{
    return mass_matrix_solve(TD_BATCH(model, workspace, TD_SPACE_INDEPENDENT, n, statuses), y, b,
                             forces, x);
}

td_status td_batch_tree_mass_matrix_solve(const td_model *model, td_workspace *workspace, size_t n,
                                          const double *q, const double *b, const td_forces *forces,
                                          double *x, td_status *statuses)
{
    return mass_matrix_solve(TD_BATCH(model, workspace, TD_SPACE_TREE, n, statuses), q, b, forces,
                             x);
}

static void op_factored_solve(const td_eval *eval, const void *const *in, void *const *out,
                              const void *context)
{
    (void)context;
    eval->kernels->copy(out[0], in[0], td_eval_pattern(eval)->size);
    eval->kernels->solve(td_eval_pattern(eval), td_eval_matrix(eval), out[0]);
}

static td_status factored_solve(const td_site *site, const double *b, double *x)
{
    size_t n = td_site_velocities(site);
    td_call call;
    td_status status = td_check_pair(site->model, site->workspace);
    if (status != TD_OK)
        return status;
    const void *factors = site->workspace->factors;
    td_call_begin(&call, op_factored_solve, NULL);
    td_call_require(&call, factors == factors_of(site), "workspace");
    td_call_input(&call, b, n, true);
    td_call_output(&call, x, n, true);
    status = td_call_run(site, &call);
    site->workspace->factors = factors; /* they stay */
    return status;
}

td_status td_factored_solve(const td_model *model, td_workspace *workspace, const double *b,
                            double *x)
{
    return factored_solve(TD_SINGLE(model, workspace, TD_SPACE_INDEPENDENT), b, x);
}

td_status td_tree_factored_solve(const td_model *model, td_workspace *workspace, const double *b,
                                 double *x)
{
    return factored_solve(TD_SINGLE(model, workspace, TD_SPACE_TREE), b, x);
}
