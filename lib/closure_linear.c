/* SPDX-License-Identifier: MIT */
/*
 * The linear closure q = M y + b, q̇ = G ẏ (equation 16 of Kumar et al. 2017), sparse by rows. A row
 * of an independent coordinate is a row of the identity; that of a follower holds its multiplier in
 * the leader's column, that of a constant nothing.
 */
#include "model.h"

static bool csr_new(td_csr *A, td_arena *arena, size_t rows, size_t columns)
{
    A->rows = (int)rows;
    A->columns = (int)columns;
    A->row = TD_ARENA_NEW(arena, int, rows + 1);
    A->column = TD_ARENA_NEW(arena, int, rows);
    A->value = TD_ARENA_NEW(arena, double, rows);
    return A->row && A->column && A->value;
}

/* Row i, the rows before it being there: one entry, or none. */
static void csr_append(td_csr *A, int i, int column, double value, bool entry)
{
    int k = A->row[i];
    if (entry) {
        A->column[k] = column;
        A->value[k++] = value;
    }
    A->row[i + 1] = k;
}

bool td_build_closure(td_build *build)
{
    td_model *model = build->model;
    td_linear_closure *closure = &model->closure;
    td_arena *arena = &model->records.arena;
    closure->identity = closure->ny == model->tree.nq;
    closure->offset = TD_ARENA_NEW(arena, double, model->tree.nq);
    if (!closure->offset || !csr_new(&closure->position, arena, model->tree.nq, closure->ny) ||
        !csr_new(&closure->velocity, arena, model->tree.nv, closure->nyd))
        return false;

    for (size_t j = 0; j < model->movable_count; j++) {
        const td_joint_place *place = &model->place[model->movable[j]];
        if (place->dependent) {
            bool moves = place->leader >= 0;
            const td_joint_place *leader = moves ? &model->place[place->leader] : NULL;
            csr_append(&closure->position, place->q, moves ? leader->y : 0, place->multiplier,
                       moves);
            csr_append(&closure->velocity, place->qd, moves ? leader->yd : 0, place->multiplier,
                       moves);
            closure->offset[place->q] = place->offset;
            continue;
        }
        for (int k = 0; k < place->nq; k++)
            csr_append(&closure->position, place->q + k, place->y + k, 1, true);
        for (int k = 0; k < place->nv; k++)
            csr_append(&closure->velocity, place->qd + k, place->yd + k, 1, true);
    }
    return true;
}
