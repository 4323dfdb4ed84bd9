/* SPDX-License-Identifier: MIT */
/*
 * Running an operation for one state or for many.
 */
#include "call.h"

#include <math.h>
#include <string.h>

#include "workspace.h"

size_t td_site_positions(const td_site *site)
{
    return site->model ? td_space_positions(site->model, site->space) : 0;
}

size_t td_site_velocities(const td_site *site)
{
    return site->model ? td_space_velocities(site->model, site->space) : 0;
}

size_t td_site_links(const td_site *site)
{
    return site->model ? site->model->tree.links : 0;
}

size_t td_site_joints(const td_site *site)
{
    return site->model ? site->model->tree.joints : 0;
}

void td_call_input(td_call *call, const double *at, size_t columns, bool required)
{
    if (required && !at && columns)
        call->missing = true;
    call->in[call->inputs].at = at;
    call->in[call->inputs++].columns = columns;
}

void td_call_output(td_call *call, double *at, size_t columns)
{
    call->out[call->outputs].at = at;
    call->out[call->outputs++].columns = columns;
}

void td_call_mass_output(td_call *call, double *at, size_t size)
{
    call->out[call->outputs].mass = true;
    td_call_output(call, at, size * size);
}

/* ---- the worth of a result ------------------------------------------------------------------- */

static bool all_finite(const double *x, size_t n)
{
    double sum = 0; /* NaN as soon as one is NaN or infinite */
    for (size_t i = 0; i < n; i++)
        sum += x[i] * 0;
    return sum == 0;
}

static bool inputs_finite(const td_call *call, size_t row)
{
    for (size_t k = 0; k < call->inputs; k++)
        if (call->in[k].at &&
            !all_finite(call->in[k].at + row * call->in[k].columns, call->in[k].columns))
            return false;
    return true;
}

static bool outputs_finite(const td_call *call, size_t row)
{
    for (size_t k = 0; k < call->outputs; k++)
        if (call->out[k].at &&
            !all_finite(call->out[k].at + row * call->out[k].columns, call->out[k].columns))
            return false;
    return true;
}

/* whether operations at this site have loops to solve first */
static bool solves_loops(const td_site *site)
{
    return site->space == TD_SPACE_INDEPENDENT && site->model->closure.loops.solved;
}

/* what became of the loops of a row, and for the workspace which one failed */
static td_status loop_status(const td_site *site, const double outcome[TD_OUTCOMES])
{
    static const td_status statuses[] = {TD_OK, TD_ERROR_ASSEMBLY, TD_ERROR_CLOSURE_SINGULAR,
                                         TD_ERROR_BRANCH};
    int code = (int)outcome[TD_OUTCOME_CODE];
    if (code && site->workspace->failed_loop < 0) {
        site->workspace->failed_loop = (int)outcome[TD_OUTCOME_LOOP];
        site->workspace->residual_left = outcome[TD_OUTCOME_RESIDUAL];
    }
    return statuses[code];
}

/* Status of a row; what is worth nothing becomes NaN as a whole. singular: the velocity whose pivot
   vanished, or −1. */
static td_status seal(const td_site *site, const td_call *call, size_t row, double singular,
                      td_status loops, bool inputs_are_finite)
{
    td_status status = TD_OK;
    if (loops != TD_OK)
        status = inputs_are_finite ? loops : TD_ERROR_NOT_FINITE;
    else if (!(singular < 0))
        status = inputs_are_finite ? TD_ERROR_SINGULAR : TD_ERROR_NOT_FINITE;
    else if (!outputs_finite(call, row))
        status = TD_ERROR_NOT_FINITE;
    if (status == TD_OK)
        return status;
    for (size_t k = 0; k < call->outputs; k++)
        for (size_t i = 0; call->out[k].at && i < call->out[k].columns; i++)
            call->out[k].at[row * call->out[k].columns + i] = NAN;
    if (status == TD_ERROR_SINGULAR && site->workspace->singular_velocity < 0) {
        site->workspace->singular_velocity = (int)singular;
        site->workspace->singular_space = site->space;
    }
    return status;
}

/* ---- one state ------------------------------------------------------------------------------- */

static td_status run_single(const td_site *site, const td_call *call)
{
    td_run run = {site->model, site->model->single, &site->workspace->single, site->space};
    const void *in[TD_MOST_INPUTS];
    void *out[TD_MOST_OUTPUTS];
    bool loops = solves_loops(site);
    bool finite = !(call->solves || loops) || inputs_finite(call, 0);
    for (size_t k = 0; k < call->inputs; k++)
        in[k] = call->in[k].at;
    for (size_t k = 0; k < call->outputs; k++)
        out[k] = call->out[k].at;
    call->operation(&run, in, out, call->context);
    for (size_t k = 0; k < call->outputs; k++)
        if (call->out[k].mass && call->out[k].at)
            run.kernels->store_symmetric(call->out[k].at, td_run_matrix(&run), td_run_pattern(&run),
                                         1);
    if (!call->solves && !loops)
        return TD_OK;
    double singular = -1, outcome[TD_OUTCOMES] = {0};
    if (call->solves)
        run.kernels->store(&singular, run.scratch->singular, 1, 1);
    if (loops)
        run.kernels->store(outcome, run.scratch->outcome, TD_OUTCOMES, 1);
    return seal(site, call, 0, singular, loop_status(site, outcome), finite);
}

/* ---- many ------------------------------------------------------------------------------------ */

static td_status run_group(const td_site *site, const td_call *call, size_t first, size_t count)
{
    const td_kernels *k = site->model->batch;
    const td_scratch *s = &site->workspace->batch;
    td_run run = {site->model, k, s, site->space};
    const void *in[TD_MOST_INPUTS];
    void *out[TD_MOST_OUTPUTS];
    char *stage = s->stage;
    for (size_t i = 0; i < call->inputs; i++) {
        in[i] = call->in[i].at ? stage : NULL;
        if (!in[i])
            continue;
        k->load(stage, call->in[i].at + first * call->in[i].columns, call->in[i].columns, count);
        stage += call->in[i].columns * k->real_size;
    }
    for (size_t i = 0; i < call->outputs; i++) {
        out[i] = call->out[i].at ? stage : NULL;
        if (out[i] && !call->out[i].mass)
            stage += call->out[i].columns * k->real_size;
    }
    double singular[TD_MOST_LANES], outcome[TD_MOST_LANES][TD_OUTCOMES] = {{0}};
    bool finite[TD_MOST_LANES], loops = solves_loops(site);
    for (size_t i = 0; i < count; i++) {
        singular[i] = -1;
        finite[i] = !(call->solves || loops) || inputs_finite(call, first + i);
    }
    call->operation(&run, in, out, call->context);
    if (call->solves)
        k->store(singular, s->singular, 1, count);
    if (loops)
        k->store(outcome[0], s->outcome, TD_OUTCOMES, count);
    for (size_t i = 0; i < call->outputs; i++) {
        double *rows = call->out[i].at ? call->out[i].at + first * call->out[i].columns : NULL;
        if (rows && call->out[i].mass)
            k->store_symmetric(rows, td_run_matrix(&run), td_run_pattern(&run), count);
        else if (rows)
            k->store(rows, out[i], call->out[i].columns, count);
    }
    td_status worst = TD_OK;
    for (size_t i = 0; i < count; i++) {
        td_status status =
            seal(site, call, first + i, singular[i], loop_status(site, outcome[i]), finite[i]);
        if (site->each)
            site->each[first + i] = status;
        if (worst == TD_OK)
            worst = status;
    }
    return worst;
}

static td_status run_batch(const td_site *site, const td_call *call)
{
    td_status worst = TD_OK;
    size_t lanes = site->model->batch->lanes;
    for (size_t first = 0; first < site->n; first += lanes) {
        size_t count = site->n - first < lanes ? site->n - first : lanes;
        td_status status = run_group(site, call, first, count);
        if (worst == TD_OK)
            worst = status;
    }
    return worst;
}

td_status td_call_run(const td_site *site, td_call *call)
{
    if (!site->model || !site->workspace || (call->missing && site->n))
        return TD_ERROR_ARGUMENT;
    if (call->solves)
        site->workspace->singular_velocity = -1;
    site->workspace->failed_loop = -1;
    return site->batch ? run_batch(site, call) : run_single(site, call);
}
