/* SPDX-License-Identifier: MIT */
/*
 * Data that all charts of a model share (td_charts). A chart exchanges dependent and independent
 * coordinates within a group of loops. So any coordinate of the group may depend on all independent
 * ones, and G has full blocks for the group. Patterns and actuation are derived from this G as for
 * the model. The clusters of bodies are the model's: everything that one coordinate of a group
 * moves is in the same cluster as the whole group.
 */
#include <string.h>

#include "load/build.h"

/* ---- coordinates that may be exchanged ------------------------------------------------------- */

static bool number_coordinates(td_model *model)
{
    const td_closure_map *closure = &model->closure;
    td_charts *charts = &model->charts;
    td_arena *arena = &model->records.arena;
    charts->q_of_w = TD_ARENA_NEW(arena, int, closure->nw);
    charts->qd_of_wd = TD_ARENA_NEW(arena, int, closure->nwd);
    charts->group = TD_ARENA_NEW(arena, int, closure->nwd);
    charts->yd = TD_ARENA_NEW(arena, int, closure->nwd);
    charts->swaps = TD_ARENA_NEW(arena, char, closure->nwd);
    charts->fill = TD_ARENA_NEW(arena, size_t, closure->loops.solved);
    if (!charts->q_of_w || !charts->qd_of_wd || !charts->group || !charts->yd || !charts->swaps ||
        !charts->fill)
        return false;
    for (size_t i = 0; i < model->records.joint.count; i++) {
        const td_place *place = &model->place[i];
        for (int k = 0; closure->w[i] >= 0 && k < place->nq; k++)
            charts->q_of_w[closure->w[i] + k] = place->q + k;
        for (int k = 0, n = 0; closure->wd[i] >= 0 && k < place->nv; k++) {
            charts->qd_of_wd[closure->wd[i] + k] = place->qd + k;
            charts->yd[closure->wd[i] + k] = place->dependents >> k & 1 ? -1 : place->yd + n++;
        }
    }
    return true;
}

/* Returns whether the group contains joints with a quaternion. If so, all its positions are in u,
   so that any velocities may be independent. */
static bool is_wide(const td_loop_group *g)
{
    return g->quaternions > 0;
}

/* Marks the coordinates that may be exchanged. Excluded are all coordinates of curves and
   user-supplied closures, and coordinates that move the loops closed by these. Passive independent
   joints are excluded too, unless they have a quaternion. */
static void find_swaps(td_model *model)
{
    const td_closure_map *closure = &model->closure;
    td_charts *charts = &model->charts;
    for (size_t c = 0; c < closure->nwd; c++)
        charts->group[c] = -1;
    for (size_t n = 0; n < closure->loops.solved; n++) {
        const td_loop_group *g = &closure->loops.group[n];
        for (int k = 0; k < g->dependents + g->independents; k++) {
            const int c = g->velocity[k], yd = charts->yd[c];
            const bool passive = yd >= 0 && model->actuation.drives.local[yd] < 0;
            const bool of_pose = g->coordinate[k] < 0;
            if (k < g->dependents || !td_group_is_explicit(g))
                charts->group[c] = (int)n;
            charts->swaps[c] = of_pose || !passive;
            charts->mixed = charts->mixed || (of_pose && passive);
        }
    }
    for (size_t n = 0; n < closure->loops.solved; n++) {
        const td_loop_group *g = &closure->loops.group[n];
        for (int k = 0; td_group_is_explicit(g) && k < g->dependents + g->independents; k++)
            charts->swaps[g->velocity[k]] = 0;
    }
    for (size_t n = closure->loops.solved; n < closure->loops.count; n++) {
        const td_loop_group *g = &closure->loops.group[n];
        for (int c = 0; g->form == TD_FORM_COVERED && c < g->columns; c++) {
            const int row = g->column[c].velocity;
            for (int e = closure->rate.row[row]; e < closure->rate.row[row + 1]; e++)
                charts->swaps[closure->rate.column[e]] = 0;
        }
    }
}

/* Returns whether one coordinate of the group may become dependent and another independent. */
static bool group_swaps(const td_charts *charts, const td_loop_group *g)
{
    bool dependent = false, independent = false;
    for (int k = 0; k < g->dependents + g->independents; k++)
        if (charts->swaps[g->velocity[k]])
            *(k < g->dependents ? &dependent : &independent) = true;
    return dependent && independent;
}

/* ---- G --------------------------------------------------------------------------------------- */

/* Returns the number of entries that a term of a row may need. */
static size_t most_entries(const td_model *model, int column)
{
    const int group = model->charts.group[column];
    return group < 0 ? 1 : (size_t)model->closure.loops.group[group].independents;
}

static bool new_G(td_model *block, size_t entries)
{
    td_arena *arena = &block->records.arena;
    td_csr *G = &block->closure.velocity;
    *G = (td_csr){.rows = (int)block->tree.nv,
                  .columns = (int)block->closure.nyd,
                  .row = TD_ARENA_NEW(arena, int, block->tree.nv + 1),
                  .column = TD_ARENA_NEW(arena, int, entries),
                  .value = TD_ARENA_NEW(arena, double, entries)};
    return G->row && G->column && G->value;
}

/* Adds an entry to the last row of G unless it exists. */
static void add_entry(td_csr *G, int row, int column)
{
    for (int e = G->row[row]; e < G->row[row + 1]; e++)
        if (G->column[e] == column)
            return;
    G->value[G->row[row + 1]] = 1; /* typical magnitude in a good chart */
    G->column[G->row[row + 1]++] = column;
}

static bool build_velocity(td_model *block)
{
    const td_csr *rate = &block->closure.rate;
    td_charts *charts = &block->charts;
    td_csr *G = &block->closure.velocity;
    size_t entries = 0;
    for (int e = 0; e < rate->row[rate->rows]; e++) {
        const int group = charts->group[rate->column[e]];
        entries += most_entries(block, rate->column[e]);
        if (group >= 0)
            charts->fill[group] += most_entries(block, rate->column[e]);
    }
    if (!new_G(block, entries))
        return false;
    for (int i = 0; i < rate->rows; i++) {
        G->row[i + 1] = G->row[i];
        for (int e = rate->row[i]; e < rate->row[i + 1]; e++) {
            const int column = rate->column[e], group = charts->group[column];
            const td_loop_group *g = group < 0 ? NULL : &block->closure.loops.group[group];
            if (!g || (charts->yd[column] >= 0 && !group_swaps(charts, g))) {
                add_entry(G, i, charts->yd[column]);
                continue;
            }
            for (int k = 0; k < g->independents; k++)
                add_entry(G, i, g->yd[k]);
        }
    }
    return true;
}

/* Returns whether G has the same pattern as the model's. */
static bool is_like(const td_csr *G, const td_csr *of_model)
{
    const size_t rows = (size_t)G->rows + 1, entries = (size_t)G->row[G->rows];
    return memcmp(G->row, of_model->row, rows * sizeof *G->row) == 0 &&
           memcmp(G->column, of_model->column, entries * sizeof *G->column) == 0;
}

/* Builds the patterns. Reuses the model's if all its blocks are full already, as for loops with one
   independent coordinate each. */
static bool build_patterns(td_build *of_block, const td_closure_map *of_model)
{
    td_closure_map *closure = &of_block->model->closure;
    if (is_like(&closure->velocity, &of_model->velocity))
        return true;
    closure->pattern = (td_pattern){0};
    closure->scatter = (td_scatter){0};
    closure->suspects = 0;
    return td_build_pattern(of_block);
}

/* ---- wide groups ----------------------------------------------------------------------------- */

/* Returns the entry in u of a position of w. Appends one unless y contains the position. */
static int entry_of_w(td_closure_map *u, const td_charts *charts, int *entry, int w)
{
    if (entry[w] >= 0)
        return entry[w];
    u->w_of_y[u->ny] = w;
    u->q_of_y[u->ny] = charts->q_of_w[w];
    u->placed[u->ny] = 1;
    return entry[w] = (int)u->ny++;
}

/* Widens a group: all its poses are partly dependent in every chart, and each of its plain
   coordinates gets an entry in u. */
static bool widen_group(td_model *block, int *entry, td_loop_group *g)
{
    td_arena *arena = &block->records.arena;
    const size_t slots = (size_t)(g->dependents + g->independents);
    td_closure_map *u = &block->closure;
    g->coordinate = td_arena_copy(arena, g->coordinate, slots, sizeof *g->coordinate);
    g->quaternion =
        td_arena_copy(arena, g->quaternion, (size_t)g->quaternions, sizeof *g->quaternion);
    g->entry = TD_ARENA_NEW(arena, int, slots);
    if (!g->coordinate || !g->quaternion || !g->entry)
        return false;
    for (size_t k = 0; k < slots; k++)
        g->entry[k] =
            g->coordinate[k] < 0 ? -1 : entry_of_w(u, &block->charts, entry, g->coordinate[k]);
    g->parts = g->quaternions;
    for (int i = 0; i < g->quaternions; i++) {
        td_loop_quaternion *f = &g->quaternion[i];
        f->part = TD_PART_COORDINATES * i;
        f->y = entry_of_w(u, &block->charts, entry, f->w);
        for (int k = 0; k < td_loop_quaternion_positions(f); k++)
            u->placed[entry_of_w(u, &block->charts, entry, f->w + k)] = 1;
        for (int k = 0; k < f->before + 3; k++)
            g->coordinate[u->loops.slot[f->velocity + k]] = td_coordinate_of_part(f->part + k);
    }
    block->charts.wide = true;
    return true;
}

/* Copies the data that wide groups change. u has capacity for all positions in w, which come after
   the ones in y. */
static bool widen(td_model *block)
{
    td_arena *arena = &block->records.arena;
    td_closure_map *u = &block->closure;
    const td_closure_map own = *u;
    int *entry = TD_ARENA_NEW(arena, int, own.nw);
    u->w_of_y = TD_ARENA_NEW(arena, int, own.nw);
    u->q_of_y = TD_ARENA_NEW(arena, int, own.nw);
    u->placed = TD_ARENA_NEW(arena, char, own.nw);
    u->loops.group = td_arena_copy(arena, own.loops.group, own.loops.count, sizeof(td_loop_group));
    if (!entry || !u->w_of_y || !u->q_of_y || !u->placed || !u->loops.group)
        return false;
    for (size_t w = 0; w < own.nw; w++)
        entry[w] = -1;
    for (size_t i = 0; i < own.ny; i++) {
        u->w_of_y[i] = own.w_of_y[i];
        u->q_of_y[i] = own.q_of_y[i];
        u->placed[i] = own.placed[i];
        entry[own.w_of_y[i]] = (int)i;
    }
    for (size_t n = 0; n < own.loops.solved; n++)
        if (is_wide(&u->loops.group[n]) && !widen_group(block, entry, &u->loops.group[n]))
            return false;
    return true;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Runs steps of loading on a copy of the model whose G has full blocks. */
static bool build_block(td_build *build, td_model *block)
{
    td_build of_block = *build;
    const size_t motors = block->actuation.loops.count;
    const int *local = block->actuation.drives.local;
    of_block.model = block;
    if (!widen(block) || !build_velocity(block) ||
        !build_patterns(&of_block, &build->model->closure))
        return false;
    block->actuation.loops.motor = td_arena_copy(
        &block->records.arena, block->actuation.loops.motor, motors, sizeof(td_loop_motor));
    return (block->actuation.loops.motor || !motors) &&
           td_map_motors(block, block->charts.mixed ? NULL : local);
}

bool td_make_charts(td_build *build)
{
    td_model *model = build->model;
    const td_loops *loops = &model->closure.loops;
    if (!loops->solved)
        return true;
    if (!number_coordinates(model))
        return false;
    find_swaps(model);
    for (size_t n = 0; n < loops->solved; n++)
        model->charts.any = model->charts.any || group_swaps(&model->charts, &loops->group[n]);
    if (!model->charts.any)
        return true;
    td_model block = *model;
    const bool good = build_block(build, &block);
    model->records.arena = block.records.arena; /* the copy allocated from this arena */
    model->charts.wide = block.charts.wide;
    model->charts.closure = block.closure;
    model->charts.actuation = block.actuation;
    return good;
}
