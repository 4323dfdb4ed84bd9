/* SPDX-License-Identifier: MIT */
/*
 * Running an operation for one state or for many.
 */
#include "call.h"

#include <math.h>
#include <string.h>

#include "workspace.h"

/* ---- the worth of a result ------------------------------------------------------------------- */

static bool is_mass(const td_call *call, size_t output)
{
    return call->masses >> output & 1;
}

/* doubles of an input or an output from a row on */
static const double *input_row(const td_call *call, size_t input, size_t row)
{
    return (const double *)call->in[input] + row * call->in_columns[input];
}

static double *output_row(const td_call *call, size_t output, size_t row)
{
    return (double *)call->out[output] + row * call->out_columns[output];
}

/* a bit for each of count states: whether all that the operation is given is finite */
static int inputs_finite(const td_run *run, const td_call *call, const void *const *in,
                         size_t count)
{
    int mask = -1;
    for (size_t i = 0; i < call->inputs; i++)
        if (in[i])
            mask &= run->kernels->finite(in[i], call->in_columns[i], count);
    return mask;
}

/* whether all that the operation left for one state is finite */
static bool outputs_finite(const td_run *run, const td_call *call)
{
    const td_kernels *k = run->kernels;
    int mask = 1;
    for (size_t i = 0; i < call->outputs; i++)
        if (run->rows->written >> i & 1)
            mask &= run->rows->finite;
        else if (call->out[i] && is_mass(call, i))
            mask &= k->finite(td_run_matrix(run), td_run_pattern(run)->entries, 1);
        else if (call->out[i])
            mask &= k->finite(call->out[i], call->out_columns[i], 1);
    return mask;
}

/* whether the operation has loops to solve first */
static bool solves_loops(const td_site *site, const td_call *call)
{
    return (site->space == TD_SPACE_INDEPENDENT || call->closes) &&
           site->model->closure.loops.solved;
}

/* what became of the loops of a row; the first that failed is kept in *blame */
static td_status loop_status(const double outcome[TD_OUTCOMES], td_blame *blame)
{
    static const td_status statuses[] = {TD_OK, TD_ERROR_ASSEMBLY, TD_ERROR_CLOSURE_SINGULAR,
                                         TD_ERROR_BRANCH};
    int code = (int)outcome[TD_OUTCOME_CODE];
    if (code && blame->loop < 0) {
        blame->loop = (int)outcome[TD_OUTCOME_LOOP];
        blame->residual = outcome[TD_OUTCOME_RESIDUAL];
        blame->reached = outcome[TD_OUTCOME_REACHED];
    }
    return statuses[code];
}

/* Status of a row; what is worth nothing becomes NaN as a whole. singular: the velocity whose pivot
   vanished, or −1; the first of each kind is kept in *blame. */
static td_status seal(const td_call *call, size_t row, double singular,
                      const double outcome[TD_OUTCOMES], bool inputs_are_finite,
                      bool outputs_are_finite, td_blame *blame)
{
    td_status status = TD_OK, loops = loop_status(outcome, blame);
    if (loops != TD_OK)
        status = inputs_are_finite ? loops : TD_ERROR_NOT_FINITE;
    else if (!(singular < 0))
        status = inputs_are_finite ? call->singular_status : TD_ERROR_NOT_FINITE;
    else if (!outputs_are_finite)
        status = TD_ERROR_NOT_FINITE;
    if (status == TD_OK)
        return call->good_status;
    for (size_t k = 0; k < call->outputs; k++)
        for (size_t i = 0; call->out[k] && i < call->out_columns[k]; i++)
            output_row(call, k, row)[i] = NAN;
    if (status == TD_ERROR_SINGULAR && blame->singular_velocity < 0)
        blame->singular_velocity = (int)singular;
    return status;
}

/* ---- one state ------------------------------------------------------------------------------- */

static td_status run_single(const td_site *site, const td_call *call)
{
    td_rows rows = {call->out, call->out_columns, 1, 0, -1};
    td_run run = {site->model, site->model->single, &site->workspace->single, site->space, &rows};
    bool loops = solves_loops(site, call);
    bool finite = (call->solves || loops) && (inputs_finite(&run, call, call->in, 1) & 1);
    call->operation(&run, call->in, call->out, call->context);
    for (size_t k = 0; call->masses && k < call->outputs; k++)
        if (is_mass(call, k) && call->out[k] && !(rows.written >> k & 1))
            run.kernels->store_symmetric(call->out[k], td_run_matrix(&run), td_run_pattern(&run), 1,
                                         NULL);
    if (!call->solves && !loops)
        return TD_OK;
    double singular = -1, outcome[TD_OUTCOMES] = {0};
    if (call->solves)
        run.kernels->store(&singular, run.scratch->singular, 1, 1);
    if (loops)
        run.kernels->store(outcome, run.scratch->outcome, TD_OUTCOMES, 1);
    return seal(call, 0, singular, outcome, finite, outputs_finite(&run, call),
                &site->workspace->blame);
}

/* ---- many ------------------------------------------------------------------------------------ */

/* Statuses of rows from first on. given, found: a bit for each, whether all that came, or is there
   now, is finite. */
static void seal_rows(const td_site *site, const td_call *call, td_share *share, size_t first,
                      size_t count, const td_run *run, int given, int found)
{
    double singular[TD_MOST_LANES], outcome[TD_MOST_LANES][TD_OUTCOMES] = {{0}};
    for (size_t i = 0; i < count; i++)
        singular[i] = -1;
    if (call->solves)
        run->kernels->store(singular, run->scratch->singular, 1, count);
    if (solves_loops(site, call))
        run->kernels->store(outcome[0], run->scratch->outcome, TD_OUTCOMES, count);
    for (size_t i = 0; i < count; i++) {
        td_status status = seal(call, first + i, singular[i], outcome[i], given >> i & 1,
                                found >> i & 1, &share->blame);
        if (site->each)
            site->each[first + i] = status;
        if (share->status == TD_OK)
            share->status = status;
    }
}

/* the states from first on that fill the lanes once */
static void run_group(const td_site *site, const td_call *call, td_share *share, size_t first,
                      size_t count)
{
    const td_kernels *k = site->model->batch;
    void *at[TD_MOST_OUTPUTS];
    td_rows rows = {at, call->out_columns, count, 0, -1};
    td_run run = {site->model, k, &share->scratch, site->space, &rows};
    const void *in[TD_MOST_INPUTS];
    void *out[TD_MOST_OUTPUTS];
    char *stage = run.scratch->stage;
    for (size_t i = 0; i < call->inputs; i++) {
        in[i] = call->in[i] ? stage : NULL;
        if (!in[i])
            continue;
        k->load(stage, input_row(call, i, first), call->in_columns[i], count);
        stage += call->in_columns[i] * k->real_size;
    }
    for (size_t i = 0; i < call->outputs; i++) {
        out[i] = call->out[i] ? stage : NULL;
        at[i] = call->out[i] ? output_row(call, i, first) : NULL;
        if (out[i] && !is_mass(call, i))
            stage += call->out_columns[i] * k->real_size;
    }
    const bool fails = call->solves || solves_loops(site, call);
    int given = fails ? inputs_finite(&run, call, in, count) : 0;
    call->operation(&run, in, out, call->context);
    for (size_t i = 0; i < call->outputs; i++) {
        if (!out[i] || rows.written >> i & 1)
            continue;
        if (is_mass(call, i)) {
            int finite;
            k->store_symmetric(at[i], td_run_matrix(&run), td_run_pattern(&run), count, &finite);
            rows.finite &= finite;
        } else {
            rows.finite &= k->store(at[i], out[i], call->out_columns[i], count);
        }
    }
    const int all = (1 << count) - 1;
    if (fails || (rows.finite & all) != all || site->each || call->good_status != TD_OK)
        seal_rows(site, call, share, first, count, &run, given, rows.finite);
}

/* The i-th of that many parts of a batch: consecutive groups, whole ones, so that a state has the
   same neighbours in its lanes however many parts there are. */
static void run_share(const td_site *site, const td_call *call, size_t i, size_t shares)
{
    td_share *share = &site->workspace->share[i];
    size_t lanes = site->model->batch->lanes, groups = (site->n + lanes - 1) / lanes;
    size_t each = groups / shares, more = groups % shares; /* the first ones have one more */
    size_t group = i * each + (i < more ? i : more);
    size_t end = group + each + (i < more ? 1 : 0);
    share->status = TD_OK;
    share->blame = TD_NO_BLAME;
    for (; group < end; group++) {
        size_t first = group * lanes;
        run_group(site, call, share, first, site->n - first < lanes ? site->n - first : lanes);
    }
}

/* What a thread must have to do, in states times bodies, to be worth waking: some ten
   microseconds. */
enum { LEAST_WORK = 1024 };

static size_t count_shares(const td_site *site)
{
    size_t work = site->n * (site->model->tree.bodies + 1) / LEAST_WORK;
    size_t groups = site->n / site->model->batch->lanes;
    size_t most = work < groups ? work : groups;
    size_t shares = site->workspace->threads < most ? site->workspace->threads : most;
    return shares > 0 ? shares : 1;
}

/* Should OpenMP give fewer threads, some do several shares one after the other. Not in line:
   Clang's OpenMP sets itself up, with allocations, where a function that uses it begins. */
__attribute__((noinline)) static void run_shares(const td_site *site, const td_call *call,
                                                 size_t shares)
{
#ifdef _OPENMP
#pragma omp parallel for num_threads((int)shares) schedule(static, 1)
#endif
    for (size_t i = 0; i < shares; i++)
        run_share(site, call, i, shares);
}

static td_status run_batch(const td_site *site, const td_call *call)
{
    td_workspace *workspace = site->workspace;
    size_t shares = count_shares(site);
    if (shares == 1)
        run_share(site, call, 0, 1);
    else
        run_shares(site, call, shares);
    td_status status = TD_OK;
    for (size_t i = shares; i-- > 0;) {
        const td_share *share = &workspace->share[i];
        status = share->status != TD_OK ? share->status : status;
        if (share->blame.singular_velocity >= 0)
            workspace->blame.singular_velocity = share->blame.singular_velocity;
        if (share->blame.loop >= 0) {
            workspace->blame.loop = share->blame.loop;
            workspace->blame.residual = share->blame.residual;
            workspace->blame.reached = share->blame.reached;
        }
    }
    return status;
}

td_status td_call_run(const td_site *site, td_call *call)
{
    if (!site->model || !site->workspace || (call->missing && site->n))
        return TD_ERROR_ARGUMENT;
    if (call->solves) {
        site->workspace->blame.singular_velocity = -1;
        site->workspace->singular_space = site->space;
    }
    site->workspace->blame.loop = -1;
    site->workspace->blame.reached = 1;
    return site->batch ? run_batch(site, call) : run_single(site, call);
}
