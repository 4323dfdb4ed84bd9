/* SPDX-License-Identifier: MIT */
/*
 * What running an operation for one state and for many have in common: where rows are, and whether
 * what comes in and what is found is worth anything.
 */
#ifndef TD_CALL_ROWS_H
#define TD_CALL_ROWS_H

#include <string.h>

#include "base/checks.h"
#include "dynamics/call.h"

/* ---- rows ------------------------------------------------------------------------------------ */

static inline bool is_mass(const td_call *call, size_t output)
{
    return call->masses >> output & 1;
}

/* doubles of an input or an output from a row on */
static inline const double *input_row(const td_call *call, size_t input, size_t row)
{
    return (const double *)call->in[input] + row * call->in_columns[input];
}

static inline double *output_row(const td_call *call, size_t output, size_t row)
{
    return (double *)call->out[output] + row * call->out_columns[output];
}

/* The pointer at a place of an operation's arguments. */
static inline void set_row(void *arguments, size_t place, const void *row)
{
    memcpy((char *)arguments + place, &row, sizeof row);
}

static inline void *row_at(const void *arguments, size_t place)
{
    void *row;
    memcpy(&row, (const char *)arguments + place, sizeof row);
    return row;
}

static inline td_rows rows_of(const td_call *call, void *const *at, const void *arguments,
                              size_t count)
{
    return (td_rows){at, call->out_columns, call->out_place, arguments, count, false, 0, -1};
}

/* ---- what is given --------------------------------------------------------------------------- */

/* Of the third input the entries that are marked, of the fourth the others. */
static inline bool chosen_finite(const td_call *call, size_t row)
{
    const double *marked = input_row(call, 2, row), *others = input_row(call, 3, row);
    double sum = 0; /* NaN as soon as one is NaN or infinite */
    for (size_t i = 0; i < call->in_columns[2]; i++)
        sum += 0.0 * (call->given[i] ? marked[i] : others[i]);
    return sum == 0;
}

/* whether numbers of the caller's are finite, NULL being none */
static inline bool are_finite(const td_model *model, const double *x, size_t count)
{
    return !x || model->single->lanes_finite(x, count, 1);
}

/* a bit for each of some states: whether their quaternions, in reals, are of unit length */
static inline int are_unit(const td_quaternions *quaternions, const td_kernels *kernels,
                           const void *positions, size_t rows)
{
    return quaternions ? kernels->unit(positions, quaternions->at, quaternions->count, rows) : -1;
}

static inline td_status given_status(bool finite, bool unit)
{
    return !finite ? TD_ERROR_NOT_FINITE : unit ? TD_OK : TD_ERROR_QUATERNION;
}

/* ---- what is found --------------------------------------------------------------------------- */

/* whether the operation closes loops first, which may fail: curves cannot */
static inline bool closes_loops(const td_site *site, const td_call *call)
{
    const td_loops *loops = &site->model->closure.loops;
    return (site->space == TD_COORDINATES_INDEPENDENT || call->closes) && loops->solved &&
           !loops->direct;
}

/* whether the operation closes loops, or finds their forces: an outcome is there */
static inline bool solves_loops(const td_site *site, const td_call *call)
{
    return closes_loops(site, call) || call->balances;
}

/* Sets the outcome to what it is where nothing goes wrong: loops that are closed write it, and
   curves that are followed leave it as it is. Returns whether the operation may fail. */
static inline bool begin_outcome(const td_site *site, const td_call *call, const td_eval *eval)
{
    static const double good[TD_OUTCOMES] = {[TD_OUTCOME_LOOP] = -1};
    if (!solves_loops(site, call))
        return call->solves;
    eval->kernels->spread(eval->scratch->outcome, good, TD_OUTCOMES);
    return true;
}

/* before the statuses of a call */
static inline void forget_singular(const td_site *site, const td_call *call)
{
    if (!call->solves)
        return;
    site->workspace->failure.singular_velocity = -1;
    site->workspace->singular_space = site->space;
}

/* The numbers of a row become NaN. */
void td_call_void(const td_call *call, size_t row);

/* Status of a row; what is worth nothing becomes NaN as a whole. given: the status of what came in;
   singular: the velocity whose pivot vanished, or −1. The first of each kind is kept in *failure.
 */
td_status td_call_seal(const td_call *call, size_t row, td_status given, double singular,
                       const double outcome[TD_OUTCOMES], bool outputs_are_finite,
                       td_failure *failure);

/* what td_call_run_single and td_call_run_batch have in common before they start */
static inline td_status call_start(const td_site *site, const td_call *call)
{
    td_workspace *workspace = site->workspace;
    if (call->fault && site->n)
        return td_refuse(workspace, call->fault);
    if (call->matrices && !workspace->matrices)
        return TD_ERROR_MATRICES;
    td_check_capacity(call->inputs, TD_MOST_INPUTS, "inputs");
    td_check_capacity(call->outputs, TD_MOST_OUTPUTS, "outputs");
    td_check_capacity(call->size, TD_MOST_ARGUMENTS, "arguments");
    workspace->failure.loop = -1;
    workspace->failure.reached = 1;
    return TD_OK;
}

#endif
