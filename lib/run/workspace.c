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
    char *base; /* NULL: only measure */
    size_t used;
    bool one_state;
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

/* What one state reads before it is written: vectors take along what is behind the last body or
   velocity, rows end by writing back what is behind them (run_store in lane.h), entries of w that
   are y are kept with those that were solved for. Nothing depends on that, but memory checkers do
   not know. Lanes read no such thing, and their pages stay untouched until they are used. */
static void *cleared(carver *c, const char *name, size_t count, size_t size)
{
    void *at = piece(c, name, count, size);
    if (at && c->one_state && c->what == PLACE)
        memset(at, 0, count * size);
    return at;
}

#define TAKE_CLEARED(c, pointer, count, size) ((pointer) = cleared(c, #pointer, count, size))

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
    const size_t outputs[] = {24 * tree->links + 8 * nv + 11, nv * nv, 6 * tree->joints,
                              nq + 2 * nv + nu};
    size_t most = 0;
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        most = largest(most, outputs[i]);
    return TD_MOST_INPUTS * largest(largest(nq, nv), nu) + most;
}

static void carve_coordinates(carver *c, const td_model *model, size_t real, td_scratch *s)
{
    const td_tree *tree = &model->tree;
    size_t angles = td_whole_vectors(tree->angles);
    TAKE(c, s->q, tree->nq, real);
    TAKE(c, s->qd, tree->nv, real);
    TAKE(c, s->qdd, tree->nv, real);
    TAKE(c, s->tau, tree->nv, real);
    TAKE(c, s->zeros, tree->nv, real);
    TAKE(c, s->tau_y, tree->nv, real);
    TAKE(c, s->bias, tree->nv, real);
    TAKE(c, s->rest, tree->nv, real);
    TAKE(c, s->force_y, tree->nv, real);
    TAKE(c, s->sine, angles, real);
    TAKE(c, s->cosine, angles, real);
    TAKE(c, s->path, TD_PATH_LISTS + 2 * tree->bodies, sizeof *s->path);
    TAKE(c, s->singular, 1, real);
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
    const td_tree *tree = &model->tree;
    const td_closure_map *closure = &model->closure;
    size_t real = k->real_size, bodies = tree->bodies, nv = tree->nv;
    /* one state takes bodies and velocities abreast, and vectors of four for three numbers */
    const bool single = c->one_state = k->lanes == 1;
    const size_t abreast = single ? td_abreast(bodies) : bodies, three = single ? 4 : 3;
    carve_coordinates(c, model, real, s);
    TAKE(c, s->placed, 12 * bodies, real);
    TAKE(c, s->velocity, 4 * bodies, real);
    TAKE(c, s->movement, (k->lanes == 1 ? 40 : 18) * bodies, real); /* an arrow may have 4 */
    TAKE(c, s->effort, 8 * bodies, real);
    TAKE(c, s->acceleration, 8 * bodies, real);
    TAKE(c, s->force, 6 * tree->links, real);
    TAKE(c, s->wrench, 6 * bodies, real);
    TAKE_CLEARED(c, s->pose, 4 * three * abreast, real);
    TAKE_CLEARED(c, s->arm, three * abreast, real);
    TAKE_CLEARED(c, s->inertia, 9 * abreast, real);
    TAKE_CLEARED(c, s->composite, 3 * three * abreast, real);
    TAKE(c, s->motion, 12 * bodies, real);
    TAKE(c, s->articulated, 36 * bodies, real);
    TAKE(c, s->projected, 12 * bodies, real);
    TAKE(c, s->wide, 120 * tree->wides, real);
    TAKE(c, s->product, 12 * bodies, real);
    TAKE_CLEARED(c, s->columns, 15 * td_abreast(nv) + 8 * td_abreast(bodies), real);
    /* nv: kernel/algebra/ltdl.c, run_store in lane.h; what tiles pass the end by. Of deep trees it
       holds states' parts of rows, 16 reals a velocity, where a row has 20 entries:
       kernel/tree/mass_dense.c */
    TAKE_CLEARED(c, s->mass, tree->pattern.entries + nv + TD_TILE, real);
    TAKE(c, s->M_u, entries_of(&model->actuation.matrix), real);
    TAKE(c, s->drive, model->actuation.drives.room, real);
    bool reduces = !closure->identity;
    TAKE(c, s->reduced, reduces ? closure->pattern.entries + closure->nyd + TD_TILE : 0, real);
    TAKE(c, s->keep, reduces ? closure->pattern.entries : 0, real);
    TAKE(c, s->cluster, closure->clusters.room, real);
    TAKE(c, s->matrix, reduces ? largest(nv * nv, 6 * nv) : 0, real);
    TAKE(c, s->G, uses_G(model) ? entries_of(&closure->velocity) : 0, real);
    size_t constraints = rows ? 0 : closure->rows; /* there are no batches of constrained motions */
    size_t pivots = constraints < nv ? constraints : nv;
    TAKE(c, s->schur, pivots * (pivots + 1) + constraints, real);
    TAKE(c, s->K, constraints * nv, real);
    TAKE(c, s->Z, pivots * nv, real);
    TAKE(c, s->phi, constraints, real);
    TAKE(c, s->drift, constraints, real);
    bool solves = closure->loops.solved > 0;
    TAKE_CLEARED(c, s->w, solves ? closure->nw : 0, real);
    TAKE(c, s->G_rate, solves ? entries_of(&closure->velocity) : 0, real);
    TAKE(c, s->g, solves ? nv : 0, real);
    TAKE(c, s->outcome, TD_OUTCOMES, real);
    TAKE(c, s->loop, closure->loops.room, real);
    s->start = s->anchor = closure->reference;
    s->last = NULL;
    TAKE(c, s->stage, rows ? td_stage_reals(model) : 0, real);
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
        carve_again((carver){.what = VERIFY}, workspace);
}

void td_workspace_fill(td_workspace *workspace, int byte)
{
    carve_again((carver){.what = FILL, .byte = byte}, workspace);
    td_workspace_prepare(workspace);
}

size_t td_workspace_bytes_threads(const td_model *model, size_t threads)
{
    if (!model)
        return 0;
    td_workspace nowhere;
    td_share share;
    carver c = {0};
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
    carver c = {.base = block};
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
    carver c = {0};
    carve_scratch(&c, model, kernels, false, scratch);
    c.base = *block = aligned_alloc(ALIGNMENT, c.used);
    if (!c.base)
        return false;
    c.used = 0;
    carve_scratch(&c, model, kernels, false, scratch);
    prepare(model, kernels, scratch);
    return true;
}
