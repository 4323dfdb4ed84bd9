/* SPDX-License-Identifier: MIT */
/*
 * The linear closure q = M y + b, q̇ = G ẏ (equation 16 of Kumar et al. 2017), sparse by rows. A row
 * of an independent coordinate is a row of the identity; that of a follower holds its multiplier in
 * the leader's column, that of a constant nothing.
 */
#include "model.h"

static bool csr_new(td_csr *A, td_arena *arena, size_t rows, size_t columns, size_t entries)
{
    A->rows = (int)rows;
    A->columns = (int)columns;
    A->row = TD_ARENA_NEW(arena, int, rows + 1);
    A->column = TD_ARENA_NEW(arena, int, entries);
    A->value = TD_ARENA_NEW(arena, double, entries);
    return A->row && A->column && A->value;
}

/* one more entry of row i, the rows before it being complete */
static void csr_append(td_csr *A, int i, int column, double value)
{
    int k = A->row[i + 1]++;
    A->column[k] = column;
    A->value[k] = value;
}

/* the rows of a dependent joint; terms in the order of y */
static void add_combination(td_model *model, const td_joint_place *place, const td_combination *c)
{
    td_linear_closure *closure = &model->closure;
    for (int k = 0; k < c->count; k++) {
        const td_joint_place *leader = &model->place[c->joint[k]];
        csr_append(&closure->position, place->q, leader->y, c->factor[k]);
        csr_append(&closure->velocity, place->qd, leader->yd, c->factor[k]);
    }
    closure->offset[place->q] = c->constant;
}

/* a row starts where the one before it ends */
static void start_row(td_csr *A, int i)
{
    A->row[i + 1] = A->row[i];
}

/* K: 1 for the dependent joint, less the factors of what it depends on */
static bool build_constraints(td_model *model, size_t entries)
{
    td_linear_closure *closure = &model->closure;
    td_csr *K = &closure->constraint;
    size_t rows = model->tree.nv - closure->nyd;
    if (!csr_new(K, &model->records.arena, rows, model->tree.nv, entries))
        return false;
    int row = 0;
    for (size_t j = 0; j < model->movable_count; j++) {
        const td_joint_place *place = &model->place[model->movable[j]];
        const td_combination *c = &closure->combination[model->movable[j]];
        if (!place->dependent)
            continue;
        start_row(K, row);
        csr_append(K, row, place->qd, 1);
        for (int k = 0; k < c->count; k++)
            csr_append(K, row, model->place[c->joint[k]].qd, -c->factor[k]);
        row++;
    }
    return true;
}

bool td_build_closure(td_build *build)
{
    td_model *model = build->model;
    td_linear_closure *closure = &model->closure;
    td_arena *arena = &model->records.arena;
    size_t entries = model->tree.nq;
    for (size_t j = 0; j < model->movable_count; j++)
        entries += (size_t)closure->combination[model->movable[j]].count;
    closure->identity = closure->ny == model->tree.nq;
    closure->offset = TD_ARENA_NEW(arena, double, model->tree.nq);
    if (!closure->offset ||
        !csr_new(&closure->position, arena, model->tree.nq, closure->ny, entries) ||
        !csr_new(&closure->velocity, arena, model->tree.nv, closure->nyd, entries))
        return false;

    for (size_t j = 0; j < model->movable_count; j++) {
        int joint = model->movable[j];
        const td_joint_place *place = &model->place[joint];
        for (int k = 0; k < place->nq; k++) {
            start_row(&closure->position, place->q + k);
            if (!place->dependent)
                csr_append(&closure->position, place->q + k, place->y + k, 1);
        }
        for (int k = 0; k < place->nv; k++) {
            start_row(&closure->velocity, place->qd + k);
            if (!place->dependent)
                csr_append(&closure->velocity, place->qd + k, place->yd + k, 1);
        }
        if (place->dependent)
            add_combination(model, place, &closure->combination[joint]);
    }
    return build_constraints(model, entries);
}
