/* SPDX-License-Identifier: MIT */
/*
 * Which loops share what they hold, so that their forces are found together. Loops that decide
 * coordinates of w (solved ones, and those that closures of the options close) hold these, and
 * joints that follow linearly because of them alone (sub_linkages.c). Loops
 * that joints which follow others linearly close hold the velocities of those joints: all of them
 * where the loop made the joint follow, and what else they can of those that mimic joints and
 * couplings decide.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sets.h"
#include "load/build.h"
#include "model/balances.h"

/* Coordinates of w have the numbers from 0 on, velocities of the tree those from nwd on. */
typedef struct search {
    td_model *model;
    bool *decided; /* per coordinate of w: by loops or closures */
    bool *follows; /* per velocity of the tree: others, linearly */
    bool *alone;   /* per velocity of the tree: because loops make it so */
    bool *settled; /* per velocity of the tree: settled groups hold it */
    int *owner;    /* per number: a group that holds it, −1 for none */
    int *set;      /* per group */
    int *order;    /* numbers that are held, set after set */
    int *held;     /* per number: its place in that order, −1 for none */
    int held_count;
    int *first; /* per group: of the set whose root it is the first one with loops, −1 for none */
    int *next;  /* per group: the next one with loops of its set, −1 for none */
} search;

static bool is_settled(const td_model *model, size_t group)
{
    return model->closure.loops.group[group].form == TD_FORM_LINEAR;
}

/* the numbers that a velocity of a group's loops is moved by, one at a time from *e = 0 on; −1
   behind the last one */
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

/* whether a number is held by loops alone: all of w are */
static bool is_alone(const search *s, int number)
{
    const int nwd = (int)s->model->closure.nwd;
    return number < nwd || s->alone[number - nwd];
}

/* one more of the held coordinates, unless it is among them */
static void hold(search *s, int number)
{
    if (s->held[number] >= 0)
        return;
    s->order[s->held_count] = number;
    s->held[number] = s->held_count++;
}

/* The held coordinates of the groups of a set, those that loops alone hold first. */
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

/* Lists the groups with loops of each set in their order. */
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

/* The sets of settled groups, or of the others; behind the members that are listed already. */
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

/* What held coordinates move, and their numbers. */
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
