/* SPDX-License-Identifier: MIT */
/*
 * The workspace's block: a stack for single states, and one per thread for batches. The
 * allocating code itself measures the sizes (base/stack.h).
 */
#include "dynamics/workspace.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/aligned.h"
#include "base/sized.h"
#include "dynamics/operation_room.h"
#include "dynamics/threads.h"
#include "model/model.h"
#include "tandem/chart.h"

static size_t largest(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Steps of loading make workspaces before motors are selected: M_u has no rows then. */
static size_t entries_of(const td_csr *A)
{
    return A->row ? (size_t)A->row[A->rows] : 0;
}

/* Returns whether calls read the values of G. Motors in loops do, even if G is the identity. */
static bool uses_G(const td_model *model)
{
    return !model->closure.identity || model->actuation.loops.count;
}

static td_scratch_sizes sizes_of(const td_model *model, bool matrices, bool constraints)
{
    const td_closure_map *closure = td_widest_closure(model);
    const td_actuation_map *actuation =
        model->charts.any ? &model->charts.actuation : &model->actuation;
    const size_t G = entries_of(&closure->velocity);
    const bool solves = closure->loops.solved > 0;
    return (td_scratch_sizes){
        .tree = &model->tree,
        .reduced = closure->identity ? NULL : &closure->pattern,
        .drives = &model->actuation.drives,
        .chart_drives = model->charts.any ? &actuation->drives : NULL,
        .clusters = &closure->clusters,
        .tree_clusters = &model->tree_clusters,
        .loops = &closure->loops,
        .balances = &closure->balances,
        .M_u = entries_of(&actuation->matrix),
        .G = uses_G(model) ? G : 0,
        .G_rate = solves ? G : 0,
        .w = solves ? closure->nw : 0,
        .wd = solves ? closure->nwd : 0,
        .constraints = constraints ? closure->rows : 0,
        .u = closure->balances.loops ? model->actuation.nu : 0,
        .matrices = matrices,
    };
}

/* Returns the largest stage of any batch, in reals. */
static size_t most_stage_reals(const td_model *model, bool matrices)
{
    static const td_scope_name scopes[] = {
#define SCOPE(name) TD_SCOPE_##name,
        TD_OPERATION_SCOPES(SCOPE) TD_MATRIX_SCOPES(SCOPE)
#undef SCOPE
            TD_SCOPE_stage};
    size_t most = 0;
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++)
        most = largest(most, td_stage_reals(model, matrices, scopes[i]));
    return most;
}

/* Measures scratch above the permanent arrays. Each operation needs the rows of its batch and
   its own arrays. The scratch of kernels comes on top of the largest of these. */
static void measure_scopes(const td_model *model, const td_kernels *k,
                           const td_scratch_sizes *sizes, bool batch, td_stack *stack)
{
    const size_t begin = stack->used;
    size_t most = begin;
#define STAGE(name) (batch ? td_stage_reals(model, sizes->matrices, TD_SCOPE_##name) : 0)
#define MEASURE(name)                                                                              \
    td_take_reals(stack, k, STAGE(name));                                                          \
    td_##name##_take(stack, model, k);                                                             \
    most = largest(most, stack->used);                                                             \
    stack->used = begin;
    TD_OPERATION_SCOPES(MEASURE)
    if (sizes->matrices) {
        TD_MATRIX_SCOPES(MEASURE)
        td_take_reals(stack, k, STAGE(stage));
    } else {
        td_take_reals(stack, k, batch ? most_stage_reals(model, false) : 0);
    }
#undef MEASURE
#undef STAGE
    stack->used = largest(most, stack->used);
    k->measure(sizes, stack);
    stack->used = begin;
}

/* Arrays for models with idle spins (dynamics/spins.c). */
static void take_spins(const td_model *model, const td_kernels *k, bool matrices, td_stack *stack,
                       td_scratch *s)
{
    const size_t n = model->spins.count ? model->closure.nyd : 0;
    const bool held = model->closure.idle.spins && matrices;
    s->hold = td_take(stack, unsigned char, n);
    s->held_mass = td_take_reals(stack, k, held ? td_widest_closure(model)->pattern.entries : 0);
    s->judged = td_take(stack, double, 2 * n * k->lanes);
}

static void take_scratch(const td_model *model, const td_kernels *k, bool matrices, bool batch,
                         td_stack *stack, td_scratch *s)
{
    /* constrained motion has no batch kernels */
    const td_scratch_sizes sizes = sizes_of(model, matrices, matrices && !batch);
    k->take(&sizes, stack, s);
    s->anchor = model->closure.reference;
    take_spins(model, k, matrices, stack, s);
    if (!stack->base)
        measure_scopes(model, k, &sizes, batch, stack);
}

/* Returns the size of the largest J among the solved groups. */
static size_t largest_columns(const td_loops *loops)
{
    size_t most = 0;
    for (size_t n = 0; n < loops->solved; n++)
        most = largest(most, (size_t)loops->group[n].rows * (size_t)(loops->group[n].dependents +
                                                                     loops->group[n].independents));
    return most;
}

/* Allocates everything except the workers' arrays. The scratch comes last; scopes open above it. */
static void take_single(const td_model *model, td_stack *stack, td_workspace *workspace)
{
    const size_t nw = model->closure.loops.solved ? model->closure.nw : 0;
    workspace->residual = td_take(stack, double, model->tree.nq);
    workspace->y_anchor = td_take(stack, double, nw);
    workspace->y_last = td_take(stack, double, nw);
    td_chart_take(stack, model, &workspace->chart);
    workspace->start = td_take(stack, double, nw);
    workspace->singular_room = td_take(stack, double, largest_columns(&model->closure.loops));
    workspace->correction = td_take(stack, double, model->tree.nv);
    workspace->kept = td_take(stack, double, model->tree.nv);
    workspace->in_loops = td_take(stack, double, model->records.loop.count);
    workspace->motor = td_take(stack, double, model->actuation.nu);
    workspace->motion_y = td_take(stack, double, td_widest_closure(model)->ny);
    workspace->motion_to = td_take(stack, double, td_widest_closure(model)->ny);
    workspace->motion_yd = td_take(stack, double, model->closure.nyd);
    workspace->motion_rate = td_take(stack, double, 2 * model->closure.nyd);
    take_scratch(model, model->single, workspace->matrices, false, stack, &workspace->single);
}

static void take_share(const td_workspace *workspace, td_stack *stack, td_share *share)
{
    take_scratch(workspace->model, workspace->model->batch, workspace->matrices, true, stack,
                 &share->scratch);
    if (workspace->model->closure.loops.solved && stack->base)
        share->scratch.anchor = workspace->anchor;
}

/* Allocates all arrays again from the existing block. */
static void take_all(td_workspace *workspace)
{
    workspace->stack.used = 0;
    take_single(workspace->model, &workspace->stack, workspace);
    for (size_t i = 0; i < workspace->threads; i++) {
        workspace->share[i].stack.used = 0;
        take_share(workspace, &workspace->share[i].stack, &workspace->share[i]);
    }
}

void td_workspace_verify(const td_workspace *workspace)
{
    td_guard_verify(workspace->stack.base, 0, workspace->stack.used);
    for (size_t i = 0; i < workspace->threads; i++)
        td_guard_verify(workspace->share[i].stack.base, 0, workspace->share[i].stack.used);
}

void td_workspace_fill(td_workspace *workspace, int byte)
{
    td_guard_lift(workspace->block, workspace->bytes);
    memset(workspace->block, byte, workspace->bytes);
    take_all(workspace);
    td_workspace_prepare(workspace);
}

/* Computes the sizes of the stacks, and returns their sum. */
static size_t measure(const td_model *model, bool matrices, size_t threads, size_t *single,
                      size_t *share)
{
    td_workspace nowhere = {.model = model, .matrices = matrices};
    td_stack of_single = {0}, of_share = {0};
    td_share one;
    take_single(model, &of_single, &nowhere);
    take_share(&nowhere, &of_share, &one);
    *single = of_single.most, *share = of_share.most;
    return *single + threads * *share;
}

/* Reads options of any struct version; returns false for invalid ones. */
static bool read_options(const td_workspace_options *given, td_workspace_options *ours)
{
    *ours = td_workspace_options_default();
    if (given && !td_sized_read(ours, sizeof *ours, given))
        return false;
    if ((unsigned)ours->following > TD_FOLLOWING_START ||
        (unsigned)ours->coordinates > TD_COORDINATES_TREE)
        return false;
    ours->threads = td_pool_usable(ours->threads);
    return true;
}

size_t td_workspace_bytes(const td_model *model, const td_workspace_options *options)
{
    td_workspace_options o;
    size_t single, share;
    if (!model || !read_options(options, &o))
        return 0;
    return measure(model, o.matrices, o.threads, &single, &share);
}

static void prepare(const td_model *model, const td_kernels *kernels, const td_scratch *scratch)
{
    kernels->prepare(&model->tree, scratch);
    if (uses_G(model))
        kernels->spread(scratch->G, model->closure.velocity.value,
                        entries_of(&model->closure.velocity));
    kernels->spread(scratch->M_u, model->actuation.matrix.value,
                    entries_of(&model->actuation.matrix));
}

bool td_chart_is_used(const td_workspace *workspace)
{
    return workspace && workspace->eval.closure != &workspace->model->closure;
}

void td_workspace_speak(td_workspace *workspace, bool chart)
{
    const td_model *model = workspace->model;
    workspace->eval.closure = chart ? &workspace->chart.closure : &model->closure;
    workspace->eval.actuation = chart ? &model->charts.actuation : &model->actuation;
    if (!model->closure.loops.solved)
        return;
    workspace->anchor = chart ? workspace->chart.anchor : workspace->y_anchor;
    workspace->last = chart ? workspace->chart.last : workspace->y_last;
    workspace->single.anchor = workspace->anchor;
    workspace->single.last = workspace->following == TD_FOLLOWING_START ? NULL : workspace->last;
    for (size_t i = 0; i < workspace->threads; i++)
        workspace->share[i].scratch.anchor = workspace->anchor;
}

void td_workspace_prepare(td_workspace *workspace)
{
    const td_model *model = workspace->model;
    prepare(model, model->single, &workspace->single);
    for (size_t i = 0; i < workspace->threads; i++)
        prepare(model, model->batch, &workspace->share[i].scratch);
    size_t bytes = model->closure.nw * sizeof(double);
    td_chart_begin(&workspace->chart, model);
    td_workspace_speak(workspace, false);
    if (model->closure.loops.solved) {
        memcpy(workspace->anchor, model->closure.reference, bytes);
        memcpy(workspace->last, model->closure.reference, bytes);
    }
}

/* Divides the block into the stack for single states and the threads' stacks, and allocates all
   arrays. Zeroes the part that memory checkers expect to be initialized (kernel/rooms.c). */
static void place(td_workspace *workspace, size_t single, size_t share)
{
    workspace->stack = (td_stack){workspace->block, 0, single};
    memset(workspace->block, 0, single);
    for (size_t i = 0; i < workspace->threads; i++)
        workspace->share[i].stack =
            (td_stack){(char *)workspace->block + single + i * share, 0, share};
    take_all(workspace);
}

td_status td_workspace_new(const td_model *model, const td_workspace_options *options,
                           td_workspace **out)
{
    td_workspace_options o;
    if (out)
        *out = NULL;
    if (!out || !model || !read_options(options, &o))
        return TD_ERROR_ARGUMENT;
    size_t single, share, bytes = measure(model, o.matrices, o.threads, &single, &share);
    td_workspace *workspace = malloc(sizeof *workspace + o.threads * sizeof *workspace->share);
    char *block = td_aligned_new(TD_STACK_ALIGNMENT, bytes);
    td_pool *pool = o.threads > 1 ? td_pool_new(o.threads) : NULL;
    if (!workspace || !block || (o.threads > 1 && !pool)) {
        td_pool_free(pool);
        free(workspace);
        td_aligned_free(block);
        return TD_ERROR_MEMORY;
    }
    workspace->block = block;
    workspace->bytes = bytes;
    workspace->matrices = o.matrices;
    workspace->model = model;
    workspace->eval = (td_eval){.model = model,
                                .tree = &model->tree,
                                .kernels = model->single,
                                .scratch = &workspace->single};
    workspace->changes.stack = (td_stack){0};
    workspace->changes.row = NULL;
    workspace->pool = pool;
    workspace->threads = td_pool_members(pool);
    workspace->stage_reals = most_stage_reals(model, o.matrices);
    workspace->failure = TD_NO_FAILURE;
    workspace->fault = NULL;
    workspace->following = o.following;
    workspace->coordinates = o.coordinates;
    workspace->rows_from =
        o.following == TD_FOLLOWING_LAST ? TD_ROW_START_BEFORE : TD_ROW_START_COMMON;
    workspace->row_start = NULL;
    workspace->row_starts = 0;
    place(workspace, single, share);
    td_workspace_prepare(workspace);
    *out = workspace;
    return TD_OK;
}

td_coordinates td_use_coordinates(td_workspace *workspace, td_coordinates coordinates)
{
    const td_coordinates before = td_used_coordinates(workspace);
    if (workspace && (unsigned)coordinates <= TD_COORDINATES_TREE)
        workspace->coordinates = coordinates;
    return before;
}

td_coordinates td_used_coordinates(const td_workspace *workspace)
{
    return td_coordinates_at(workspace);
}

size_t td_workspace_threads(const td_workspace *workspace)
{
    return workspace ? workspace->threads : 0;
}

void td_workspace_free(td_workspace *workspace)
{
    if (!workspace)
        return;
    td_workspace_verify(workspace);
    td_guard_lift(workspace->block, workspace->bytes);
    td_pool_free(workspace->pool);
    td_stack_end(&workspace->changes.stack);
    td_aligned_free(workspace->block);
    free(workspace);
}

bool td_scratch_new(const td_model *model, const td_kernels *kernels, td_scratch *scratch,
                    td_stack *stack)
{
    *stack = (td_stack){0};
    if (!td_take_twice(stack, take_scratch(model, kernels, true, false, stack, scratch)))
        return false;
    prepare(model, kernels, scratch);
    return true;
}
