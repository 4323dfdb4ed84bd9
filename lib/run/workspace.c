/* SPDX-License-Identifier: MIT */
/*
 * Carving: one function hands out the pieces. It runs once from address zero to measure and once on
 * the block to place, so the two cannot differ. In a build with checks it runs again after every
 * call to look at what lies between the pieces.
 */
#include "run/workspace.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "run/checks.h"
#include "run/eval.h"
#include "run/threads.h"

enum { ALIGNMENT = 64 };

/* What is done with a piece of the block: it is given out; or the block is in use, and what is
   behind the piece is looked at, or all of the piece is set. */
typedef enum carving { PLACE, VERIFY, FILL } carving;

typedef struct carver {
    td_carver hands_out; /* for the kernels */
    char *base;          /* NULL: only measure */
    size_t used;
    carving what;
    int byte; /* FILL */
} carver;

static void *piece(carver *c, const char *name, size_t count, size_t size)
{
    const size_t start = c->used, end = start + count * size;
    c->used = (end + TD_GUARD_BYTES + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!c->base)
        return NULL;
    switch (c->what) {
    case PLACE:
        td_guard_put(c->base + end, c->used - end);
        break;
    case VERIFY:
        td_guard_verify(c->base + end, c->used - end, name);
        break;
    case FILL:
        memset(c->base + start, c->byte, count * size);
        break;
    }
    return c->base + start;
}

/* pointer = a piece of that many reals, ints or doubles, as size says */
#define TAKE(c, pointer, count, size) ((pointer) = piece(c, #pointer, count, size))

static void *piece_for_kernels(td_carver *hands_out, const char *name, size_t bytes, bool cleared)
{
    carver *c = (carver *)hands_out;
    void *start = piece(c, name, bytes, 1);
    if (start && cleared && c->what == PLACE)
        memset(start, 0, bytes);
    return start;
}

static carver carver_at(void *base, carving what, int byte)
{
    return (carver){{piece_for_kernels}, base, 0, what, byte};
}

static size_t largest(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* As many inputs as a call can have, of the longest kind, and the most that one has as outputs: the
   terms, a matrix, reactions, the closure with motors' forces. td_call_run asks every batch. */
size_t td_stage_reals(const td_model *model)
{
    const td_tree *tree = &model->tree;
    const size_t nq = tree->nq, nv = tree->nv, nu = model->actuation.nu;
    const size_t outputs[] = {24 * tree->links + 8 * nv + 11, nv * nv,
                              12 * (tree->joints + model->records.loop.count), nq + 2 * nv + nu};
    size_t most = 0;
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        most = largest(most, outputs[i]);
    return TD_MOST_INPUTS * largest(largest(nq, nv), nu) + most;
}

static size_t entries_of(const td_csr *A)
{
    return (size_t)A->row[A->rows];
}

/* whether the values of G are asked for: motors in loops do even where it is the identity */
static bool uses_G(const td_model *model)
{
    return !model->closure.identity || model->actuation.loops.count;
}

/* rows: whether states come in rows that are staged */
static void carve_scratch(carver *c, const td_model *model, const td_kernels *k, bool rows,
                          td_scratch *s)
{
    const td_closure_map *closure = &model->closure;
    const size_t G = entries_of(&closure->velocity);
    const bool solves = closure->loops.solved > 0;
    const td_scratch_sizes sizes = {
        .tree = &model->tree,
        .reduced = closure->identity ? NULL : &closure->pattern,
        .stage = rows ? td_stage_reals(model) : 0,
        .M_u = entries_of(&model->actuation.matrix),
        .G = uses_G(model) ? G : 0,
        .G_rate = solves ? G : 0,
        .w = solves ? closure->nw : 0,
        .constraints = rows ? 0 : closure->rows, /* no batches of constrained motions */
        .drives = model->actuation.drives.scratch_size,
        .clusters = closure->clusters.scratch_size,
        .loops = closure->loops.scratch_size,
        .u = closure->balances.loops ? model->actuation.nu : 0,
        .balance = closure->balances.layout.reals,
    };
    k->carve(&sizes, &c->hands_out, s);
    s->start = s->anchor = closure->reference;
    s->last = NULL;
}

/* of the groups that are solved */
static size_t largest_columns(const td_loops *loops)
{
    size_t most = 0;
    for (size_t n = 0; n < loops->solved; n++)
        most = largest(most, (size_t)loops->group[n].rows * (size_t)loops->group[n].dependents);
    return most;
}

/* all but the shares */
static void carve_single(carver *c, const td_model *model, td_workspace *workspace)
{
    piece(c, "start of the workspace", 0, 1);
    carve_scratch(c, model, model->single, false, &workspace->single);
    TAKE(c, workspace->residual, model->tree.nq, sizeof(double));
    bool solves = model->closure.loops.solved > 0;
    TAKE(c, workspace->anchor, solves ? model->closure.nw : 0, sizeof(double));
    TAKE(c, workspace->last, solves ? model->closure.nw : 0, sizeof(double));
    TAKE(c, workspace->start, solves ? model->closure.nw : 0, sizeof(double));
    TAKE(c, workspace->singular_room, largest_columns(&model->closure.loops), sizeof(double));
    TAKE(c, workspace->correction, model->tree.nv, sizeof(double));
    TAKE(c, workspace->kept, model->tree.nv, sizeof(double));
    TAKE(c, workspace->in_loops, model->records.loop.count, sizeof(double));
    TAKE(c, workspace->motor, model->actuation.nu, sizeof(double));
    TAKE(c, workspace->motion_y, model->closure.ny, sizeof(double));
    TAKE(c, workspace->motion_to, model->closure.ny, sizeof(double));
    TAKE(c, workspace->motion_yd, model->closure.nyd, sizeof(double));
    TAKE(c, workspace->motion_rate, 2 * model->closure.nyd, sizeof(double));
    if (c->base && solves) {
        workspace->single.anchor = workspace->anchor;
        workspace->single.last = workspace->last;
    }
}

static void carve_share(carver *c, const td_model *model, td_share *share)
{
    carve_scratch(c, model, model->batch, true, &share->scratch);
}

/* through the block of a workspace that stays as it is */
static void carve_again(carver c, const td_workspace *workspace)
{
    td_workspace nowhere;
    td_share share;
    c.base = workspace->block;
    carve_single(&c, workspace->model, &nowhere);
    for (size_t i = 0; i < workspace->threads; i++)
        carve_share(&c, workspace->model, &share);
}

void td_workspace_verify(const td_workspace *workspace)
{
    if (TD_CHECKS)
        carve_again(carver_at(NULL, VERIFY, 0), workspace);
}

void td_workspace_fill(td_workspace *workspace, int byte)
{
    carve_again(carver_at(NULL, FILL, byte), workspace);
    td_workspace_prepare(workspace);
}

size_t td_workspace_bytes_threads(const td_model *model, size_t threads)
{
    if (!model)
        return 0;
    td_workspace nowhere;
    td_share share;
    carver c = carver_at(NULL, PLACE, 0);
    carve_single(&c, model, &nowhere);
    size_t single = c.used;
    carve_share(&c, model, &share);
    return single + td_pool_usable(threads) * (c.used - single);
}

size_t td_workspace_bytes(const td_model *model)
{
    return td_workspace_bytes_threads(model, 1);
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

void td_workspace_prepare(td_workspace *workspace)
{
    const td_model *model = workspace->model;
    prepare(model, model->single, &workspace->single);
    for (size_t i = 0; i < workspace->threads; i++)
        prepare(model, model->batch, &workspace->share[i].scratch);
    size_t bytes = model->closure.nw * sizeof(double);
    if (model->closure.loops.solved) {
        memcpy(workspace->anchor, model->closure.reference, bytes);
        memcpy(workspace->last, model->closure.reference, bytes);
    }
}

td_workspace *td_workspace_new_threads(const td_model *model, size_t threads)
{
    if (!model)
        return NULL;
    threads = td_pool_usable(threads);
    td_workspace *workspace = malloc(sizeof *workspace + threads * sizeof *workspace->share);
    char *block = aligned_alloc(ALIGNMENT, td_workspace_bytes_threads(model, threads));
    td_pool *pool = threads > 1 ? td_pool_new(threads) : NULL;
    if (!workspace || !block || (threads > 1 && !pool)) {
        td_pool_free(pool);
        free(workspace);
        free(block);
        return NULL;
    }
    carver c = carver_at(block, PLACE, 0);
    carve_single(&c, model, workspace);
    for (size_t i = 0; i < threads; i++) {
        carve_share(&c, model, &workspace->share[i]);
        if (model->closure.loops.solved)
            workspace->share[i].scratch.anchor = workspace->anchor;
    }
    workspace->block = block;
    workspace->model = model;
    workspace->tree = &model->tree;
    workspace->changes.block = NULL;
    workspace->pool = pool;
    workspace->stage_reals = td_stage_reals(model);
    workspace->threads = td_pool_members(pool);
    workspace->failure = TD_NO_FAILURE;
    workspace->fault = NULL;
    workspace->factors = NULL;
    td_workspace_prepare(workspace);
    return workspace;
}

td_workspace *td_workspace_new(const td_model *model)
{
    return td_workspace_new_threads(model, 1);
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
    td_pool_free(workspace->pool);
    free(workspace->changes.block);
    free(workspace->block);
    free(workspace);
}

bool td_scratch_new(const td_model *model, const td_kernels *kernels, td_scratch *scratch,
                    void **block)
{
    carver c = carver_at(NULL, PLACE, 0);
    carve_scratch(&c, model, kernels, false, scratch);
    c.base = *block = aligned_alloc(ALIGNMENT, c.used);
    if (!c.base)
        return false;
    c.used = 0;
    carve_scratch(&c, model, kernels, false, scratch);
    prepare(model, kernels, scratch);
    return true;
}
