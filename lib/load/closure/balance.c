/* SPDX-License-Identifier: MIT */
/*
 * Finds the groups of loops whose constraint forces must be computed together, because they
 * constrain the same coordinates. Loops that decide coordinates of w, by iteration or by closures
 * of the options, constrain these coordinates. They also constrain joints that follow linearly only
 * because of such loops (sub_linkages.c).
 *
 * Other loops are closed by joints that follow others linearly, and constrain the velocities of
 * those joints. If loops made the joints followers, all these velocities are constrained. If mimic
 * joints and couplings did, as many as possible are.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sets.h"
#include "load/build.h"
#include "model/balances.h"

/* The search. Indices up to nwd are coordinates of ẇ; nwd + k is velocity k of the tree. */
typedef struct search {
    td_model *model;
    bool *decided; /* per coordinate of ẇ: loops or closures decide it */
    bool *follows; /* per velocity of the tree: it follows others linearly */
    bool *alone;   /* per velocity of the tree: it does so because of loops */
    bool *settled; /* per velocity of the tree: a settled group constrains it, i.e. one with a
                      linear γ */
    int *owner;    /* per index: a group that constrains it, or −1 */
    int *set;      /* per group: its set */
    int *order;    /* constrained indices, set after set */
    int *held;     /* per index: its position in order, or −1 */
    int held_count;
    int *first; /* per group: if it is the root of a set, the first group of the set that has loops,
                   or −1 */
    int *next;  /* per group: the next group of its set that has loops, or −1 */
} search;

static bool is_settled(const td_model *model, size_t group)
{
    return model->closure.loops.group[group].form == TD_FORM_LINEAR;
}

/* Iterates over the indices that move a velocity of a group's loops, starting at *e = 0. Returns −1
   after the last one. */
static int next_number(const search *s, size_t group, int velocity, int *e)
{
    const td_csr *rate = &s->model->closure.rate;
    if (is_settled(s->model, group))
        return (*e)++ == 0 && s->follows[velocity] ? (int)s->model->closure.nwd + velocity : -1;
    while (rate->row[velocity] + *e < rate->row[velocity + 1]) {
        const int column = rate->column[rate->row[velocity] + (*e)++];
        if (s->decided[column])
            return column;
    }
    if (rate->row[velocity] + (*e)++ > rate->row[velocity + 1] || !s->alone[velocity] ||
        s->settled[velocity])
        return -1;
    return (int)s->model->closure.nwd + velocity;
}

static void sort_coordinates(search *s)
{
    const td_model *model = s->model;
    for (size_t i = 0; i < model->records.joint.count; i++) {
        const td_place *place = &model->place[i];
        for (int k = 0; k < place->nv; k++) {
            const int w = model->closure.wd[i];
            if (w >= 0)
                s->decided[w + k] = place->dependents >> k & 1;
            s->follows[place->qd + k] = w < 0;
            s->alone[place->qd + k] = w < 0 && model->closure.combination[i].by_loop;
        }
    }
}

static void unite_groups(search *s)
{
    const td_loops *loops = &s->model->closure.loops;
    for (size_t k = 0; k < s->model->closure.nwd + s->model->tree.nv; k++)
        s->owner[k] = s->held[k] = -1;
    for (size_t n = 0; n < loops->count; n++)
        for (int c = 0; is_settled(s->model, n) && c < loops->group[n].columns; c++)
            s->settled[loops->group[n].column[c].velocity] = true;
    for (size_t n = 0; n < loops->count; n++) {
        s->set[n] = (int)n;
        for (int c = 0; c < loops->group[n].columns; c++)
            for (int e = 0, k;
                 (k = next_number(s, n, loops->group[n].column[c].velocity, &e)) >= 0;)
                if (s->owner[k] < 0)
                    s->owner[k] = (int)n;
                else
                    s->set[td_set_of(s->set, (int)n)] = td_set_of(s->set, s->owner[k]);
    }
}

/* Returns whether only loops constrain an index, as is the case for all of ẇ. */
static bool is_alone(const search *s, int number)
{
    const int nwd = (int)s->model->closure.nwd;
    return number < nwd || s->alone[number - nwd];
}

/* Appends an index to the constrained ones unless it is there already. */
static void hold(search *s, int number)
{
    if (s->held[number] >= 0)
        return;
    s->order[s->held_count] = number;
    s->held[number] = s->held_count++;
}

/* Lists the constrained indices of the groups of a set. Those that only loops constrain come
   first. */
static void list_held(search *s, td_loop_balance *set)
{
    const td_loops *loops = &s->model->closure.loops;
    set->first = s->held_count;
    for (int alone = 1; alone >= 0; alone--) {
        for (int g = 0; g < set->groups; g++) {
            const size_t n = (size_t)set->group[g];
            for (int c = 0; c < loops->group[n].columns; c++)
                for (int e = 0, k;
                     (k = next_number(s, n, loops->group[n].column[c].velocity, &e)) >= 0;)
                    if (is_alone(s, k) == alone)
                        hold(s, k);
            for (int k = 0; loops->group[n].curves && k < loops->group[n].dependents; k++)
                hold(s, loops->group[n].velocity[k]);
        }
        if (alone)
            set->alone = s->held_count - set->first;
    }
    set->held = s->held_count - set->first;
}

/* Lists the groups with loops of each set, in their order. */
static void list_members(search *s)
{
    const td_loops *loops = &s->model->closure.loops;
    for (size_t n = 0; n < loops->count; n++)
        s->first[n] = -1;
    for (size_t n = loops->count; n-- > 0;) {
        const int root = td_set_of(s->set, (int)n);
        if (!loops->group[n].loops)
            continue;
        s->next[n] = s->first[root];
        s->first[root] = (int)n;
    }
}

/* Makes the sets of settled groups, or of the others. Stores their members from members on, and
   returns its end. */
static int *make_sets(search *s, bool settled, int *members)
{
    td_balances *b = &s->model->closure.balances;
    const td_loops *loops = &s->model->closure.loops;
    for (size_t root = 0; root < loops->count; root++) {
        td_loop_balance set = {.group = members, .strict = true};
        if (is_settled(s->model, root) != settled || td_set_of(s->set, (int)root) != (int)root)
            continue;
        for (int n = s->first[root]; n >= 0; n = s->next[n]) {
            const td_loop_group *g = &loops->group[n];
            set.group[set.groups++] = n;
            set.rows += g->rows;
            set.strict = set.strict && g->form != TD_FORM_COVERED;
        }
        if (!set.groups)
            continue;
        members += set.groups;
        list_held(s, &set);
        b->set[b->count++] = set;
    }
    return members;
}

/* Lists which velocities the constrained coordinates move, and their indices. */
static bool list_holders(search *s)
{
    td_balances *b = &s->model->closure.balances;
    td_arena *arena = &s->model->records.arena;
    const td_csr *rate = &s->model->closure.rate;
    const size_t nv = s->model->tree.nv, held = (size_t)s->held_count;
    const size_t most = (size_t)rate->row[rate->rows] + nv;
    b->number = s->order;
    if (!td_csr_new(&b->held, arena, nv, held, most) ||
        !td_csr_new(&b->moved, arena, held, nv, most))
        return false;
    td_balances_fill(b, rate, s->held);
    return true;
}

bool td_balance_loops(td_build *build)
{
    td_model *model = build->model;
    td_balances *b = &model->closure.balances;
    td_arena *arena = &model->records.arena;
    const size_t groups = model->closure.loops.count;
    const size_t nwd = model->closure.nwd, nv = model->tree.nv;
    for (size_t n = 0; n < groups; n++)
        b->loops += (size_t)model->closure.loops.group[n].loops;
    if (!b->loops)
        return true;
    search s = {.model = model,
                .decided = TD_ARENA_NEW(arena, bool, nwd),
                .follows = TD_ARENA_NEW(arena, bool, nv),
                .alone = TD_ARENA_NEW(arena, bool, nv),
                .settled = TD_ARENA_NEW(arena, bool, nv),
                .owner = TD_ARENA_NEW(arena, int, nwd + nv),
                .set = TD_ARENA_NEW(arena, int, groups),
                .order = TD_ARENA_NEW(arena, int, nwd + nv),
                .held = TD_ARENA_NEW(arena, int, nwd + nv),
                .first = TD_ARENA_NEW(arena, int, groups),
                .next = TD_ARENA_NEW(arena, int, groups)};
    int *members = TD_ARENA_NEW(arena, int, groups);
    b->set = TD_ARENA_NEW(arena, td_loop_balance, groups);
    if (!s.decided || !s.follows || !s.alone || !s.settled || !s.owner || !s.set || !s.order ||
        !s.held || !s.first || !s.next || !members || !b->set)
        return false;
    sort_coordinates(&s);
    unite_groups(&s);
    list_members(&s);
    make_sets(&s, true, make_sets(&s, false, members));
    if (!list_holders(&s))
        return false;
    b->of = model->records.loop.count;
    return true;
}
