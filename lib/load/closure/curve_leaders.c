/* SPDX-License-Identifier: MIT */
/*
 * Finds the joints that follow just one independent joint, by curves and linear combinations of
 * these, and the terms of curves that depend on it.
 */
#include <math.h>

#include "kernel/kernel.h"
#include "load/closure/curve_limits.h"
#include "model/joint_kind.h"

enum { NONE = -2, SEVERAL = -1 };

static int merged(int a, int b)
{
    return a == NONE || a == b ? b : SEVERAL;
}

/* Finds the only coordinate on which each coordinate of a group depends. */
static void find_coordinates(td_curve_search *s)
{
    const td_closure_map *closure = &s->model->closure;
    for (size_t k = 0; k < closure->nw; k++)
        s->leader[k] = NONE;
    for (size_t n = 0; n < closure->loops.solved; n++) {
        const td_loop_group *g = &closure->loops.group[n];
        if (g->form != TD_FORM_CURVES)
            continue;
        for (int k = g->dependents; k < g->dependents + g->independents; k++)
            s->leader[g->coordinate[k]] = g->coordinate[k];
        for (int t = 0; t < g->curves->terms; t++) {
            const td_curve_term *term = &g->curves->term[t];
            int *of = &s->leader[g->curves->w[term->follower]];
            for (int e = term->first; e < term->first + term->arguments; e++)
                *of = merged(*of, s->leader[g->curves->w[e]]);
        }
    }
}

/* Returns the only coordinate on which a joint depends, at least partly by curves; SEVERAL or NONE
   otherwise. */
int td_curve_leader(const td_curve_search *s, int joint)
{
    const td_place *place = &s->model->place[joint];
    const td_closure_map *closure = &s->model->closure;
    const td_combination *c = &closure->combination[joint];
    if (!place->dependent)
        return NONE;
    if (closure->w[joint] >= 0)
        return s->leader[closure->w[joint]];
    int leader = NONE;
    bool any = false;
    for (int k = 0; k < c->count; k++) {
        const int at = closure->w[c->joint[k]];
        any = any || s->model->place[c->joint[k]].cluster >= 0;
        leader = s->leader[at] == NONE ? SEVERAL : merged(leader, s->leader[at]);
    }
    return any ? leader : NONE;
}

/* Lists the joints with limits and, per leader, those that follow it alone. */
static void list_followers(td_curve_search *s)
{
    for (size_t k = 0; k < s->model->closure.nw; k++)
        s->first[k] = -1;
    for (size_t i = 0; i < s->model->records.joint.count; i++) {
        const td_joint *record = &s->model->records.joint.at[i];
        const int leader = td_curve_leader(s, (int)i);
        td_curve_followed f = {.joint = (int)i};
        if (s->model->closure.w[i] >= 0)
            s->joint_of[s->model->closure.w[i]] = (int)i;
        if (leader < 0)
            continue;
        td_joint_limits(record, &f.lower, &f.upper);
        if (isinf(f.lower) && isinf(f.upper) && isnan(record->limit.velocity))
            continue;
        f.next = s->first[leader];
        s->first[leader] = s->count;
        s->list[s->count++] = f;
    }
}

/* Sorts the terms by the only coordinate on which they depend, keeping their order. */
static void list_terms(td_curve_search *s)
{
    const td_closure_map *closure = &s->model->closure;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t n = 0; n < closure->loops.solved; n++) {
            const td_loop_group *g = &closure->loops.group[n];
            for (int t = 0; g->form == TD_FORM_CURVES && t < g->curves->terms; t++) {
                const td_curve_term *term = &g->curves->term[t];
                const int leader = s->leader[g->curves->w[term->follower]];
                if (leader < 0)
                    continue;
                if (pass) {
                    s->curves[s->term_row[leader]] = g->curves;
                    s->term[s->term_row[leader]] = term;
                }
                s->term_row[leader + !pass]++;
            }
        }
        for (size_t k = 0; !pass && k < closure->nw; k++)
            s->term_row[k + 1] += s->term_row[k];
    }
    for (size_t k = closure->nw; k > 0; k--) /* each index has advanced to the start of the next */
        s->term_row[k] = s->term_row[k - 1];
    s->term_row[0] = 0;
}

void td_list_curve_followers(td_curve_search *s)
{
    find_coordinates(s);
    list_followers(s);
    list_terms(s);
}
