/* SPDX-License-Identifier: MIT */
/*
 * Running an operation for one state or for many.
 */
#include "call.h"

#include <math.h>
#include <string.h>

#include "checks.h"
#include "threads.h"
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
static td_status loop_status(const double outcome[TD_OUTCOMES], size_t row, td_blame *blame)
{
    static const td_status statuses[] = {TD_OK, TD_ERROR_ASSEMBLY, TD_ERROR_CLOSURE_SINGULAR,
                                         TD_ERROR_BRANCH};
    int code = (int)outcome[TD_OUTCOME_CODE];
    if (code && (blame->loop < 0 || row < blame->loop_row)) {
        blame->loop_row = row;
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
    td_status status = TD_OK, loops = loop_status(outcome, row, blame);
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
    if (status == TD_ERROR_SINGULAR &&
        (blame->singular_velocity < 0 || row < blame->singular_row)) {
        blame->singular_row = row;
        blame->singular_velocity = (int)singular;
    }
    return status;
}

/* ---- one state ------------------------------------------------------------------------------- */

static td_status run_single(const td_site *site, const td_call *call)
{
    td_rows rows = {call->out, call->out_columns, 1, 0, -1};
    td_run run = {site->model,         site->workspace->tree,
                  site->model->single, &site->workspace->single,
                  site->space,         &rows};
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
        if (status != TD_OK && first + i < share->row) {
            share->status = status;
            share->row = first + i;
        }
    }
}

/* the states from first on that fill the lanes once */
static void run_group(const td_site *site, const td_call *call, td_share *share, size_t first,
                      size_t count)
{
    const td_kernels *k = site->model->batch;
    void *at[TD_MOST_OUTPUTS];
    td_rows rows = {at, call->out_columns, count, 0, -1};
    td_run run = {site->model, site->workspace->tree, k, &share->scratch, site->space, &rows};
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

/* What is worked on by one thread in a piece: whole groups, so that a state has the same neighbours
   in its lanes whoever works on it. */
typedef struct batch {
    const td_site *site;
    const td_call *call;
    size_t groups, of_piece;
} batch;

static void run_piece(void *context, size_t member, size_t piece)
{
    const batch *b = context;
    const td_site *site = b->site;
    size_t lanes = site->model->batch->lanes, group = piece * b->of_piece;
    size_t end = b->groups - group < b->of_piece ? b->groups : group + b->of_piece;
    for (; group < end; group++) {
        size_t first = group * lanes, left = site->n - first;
        run_group(site, b->call, &site->workspace->share[member], first,
                  left < lanes ? left : lanes);
    }
}

/* In states times bodies: what a thread must have to do to be worth waking, ten microseconds and
   more; and what it takes at a time, so that taking it costs little and no thread waits long for
   the last piece of another. */
enum { LEAST_WORK = 4096, PIECE_WORK = 128 };

static size_t count_shares(const td_site *site)
{
    size_t work = site->n * (site->model->tree.bodies + 1) / LEAST_WORK;
    size_t groups = site->n / site->model->batch->lanes;
    size_t most = work < groups ? work : groups;
    size_t shares = site->workspace->threads < most ? site->workspace->threads : most;
    return shares > 0 ? shares : 1;
}

/* Into the workspace's: the first failures that a share met. */
static void gather_blame(td_blame *all, const td_blame *one)
{
    if (one->singular_velocity >= 0 &&
        (all->singular_velocity < 0 || one->singular_row < all->singular_row)) {
        all->singular_velocity = one->singular_velocity;
        all->singular_row = one->singular_row;
    }
    if (one->loop >= 0 && (all->loop < 0 || one->loop_row < all->loop_row)) {
        all->loop = one->loop;
        all->loop_row = one->loop_row;
        all->residual = one->residual;
        all->reached = one->reached;
    }
}

/* reals that the rows of a call take on the stage */
static size_t staged_reals(const td_call *call)
{
    size_t sum = 0;
    for (size_t i = 0; i < call->inputs; i++)
        sum += call->in[i] ? call->in_columns[i] : 0;
    for (size_t i = 0; i < call->outputs; i++)
        sum += call->out[i] && !is_mass(call, i) ? call->out_columns[i] : 0;
    return sum;
}

static td_status run_batch(const td_site *site, const td_call *call)
{
    td_workspace *workspace = site->workspace;
    const size_t staged = staged_reals(call), room = td_stage_reals(site->model);
    td_check_room(staged, room, "stage");
    if (staged > room) /* a fault of the library, and no reason to write beyond the block */
        return TD_ERROR_MEMORY;
    size_t lanes = site->model->batch->lanes, shares = count_shares(site);
    size_t of_piece = PIECE_WORK / (lanes * (site->model->tree.bodies + 1)) + 1;
    batch b = {site, call, (site->n + lanes - 1) / lanes, of_piece};
    for (size_t i = 0; i < shares; i++) {
        workspace->share[i].status = TD_OK;
        workspace->share[i].row = site->n;
        workspace->share[i].blame = TD_NO_BLAME;
    }
    td_pool_run(workspace->pool, shares, (b.groups + of_piece - 1) / of_piece, run_piece, &b);
    const td_share *first = &workspace->share[0];
    for (size_t i = 0; i < shares; i++) {
        const td_share *share = &workspace->share[i];
        first = share->row < first->row ? share : first;
        gather_blame(&workspace->blame, &share->blame);
    }
    return first->status;
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
    td_status status = site->batch ? run_batch(site, call) : run_single(site, call);
    if (TD_CHECKS)
        td_workspace_verify(site->workspace);
    return status;
}
