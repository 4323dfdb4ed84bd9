/* SPDX-License-Identifier: MIT */
/*
 * The solution that a model keeps for a group after its rank is known. Dependent joints are linear
 * combinations of the others, or coordinates that Newton's method solves for.
 */
#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "load/closure/loop_analysis.h"

/* Replaces joint d by its combination in all combinations that contain it. */
static bool substitute(td_model *model, int d, const td_combination *is)
{
    for (size_t i = 0; i < model->records.joint.count; i++) {
        td_combination *c = &model->closure.combination[i];
        if (!model->place[i].dependent || (int)i == d)
            continue;
        double factor = 0;
        for (int k = 0; k < c->count; k++)
            factor += c->joint[k] == d ? c->factor[k] : 0;
        if (factor == 0)
            continue;
        size_t room = (size_t)(c->count + is->count);
        td_combination made = {0, TD_ARENA_NEW(&model->records.arena, int, room),
                               TD_ARENA_NEW(&model->records.arena, double, room),
                               c->constant + factor * is->constant, c->by_loop};
        if (!made.joint || !made.factor)
            return false;
        for (int k = 0; k < c->count; k++)
            if (c->joint[k] != d) {
                made.joint[made.count] = c->joint[k];
                made.factor[made.count++] = c->factor[k];
            }
        for (int k = 0; k < is->count; k++) {
            int at = 0;
            while (at < made.count && made.joint[at] != is->joint[k])
                at++;
            if (at == made.count) {
                made.joint[made.count] = is->joint[k];
                made.factor[made.count++] = 0;
            }
            made.factor[at] += factor * is->factor[k];
        }
        *c = made;
        td_place_combination(model, (int)i);
    }
    return true;
}

bool td_make_combination(td_loop_analysis *analysis, int x, td_combination *made)
{
    td_arena *arena = &analysis->model->records.arena;
    const int r = analysis->rank, p = analysis->slots - r;
    td_combination c = {0, TD_ARENA_NEW(arena, int, (size_t)p),
                        TD_ARENA_NEW(arena, double, (size_t)p),
                        *td_analysis_coordinate(analysis, analysis->w, analysis->pick[x]), true};
    if (!c.joint || !c.factor)
        return false;
    for (int y = 0; y < p; y++) {
        double factor = analysis->W[x * p + y];
        if (factor == 0)
            continue;
        c.joint[c.count] = analysis->joint[analysis->pick[r + y]];
        c.factor[c.count++] = factor;
        c.constant -=
            factor * *td_analysis_coordinate(analysis, analysis->w, analysis->pick[r + y]);
    }
    if (fabs(c.constant) < 1e-12 * analysis->unit[analysis->pick[x]])
        c.constant = 0;
    *made = c;
    return true;
}

bool td_take_combination(td_model *model, int joint, const td_combination *c)
{
    model->closure.combination[joint] = *c;
    model->place[joint].dependent = true;
    td_place_combination(model, joint);
    return substitute(model, joint, c);
}

bool td_keep_linear(td_loop_analysis *analysis)
{
    for (int x = 0; x < analysis->rank; x++) {
        td_combination c;
        if (!td_make_combination(analysis, x, &c) ||
            !td_take_combination(analysis->model, analysis->joint[analysis->pick[x]], &c))
            return false;
    }
    return true;
}

/* Lists the joints with quaternions among the slots, in the order of the picks. Until w is
   renumbered, velocity and w store joint indices. */
static bool keep_quaternions(td_loop_analysis *analysis)
{
    td_loop_group *g = analysis->group;
    size_t count = (size_t)analysis->slots / 3; /* each has at least three velocities */
    g->quaternion = TD_ARENA_NEW(&analysis->model->records.arena, td_loop_quaternion, count);
    for (int k = 0; g->quaternion && k < analysis->slots; k++) {
        const int joint = g->coordinate[k];
        const td_place *place = &analysis->model->place[joint];
        const td_joint_kind *kind = &td_analysis_row(analysis, analysis->pick[k])->kind;
        int known = 0;
        while (known < g->quaternions && g->quaternion[known].w != joint)
            known++;
        if (kind->quaternion == TD_NONE || known < g->quaternions)
            continue;
        const bool in_part = place->dependents && !place->dependent;
        g->quaternion[g->quaternions++] =
            (td_loop_quaternion){.velocity = joint,
                                 .slot = k,
                                 .w = joint,
                                 .y = -1,
                                 .before = (int)kind->quaternion,
                                 .part = in_part ? TD_PART_COORDINATES * g->parts++ : -1};
    }
    return g->quaternion;
}

/* Computes the squared lengths of the columns: the largest over some positions near w, whether or
   not the loops close there. */
static void measure_columns(td_loop_analysis *analysis, double *usual)
{
    enum { SAMPLES = 8 };
    const size_t m = (size_t)analysis->group->rows;
    unsigned seed = 5;
    for (int n = 0; n < SAMPLES; n++) {
        memcpy(analysis->trial, analysis->w, analysis->nw * sizeof(double));
        td_analysis_move_at_random(analysis, analysis->trial, TD_TRY_ALL, n > 0, &seed);
        td_analysis_examine(analysis, analysis->trial);
        for (int k = 0; k < analysis->slots; k++) {
            const int slot = analysis->pick[k];
            double square = 0;
            for (size_t i = 0; i < m; i++)
                square += analysis->J[(size_t)slot * m + i] * analysis->J[(size_t)slot * m + i];
            usual[k] = fmax(usual[k], square / (analysis->unit[slot] * analysis->unit[slot]));
        }
    }
    td_analysis_examine(analysis, analysis->w);
}

bool td_keep_iterated(td_loop_analysis *analysis, int number)
{
    td_model *model = analysis->model;
    td_loop_group *g = analysis->group;
    td_arena *arena = &model->records.arena;
    size_t n = (size_t)analysis->slots;
    g->dependents = analysis->rank;
    g->independents = analysis->slots - analysis->rank;
    g->coordinate = TD_ARENA_NEW(arena, int, n);
    g->velocity = TD_ARENA_NEW(arena, int, n);
    g->y = TD_ARENA_NEW(arena, int, n);
    g->yd = TD_ARENA_NEW(arena, int, n);
    g->unit = TD_ARENA_NEW(arena, double, n);
    g->usual = TD_ARENA_NEW(arena, double, n);
    if (!g->coordinate || !g->velocity || !g->y || !g->yd || !g->unit || !g->usual)
        return false;
    td_sort_ints(analysis->pick, (size_t)g->dependents);
    td_sort_ints(analysis->pick + g->dependents, (size_t)g->independents);
    if (!td_find_sparsity(analysis))
        return false;
    measure_columns(analysis, g->usual);
    for (int k = 0; k < analysis->slots; k++) {
        int slot = analysis->pick[k];
        g->coordinate[k] = analysis->joint[slot];
        g->velocity[k] = analysis->component[slot];
        g->unit[k] = analysis->unit[slot];
        if (k < g->dependents) {
            td_place *place = &model->place[analysis->joint[slot]];
            place->dependents |= 1U << analysis->component[slot];
            place->dependent = place->dependents == (1U << place->nv) - 1;
            place->cluster = number;
        }
    }
    return keep_quaternions(analysis);
}

void td_report_declared(const td_loop_analysis *analysis, int joint, bool independent)
{
    const td_joint *record = &analysis->model->records.joint.at[joint];
    if (record->independent < 0 || record->independent == independent)
        return;
    td_report(analysis->build->diagnostics, TD_CODE_LOOP_DECLARED, record->source,
              "correct the attribute 'independent' of the loop's joints",
              "joint '%s' is declared %s, but loop '%s' makes it %s", record->name,
              record->independent ? "independent" : "dependent",
              td_loop_name(analysis->model, analysis->group->loop[0].index),
              record->independent ? "dependent" : "independent");
}

void td_set_loop_form(td_loop_analysis *analysis, td_loop_form form)
{
    for (int l = 0; l < analysis->group->loops; l++)
        analysis->model->closure.loop_place[analysis->group->loop[l].index].form = form;
}
