/* SPDX-License-Identifier: MIT */
/*
 * Common parts of running an operation for one state and for many: the addresses of rows, and
 * checks of inputs and results.
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

/* Return the doubles of an input or output, beginning at a row. */
static inline const double *input_row(const td_call *call, size_t input, size_t row)
{
    return (const double *)call->in[input] + row * call->in_columns[input];
}

static inline double *output_row(const td_call *call, size_t output, size_t row)
{
    return (double *)call->out[output] + row * call->out_columns[output];
}

/* Sets the pointer at an offset in an operation's arguments. */
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

/* ---- inputs ---------------------------------------------------------------------------------- */

/* Returns whether the marked entries of the third input and the unmarked ones of the fourth are
   finite. */
static inline bool chosen_finite(const td_call *call, size_t row)
{
    const double *marked = input_row(call, 2, row), *others = input_row(call, 3, row);
    double sum = 0; /* becomes NaN if any number is NaN or infinite */
    for (size_t i = 0; i < call->in_columns[2]; i++)
        sum += 0.0 * (call->given[i] ? marked[i] : others[i]);
    return sum == 0;
}

/* Returns whether the caller's numbers are finite. NULL means no numbers. */
static inline bool are_finite(const td_model *model, const double *x, size_t count)
{
    return !x || model->single->lanes_finite(x, count, 1);
}

/* Returns one bit per state: its quaternions, given in reals, have unit length. */
static inline int are_unit(const td_quaternions *quaternions, const td_kernels *kernels,
                           const void *positions, size_t rows)
{
    return quaternions ? kernels->unit(positions, quaternions->at, quaternions->count, rows) : -1;
}

static inline td_status given_status(bool finite, bool unit)
{
    return !finite ? TD_ERROR_NOT_FINITE : unit ? TD_OK : TD_ERROR_QUATERNION;
}

/* ---- results --------------------------------------------------------------------------------- */

/* Returns whether the operation closes loops first, which may fail. Curves cannot fail. */
static inline bool closes_loops(const td_site *site, const td_call *call)
{
    const td_loops *loops = &site->model->closure.loops;
    return (site->space == TD_COORDINATES_INDEPENDENT || call->closes) && loops->solved &&
           !loops->direct;
}

/* Returns whether the operation closes loops or computes their forces, so that it has an
   outcome. */
static inline bool solves_loops(const td_site *site, const td_call *call)
{
    return closes_loops(site, call) || call->balances;
}

/* Sets the outcome to success. Loops that are closed overwrite it, and curves leave it
   unchanged. Returns whether the operation may fail. */
static inline bool begin_outcome(const td_site *site, const td_call *call, const td_eval *eval)
{
    static const double good[TD_OUTCOMES] = {[TD_OUTCOME_LOOP] = -1};
    if (!solves_loops(site, call))
        return call->solves;
    eval->kernels->spread(eval->scratch->outcome, good, TD_OUTCOMES);
    return true;
}

/* Clears the singular pivot before the statuses of a call are set. */
static inline void forget_singular(const td_site *site, const td_call *call)
{
    if (!call->solves)
        return;
    site->workspace->failure.singular_velocity = -1;
    site->workspace->singular_space = site->space;
}

/* Fills the outputs of a row with NaN. */
void td_call_void(const td_call *call, size_t row);

/* Returns the status of a row, and fills its outputs with NaN if it failed. `given` is the
   status of the inputs; `singular` is the velocity whose pivot vanished, or −1. *failure keeps
   the first failure of each kind. */
td_status td_call_seal(const td_call *call, size_t row, td_status given, double singular,
                       const double outcome[TD_OUTCOMES], bool outputs_are_finite,
                       td_failure *failure);

/* Checks that td_call_run_single and td_call_run_batch share, before they start. */
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
