/* SPDX-License-Identifier: MIT */
/*
 * Idle directions (model/idle_spins.h) at a configuration: the combination of entries of ẏ that
 * moves the rods of a spin and leaves all other bodies at rest.
 */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/coordinates.h"
#include "base/null_space.h"
#include "base/sized.h"
#include "dynamics/arguments.h"
#include "tandem/kinematics.h"

size_t td_idle_count(const td_model *model)
{
    return model->spins.count;
}

void td_idle_direction_read(const td_model *model, size_t i, td_idle_direction *direction,
                            size_t size_of)
{
    td_idle_direction found;
    memset(&found, 0, sizeof found); /* also clears the padding */
    found.link = found.joint = found.yd = TD_NONE;
    if (i < model->spins.count) {
        const td_spin *spin = &model->spins.at[i];
        const int row = model->closure.qd_of_yd[spin->velocity];
        found.link = (size_t)spin->link;
        found.joint = (size_t)td_joint_of_velocity(model, row);
        found.yd = (size_t)spin->velocity;
        found.alone = spin->alone;
        found.massless = spin->massless;
    }
    td_sized_write(direction, size_of, &found, sizeof found);
}

/* Arrays at a configuration, and a column of the matrix of the other bodies' velocities. */
typedef struct posture {
    const td_model *model;
    double *q, *G, *J; /* G: nv × nyd; J: 6 × nv */
    double *twist;     /* 6 per body */
} posture;

/* Computes the twists of all bodies for ẏ = the unit vector c. */
static void move(posture *p, size_t c)
{
    const td_tree *tree = &p->model->tree;
    const size_t nv = tree->nv, nyd = p->model->closure.nyd;
    for (size_t b = 0; b < tree->bodies; b++) {
        const td_body *body = &tree->body[b];
        double *twist = p->twist + 6 * b;
        for (size_t a = 0; a < 6; a++) {
            twist[a] = body->parent < 0 ? 0 : p->twist[6 * (size_t)body->parent + a];
            for (size_t i = (size_t)body->qd; i < (size_t)(body->qd + body->nv); i++)
                twist[a] += p->J[a * nv + i] * p->G[i * nyd + c];
        }
    }
}

/* Computes column k of D. */
static td_status find_column(posture *p, td_arena *arena, size_t k, double *D)
{
    enum { ROWS = 6 };
    const td_model *model = p->model;
    const td_spin *spin = &model->spins.at[k];
    const size_t nyd = model->closure.nyd, bodies = model->tree.bodies, count = model->spins.count;
    int *entry = TD_ARENA_NEW(arena, int, nyd);
    size_t n = 0, own = 0;
    td_null_space null;
    for (size_t i = 0; entry && i < nyd; i++)
        if (spin->part[i] > 0) {
            own = (int)i == spin->velocity ? n : own;
            entry[n++] = (int)i;
        }
    td_column *A = entry ? td_columns_new(arena, ROWS * bodies, n) : NULL;
    for (size_t c = 0; A && c < n; c++) {
        move(p, (size_t)entry[c]);
        for (size_t i = 0; i < ROWS * bodies; i++)
            td_column_set(&A[c], i, spin->bodies[i / ROWS] ? 0 : p->twist[i]);
    }
    if (!A || !td_find_null_space(arena, n, A, 1e-7, &null))
        return TD_ERROR_MEMORY;
    if (null.count != 1 || !(fabs(null.vector[own]) > 1e-7))
        return TD_ERROR_SINGULAR;
    for (size_t c = 0; c < n; c++)
        D[(size_t)entry[c] * count + k] = null.vector[c] / null.vector[own];
    return TD_OK;
}

static td_status find_columns(posture *p, td_workspace *workspace, td_arena *arena, const double *y,
                              double *D)
{
    const td_model *model = p->model;
    const size_t nv = model->tree.nv;
    p->q = TD_ARENA_NEW(arena, double, model->tree.nq);
    p->G = TD_ARENA_NEW(arena, double, nv * model->closure.nyd);
    p->J = TD_ARENA_NEW(arena, double, 6 * nv);
    p->twist = TD_ARENA_NEW(arena, double, 6 * model->tree.bodies);
    if (!p->q || !p->G || !p->J || !p->twist)
        return TD_ERROR_MEMORY;
    td_status status = td_closure(model, workspace, y, NULL, NULL, p->q, NULL, NULL);
    if (status == TD_OK)
        status = td_closure_jacobian(model, workspace, y, p->G);
    if (status == TD_OK)
        status = TD_IN_TREE(
            workspace, td_motion_subspaces(model, workspace, p->q, TD_FRAME_WORLD, p->J, NULL));
    for (size_t k = 0; k < model->spins.count && status == TD_OK; k++)
        if (!model->spins.at[k].alone) {
            td_arena_scope(arena);
            status = find_column(p, arena, k, D);
        }
    return status;
}

td_status td_idle_directions(const td_model *model, td_workspace *workspace, const double *y,
                             double *D)
{
    const td_status pair = td_check_pair(model, workspace);
    if (pair != TD_OK)
        return pair;
    const size_t count = model->spins.count, numbers = model->closure.nyd * count;
    bool alone = true;
    if ((model->closure.ny && !y) || (numbers && !D))
        return td_refuse(workspace, y ? "D" : "y");
    for (size_t i = 0; i < numbers; i++)
        D[i] = 0;
    for (size_t k = 0; k < count; k++) {
        D[(size_t)model->spins.at[k].velocity * count + k] = 1;
        alone = alone && model->spins.at[k].alone;
    }
    td_arena arena = {0};
    posture p = {.model = model};
    td_status status = TD_OK;
    if (!alone)
        status = find_columns(&p, workspace, &arena, y, D);
    else if (model->closure.ny)
        status = td_closure(model, workspace, y, NULL, NULL, NULL, NULL, NULL);
    td_arena_free(&arena);
    for (size_t i = 0; i < numbers && status != TD_OK; i++)
        D[i] = NAN;
    return status;
}
