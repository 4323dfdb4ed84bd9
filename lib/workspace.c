/* SPDX-License-Identifier: MIT */
/*
 * Carving: one function hands out the pieces. It runs once from address zero to measure and once on
 * the block to place, so the two cannot differ.
 */
#include "workspace.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "threads.h"

enum { ALIGNMENT = 64 };

typedef struct carver {
    char *base; /* NULL: only measure */
    size_t used;
    bool one_state;
} carver;

static void *piece(carver *c, size_t count, size_t size)
{
    size_t start = c->used;
    c->used += (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return c->base ? c->base + start : NULL;
}

/* What one state reads before it is written: vectors take along what is behind the last body or
   velocity, rows end by writing back what is behind them (run_store in lane.h), entries of w that
   are y are kept with those that were solved for. Nothing depends on that, but memory checkers do
   not know. Lanes read no such thing, and their pages stay untouched until they are used. */
static void *cleared(carver *c, size_t count, size_t size)
{
    void *at = piece(c, count, size);
    if (at && c->one_state)
        memset(at, 0, count * size);
    return at;
}

static size_t largest(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* most reals that a call has as rows: its inputs, and its outputs */
static size_t stage_reals(const td_tree *tree)
{
    size_t terms = 24 * tree->links + 8 * tree->nv + 16;
    size_t outputs = largest(largest(terms, tree->nv * tree->nv), 6 * tree->joints);
    return tree->nq + 3 * tree->nv + outputs;
}

static void carve_coordinates(carver *c, const td_model *model, size_t real, td_scratch *s)
{
    const td_tree *tree = &model->tree;
    void **velocities[] = {&s->qd,    &s->qdd,  &s->tau,  &s->zeros,
                           &s->tau_y, &s->bias, &s->rest, &s->force_y};
    size_t angles = td_whole_vectors(tree->angles);
    s->q = piece(c, tree->nq, real);
    for (size_t i = 0; i < sizeof velocities / sizeof *velocities; i++)
        *velocities[i] = piece(c, tree->nv, real);
    s->sine = piece(c, angles, real);
    s->cosine = piece(c, angles, real);
    s->path = piece(c, TD_PATH_LISTS + 2 * tree->bodies, sizeof *s->path);
    s->singular = piece(c, 1, real);
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
    const bool one = c->one_state = k->lanes == 1;
    const size_t abreast = one ? td_abreast(bodies) : bodies, three = one ? 4 : 3;
    carve_coordinates(c, model, real, s);
    s->placed = piece(c, 12 * bodies, real);
    s->velocity = piece(c, 4 * bodies, real);
    s->movement = piece(c, (k->lanes == 1 ? 40 : 18) * bodies, real); /* an arrow may have 4 */
    s->effort = piece(c, 8 * bodies, real);
    s->acceleration = piece(c, 8 * bodies, real);
    s->force = piece(c, 6 * tree->links, real);
    s->wrench = piece(c, 6 * bodies, real);
    s->pose = cleared(c, 4 * three * abreast, real);
    s->arm = cleared(c, three * abreast, real);
    s->inertia = cleared(c, 9 * abreast, real);
    s->composite = cleared(c, 3 * three * abreast, real);
    s->motion = piece(c, 12 * bodies, real);
    s->articulated = piece(c, 36 * bodies, real);
    s->projected = piece(c, 12 * bodies, real);
    s->wide = piece(c, 120 * tree->wides, real);
    s->product = piece(c, 12 * bodies, real);
    s->columns = cleared(c, 15 * td_abreast(nv) + 8 * td_abreast(bodies), real);
    /* nv: factor.c, run_store in lane.h; what tiles pass the end by. Of deep trees it holds states'
       parts of rows, 16 reals a velocity, where a row has 20 entries: dense_mass.c */
    s->mass = cleared(c, tree->pattern.entries + nv + TD_TILE, real);
    s->M_u = piece(c, entries_of(&model->actuation.matrix), real);
    s->drive = piece(c, model->actuation.drives.room, real);
    bool reduces = !closure->identity;
    s->reduced = piece(c, reduces ? closure->pattern.entries + closure->nyd + TD_TILE : 0, real);
    s->keep = piece(c, reduces ? closure->pattern.entries : 0, real);
    s->cluster = piece(c, closure->clusters.room, real);
    s->matrix = piece(c, reduces ? largest(nv * nv, 6 * nv) : 0, real);
    s->G = piece(c, uses_G(model) ? entries_of(&closure->velocity) : 0, real);
    size_t constraints = rows ? 0 : closure->rows; /* there are no batches of constrained motions */
    size_t pivots = constraints < nv ? constraints : nv;
    s->schur = piece(c, pivots * (pivots + 1) + constraints, real);
    s->K = piece(c, constraints * nv, real);
    s->Z = piece(c, pivots * nv, real);
    s->phi = piece(c, constraints, real);
    s->drift = piece(c, constraints, real);
    bool solves = closure->loops.solved > 0;
    s->w = cleared(c, solves ? closure->nw : 0, real);
    s->G_rate = piece(c, solves ? entries_of(&closure->velocity) : 0, real);
    s->g = piece(c, solves ? nv : 0, real);
    s->outcome = piece(c, TD_OUTCOMES, real);
    s->loop = piece(c, closure->loops.room, real);
    s->start = s->anchor = closure->reference;
    s->last = NULL;
    s->stage = piece(c, rows ? stage_reals(tree) : 0, real);
}

/* of the groups that are solved */
static size_t largest_columns(const td_loops *loops)
{
    size_t most = 0;
    for (size_t n = 0; n < loops->solved; n++)
        most = largest(most, (size_t)(loops->group[n].rows * loops->group[n].dependents));
    return most;
}

/* all but the shares */
static void carve_single(carver *c, const td_model *model, td_workspace *workspace)
{
    carve_scratch(c, model, model->single, false, &workspace->single);
    workspace->residual = piece(c, model->tree.nq, sizeof(double));
    bool solves = model->closure.loops.solved > 0;
    workspace->anchor = piece(c, solves ? model->closure.nw : 0, sizeof(double));
    workspace->last = piece(c, solves ? model->closure.nw : 0, sizeof(double));
    workspace->start = piece(c, solves ? model->closure.nw : 0, sizeof(double));
    workspace->singular_room = piece(c, largest_columns(&model->closure.loops), sizeof(double));
    workspace->correction = piece(c, model->tree.nv, sizeof(double));
    workspace->kept = piece(c, model->tree.nv, sizeof(double));
    workspace->in_loops = piece(c, model->records.loop.count, sizeof(double));
    workspace->motor = piece(c, model->actuation.nu, sizeof(double));
    workspace->motion_y = piece(c, model->closure.ny, sizeof(double));
    workspace->motion_to = piece(c, model->closure.ny, sizeof(double));
    workspace->motion_yd = piece(c, model->closure.nyd, sizeof(double));
    workspace->motion_rate = piece(c, 2 * model->closure.nyd, sizeof(double));
    if (c->base && solves) {
        workspace->single.anchor = workspace->anchor;
        workspace->single.last = workspace->last;
    }
}

static void carve_share(carver *c, const td_model *model, td_share *share)
{
    carve_scratch(c, model, model->batch, true, &share->scratch);
}

size_t td_workspace_bytes_threads(const td_model *model, size_t threads)
{
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
    workspace->threads = td_pool_members(pool);
    workspace->blame = TD_NO_BLAME;
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
