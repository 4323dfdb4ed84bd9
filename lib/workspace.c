/* SPDX-License-Identifier: MIT */
/*
 * Carving: one function hands out the pieces. It runs once from address zero to measure and once on
 * the block to place, so the two cannot differ.
 */
#include "workspace.h"

#include <stdint.h>
#include <stdlib.h>

#include "model.h"

enum { ALIGNMENT = 64 };

/* the largest number of reals that sines and cosines are rounded up to */
enum { WIDEST = 8 };

typedef struct carver {
    char *base; /* NULL: only measure */
    size_t used;
} carver;

static void *piece(carver *c, size_t count, size_t size)
{
    size_t start = c->used;
    c->used += (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return c->base ? c->base + start : NULL;
}

static void carve_scratch(carver *c, const td_model *model, const td_kernels *k, td_scratch *s)
{
    const td_tree *tree = &model->tree;
    size_t real = k->real_size, bodies = tree->bodies;
    size_t angles = (tree->angles + WIDEST - 1) / WIDEST * WIDEST;
    size_t most = 12 * tree->links;
    if (most < tree->nq)
        most = tree->nq;
    if (most < 3)
        most = 3;
    s->y = piece(c, model->closure.ny, real);
    s->yd = piece(c, model->closure.nyd, real);
    s->ydd = piece(c, model->closure.nyd, real);
    s->q = piece(c, tree->nq, real);
    s->qd = piece(c, tree->nv, real);
    s->qdd = piece(c, tree->nv, real);
    s->tau = piece(c, tree->nv, real);
    s->tau_y = piece(c, model->closure.nyd, real);
    s->zeros = piece(c, tree->nv, real);
    s->out = piece(c, most, real);
    s->angle = piece(c, angles, real);
    s->sine = piece(c, angles, real);
    s->cosine = piece(c, angles, real);
    s->rotation = piece(c, 9 * bodies, real);
    s->offset = piece(c, 3 * bodies, real);
    s->velocity = piece(c, 3 * bodies, real);
    s->acceleration = piece(c, 15 * bodies, real);
    s->force = piece(c, 6 * bodies, real);
    s->wrench = piece(c, 6 * bodies, real);
    s->pose = piece(c, 12 * bodies, real);
}

static void carve_workspace(carver *c, const td_model *model, td_workspace *workspace)
{
    carve_scratch(c, model, model->single, &workspace->single);
    carve_scratch(c, model, model->batch, &workspace->batch);
    workspace->residual = piece(c, model->tree.nq, sizeof(double));
}

size_t td_workspace_bytes(const td_model *model)
{
    td_workspace nowhere;
    carver c = {NULL, 0};
    carve_workspace(&c, model, &nowhere);
    return c.used;
}

td_workspace *td_workspace_new(const td_model *model)
{
    if (!model)
        return NULL;
    td_workspace *workspace = malloc(sizeof *workspace);
    char *block = aligned_alloc(ALIGNMENT, td_workspace_bytes(model));
    if (!workspace || !block) {
        free(workspace);
        free(block);
        return NULL;
    }
    carver c = {block, 0};
    carve_workspace(&c, model, workspace);
    workspace->block = block;
    model->single->prepare(&model->tree, &workspace->single);
    model->batch->prepare(&model->tree, &workspace->batch);
    return workspace;
}

void td_workspace_free(td_workspace *workspace)
{
    if (!workspace)
        return;
    free(workspace->block);
    free(workspace);
}

bool td_scratch_new(const td_model *model, const td_kernels *kernels, td_scratch *scratch,
                    void **block)
{
    carver c = {NULL, 0};
    carve_scratch(&c, model, kernels, scratch);
    c.base = *block = aligned_alloc(ALIGNMENT, c.used);
    if (!c.base)
        return false;
    c.used = 0;
    carve_scratch(&c, model, kernels, scratch);
    kernels->prepare(&model->tree, scratch);
    return true;
}
