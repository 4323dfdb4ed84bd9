/* SPDX-License-Identifier: MIT */
/*
 * Charts: their memory, and the closure of a choice of independent coordinates. It consists of
 * the slots of groups, their entries of G, the balances of loops, and the coordinates that
 * massless motions use.
 */
#include <string.h>

#include "dynamics/chart.h"
#include "model/balances.h"

/* ---- memory ---------------------------------------------------------------------------------- */

static void copy(void *to, const void *from, size_t bytes)
{
    if (to && bytes)
        memcpy(to, from, bytes);
}

/* Allocates the arrays of a group that depend on the choice. */
static void take_group(td_stack *stack, td_loop_group *g, size_t fill)
{
    const size_t slots = (size_t)(g->dependents + g->independents);
    g->coordinate = td_take(stack, int, slots);
    g->velocity = td_take(stack, int, slots);
    g->unit = td_take(stack, double, slots);
    g->usual = g->usual ? td_take(stack, double, slots) : NULL;
    g->y = g->entry ? td_take(stack, int, (size_t)g->independents) : g->y;
    g->fill.source = td_take(stack, size_t, fill);
    g->fill.target = td_take(stack, size_t, fill);
    g->fill.factor = td_take(stack, double, fill);
}

/* Allocates balances; each choice has the same number of rows and at most this number of
   entries. */
static void take_balances(td_stack *stack, td_balances *b, const td_model *model)
{
    const size_t most = (size_t)model->closure.rate.row[model->closure.rate.rows] + model->tree.nv;
    td_csr *const matrices[] = {&b->held, &b->moved};
    for (int k = 0; k < 2; k++) {
        matrices[k]->row = td_take(stack, int, (size_t)matrices[k]->rows + 1);
        matrices[k]->column = td_take(stack, int, most);
        matrices[k]->value = td_take(stack, double, most);
    }
}

static void take_idle(td_stack *stack, td_idle *idle, size_t nyd)
{
    const td_idle_motion *own = idle->motion;
    idle->motion = td_take(stack, td_idle_motion, idle->count);
    copy(idle->motion, own, idle->count * sizeof *own);
    for (size_t m = 0; m < idle->count; m++) {
        int *velocity = td_take(stack, int, nyd);
        if (idle->motion)
            idle->motion[m].velocity = velocity;
    }
    idle->suspect = td_take(stack, int, nyd);
}

void td_chart_take(td_stack *stack, const td_model *model, td_chart *chart)
{
    const td_charts *charts = &model->charts;
    td_closure_map *closure = &chart->closure;
    const td_loop_group *groups = charts->closure.loops.group;
    size_t cells = 0, slots = 0, rows = 0;
    *chart = (td_chart){.closure = charts->closure};
    if (!charts->any)
        return;
    td_loops *loops = &closure->loops;
    loops->group = td_take(stack, td_loop_group, loops->count);
    copy(loops->group, groups, loops->count * sizeof *groups);
    for (size_t n = 0; n < loops->solved; n++) {
        td_loop_group g = groups[n];
        const size_t of_group = (size_t)(g.dependents + g.independents);
        cells = (size_t)g.rows * of_group > cells ? (size_t)g.rows * of_group : cells;
        slots = of_group > slots ? of_group : slots;
        rows = (size_t)g.rows > rows ? (size_t)g.rows : rows;
        chart->slots += of_group;
        take_group(stack, &g, charts->fill[n]);
        copy(loops->group ? &loops->group[n] : NULL, &g, sizeof g);
    }
    loops->slot = td_take(stack, int, closure->nwd);
    loops->constant = td_take(stack, double, (size_t)closure->velocity.row[closure->velocity.rows]);
    closure->w_of_y = td_take(stack, int, closure->ny);
    closure->q_of_y = td_take(stack, int, closure->ny);
    closure->placed = td_take(stack, char, closure->ny);
    closure->qd_of_yd = td_take(stack, int, closure->nyd);
    if (closure->balances.loops)
        take_balances(stack, &closure->balances, model);
    take_idle(stack, &closure->idle, closure->nyd);
    chart->order = td_take(stack, int, chart->slots);
    chart->kept = td_take(stack, int, chart->slots);
    chart->held = td_take(stack, int, closure->nwd + model->tree.nv);
    chart->anchor = td_take(stack, double, closure->nw);
    chart->last = td_take(stack, double, closure->nw);
    chart->tableau = td_take(stack, double, cells);
    chart->level = td_take(stack, char, slots);
    chart->row_of = td_take(stack, int, slots);
    chart->taken = td_take(stack, char, rows);
}

void td_chart_begin(td_chart *chart, const td_model *model)
{
    if (!model->charts.any)
        return;
    const td_closure_map *u = &model->charts.closure;
    copy(chart->closure.w_of_y, u->w_of_y, u->ny * sizeof(int));
    copy(chart->closure.q_of_y, u->q_of_y, u->ny * sizeof(int));
    copy(chart->closure.placed, u->placed, u->ny);
    copy(chart->closure.qd_of_yd, model->closure.qd_of_yd, model->closure.nyd * sizeof(int));
    copy(chart->closure.loops.slot, model->closure.loops.slot, model->closure.nwd * sizeof(int));
    copy(chart->anchor, model->closure.reference, model->closure.nw * sizeof(double));
    copy(chart->last, model->closure.reference, model->closure.nw * sizeof(double));
    td_chart_choose_y(chart, model);
    td_chart_finish(chart, model);
}

/* ---- the order ------------------------------------------------------------------------------- */

void td_chart_choose_y(td_chart *chart, const td_model *model)
{
    size_t at = 0;
    for (size_t n = 0; n < model->closure.loops.solved; n++) {
        const td_loop_group *g = &model->closure.loops.group[n];
        for (int k = 0; k < g->dependents + g->independents; k++)
            chart->order[at++] = k;
    }
}

/* Returns whether the choice of a group is y. */
static bool is_y(const td_loop_group *g, const int *order)
{
    for (int k = 0; k < g->independents; k++)
        if (order[g->dependents + k] != g->dependents + k)
            return false;
    return true;
}

bool td_chart_is_y(const td_chart *chart)
{
    const int *order = chart->order;
    bool all = true;
    for (size_t n = 0; n < chart->closure.loops.solved; n++) {
        const td_loop_group *g = &chart->closure.loops.group[n];
        all = all && is_y(g, order);
        order += g->dependents + g->independents;
    }
    return all;
}

/* ---- groups and G ---------------------------------------------------------------------------- */

/* Orders the slots of a group. Entries of y keep their positions. */
static void order_group(td_chart *chart, const td_model *model, size_t n, const int *order)
{
    const td_charts *charts = &model->charts;
    const td_loop_group *own = &charts->closure.loops.group[n];
    td_loop_group *g = &chart->closure.loops.group[n];
    g->sparse = NULL; /* belongs to the old order */
    for (int k = 0; k < g->dependents + g->independents; k++) {
        g->coordinate[k] = own->coordinate[order[k]];
        g->velocity[k] = own->velocity[order[k]];
        g->unit[k] = own->unit ? own->unit[order[k]] : 1;
        if (g->usual)
            g->usual[k] = own->usual[order[k]];
        /* an explicit group may follow a coordinate of a loop */
        if (k < g->dependents || !td_group_is_explicit(own))
            chart->closure.loops.slot[g->velocity[k]] = k;
        if (own->entry && own->entry[order[k]] >= 0) /* γ changes entries that depend */
            chart->closure.placed[own->entry[order[k]]] = k < g->dependents;
    }
    /* a closed form holds only for its own choice; others are solved along the path */
    const bool formula = own->form == TD_FORM_SLIDER || own->form == TD_FORM_FOUR_BAR;
    g->form = formula && !is_y(g, order) ? TD_FORM_FOLLOWED : own->form;
    for (int k = 0; k < g->independents; k++) {
        const int w = g->coordinate[g->dependents + k], wd = g->velocity[g->dependents + k];
        chart->closure.qd_of_yd[g->yd[k]] = charts->qd_of_wd[wd];
        if (own->entry)
            g->y[k] = own->entry[order[g->dependents + k]];
        if (own->entry || g->y[k] < 0)
            continue;
        chart->closure.w_of_y[g->y[k]] = w;
        chart->closure.q_of_y[g->y[k]] = charts->q_of_w[w];
    }
}

static size_t entry_of(const td_csr *G, int row, int column)
{
    int e = G->row[row];
    while (G->column[e] != column)
        e++;
    return (size_t)e;
}

/* Adds a term factor · ẇ to a row of q̇: to the constants of G, or to the fill list of a group's
   W. */
static void add_term(td_chart *chart, const td_charts *charts, int row, int column, double factor)
{
    td_loops *loops = &chart->closure.loops;
    const td_csr *G = &chart->closure.velocity;
    const int group = charts->group[column], slot = loops->slot[column];
    if (group < 0) {
        loops->constant[entry_of(G, row, charts->yd[column])] += factor;
        return;
    }
    td_loop_group *g = &loops->group[group];
    if (slot >= g->dependents) {
        loops->constant[entry_of(G, row, g->yd[slot - g->dependents])] += factor;
        return;
    }
    for (int k = 0; k < g->independents; k++) {
        const size_t n = g->fill.count++;
        g->fill.source[n] = (size_t)(slot * g->independents + k);
        g->fill.target[n] = entry_of(G, row, g->yd[k]);
        g->fill.factor[n] = factor;
    }
}

static void fill_velocity(td_chart *chart, const td_charts *charts)
{
    td_closure_map *closure = &chart->closure;
    const td_csr *rate = &closure->rate, *G = &closure->velocity;
    memset(closure->loops.constant, 0, (size_t)G->row[G->rows] * sizeof(double));
    for (size_t n = 0; n < closure->loops.solved; n++)
        closure->loops.group[n].fill.count = 0;
    for (int i = 0; i < rate->rows; i++)
        for (int e = rate->row[i]; e < rate->row[i + 1]; e++)
            add_term(chart, charts, i, rate->column[e], rate->value[e]);
}

/* ---- balances of loops, and massless motions ------------------------------------------------- */

/* Gives dependent coordinates of the choice the columns of those that depend in the model but
   not here. */
static void hold_group(const td_chart *chart, const td_model *model, size_t n)
{
    const td_loop_group *own = &model->closure.loops.group[n], *g = &chart->closure.loops.group[n];
    int leaves = 0; /* a model's column that is free */
    for (int k = 0; k < g->dependents; k++) {
        if (model->charts.yd[g->velocity[k]] < 0)
            continue; /* depends in y, too */
        while (chart->closure.loops.slot[own->velocity[leaves]] < g->dependents)
            leaves++;
        chart->held[g->velocity[k]] = chart->held[own->velocity[leaves]];
        chart->held[own->velocity[leaves++]] = -1;
    }
}

static void fill_balances(td_chart *chart, const td_model *model)
{
    td_balances *b = &chart->closure.balances;
    const size_t numbers = chart->closure.nwd + model->tree.nv;
    for (size_t k = 0; k < numbers; k++)
        chart->held[k] = -1;
    for (int h = 0; h < b->held.columns; h++)
        chart->held[b->number[h]] = h;
    for (size_t n = 0; n < chart->closure.loops.solved; n++)
        hold_group(chart, model, n);
    td_balances_fill(b, &chart->closure.rate, chart->held);
}

static void fill_idle(td_chart *chart)
{
    td_idle *idle = &chart->closure.idle;
    const size_t nyd = chart->closure.nyd;
    idle->suspects = 0;
    for (size_t m = 0; m < idle->count; m++) {
        td_idle_motion *motion = &idle->motion[m];
        motion->count = 0;
        for (size_t i = 0; i < nyd; i++)
            if (motion->moves[chart->closure.qd_of_yd[i]])
                motion->velocity[motion->count++] = (int)i;
    }
    for (size_t i = nyd; i-- > 0;) {
        bool takes_part = false;
        for (size_t m = 0; m < idle->count; m++)
            takes_part = takes_part || idle->motion[m].moves[chart->closure.qd_of_yd[i]];
        if (takes_part)
            idle->suspect[idle->suspects++] = (int)i;
    }
}

void td_chart_finish(td_chart *chart, const td_model *model)
{
    const int *order = chart->order;
    for (size_t n = 0; n < chart->closure.loops.solved; n++) {
        const td_loop_group *g = &chart->closure.loops.group[n];
        order_group(chart, model, n, order);
        order += g->dependents + g->independents;
    }
    fill_velocity(chart, &model->charts);
    if (chart->closure.balances.loops)
        fill_balances(chart, model);
    fill_idle(chart);
}
