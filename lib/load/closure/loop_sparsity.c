/* SPDX-License-Identifier: MIT */
/*
 * The zeros of J_x of a group of many loops, for any state. The rows of a loop have entries only at
 * the joints on its path. QR without column exchanges (kernel/algebra/sparse_columns.h) keeps zeros
 * between columns that share no rows. The row range of a column of Q covers the column itself and
 * all earlier columns that overlap it. Columns with many rows, such as the joints of a platform
 * that all loops share, fill the columns after them. They are moved to the end if that saves much.
 */
#include <stdlib.h>
#include <string.h>

#include "load/closure/loop_analysis.h"

/* Smaller problems do not gain from sparsity and keep their order. */
enum { FEWEST = 48 };

/* per slot: row range of its column of J; count: the number of loops and followers with entries
   there */
typedef struct rows_of_slots {
    int *first, *end, *count;
} rows_of_slots;

static void add_rows(rows_of_slots *of, int slot, int first, int end)
{
    if (of->count[slot]++ == 0 || first < of->first[slot])
        of->first[slot] = first;
    if (end > of->end[slot])
        of->end[slot] = end;
}

/* Gives all velocities of a joint with a quaternion the same rows, since loops may be solved for
   mixtures of these. */
static void unite_joint(const td_loop_analysis *analysis, rows_of_slots *of, int slot, int nv)
{
    rows_of_slots all = {(int[1]){0}, (int[1]){0}, (int[1]){0}};
    int count = 0;
    for (int k = slot; k < slot + nv && k < analysis->slots; k++) {
        if (of->count[k])
            add_rows(&all, 0, of->first[k], of->end[k]);
        count = of->count[k] > count ? of->count[k] : count;
    }
    for (int k = slot; k < slot + nv && k < analysis->slots; k++) {
        of->first[k] = *all.first;
        of->end[k] = *all.end;
        of->count[k] = count;
    }
}

static void find_rows(const td_loop_analysis *analysis, rows_of_slots *of)
{
    const td_loop_group *g = analysis->group;
    const td_closure_map *closure = &analysis->model->closure;
    const td_csr *rate = &closure->rate;
    for (int n = 0; n < g->columns; n++) {
        const td_loop_joint *loop = &g->loop[g->column[n].loop];
        const int row = g->column[n].velocity;
        for (int e = rate->row[row]; e < rate->row[row + 1]; e++)
            add_rows(of, analysis->slot_of[rate->column[e]], loop->first, loop->first + loop->rows);
    }
    for (int e = 0; g->curves && e < g->curves->places; e++) {
        const int row = g->rows - g->curves->followers + g->curves->row[e];
        add_rows(of, analysis->slot_of[closure->wd[g->curves->joint[e]]], row, row + 1);
    }
    for (int s = 0; s < analysis->slots; s++) {
        const int nv = td_analysis_row(analysis, s)->kind.nv;
        if (!td_analysis_has_quaternion(analysis, s))
            continue;
        unite_joint(analysis, of, s, nv);
        s += nv - 1;
    }
}

static bool meet(const td_loop_sparsity *s, int j, int k)
{
    return s->first[j] < s->end[k] && s->first[k] < s->end[j];
}

/* Computes the structure of the columns in this order. Returns the number of multiplications that
   QR needs. */
static double fill(const rows_of_slots *of, const int *order, int n, td_loop_sparsity *s)
{
    double products = 0;
    for (int j = 0; j < n; j++) {
        s->first[j] = of->first[order[j]];
        s->end[j] = of->end[order[j]];
        s->lead[j] = s->reach[j] = j;
        for (int k = 0; k < j; k++) {
            if (!meet(s, j, k))
                continue;
            s->first[j] = s->first[k] < s->first[j] ? s->first[k] : s->first[j];
            s->end[j] = s->end[k] > s->end[j] ? s->end[k] : s->end[j];
        }
        for (int k = j; k-- > 0;) {
            if (!meet(s, j, k))
                continue;
            s->lead[j] = k;
            s->reach[j] = s->reach[k] < s->reach[j] ? s->reach[k] : s->reach[j];
            products += s->end[k] - s->first[k];
        }
        products += s->end[j] - s->first[j];
    }
    return products;
}

/* Sorts the slots by the number of loops that each moves. The sort is stable. */
static bool sort_by_count(td_loop_analysis *analysis, const rows_of_slots *of, const int *order,
                          int n, int *sorted)
{
    const int most = analysis->group->columns + analysis->slots + 1;
    int *start = TD_ARENA_NEW(&analysis->build->temporary, int, (size_t)most + 1);
    if (!start)
        return false;
    for (int k = 0; k < n; k++)
        start[(of->count[order[k]] < most ? of->count[order[k]] : most - 1) + 1]++;
    for (int k = 0; k < most; k++)
        start[k + 1] += start[k];
    for (int k = 0; k < n; k++)
        sorted[start[of->count[order[k]] < most ? of->count[order[k]] : most - 1]++] = order[k];
    return true;
}

static bool new_sparsity(td_arena *arena, size_t n, td_loop_sparsity *s)
{
    s->first = TD_ARENA_NEW(arena, int, n);
    s->end = TD_ARENA_NEW(arena, int, n);
    s->lead = TD_ARENA_NEW(arena, int, n);
    s->reach = TD_ARENA_NEW(arena, int, n);
    return s->first && s->end && s->lead && s->reach;
}

bool td_find_sparsity(td_loop_analysis *analysis)
{
    td_loop_group *g = analysis->group;
    td_arena *arena = &analysis->model->records.arena, *temporary = &analysis->build->temporary;
    const size_t slots = (size_t)analysis->slots;
    const int n = analysis->rank;
    if (n < FEWEST)
        return true;
    td_arena_scope(temporary);
    rows_of_slots of = {.first = TD_ARENA_NEW(temporary, int, slots),
                        .end = TD_ARENA_NEW(temporary, int, slots),
                        .count = TD_ARENA_NEW(temporary, int, slots)};
    int *sorted = TD_ARENA_NEW(temporary, int, (size_t)n);
    td_loop_sparsity *s = TD_ARENA_NEW(arena, td_loop_sparsity, 1);
    if (!of.first || !of.end || !of.count || !sorted || !s || !new_sparsity(arena, (size_t)n, s))
        return false;
    find_rows(analysis, &of);
    if (!sort_by_count(analysis, &of, analysis->pick, n, sorted))
        return false;
    const double full = 0.5 * (double)g->rows * n * n;
    const double others = fill(&of, sorted, n, s);
    double products = fill(&of, analysis->pick, n, s);
    if (others < 0.5 * products) {
        memcpy(analysis->pick, sorted, (size_t)n * sizeof *sorted);
        products = fill(&of, analysis->pick, n, s);
    }
    if (products < 0.25 * full)
        g->sparse = s;
    s->products = products;
    return true;
}
