/* SPDX-License-Identifier: MIT */
/*
 * Runs an operation for one state, and determines its status.
 */
#include "dynamics/call_rows.h"

#include <math.h>

/* ---- checks of inputs ------------------------------------------------------------------------ */

__attribute__((noinline)) static td_status unusual_given(const td_site *site, const td_call *call)
{
    const td_kernels *k = site->model->single;
    bool finite = k->all_finite(call->given ? 2 : call->inputs, call->in, call->in_columns) &&
                  (!call->given || chosen_finite(call, 0)) &&
                  are_finite(site->model, call->shared, call->shared_count) &&
                  are_finite(site->model, call->wrenches, call->wrench_count);
    return given_status(finite, are_unit(call->quaternions, k, call->in[0], 1) & 1);
}

/* Checks the inputs of a call for one state. */
static td_status single_given(const td_site *site, const td_call *call)
{
    if (call->unusual)
        return unusual_given(site, call);
    bool finite = site->model->single->all_finite(call->inputs, call->in, call->in_columns);
    return finite ? TD_OK : TD_ERROR_NOT_FINITE;
}

td_status td_check_positions(const td_model *model, td_coordinates space, const double *y)
{
    const td_kernels *k = model->single;
    bool finite = k->lanes_finite(y, td_position_count(model, space), 1);
    return given_status(finite, are_unit(&model->quaternion[space], k, y, 1) & 1);
}

/* ---- checks of results ----------------------------------------------------------------------- */

td_status td_outcome_status(const double outcome[TD_OUTCOMES])
{
    static const td_status statuses[] = {TD_OK, TD_ERROR_ASSEMBLY, TD_ERROR_CLOSURE_SINGULAR,
                                         TD_ERROR_BRANCH};
    for (size_t k = 0; k < sizeof statuses / sizeof *statuses; k++)
        if (outcome[TD_OUTCOME_CODE] == (double)k)
            return statuses[k];
    return TD_ERROR_NOT_FINITE; /* an internal error of the library */
}

/* Returns the status of a row's loops. *failure keeps the first row that failed. */
static td_status loop_status(const double outcome[TD_OUTCOMES], size_t row, td_failure *failure)
{
    const td_status status = td_outcome_status(outcome);
    if (status != TD_OK && status != TD_ERROR_NOT_FINITE &&
        (failure->loop < 0 || row < failure->loop_row)) {
        failure->loop_row = row;
        failure->loop = (int)outcome[TD_OUTCOME_LOOP];
        failure->residual = outcome[TD_OUTCOME_RESIDUAL];
        failure->reached = outcome[TD_OUTCOME_REACHED];
    }
    return status;
}

__attribute__((noinline)) void td_call_void(const td_call *call, size_t row)
{
    for (size_t k = 0; k < call->outputs; k++)
        for (size_t i = 0; call->out[k] && i < call->out_columns[k]; i++)
            output_row(call, k, row)[i] = NAN;
}

td_status td_call_seal(const td_call *call, size_t row, td_status given, double singular,
                       const double outcome[TD_OUTCOMES], bool outputs_are_finite,
                       td_failure *failure)
{
    td_status status = given == TD_OK ? loop_status(outcome, row, failure) : given;
    const bool forced = singular == TD_SPIN_FORCED;
    if (status == TD_OK && !(singular < 0))
        status = call->singular_status;
    if (status == TD_OK && !outputs_are_finite)
        status = TD_ERROR_NOT_FINITE;
    if (status == TD_OK)
        return forced ? TD_ERROR_UNDERACTUATED : call->good_status;
    td_call_void(call, row);
    if (status == TD_ERROR_SINGULAR &&
        (failure->singular_velocity < 0 || row < failure->singular_row)) {
        failure->singular_row = row;
        failure->singular_velocity = (int)singular;
    }
    return status;
}

/* ---- one state ------------------------------------------------------------------------------- */

/* Returns whether all results of the operation for one state are finite. */
static bool outputs_finite(const td_eval *eval, const td_call *call)
{
    const td_kernels *k = eval->kernels;
    int mask = 1;
    for (size_t i = 0; i < call->outputs; i++)
        if (eval->rows && eval->rows->written >> i & 1)
            mask &= eval->rows->finite;
        else if (call->out[i] && is_mass(call, i))
            mask &= k->lanes_finite(td_eval_matrix(eval), td_eval_pattern(eval)->entries, 1);
        else if (call->out[i])
            mask &= k->lanes_finite(call->out[i], call->out_columns[i], 1);
    return mask;
}

/* Finalizes a state that may have failed. */
__attribute__((noinline)) static td_status seal_single(const td_site *site, const td_call *call,
                                                       const td_eval *eval)
{
    double singular = -1, outcome[TD_OUTCOMES] = {0};
    forget_singular(site, call);
    if (call->solves)
        eval->kernels->store(&singular, eval->scratch->singular, 1, 1);
    if (solves_loops(site, call))
        eval->kernels->store(outcome, eval->scratch->outcome, TD_OUTCOMES, 1);
    return td_call_seal(call, 0, TD_OK, singular, outcome, outputs_finite(eval, call),
                        &site->workspace->failure);
}

/* Runs the operation, then stores the mass matrices that it left in scratch memory. */
__attribute__((noinline)) static void operate_masses(const td_call *call, td_workspace *w)
{
    td_eval *eval = &w->eval;
    w->rows = rows_of(call, call->out, call->arguments, 1);
    eval->rows = &w->rows;
    call->operation(eval, call->arguments);
    for (unsigned left = call->masses & ~w->rows.written; left; left &= left - 1) {
        void *out = call->out[__builtin_ctz(left)];
        if (!out)
            continue;
        if (call->form == TD_MATRIX_PACKED)
            eval->kernels->copy(out, td_eval_matrix(eval), call->pattern->entries);
        else
            eval->kernels->store_symmetric(out, td_eval_matrix(eval), call->pattern, 1, NULL);
    }
}

/* The eval is in the workspace. On the stack, every call would initialize it and set up a stack
   canary. */
static inline td_status run_single(const td_site *site, const td_call *call)
{
    td_workspace *w = site->workspace;
    td_eval *eval = &w->eval;
    const td_status given = single_given(site, call);
    if (given != TD_OK) {
        td_call_void(call, 0);
        return given;
    }
    eval->space = site->space;
    eval->rows = NULL;
    eval->wrenches = call->wrenches;
    const bool may_fail = begin_outcome(site, call, eval);
    if (call->masses)
        operate_masses(call, w);
    else
        call->operation(eval, call->arguments);
    return may_fail ? seal_single(site, call, eval) : TD_OK;
}

/* ---- arguments ------------------------------------------------------------------------------- */

td_status td_refuse(td_workspace *workspace, const char *name)
{
    if (workspace)
        workspace->fault = name;
    return TD_ERROR_ARGUMENT;
}

__attribute__((noinline)) td_status td_check_pair(const td_model *model, td_workspace *workspace)
{
    if (!model || !workspace)
        return td_refuse(workspace, "model");
    return workspace->model == model ? TD_OK : td_refuse(workspace, "workspace");
}

const char *td_argument_fault(const td_workspace *workspace)
{
    return workspace ? workspace->fault : "workspace";
}

td_status td_call_run_single(const td_site *site, const td_call *call)
{
    td_status status = call_start(site, call);
    if (status != TD_OK)
        return status;
    status = run_single(site, call);
    if (TD_CHECKS)
        td_workspace_verify(site->workspace);
    return status;
}
