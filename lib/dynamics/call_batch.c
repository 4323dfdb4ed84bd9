/* SPDX-License-Identifier: MIT */
/*
 * Runs an operation for many states. A SIMD vector has one state per lane, and threads share the
 * groups of states. If each state starts from the previous one or has its own payloads, the
 * states run one after the other instead.
 */
#include <string.h>

#include "dynamics/call_rows.h"
#include "dynamics/changes.h"
#include "dynamics/threads.h"

/* ---- rows of a group ------------------------------------------------------------------------- */

/* One bit per state: inputs are finite, quaternions have unit length, results are finite. */
typedef struct td_worth {
    int given, unit, found;
} td_worth;

/* Finalizes rows, beginning with `first`: writes their statuses and records the first failure. */
static void seal_rows(const td_site *site, const td_call *call, td_share *share, size_t first,
                      size_t count, const td_eval *eval, td_worth worth)
{
    double singular[TD_MOST_LANES], outcome[TD_MOST_LANES][TD_OUTCOMES] = {{0}};
    for (size_t i = 0; i < count; i++)
        singular[i] = -1;
    if (call->solves)
        eval->kernels->store(singular, eval->scratch->singular, 1, count);
    if (solves_loops(site, call))
        eval->kernels->store(outcome[0], eval->scratch->outcome, TD_OUTCOMES, count);
    for (size_t i = 0; i < count; i++) {
        td_status given = given_status(worth.given >> i & 1, worth.unit >> i & 1);
        td_status status = td_call_seal(call, first + i, given, singular[i], outcome[i],
                                        worth.found >> i & 1, &share->failure);
        if (site->statuses)
            site->statuses[first + i] = status;
        if (status != TD_OK && first + i < share->row) {
            share->status = status;
            share->row = first + i;
        }
    }
}

/* A group of states that fills the lanes once: its first state, its number of states, and the
   operation's arguments, whose pointers are set for each group. */
typedef struct group {
    size_t first, count;
    void *arguments;
} group;

/* Loads the wrenches of count states into the lanes at stage. Returns one bit per state: its
   wrenches are finite. */
static int load_wrenches(const td_site *site, const td_call *call, char *stage, size_t first,
                         size_t count)
{
    const td_kernels *k = site->model->batch;
    if (call->wrench_stride)
        return k->load(stage, call->wrenches + first * call->wrench_stride, call->wrench_count,
                       count);
    k->spread(stage, call->wrenches, call->wrench_count);
    return are_finite(site->model, call->wrenches, call->wrench_count) ? -1 : 0;
}

/* Loads the inputs of a group's states into the lanes, beginning at stage. Returns the end of the
   loaded rows. Shared inputs are checked again for each group, which takes little time compared to
   the group's work. */
static inline char *load_rows(const td_site *site, const td_call *call, char *stage, const group *g,
                              td_eval *eval, td_worth *worth)
{
    const td_kernels *k = site->model->batch;
    const unsigned char *given = call->unusual ? call->given : NULL;
    const char *positions = stage; /* the first input */
    for (size_t i = 0; i < call->inputs; i++) {
        set_row(g->arguments, call->in_place[i], call->in[i] ? stage : NULL);
        if (!call->in[i])
            continue;
        int finite = k->load(stage, input_row(call, i, g->first), call->in_columns[i], g->count);
        worth->given &= given && i >= 2 ? -1 : finite;
        stage += call->in_columns[i] * k->real_size;
    }
    if (!call->unusual)
        return stage;
    for (size_t i = 0; given && i < g->count; i++)
        worth->given &= ~(!chosen_finite(call, g->first + i) << i);
    if (!are_finite(site->model, call->shared, call->shared_count))
        worth->given = 0;
    worth->unit = are_unit(call->quaternions, k, positions, g->count);
    if (!call->wrenches)
        return stage;
    worth->given &= load_wrenches(site, call, stage, g->first, g->count);
    eval->wrenches = stage;
    return stage + call->wrench_count * k->real_size;
}

/* Returns whether the matrices of a batch exceed caches (16 MB). */
static bool are_large(const td_site *site, const td_call *call)
{
    enum { CACHED = 1 << 21 }; /* doubles */
    const size_t n = call->masses ? call->pattern->size : 0;
    return site->n * n * n > CACHED;
}

/* Returns whether the rows of an output are staged before they are stored. */
static bool is_staged(const td_call *call, size_t output)
{
    return !((call->masses | call->direct) >> output & 1);
}

/* Selects the outputs of the operation's next run and places them in the stage. These are all
   required outputs, and optional ones from number `from` on while they fit into `reals`, at
   least one. at[i] is the caller's row of output i, or NULL if the output is not selected.
   Returns the number of the first optional output that did not fit. */
static inline size_t place_outputs(const td_call *call, const group *g, size_t real_size,
                                   size_t from, size_t reals, char *stage, void **at)
{
    size_t left = call->outputs;
    bool any = false;
    for (size_t i = 0; i < call->outputs; i++) {
        const size_t columns = is_staged(call, i) ? call->out_columns[i] : 0;
        bool placed = call->out[i];
        if (placed && call->optional >> i & 1) {
            const bool due = i >= from && i < left, late = due && any && columns > reals;
            placed = due && !late;
            left = late ? i : left;
            any |= placed && columns;
            reals -= placed ? columns : 0;
        }
        set_row(g->arguments, call->out_place[i], placed ? stage : NULL);
        at[i] = placed ? output_row(call, i, g->first) : NULL;
        stage += placed ? columns * real_size : 0;
    }
    return left;
}

/* Stores the matrix that an operation left, for count states. Returns one bit per state: it is
   finite. */
static int store_matrix(const td_call *call, const td_eval *eval, double *out, size_t count)
{
    const td_kernels *k = eval->kernels;
    const td_pattern *pattern = call->pattern;
    int finite;
    if (call->form == TD_MATRIX_PACKED)
        return k->store(out, td_eval_matrix(eval), pattern->entries, count);
    k->store_symmetric(out, td_eval_matrix(eval), pattern, count, &finite);
    return finite;
}

/* Stores the rows that the operation left in the stage or as a matrix. */
static inline void store_rows(const td_call *call, const group *g, const td_eval *eval,
                              td_rows *rows)
{
    for (size_t i = 0; i < call->outputs; i++) {
        if (!rows->at[i] || rows->written >> i & 1)
            continue;
        if (is_mass(call, i))
            rows->finite &= store_matrix(call, eval, rows->at[i], g->count);
        else
            rows->finite &=
                eval->kernels->store(rows->at[i], row_at(g->arguments, call->out_place[i]),
                                     call->out_columns[i], g->count);
    }
}

/* Runs the operation for one group of states. */
static inline __attribute__((always_inline)) void run_group(const td_site *site,
                                                            const td_call *call, td_share *share,
                                                            size_t stage_reals, const group *g)
{
    const td_kernels *k = site->model->batch;
    void *at[TD_MOST_OUTPUTS];
    td_scope(&share->stack, stage);
    char *stage = td_take_reals(&share->stack, k, stage_reals);
    td_rows rows = rows_of(call, at, g->arguments, g->count);
    rows.streamed = are_large(site, call);
    td_eval eval = site->workspace->eval;
    eval.kernels = k;
    eval.scratch = &share->scratch;
    eval.space = site->space;
    eval.rows = &rows;
    eval.wrenches = NULL;
    td_worth worth = {-1, -1, -1};
    stage = load_rows(site, call, stage, g, &eval, &worth);
    const size_t for_optional = stage_reals - (call->staged - call->optional_reals);
    bool may_fail = false;
    for (size_t next = 0; next < call->outputs;) {
        next = place_outputs(call, g, k->real_size, next, for_optional, stage, at);
        rows.written = 0;
        may_fail = begin_outcome(site, call, &eval);
        call->operation(&eval, g->arguments);
        store_rows(call, g, &eval, &rows);
    }
    worth.found = rows.finite;
    const int all = (1 << g->count) - 1;
    const bool good = (worth.given & worth.unit & worth.found & all) == all;
    if (!good || may_fail || site->statuses || call->good_status != TD_OK)
        seal_rows(site, call, share, g->first, g->count, &eval, worth);
}

/* Runs the groups from begin to end; sets the operation's arguments for each. */
static __attribute__((noinline)) void run_groups(const td_site *site, const td_call *call,
                                                 td_share *share, size_t stage_reals, size_t begin,
                                                 size_t end, void *arguments)
{
    const size_t lanes = site->model->batch->lanes;
    for (size_t first = begin * lanes; begin < end; begin++, first += lanes) {
        const size_t left = site->n - first;
        run_group(site, call, share, stage_reals,
                  &(const group){first, left < lanes ? left : lanes, arguments});
    }
}

/* The work of a batch, divided into pieces for threads. A piece consists of whole groups, so
   that a state has the same neighbors in its lanes whichever thread runs it. */
typedef struct batch {
    const td_site *site;
    const td_call *call;
    size_t groups, of_piece;
    size_t stage_reals;
} batch;

static void run_piece(void *context, size_t member, size_t piece)
{
    const batch *b = context;
    const size_t begin = piece * b->of_piece;
    const size_t end = b->groups - begin < b->of_piece ? b->groups : begin + b->of_piece;
    void *own[TD_MOST_ARGUMENTS / sizeof(void *)]; /* a copy per thread, since threads change it */
    memcpy(own, b->call->arguments, b->call->size);
    run_groups(b->site, b->call, &b->site->workspace->share[member], b->stage_reals, begin, end,
               own);
}

/* Amounts of work, in states times bodies. LEAST_WORK is the smallest amount of work for which
   waking a thread saves time, at least ten microseconds. PIECE_WORK is the size of a piece: large
   enough that fetching it takes little time, small enough that no thread waits long for another
   thread's last piece. */
enum { LEAST_WORK = 4096, PIECE_WORK = 128 };

static size_t count_shares(const td_site *site)
{
    size_t work = site->n * (site->model->tree.bodies + 1) / LEAST_WORK;
    size_t groups = site->n / site->model->batch->lanes;
    size_t most = work < groups ? work : groups;
    size_t shares = site->workspace->threads < most ? site->workspace->threads : most;
    return shares > 0 ? shares : 1;
}

/* Distributes the groups among threads. Not inlined, to keep batches on one thread fast. */
__attribute__((noinline)) static void run_pieces(const td_site *site, const td_call *call,
                                                 size_t shares, size_t stage_reals, size_t groups)
{
    const size_t group_work = site->model->batch->lanes * (site->model->tree.bodies + 1);
    batch b = {site, call, groups, PIECE_WORK / group_work + 1, stage_reals};
    td_pool_run(site->workspace->pool, shares, (groups + b.of_piece - 1) / b.of_piece, run_piece,
                &b);
}

/* Merges the first failures of one worker into the workspace's. */
static void gather_failures(td_failure *all, const td_failure *part)
{
    if (part->singular_velocity >= 0 &&
        (all->singular_velocity < 0 || part->singular_row < all->singular_row)) {
        all->singular_velocity = part->singular_velocity;
        all->singular_row = part->singular_row;
    }
    if (part->loop >= 0 && (all->loop < 0 || part->loop_row < all->loop_row)) {
        all->loop = part->loop;
        all->loop_row = part->loop_row;
        all->residual = part->residual;
        all->reached = part->reached;
    }
}

static td_status run_batch(const td_site *site, const td_call *call)
{
    td_workspace *workspace = site->workspace;
    forget_singular(site, call);
    td_check_capacity(site->model->batch->lanes, TD_MOST_LANES, "lanes");
    const size_t stage_reals = td_stage_of(call->staged, call->largest, call->largest_count,
                                           td_stage_most(site->model, site->model->batch));
    /* an internal error of the library; nothing is written */
    if (stage_reals > workspace->stage_reals)
        return TD_ERROR_MEMORY;
    const size_t lanes = site->model->batch->lanes, shares = count_shares(site);
    const size_t groups = (site->n + lanes - 1) / lanes;
    for (size_t i = 0; i < shares; i++) {
        workspace->share[i].status = TD_OK;
        workspace->share[i].row = site->n;
        workspace->share[i].failure = TD_NO_FAILURE;
    }
    if (shares == 1)
        run_groups(site, call, &workspace->share[0], stage_reals, 0, groups, call->arguments);
    else
        run_pieces(site, call, shares, stage_reals, groups);
    const td_share *first = &workspace->share[0];
    for (size_t i = 0; i < shares; i++) {
        const td_share *share = &workspace->share[i];
        first = share->row < first->row ? share : first;
        gather_failures(&workspace->failure, &share->failure);
    }
    return first->status;
}

/* ---- rows one after the other ---------------------------------------------------------------- */

/* Returns the call of one row. It uses the arguments of the batch call and points them to the
   row. */
static td_call call_of_row(const td_call *call, size_t row)
{
    td_call one = *call;
    for (size_t i = 0; i < call->inputs; i++) {
        one.in[i] = call->in[i] ? input_row(call, i, row) : NULL;
        set_row(call->arguments, call->in_place[i], one.in[i]);
    }
    for (size_t i = 0; i < call->outputs; i++) {
        one.out[i] = call->out[i] ? output_row(call, i, row) : NULL;
        set_row(call->arguments, call->out_place[i], one.out[i]);
    }
    if (call->wrenches)
        one.wrenches += row * call->wrench_stride;
    return one;
}

/* Runs each row as a single call, with the payloads of that row. Each row starts from the common
   start, from its given start, or from the last row that closed its loops. Restores the memory
   of single calls at the end. */
static td_status run_rows(const td_site *site, const td_call *call, bool from_start)
{
    td_workspace *w = site->workspace;
    const bool payloads = td_changes_have_rows(w);
    const size_t bytes = w->eval.closure->nw * sizeof *w->last;
    const bool given = !from_start && w->rows_from == TD_ROW_START_GIVEN;
    td_status first = TD_OK;
    td_failure failure = TD_NO_FAILURE;
    if ((given && site->n > w->row_starts) || (payloads && site->n > w->changes.rows))
        return td_refuse(w, "n");
    if (payloads)
        td_changes_begin_rows(w);
    if (!from_start) {
        memcpy(w->start, w->last, bytes);
        memcpy(w->last, w->anchor, bytes);
    }
    w->single.last = from_start ? NULL : w->last;
    for (size_t row = 0; row < site->n; row++) {
        const td_call one = call_of_row(call, row);
        if (given)
            td_coordinates_w(site->model, w->row_start + row * site->model->tree.nq, w->last);
        if (payloads)
            td_changes_use_row(w, row);
        w->failure = TD_NO_FAILURE;
        const td_status status = td_call_run_single(site, &one);
        w->failure.loop_row = w->failure.singular_row = row;
        gather_failures(&failure, &w->failure);
        if (site->statuses)
            site->statuses[row] = status;
        first = first == TD_OK ? status : first;
    }
    w->failure = failure;
    w->single.last = w->following == TD_FOLLOWING_START ? NULL : w->last;
    if (!from_start)
        memcpy(w->last, w->start, bytes);
    if (payloads)
        td_changes_end_rows(w);
    return first;
}

td_status td_call_run_batch(const td_site *site, const td_call *call)
{
    td_status status = call_start(site, call);
    if (status != TD_OK)
        return status;
    const bool from_start =
        site->workspace->rows_from == TD_ROW_START_COMMON || !closes_loops(site, call);
    if (from_start && !td_changes_have_rows(site->workspace))
        status = run_batch(site, call);
    else
        status = run_rows(site, call, from_start);
    if (TD_CHECKS)
        td_workspace_verify(site->workspace);
    return status;
}
