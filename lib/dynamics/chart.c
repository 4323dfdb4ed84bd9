/* SPDX-License-Identifier: MIT */
/*
 * Charts: selects independent coordinates by elimination and swaps.
 */
#include "dynamics/chart.h"

#include <math.h>
#include <string.h>

/* A pivot this much smaller than the largest counts as zero. */
static const double RANK = 1e-9;
/* Swaps continue while one increases the determinant of J_x by more than this factor. */
static const double ENOUGH = 2;

void td_coordinates_w(const td_model *model, const double *q, double *w)
{
    for (size_t i = 0; i < model->records.joint.count; i++)
        if (model->closure.w[i] >= 0)
            memcpy(w + model->closure.w[i], q + model->place[i].q,
                   (size_t)model->place[i].nq * sizeof *w);
}

/* ---- elimination ----------------------------------------------------------------------------- */

/* The order in which columns become pivots: first coordinates that must depend, then those that
   may. Columns at level LAST are never pivots. */
enum { FIRST, NEXT, LAST };

/* A group with its J, stored by columns in T; after elimination T is the tableau. */
typedef struct tableau {
    const td_loop_group *g;
    size_t rows, slots, dependents;
    double *T;
    char *level;
    int *row_of;
    char *taken;
} tableau;

static double entry(const tableau *t, size_t row, size_t column)
{
    return t->T[column * t->rows + row];
}

/* Does a Gauss-Jordan step: divides the row by its pivot and subtracts it from all others. */
static void eliminate(tableau *t, size_t row, size_t column)
{
    const double *pivots = t->T + column * t->rows;
    for (size_t j = 0; j < t->slots; j++) {
        double *to = t->T + j * t->rows;
        if (j == column || to[row] == 0)
            continue;
        to[row] /= pivots[row];
        for (size_t i = 0; i < t->rows; i++)
            if (i != row)
                to[i] -= pivots[i] * to[row];
    }
    memset(t->T + column * t->rows, 0, t->rows * sizeof *t->T);
    t->T[column * t->rows + row] = 1;
    t->row_of[column] = (int)row;
    t->taken[row] = 1;
}

/* Finds the largest entry among free rows and columns of a level. */
static double find_pivot(const tableau *t, int level, size_t *row, size_t *column)
{
    double best = 0;
    for (size_t j = 0; j < t->slots; j++)
        for (size_t i = 0; t->level[j] == level && t->row_of[j] < 0 && i < t->rows; i++)
            if (!t->taken[i] && fabs(entry(t, i, j)) > best) {
                best = fabs(entry(t, i, j));
                *row = i;
                *column = j;
            }
    return best;
}

/* Selects pivots, the largest first. Returns whether all dependents are determined. */
static bool eliminate_all(tableau *t)
{
    size_t n = 0, row = 0, column = 0;
    memset(t->taken, 0, t->rows);
    for (size_t j = 0; j < t->slots; j++)
        t->row_of[j] = -1;
    for (int level = FIRST; level <= NEXT; level++) {
        double first = 0, best;
        while (n < t->dependents && (best = find_pivot(t, level, &row, &column)) > RANK * first) {
            first = fmax(first, best);
            eliminate(t, row, column);
            n++;
        }
        if (level == FIRST) /* columns that must depend need a pivot */
            for (size_t j = 0; j < t->slots; j++)
                if (t->level[j] == FIRST && t->row_of[j] < 0)
                    return false;
    }
    return n == t->dependents;
}

/* ---- a group --------------------------------------------------------------------------------- */

static bool may_swap(const td_model *model, const tableau *t, size_t slot, td_chart_keep keep)
{
    if (!model->charts.swaps[t->g->velocity[slot]])
        return false;
    return slot < t->dependents || !keep || !keep[t->g->yd[slot - t->dependents]];
}

static tableau tableau_of(td_chart *chart, const td_model *model, const td_scratch *s, size_t group)
{
    const td_loop_group *g = &chart->closure.loops.group[group];
    tableau t = {g,
                 (size_t)g->rows,
                 (size_t)(g->dependents + g->independents),
                 (size_t)g->dependents,
                 chart->tableau,
                 chart->level,
                 chart->row_of,
                 chart->taken};
    model->single->loop_columns(&model->tree, &chart->closure, group, s, t.T);
    return t;
}

/* Returns the index in the order of a group's first slot. */
static size_t first_slot(const td_chart *chart, size_t group)
{
    size_t first = 0;
    for (size_t n = 0; n < group; n++)
        first += (size_t)(chart->closure.loops.group[n].dependents +
                          chart->closure.loops.group[n].independents);
    return first;
}

/* Eliminates with the dependents of the present order as pivots; if `all`, any swappable
   coordinate may become one. */
static bool eliminate_slots(td_chart *chart, const td_model *model, const td_scratch *s,
                            td_chart_keep keep, size_t group, bool all, tableau *t)
{
    *t = tableau_of(chart, model, s, group);
    for (size_t k = 0; k < t->slots; k++) {
        const bool swaps = may_swap(model, t, k, keep), depends = k < t->dependents;
        t->level[k] = depends && !swaps ? FIRST : depends || (all && swaps) ? NEXT : LAST;
    }
    return eliminate_all(t);
}

/* Finds the largest entry of the tableau between a dependent and an independent coordinate that
   may be swapped. */
static double best_swap(const td_model *model, const tableau *t, td_chart_keep keep, size_t *leaves,
                        size_t *enters)
{
    double best = 0;
    for (size_t i = 0; i < t->slots; i++)
        for (size_t j = 0; t->row_of[i] >= 0 && may_swap(model, t, i, keep) && j < t->slots; j++) {
            if (t->row_of[j] >= 0 || !may_swap(model, t, j, keep))
                continue;
            const double gain = fabs(entry(t, (size_t)t->row_of[i], j));
            if (gain > best) {
                best = gain;
                *leaves = i;
                *enters = j;
            }
        }
    return best;
}

/* Moves pivots from positions of u to positions of dependents that have no pivot. */
static void assign(const tableau *t, int *order)
{
    size_t next = 0;
    for (size_t j = t->dependents; j < t->slots; j++) {
        if (t->row_of[j] < 0)
            continue;
        while (t->row_of[next] >= 0)
            next++;
        const int slot = order[j];
        order[j] = order[next];
        order[next++] = slot;
    }
}

static bool improve_group(td_chart *chart, const td_model *model, const td_scratch *s,
                          td_chart_keep keep, size_t group)
{
    tableau t;
    size_t leaves = 0, enters = 0;
    if (!eliminate_slots(chart, model, s, keep, group, false, &t) &&
        !eliminate_slots(chart, model, s, keep, group, true, &t))
        return false;
    for (size_t n = 0; n < 4 * t.slots && best_swap(model, &t, keep, &leaves, &enters) > ENOUGH;
         n++) {
        const size_t row = (size_t)t.row_of[leaves];
        t.row_of[leaves] = -1;
        eliminate(&t, row, enters);
    }
    assign(&t, chart->order + first_slot(chart, group));
    return true;
}

int td_chart_improve(td_chart *chart, const td_model *model, const td_scratch *s,
                     td_chart_keep keep)
{
    for (size_t n = 0; n < chart->closure.loops.solved; n++)
        if (!td_group_is_explicit(&chart->closure.loops.group[n]) &&
            !improve_group(chart, model, s, keep, n))
            return (int)n;
    return -1;
}

/* ---- speed of dependent coordinates ---------------------------------------------------------- */

/* Eliminates with the dependents of y as pivots. */
static bool eliminate_y(td_chart *chart, const td_model *model, const td_scratch *s, size_t group,
                        tableau *t)
{
    const int *order = chart->order + first_slot(chart, group);
    *t = tableau_of(chart, model, s, group);
    for (size_t k = 0; k < t->slots; k++)
        t->level[k] = order[k] < (int)t->dependents ? NEXT : LAST;
    return eliminate_all(t);
}

double td_chart_speed(td_chart *chart, const td_model *model, const td_scratch *s,
                      td_chart_keep keep, bool of_y)
{
    double fastest = 0;
    for (size_t n = 0; n < chart->closure.loops.solved; n++) {
        tableau t;
        size_t leaves, enters;
        if (td_group_is_explicit(&chart->closure.loops.group[n]))
            continue;
        const bool decided = of_y ? eliminate_y(chart, model, s, n, &t)
                                  : eliminate_slots(chart, model, s, keep, n, false, &t);
        if (!decided)
            return INFINITY;
        fastest = fmax(fastest, best_swap(model, &t, keep, &leaves, &enters));
    }
    return fastest;
}
