/* SPDX-License-Identifier: MIT */
/*
 * Manages the working memory of a group of loops: its slots, and φ and J as functions of its
 * coordinates.
 */
#include <math.h>
#include <string.h>

#include "base/damped.h"
#include "base/sort.h"
#include "load/closure/loop_analysis.h"

/* ---- lookup tables --------------------------------------------------------------------------- */

static int *all_free(td_arena *arena, size_t count)
{
    int *list = TD_ARENA_NEW(arena, int, count);
    for (size_t k = 0; list && k < count; k++)
        list[k] = -1;
    return list;
}

bool td_loop_desk_open(td_build *build)
{
    const td_model *model = build->model;
    const td_closure_map *closure = &model->closure;
    td_arena *temporary = &build->temporary;
    td_loop_desk *desk = build->desk = TD_ARENA_NEW(temporary, td_loop_desk, 1);
    if (!desk)
        return false;
    desk->joint_of_w = TD_ARENA_NEW(temporary, int, closure->nw);
    desk->joint_of_wd = TD_ARENA_NEW(temporary, int, closure->nwd);
    desk->place = all_free(temporary, model->tree.bodies);
    desk->at = all_free(temporary, model->records.joint.count);
    desk->slot = all_free(temporary, closure->nwd);
    if (!desk->joint_of_w || !desk->joint_of_wd || !desk->place || !desk->at || !desk->slot)
        return false;
    for (size_t i = 0; i < model->records.joint.count; i++) {
        const td_place *place = &model->place[i];
        for (int k = 0; closure->w[i] >= 0 && k < place->nq; k++)
            desk->joint_of_w[closure->w[i] + k] = (int)i;
        for (int k = 0; closure->wd[i] >= 0 && k < place->nv; k++)
            desk->joint_of_wd[closure->wd[i] + k] = (int)i;
    }
    return true;
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* Lists the velocities in ẇ that move the group, ascending, in the caller's scope. Returns NULL if
   out of memory. */
static int *list_velocities(td_loop_analysis *analysis)
{
    const td_loop_group *g = analysis->group;
    const td_csr *rate = &analysis->model->closure.rate;
    const td_loop_curves *curves = g->curves;
    size_t most = curves ? (size_t)curves->places : 0;
    for (int n = 0; n < g->columns; n++)
        most += (size_t)(rate->row[g->column[n].velocity + 1] - rate->row[g->column[n].velocity]);
    int *list = TD_ARENA_NEW(&analysis->build->temporary, int, most);
    for (int n = 0; list && n < g->columns; n++)
        for (int e = rate->row[g->column[n].velocity]; e < rate->row[g->column[n].velocity + 1];
             e++) {
            if (analysis->slot_of[rate->column[e]] >= 0)
                continue;
            analysis->slot_of[rate->column[e]] = 0; /* numbered below */
            list[analysis->slots++] = rate->column[e];
        }
    for (int e = 0; list && curves && e < curves->places; e++) {
        const int velocity = analysis->model->closure.wd[curves->joint[e]];
        if (analysis->slot_of[velocity] >= 0)
            continue;
        analysis->slot_of[velocity] = 0;
        list[analysis->slots++] = velocity;
    }
    if (list)
        td_sort_ints(list, (size_t)analysis->slots);
    return list;
}

/* Assigns offsets in the group's w to the positions of the slots' joints. */
static void place_joints(td_loop_analysis *analysis)
{
    int *at = analysis->build->desk->at;
    for (int s = 0; s < analysis->slots; s++) {
        const int joint = analysis->joint[s];
        if (at[joint] < 0) {
            at[joint] = (int)analysis->nw;
            analysis->nw += (size_t)analysis->model->place[joint].nq;
        }
        analysis->place[s] = at[joint];
    }
}

void td_analysis_append_row(const td_loop_analysis *analysis, int q, td_csr *position, int row)
{
    const td_closure_map *closure = &analysis->model->closure;
    const td_loop_desk *desk = analysis->build->desk;
    const td_csr *M = &closure->position;
    int end = position->row[row];
    for (int e = M->row[q]; e < M->row[q + 1]; e++) {
        const int joint = desk->joint_of_w[M->column[e]];
        if (desk->at[joint] < 0)
            continue; /* coordinates outside the group are zero */
        position->column[end] = desk->at[joint] + M->column[e] - closure->w[joint];
        position->value[end++] = M->value[e];
    }
    position->row[row + 1] = end;
}

/* Copies the curves of the group with indices of the group's tree, which gets a coordinate for each
   slot. */
static bool make_curves(td_loop_analysis *analysis)
{
    const td_loop_curves *c = analysis->group->curves;
    td_arena *arena = &analysis->build->temporary;
    const size_t places = c ? (size_t)c->places : 0;
    analysis->first_q = analysis->tree.nq;
    analysis->first_qd = analysis->tree.nv;
    if (!c)
        return true;
    analysis->curves = *c;
    analysis->curves.q = TD_ARENA_NEW(arena, int, places);
    analysis->curves.qd = TD_ARENA_NEW(arena, int, places);
    analysis->curves.w = TD_ARENA_NEW(arena, int, places);
    analysis->follows = TD_ARENA_NEW(arena, char, (size_t)c->followers);
    if (!analysis->follows || !analysis->curves.q || !analysis->curves.qd || !analysis->curves.w)
        return false;
    for (size_t e = 0; e < places; e++) {
        const int slot = analysis->slot_of[analysis->model->closure.wd[c->joint[e]]];
        analysis->curves.q[e] = (int)analysis->first_q + slot;
        analysis->curves.qd[e] = (int)analysis->first_qd + slot;
        analysis->curves.w[e] = analysis->build->desk->at[c->joint[e]];
    }
    analysis->tree.nq += (size_t)analysis->slots;
    analysis->tree.nv += (size_t)analysis->slots;
    return true;
}

/* Builds a tree of the group's bodies and renumbers its columns and positions. */
static bool make_tree(td_loop_analysis *analysis)
{
    const td_loop_group *g = analysis->group;
    const td_tree *whole = &analysis->model->tree;
    const td_csr *M = &analysis->model->closure.position;
    td_arena *arena = &analysis->build->temporary;
    td_tree *tree = &analysis->tree;
    const size_t bodies = (size_t)g->bodies;
    size_t entries = 0;
    *tree = (td_tree){.bodies = bodies,
                      .angles = bodies,
                      .body = TD_ARENA_NEW(arena, td_body, bodies),
                      .angle_q = TD_ARENA_NEW(arena, int, bodies)};
    analysis->body = TD_ARENA_NEW(arena, int, bodies);
    if (!tree->body || !tree->angle_q || !analysis->body)
        return false;
    for (int k = 0; k < g->bodies; k++) {
        const td_body *body = &whole->body[g->body[k]];
        analysis->body[k] = k;
        tree->body[k].q = (int)tree->nq;
        tree->body[k].qd = (int)tree->nv;
        tree->body[k].angle = body->angle < 0 ? -1 : k;
        tree->angle_q[k] =
            body->angle < 0 ? 0 : whole->angle_q[body->angle] - body->q + (int)tree->nq;
        tree->nq += (size_t)body->nq;
        tree->nv += (size_t)body->nv;
        entries += (size_t)(M->row[body->q + body->nq] - M->row[body->q]);
    }
    if (!make_curves(analysis))
        return false;
    entries += tree->nq - analysis->first_q;
    analysis->column = td_arena_copy(arena, g->column, (size_t)g->columns, sizeof *g->column);
    analysis->offset = TD_ARENA_NEW(arena, double, tree->nq);
    if (!td_csr_new(&analysis->position, arena, tree->nq, analysis->nw, entries) ||
        !analysis->column || !analysis->offset)
        return false;
    for (int n = 0; n < g->columns; n++)
        analysis->column[n].velocity = tree->body[g->column[n].body].qd + g->column[n].k;
    int row = 0;
    for (int k = 0; k < g->bodies; k++)
        for (int i = 0; i < whole->body[g->body[k]].nq; i++, row++) {
            const int q = whole->body[g->body[k]].q + i;
            analysis->offset[row] = analysis->model->closure.offset[q];
            td_analysis_append_row(analysis, q, &analysis->position, row);
        }
    for (int s = 0; row < (int)tree->nq; s++, row++) { /* curves refer to these extra coordinates */
        const int end = analysis->position.row[row];
        analysis->position.column[end] = analysis->place[s];
        analysis->position.value[end] = 1;
        analysis->position.row[row + 1] = end + 1;
    }
    return true;
}

bool td_analysis_slots(td_loop_analysis *analysis)
{
    td_model *model = analysis->model;
    const td_loop_desk *desk = analysis->build->desk;
    analysis->slot_of = desk->slot;
    const int *velocity = list_velocities(analysis);
    if (!velocity)
        return false;
    const size_t slots = (size_t)analysis->slots;
    td_arena *arena = &model->records.arena;
    analysis->joint = TD_ARENA_NEW(arena, int, slots);
    analysis->component = TD_ARENA_NEW(arena, int, slots);
    analysis->unit = TD_ARENA_NEW(arena, double, slots);
    analysis->place = TD_ARENA_NEW(&analysis->build->temporary, int, slots);
    if (!analysis->joint || !analysis->component || !analysis->unit || !analysis->place)
        return false;
    for (int s = 0; s < analysis->slots; s++) {
        const int joint = desk->joint_of_wd[velocity[s]];
        const int component = velocity[s] - model->closure.wd[joint];
        const td_unit unit =
            td_joint_row_of(model->records.joint.at[joint].type)->velocity[component].unit;
        analysis->joint[s] = joint;
        analysis->component[s] = component;
        analysis->slot_of[velocity[s]] = s;
        analysis->unit[s] = unit == TD_UNIT_LENGTH ? analysis->size : 1;
    }
    place_joints(analysis);
    return make_tree(analysis);
}

/* ---- φ and J --------------------------------------------------------------------------------- */

static void analysis_take(td_loop_analysis *analysis, td_stack *stack)
{
    const td_model *model = analysis->model;
    const size_t m = (size_t)analysis->closing.rows, n = (size_t)analysis->slots;
    const size_t nw = analysis->nw;
    analysis->w = td_take(stack, double, nw);
    analysis->q = td_take(stack, double, analysis->tree.nq);
    analysis->phi = td_take(stack, double, m);
    analysis->K = td_take(stack, double, m * analysis->tree.nv);
    analysis->J = td_take(stack, double, m *n);
    analysis->copy = td_take(stack, double, m *n);
    analysis->pull = td_take(stack, double, n);
    analysis->R = td_take(stack, double, n *n);
    analysis->trial = td_take(stack, double, nw);
    analysis->near = td_take(stack, double, nw);
    analysis->W = td_take(stack, double, n *n);
    analysis->step = td_take(stack, double, n);
    analysis->kind = td_take(stack, int, n);
    analysis->pick = td_take(stack, int, n);
    analysis->class_of = td_take(stack, int, n);
    model->single->take_group(&analysis->tree, &analysis->closing, stack, &analysis->scratch);
    analysis->scratch.phi = analysis->phi;
    analysis->scratch.K = analysis->K;
    td_damped_measure(m, n, stack);
}

bool td_analysis_open(td_loop_analysis *analysis)
{
    return td_take_twice(&analysis->stack, analysis_take(analysis, &analysis->stack));
}

void td_analysis_close(td_loop_analysis *analysis)
{
    const td_loop_desk *desk = analysis->build->desk;
    /* column is NULL only if memory ran out before all slots were numbered; then nothing is
       loaded */
    for (int s = 0; analysis->column && s < analysis->slots; s++) {
        desk->at[analysis->joint[s]] = -1;
        desk->slot[analysis->model->closure.wd[analysis->joint[s]] + analysis->component[s]] = -1;
    }
    td_stack_end(&analysis->stack);
}

/* Adds factor times a column of K to the column of J of a slot. */
static void add_column(td_loop_analysis *analysis, const td_loop_group *g, int slot, double factor,
                       size_t velocity)
{
    const size_t m = (size_t)g->rows, nv = analysis->tree.nv;
    analysis->pull[slot] += fabs(factor);
    for (size_t i = 0; i < m; i++)
        analysis->J[(size_t)slot * m + i] +=
            g->row[i].weight * factor * analysis->unit[slot] * analysis->K[i * nv + velocity];
}

/* Adds the column of K of a velocity to the columns of the slots on which it depends. own: its
   index in the group's tree; velocity: its index in the robot's tree. */
static void add_columns(td_loop_analysis *analysis, const td_loop_group *g, int own, int velocity)
{
    const td_csr *rate = &analysis->model->closure.rate;
    for (int e = rate->row[velocity]; e < rate->row[velocity + 1]; e++) {
        const int slot = analysis->slot_of[rate->column[e]];
        if (slot >= 0)
            add_column(analysis, g, slot, rate->value[e], (size_t)own);
    }
}

/* Sets entries of J that are only rounding errors to zero. Entries are sums of terms as large as
   pull; if these cancel, the remainder is not a gradient. */
static void clear_rounding(td_loop_analysis *analysis, size_t m)
{
    static const double rounding = 1e-12;
    for (int s = 0; s < analysis->slots; s++)
        for (size_t i = (size_t)s * m; i < (size_t)(s + 1) * m; i++)
            if (fabs(analysis->J[i]) < rounding * analysis->pull[s])
                analysis->J[i] = 0;
}

/* Copies the bodies from the robot's tree again, because corrections change their frames. */
static void copy_bodies(td_loop_analysis *analysis)
{
    for (int k = 0; k < analysis->group->bodies; k++) {
        td_body *body = &analysis->tree.body[k];
        const int q = body->q, qd = body->qd, angle = body->angle;
        *body = analysis->model->tree.body[analysis->group->body[k]];
        body->q = q;
        body->qd = qd;
        body->angle = angle;
        body->parent = analysis->group->parent[k];
    }
}

static double examine(td_loop_analysis *analysis, const td_loop_group *g, const double *w)
{
    const td_model *model = analysis->model;
    td_loop_group own = *g;
    td_loops alone = {.count = 1, .group = &own};
    size_t m = (size_t)g->rows;
    own.curves = g->curves ? &analysis->curves : NULL;
    own.body = analysis->body;
    own.column = analysis->column;
    copy_bodies(analysis);
    model->single->affine(&analysis->position, analysis->offset, w, analysis->q);
    model->single->constraints(&analysis->tree, &alone, &analysis->scratch, analysis->q, NULL);
    memset(analysis->J, 0, m * (size_t)analysis->slots * sizeof *analysis->J);
    memset(analysis->pull, 0, (size_t)analysis->slots * sizeof *analysis->pull);
    double largest = 0;
    for (size_t i = 0; i < m; i++) {
        analysis->phi[i] *= g->row[i].weight;
        largest = fmax(largest, fabs(analysis->phi[i]));
        if (isnan(analysis->phi[i]))
            largest = INFINITY;
    }
    for (int n = 0; n < g->bodies; n++) {
        const td_body *body = &model->tree.body[g->body[n]];
        for (int v = 0; v < body->nv; v++)
            add_columns(analysis, g, analysis->tree.body[n].qd + v, body->qd + v);
    }
    for (size_t n = analysis->first_qd; n < analysis->tree.nv; n++)
        add_column(analysis, g, (int)(n - analysis->first_qd), 1, n);
    clear_rounding(analysis, m);
    return largest;
}

double td_analysis_examine(td_loop_analysis *analysis, const double *w)
{
    return examine(analysis, analysis->group, w);
}

double td_analysis_openness(td_loop_analysis *analysis, const double *w)
{
    return examine(analysis, &analysis->closing, w);
}
