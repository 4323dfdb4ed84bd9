/* SPDX-License-Identifier: MIT */
/*
 * What a group of loops is worked on with: its coordinates as slots, φ and J, and steps of them.
 */
#include <math.h>
#include <string.h>

#include "base/damped.h"
#include "load/closure/loop_analysis.h"

bool td_analysis_slots(td_loop_analysis *analysis)
{
    td_model *model = analysis->model;
    td_loop_group *g = analysis->group;
    const td_csr *rate = &model->closure.rate;
    int *slot_of = TD_ARENA_NEW(&analysis->build->temporary, int, model->closure.nwd);
    analysis->slot_of = slot_of;
    if (!slot_of)
        return false;
    for (size_t k = 0; k < model->closure.nwd; k++)
        slot_of[k] = -1;
    analysis->slots = 0;
    for (int n = 0; n < g->columns; n++)
        for (int e = rate->row[g->column[n].velocity]; e < rate->row[g->column[n].velocity + 1];
             e++) {
            analysis->slots += slot_of[rate->column[e]] < 0;
            slot_of[rate->column[e]] = 0; /* numbered below */
        }
    td_arena *arena = &model->records.arena;
    analysis->joint = TD_ARENA_NEW(arena, int, (size_t)analysis->slots);
    analysis->component = TD_ARENA_NEW(arena, int, (size_t)analysis->slots);
    analysis->unit = TD_ARENA_NEW(arena, double, (size_t)analysis->slots);
    bool ok = analysis->joint && analysis->component && analysis->unit;
    int n = 0;
    for (size_t i = 0; ok && i < model->records.joint.count; i++)
        for (int k = 0; model->closure.wd[i] >= 0 && k < model->place[i].nv; k++)
            if (slot_of[model->closure.wd[i] + k] >= 0) {
                const td_unit unit =
                    td_joint_row_of(model->records.joint.at[i].type)->velocity[k].unit;
                analysis->joint[n] = (int)i;
                analysis->component[n] = k;
                slot_of[model->closure.wd[i] + k] = n;
                analysis->unit[n++] = unit == TD_UNIT_LENGTH ? analysis->size : 1;
            }
    return ok;
}

static void analysis_take(td_loop_analysis *analysis, td_stack *stack)
{
    const td_model *model = analysis->model;
    const size_t m = (size_t)analysis->closing.rows, n = (size_t)analysis->slots;
    const size_t nw = model->closure.nw;
    analysis->w = td_take(stack, double, nw);
    analysis->q = td_take(stack, double, model->tree.nq);
    analysis->phi = td_take(stack, double, m);
    analysis->K = td_take(stack, double, m * model->tree.nv);
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
    model->single->take_group(&model->tree, &analysis->closing, stack, &analysis->scratch);
    td_damped_measure(m, n, stack);
}

bool td_analysis_open(td_loop_analysis *analysis)
{
    return td_take_twice(&analysis->stack, analysis_take(analysis, &analysis->stack));
}

void td_analysis_close(td_loop_analysis *analysis)
{
    td_stack_end(&analysis->stack);
}

/* adds what K has of a velocity of the tree to the columns of the slots that it follows */
static void add_columns(td_loop_analysis *analysis, const td_loop_group *g, int velocity)
{
    const td_csr *rate = &analysis->model->closure.rate;
    size_t m = (size_t)g->rows, nv = analysis->model->tree.nv;
    for (int e = rate->row[velocity]; e < rate->row[velocity + 1]; e++) {
        int slot = analysis->slot_of[rate->column[e]];
        if (slot >= 0)
            analysis->pull[slot] += fabs(rate->value[e]);
        for (size_t i = 0; slot >= 0 && i < m; i++)
            analysis->J[(size_t)slot * m + i] += g->row[i].weight * rate->value[e] *
                                                 analysis->unit[slot] *
                                                 analysis->K[i * nv + (size_t)velocity];
    }
}

/* Entries of J are sums of terms as large as the factors by which velocities follow a slot: what is
   left of those where they cancel is rounding, and no gradient. */
static void clear_rounding(td_loop_analysis *analysis, size_t m)
{
    static const double rounding = 1e-12;
    for (int s = 0; s < analysis->slots; s++)
        for (size_t i = (size_t)s * m; i < (size_t)(s + 1) * m; i++)
            if (fabs(analysis->J[i]) < rounding * analysis->pull[s])
                analysis->J[i] = 0;
}

static double examine(td_loop_analysis *analysis, td_loop_group *g, const double *w)
{
    const td_model *model = analysis->model;
    const td_closure_map *closure = &model->closure;
    td_loops alone = {.count = 1, .group = g};
    size_t m = (size_t)g->rows;
    model->single->affine(&closure->position, closure->offset, w, analysis->q);
    model->single->constraints(&model->tree, &alone, &analysis->scratch, analysis->q, NULL,
                               analysis->phi, analysis->K, NULL);
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
        for (int v = body->qd; v < body->qd + body->nv; v++)
            add_columns(analysis, g, v);
    }
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

double *td_analysis_coordinate(const td_loop_analysis *analysis, double *w, int slot)
{
    return &w[analysis->model->closure.w[analysis->joint[slot]] + analysis->component[slot]];
}

const td_joint_row *td_analysis_row(const td_loop_analysis *analysis, int slot)
{
    return td_joint_row_of(analysis->model->records.joint.at[analysis->joint[slot]].type);
}

bool td_analysis_has_quaternion(const td_loop_analysis *analysis, int slot)
{
    return td_analysis_row(analysis, slot)->kind.quaternion >= 0;
}

void td_analysis_move(const td_loop_analysis *analysis, double *w, const double *step)
{
    for (int s = 0; s < analysis->slots; s++) {
        const td_joint_row *row = td_analysis_row(analysis, s);
        if (row->manifold == TD_MANIFOLD_PLAIN) {
            *td_analysis_coordinate(analysis, w, s) += analysis->unit[s] * step[s];
            continue;
        }
        double *position = td_analysis_coordinate(analysis, w, s);
        double velocity[TD_MOST_VELOCITIES], from[TD_MOST_POSITIONS];
        for (int k = 0; k < row->kind.nv; k++)
            velocity[k] = analysis->unit[s + k] * step[s + k];
        memcpy(from, position, (size_t)row->kind.nq * sizeof *from);
        td_joint_move(row, from, velocity, position);
        s += row->kind.nv - 1;
    }
}

bool td_analysis_is_held(const td_loop_analysis *analysis, int slot)
{
    return analysis->straight && analysis->kind[slot] == TD_KIND_ELASTIC;
}

bool td_analysis_stands_still(const td_loop_analysis *analysis, int slot, td_assembly_try by)
{
    return td_analysis_is_held(analysis, slot) ||
           (by == TD_TRY_GIVEN && td_is_given_start(analysis->build, analysis->joint[slot])) ||
           (by == TD_TRY_INDEPENDENT && analysis->kind[slot] == TD_KIND_INDEPENDENT);
}

void td_analysis_move_at_random(td_loop_analysis *analysis, double *w, td_assembly_try by,
                                double size, unsigned *seed)
{
    for (int s = 0; s < analysis->slots; s++) {
        const double random = td_analysis_random(seed);
        analysis->step[s] = td_analysis_stands_still(analysis, s, by) ? 0 : size * random;
    }
    td_analysis_move(analysis, w, analysis->step);
}

double td_analysis_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) * 0x1p-23 - 1;
}
