/* SPDX-License-Identifier: MIT */
/*
 * The linear closure q = M y + b, q̇ = G ẏ (equation 16 of Kumar et al. 2017), in compressed sparse
 * rows. The row of an independent coordinate is a row of the identity. The row of a follower has
 * its multiplier in the leader's column. The row of a constant is empty.
 */
#include <math.h>

#include "load/build.h"

/* Appends an entry to row i. The rows before it must be complete. */
static void csr_append(td_csr *A, int i, int column, double value)
{
    int k = A->row[i + 1]++;
    A->column[k] = column;
    A->value[k] = value;
}

/* Starts row i where the previous one ends. */
static void start_row(td_csr *A, int i)
{
    A->row[i + 1] = A->row[i];
}

static bool is_linear(const td_place *place)
{
    return place->dependent && place->cluster < 0;
}

/* ---- w, M, b and K --------------------------------------------------------------------------- */

static bool number_coordinates(td_model *model)
{
    td_closure_map *closure = &model->closure;
    td_arena *arena = &model->records.arena;
    closure->w = TD_ARENA_NEW(arena, int, model->records.joint.count);
    closure->wd = TD_ARENA_NEW(arena, int, model->records.joint.count);
    if (!closure->w || !closure->wd)
        return false;
    closure->nw = closure->nwd = 0;
    for (size_t i = 0; i < model->records.joint.count; i++) {
        const td_place *place = &model->place[i];
        closure->w[i] = closure->wd[i] = -1;
        if (is_linear(place) || !place->nq)
            continue;
        closure->w[i] = (int)closure->nw;
        closure->wd[i] = (int)closure->nwd;
        closure->nw += (size_t)place->nq;
        closure->nwd += (size_t)place->nv;
    }
    return true;
}

/* Fills the rows of a dependent joint, with terms in the order of w. */
static void add_combination(td_model *model, const td_place *place, const td_combination *c)
{
    td_closure_map *closure = &model->closure;
    for (int k = 0; k < c->count; k++) {
        csr_append(&closure->position, place->q, closure->w[c->joint[k]], c->factor[k]);
        csr_append(&closure->rate, place->qd, closure->wd[c->joint[k]], c->factor[k]);
    }
    closure->offset[place->q] = c->constant;
}

/* Builds K: 1 for the dependent joint, minus the factors of the joints on which it depends. */
static bool build_constraints(td_model *model, size_t entries)
{
    td_closure_map *closure = &model->closure;
    td_csr *K = &closure->constraint;
    size_t rows = model->tree.nv - closure->nwd;
    closure->constraint_q = TD_ARENA_NEW(&model->records.arena, int, entries);
    closure->constraint_offset = TD_ARENA_NEW(&model->records.arena, double, rows);
    if (!td_csr_new(K, &model->records.arena, rows, model->tree.nv, entries) ||
        !closure->constraint_q || !closure->constraint_offset)
        return false;
    int row = 0;
    for (size_t j = 0; j < model->movable_count; j++) {
        const td_place *place = &model->place[model->movable[j]];
        const td_combination *c = &closure->combination[model->movable[j]];
        if (!is_linear(place))
            continue;
        start_row(K, row);
        closure->constraint_q[K->row[row + 1]] = place->q;
        csr_append(K, row, place->qd, 1);
        for (int k = 0; k < c->count; k++) {
            closure->constraint_q[K->row[row + 1]] = model->place[c->joint[k]].q;
            csr_append(K, row, model->place[c->joint[k]].qd, -c->factor[k]);
        }
        closure->constraint_offset[row++] = c->constant;
    }
    return true;
}

bool td_build_linear(td_build *build)
{
    td_model *model = build->model;
    td_closure_map *closure = &model->closure;
    td_arena *arena = &model->records.arena;
    size_t entries = model->tree.nq;
    for (size_t j = 0; j < model->movable_count; j++)
        entries += (size_t)closure->combination[model->movable[j]].count;
    closure->offset = TD_ARENA_NEW(arena, double, model->tree.nq);
    if (!number_coordinates(model) || !closure->offset ||
        !td_csr_new(&closure->position, arena, model->tree.nq, closure->nw, entries) ||
        !td_csr_new(&closure->rate, arena, model->tree.nv, closure->nwd, entries))
        return false;

    for (size_t j = 0; j < model->movable_count; j++) {
        int joint = model->movable[j];
        const td_place *place = &model->place[joint];
        bool linear = is_linear(place);
        for (int k = 0; k < place->nq; k++) {
            start_row(&closure->position, place->q + k);
            if (!linear)
                csr_append(&closure->position, place->q + k, closure->w[joint] + k, 1);
        }
        for (int k = 0; k < place->nv; k++) {
            start_row(&closure->rate, place->qd + k);
            if (!linear)
                csr_append(&closure->rate, place->qd + k, closure->wd[joint] + k, 1);
        }
        if (linear)
            add_combination(model, place, &closure->combination[joint]);
    }
    return build_constraints(model, entries);
}

/* ---- G --------------------------------------------------------------------------------------- */

/* y: per velocity in ẇ, its index in ẏ, or −1 if loops decide it; group: then the group of these
   loops. position: per position in w, its index in y. */
typedef struct sources {
    int *y, *group, *position;
} sources;

static bool find_sources(td_model *model, sources *from)
{
    td_closure_map *closure = &model->closure;
    td_arena *arena = &model->records.arena;
    closure->w_of_y = TD_ARENA_NEW(arena, int, closure->ny);
    closure->q_of_y = TD_ARENA_NEW(arena, int, closure->ny);
    closure->qd_of_yd = TD_ARENA_NEW(arena, int, closure->nyd);
    closure->placed = TD_ARENA_NEW(arena, char, closure->ny);
    from->y = TD_ARENA_NEW(arena, int, closure->nwd);
    from->group = TD_ARENA_NEW(arena, int, closure->nwd);
    from->position = TD_ARENA_NEW(arena, int, closure->nw);
    if (!from->y || !from->group || !from->position || !closure->w_of_y || !closure->q_of_y ||
        !closure->qd_of_yd || !closure->placed)
        return false;
    for (size_t i = 0; i < model->records.joint.count; i++) {
        const td_place *place = &model->place[i];
        for (int k = 0, n = 0; closure->wd[i] >= 0 && k < place->nv; k++) {
            bool dependent = place->dependents >> k & 1;
            from->y[closure->wd[i] + k] = dependent ? -1 : place->yd + n++;
            from->group[closure->wd[i] + k] = dependent ? place->cluster : -1;
            if (!dependent)
                closure->qd_of_yd[place->yd + n - 1] = place->qd + k;
        }
        for (int k = 0, n = 0; closure->w[i] >= 0 && k < place->nq; k++) {
            const bool dependent = td_position_is_dependent(place, k);
            from->position[closure->w[i] + k] = dependent ? -1 : place->y + n;
            if (dependent)
                continue;
            closure->w_of_y[place->y + n] = closure->w[i] + k;
            closure->placed[place->y + n] = place->nq != place->nv && place->dependents;
            closure->q_of_y[place->y + n++] = place->q + k;
        }
    }
    for (size_t n = 0; n < closure->loops.solved; n++) {
        td_loop_group *g = &closure->loops.group[n];
        for (int k = 0; k < g->independents; k++) {
            int position = g->coordinate[g->dependents + k];
            g->y[k] = position < 0 ? -1 : from->position[position];
            g->yd[k] = from->y[g->velocity[g->dependents + k]];
        }
        for (int k = 0; k < g->quaternions; k++)
            g->quaternion[k].y = from->position[g->quaternion[k].w];
    }
    return true;
}

/* Returns the entry of a column in the last row of G. Appends one if it does not exist. */
static int entry_of(td_csr *G, int row, int column)
{
    for (int k = G->row[row]; k < G->row[row + 1]; k++)
        if (G->column[k] == column)
            return k;
    csr_append(G, row, column, 0);
    return G->row[row + 1] - 1;
}

/* Adds one term factor · ẇ to a row of q̇. */
static void add_term(td_closure_map *closure, const sources *from, int row, int column,
                     double factor)
{
    td_csr *G = &closure->velocity;
    if (from->y[column] >= 0) {
        int e = entry_of(G, row, from->y[column]);
        G->value[e] += factor;
        closure->loops.constant[e] += factor;
        return;
    }
    td_loop_group *g = &closure->loops.group[from->group[column]];
    const size_t first = (size_t)closure->loops.slot[column] * (size_t)g->independents;
    for (int k = 0; k < g->independents; k++) {
        int e = entry_of(G, row, g->yd[k]);
        size_t n = g->fill.count++;
        g->fill.source[n] = first + (size_t)k;
        g->fill.target[n] = (size_t)e;
        g->fill.factor[n] = factor;
    }
}

/* Allocates the entries of G that loops fill. */
static bool allocate_fill(td_model *model, const sources *from, size_t *entries)
{
    td_closure_map *closure = &model->closure;
    td_arena *arena = &model->records.arena;
    const td_csr *rate = &closure->rate;
    *entries = 0;
    for (int e = 0; e < rate->row[rate->rows]; e++) {
        int group = from->group[rate->column[e]];
        td_loop_group *g = group >= 0 ? &closure->loops.group[group] : NULL;
        *entries += g ? (size_t)g->independents : 1;
        if (g)
            g->fill.count += (size_t)g->independents;
    }
    for (size_t n = 0; n < closure->loops.solved; n++) {
        td_scatter *fill = &closure->loops.group[n].fill;
        fill->source = TD_ARENA_NEW(arena, size_t, fill->count);
        fill->target = TD_ARENA_NEW(arena, size_t, fill->count);
        fill->factor = TD_ARENA_NEW(arena, double, fill->count);
        if (!fill->source || !fill->target || !fill->factor)
            return false;
        fill->count = 0;
    }
    return true;
}

/* Numbers the rows of K and sets row_rounding, the size below which entries of a row are rounding
   errors. Rows of positions have entries as large as the lengths of the mechanism, and 1 for
   prismatic joints. Rows of rotations have sines of angles. Rows of linear constraints and of
   closures of the options have factors, including a 1. */
static bool number_constraints(td_closure_map *closure, td_arena *arena)
{
    static const double rounding = 1e-11;
    closure->rows = (size_t)closure->constraint.rows;
    for (size_t n = 0; n < closure->loops.count; n++) {
        closure->loops.group[n].constraint = (int)closure->rows;
        closure->rows += (size_t)closure->loops.group[n].rows;
    }
    closure->row_rounding = TD_ARENA_NEW(arena, double, closure->rows);
    for (size_t i = 0; closure->row_rounding && i < closure->rows; i++)
        closure->row_rounding[i] = rounding;
    for (size_t n = 0; closure->row_rounding && n < closure->loops.count; n++) {
        const td_loop_group *g = &closure->loops.group[n];
        for (int i = 0; g->row && i < g->rows; i++)
            closure->row_rounding[g->constraint + i] /= fmax(1, g->row[i].weight);
    }
    return closure->row_rounding != NULL;
}

bool td_build_velocity(td_build *build)
{
    td_model *model = build->model;
    td_closure_map *closure = &model->closure;
    td_arena *arena = &model->records.arena;
    const td_csr *rate = &closure->rate;
    sources from;
    size_t entries;
    closure->identity = closure->nyd == model->tree.nv;
    if (!number_constraints(closure, arena))
        return false;
    if (!find_sources(model, &from) || !allocate_fill(model, &from, &entries) ||
        !td_csr_new(&closure->velocity, arena, model->tree.nv, closure->nyd, entries))
        return false;
    closure->loops.constant = TD_ARENA_NEW(arena, double, entries);
    if (!closure->loops.constant)
        return false;
    for (int i = 0; i < rate->rows; i++) {
        start_row(&closure->velocity, i);
        for (int e = rate->row[i]; e < rate->row[i + 1]; e++)
            add_term(closure, &from, i, rate->column[e], rate->value[e]);
    }
    return true;
}
