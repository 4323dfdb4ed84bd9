/* SPDX-License-Identifier: MIT */
/*
 * The mass matrix, its inverse, and equations solved by its factors.
 */
#include "call/workspace.h"
#include "functions/arguments.h"
#include "functions/operations.h"

void td_op_mass_matrix(const td_eval *eval, const void *const *in, void *const *out,
                       const void *context)
{
    const td_arguments *with = context;
    (void)out;
    td_eval_mass(eval, td_eval_position(eval, in[0]), TD_FROM_POSITIONS,
                 td_with_passive(with->forces), 0);
}

static void factor_mass(const td_eval *eval, const void *y, const td_arguments *with)
{
    const bool rotors = td_with_passive(with->forces);
    const void *q = td_eval_position(eval, y);
    td_eval_mass(eval, q, TD_FROM_POSITIONS, rotors, TD_NO_OUTPUT);
    td_eval_factor(eval, NULL, rotors);
}

void td_op_mass_matrix_inverse(const td_eval *eval, const void *const *in, void *const *out,
                               const void *context)
{
    factor_mass(eval, in[0], context);
    eval->kernels->invert(td_eval_pattern(eval), td_eval_matrix(eval), out[0]);
}

/* where td_factored_solve finds the factors of one state */
static const void *factors_of(const td_site *site)
{
    const td_workspace *w = site->workspace;
    td_eval eval = {site->model, w->tree,    w->closure,  w->actuation,
                    NULL,        &w->single, site->space, NULL};
    return td_eval_matrix(&eval);
}

static void op_solve(const td_eval *eval, const void *const *in, void *const *out,
                     const void *context)
{
    factor_mass(eval, in[0], context);
    eval->kernels->copy(out[0], in[1], td_eval_pattern(eval)->size);
    eval->kernels->solve(td_eval_pattern(eval), td_eval_matrix(eval), out[0]);
}

td_status td_run_mass_matrix_solve(const td_site *site, const double *y, const double *b,
                                   const td_forces *forces, double *x)
{
    const size_t n = td_site_velocities(site);
    td_arguments with;
    td_call call;
    td_call_begin(&call, op_solve, &with);
    td_call_solve(&call, TD_ERROR_SINGULAR);
    td_call_matrices(&call, true);
    td_call_positions(&call, site, y, true);
    td_call_input(&call, b, n, true);
    td_call_passive(&call, &with, forces);
    td_call_output(&call, x, n, true);
    td_status status = td_call_run(site, &call);
    if (status == TD_OK && !site->batch)
        site->workspace->factors = factors_of(site);
    return status;
}

static void op_factored_solve(const td_eval *eval, const void *const *in, void *const *out,
                              const void *context)
{
    (void)context;
    eval->kernels->copy(out[0], in[0], td_eval_pattern(eval)->size);
    eval->kernels->solve(td_eval_pattern(eval), td_eval_matrix(eval), out[0]);
}

td_status td_run_factored_solve(const td_site *site, const double *b, double *x)
{
    size_t n = td_site_velocities(site);
    td_call call;
    td_status status = td_check_pair(site->model, site->workspace);
    if (status != TD_OK)
        return status;
    const void *factors = site->workspace->factors;
    td_call_begin(&call, op_factored_solve, NULL);
    td_call_matrices(&call, true);
    td_call_require(&call, factors == factors_of(site), "workspace");
    td_call_input(&call, b, n, true);
    td_call_output(&call, x, n, true);
    status = td_call_run(site, &call);
    site->workspace->factors = factors; /* they stay */
    return status;
}
