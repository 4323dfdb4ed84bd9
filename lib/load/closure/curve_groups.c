/* SPDX-License-Identifier: MIT */
/*
 * Makes groups of the followers by curves that are not solved together with loops, after the
 * analysis of loops. Followers that share coordinates form one group.
 */
#include "base/sets.h"
#include "load/closure/follower_order.h"
#include "model/manifold.h"

/* All followers and the joints that they follow, sorted by set. */
typedef struct sets {
    td_build *build;
    td_follower_order order;
    int *set;                   /* per joint */
    int *first, *next;          /* per root: the joints of its set, ascending; per joint: the next
                                   one; −1: none */
    int *follower, *later, *at; /* the same for the followers of the set, in their order */
    int *slot_of;               /* per joint */
    double *w;                  /* per joint */
} sets;

/* ---- groups ---------------------------------------------------------------------------------- */

static bool unite(sets *s)
{
    const td_model *model = s->build->model;
    const size_t joints = model->records.joint.count;
    td_arena *temporary = &s->build->temporary;
    s->set = TD_ARENA_NEW(temporary, int, joints);
    s->first = TD_ARENA_NEW(temporary, int, joints);
    s->next = TD_ARENA_NEW(temporary, int, joints);
    s->follower = TD_ARENA_NEW(temporary, int, joints);
    s->later = TD_ARENA_NEW(temporary, int, joints);
    s->at = TD_ARENA_NEW(temporary, int, joints);
    s->slot_of = TD_ARENA_NEW(temporary, int, joints);
    s->w = TD_ARENA_NEW(temporary, double, joints);
    if (!s->set || !s->first || !s->next || !s->follower || !s->later || !s->at || !s->slot_of ||
        !s->w)
        return false;
    for (size_t i = 0; i < joints; i++) {
        s->set[i] = (int)i;
        s->first[i] = s->follower[i] = -1;
    }
    for (int k = 0; k < s->order.count; k++) {
        const int joint = s->order.joint[k];
        for (size_t n = 0; n < td_follower_record(model, joint)->curves; n++) {
            const td_argument a =
                td_argument_of(s->build, &td_curves_of_follower(model, joint)->leader[n]);
            for (int e = 0; e < a.count; e++)
                s->set[td_set_of(s->set, a.joint[e])] = td_set_of(s->set, joint);
        }
    }
    for (size_t i = joints; i-- > 0;) {
        const int root = td_set_of(s->set, (int)i);
        s->next[i] = s->first[root];
        s->first[root] = (int)i;
    }
    for (int k = s->order.count; k-- > 0;) {
        const int joint = s->order.joint[k], root = td_set_of(s->set, joint);
        s->later[joint] = s->follower[root];
        s->follower[root] = joint;
    }
    return true;
}

/* Assigns the slots of a group: its followers in their order, then the joints that they follow. */
static bool number_slots(const sets *s, int root, td_loop_group *g)
{
    const td_model *model = s->build->model;
    td_arena *arena = &s->build->model->records.arena;
    size_t n = 0;
    for (int i = s->first[root]; i >= 0; i = s->next[i])
        n++;
    *g = (td_loop_group){.form = TD_FORM_CURVES,
                         .coordinate = TD_ARENA_NEW(arena, int, n),
                         .velocity = TD_ARENA_NEW(arena, int, n),
                         .y = TD_ARENA_NEW(arena, int, n),
                         .yd = TD_ARENA_NEW(arena, int, n),
                         .unit = TD_ARENA_NEW(arena, double, n),
                         .curves = TD_ARENA_NEW(arena, td_loop_curves, 1)};
    if (!g->coordinate || !g->velocity || !g->y || !g->yd || !g->unit || !g->curves)
        return false;
    for (int i = s->follower[root]; i >= 0; i = s->later[i])
        g->coordinate[g->dependents++] = i;
    g->rows = g->dependents;
    for (int i = s->first[root]; i >= 0; i = s->next[i])
        if (model->follower[i] < 0)
            g->coordinate[g->dependents + g->independents++] = i;
    for (size_t k = 0; k < n; k++) {
        s->slot_of[g->coordinate[k]] = (int)k;
        g->unit[k] = 1;
    }
    return true;
}

/* Computes the start positions of the followers of a group, per joint as loops store them. */
static void place_start(const sets *s, const td_loop_group *g, double *of_joint)
{
    for (int k = 0; k < g->independents; k++) {
        const int joint = g->coordinate[g->dependents + k];
        s->w[joint] = of_joint[TD_MOST_POSITIONS * joint];
    }
    td_place_followers(s->build->model, g->curves, g->curves->joint, NULL, s->w, NULL);
    for (int i = 0; i < g->dependents; i++)
        of_joint[TD_MOST_POSITIONS * g->coordinate[i]] = s->w[g->coordinate[i]];
}

static bool make_group(const sets *s, int root, double *of_joint)
{
    td_model *model = s->build->model;
    td_closure_map *closure = &model->closure;
    td_loop_group *g = &closure->loops.group[closure->loops.solved];
    if (!number_slots(s, root, g) ||
        !td_write_curves(s->build, g->coordinate, g->dependents, g->curves))
        return false;
    for (int e = 0; e < g->curves->places; e++)
        g->curves->slot[e] = s->slot_of[g->curves->joint[e]];
    place_start(s, g, of_joint);
    for (int i = 0; i < g->dependents; i++) {
        td_place *place = &model->place[g->coordinate[i]];
        place->dependent = true;
        place->cluster = (int)closure->loops.solved;
    }
    closure->loop_cluster[closure->loops.solved++] = (td_loop_cluster){
        .rows = (size_t)g->rows, .rank = (size_t)g->rows, .independent = (size_t)g->independents};
    return true;
}

bool td_make_curve_groups(td_build *build, double *of_joint)
{
    td_model *model = build->model;
    sets s = {.build = build};
    td_arena_scope(&build->temporary);
    if (!td_order_followers(build, &s.order))
        return false;
    if (!s.order.good || build->corrected || !model->single)
        return true;
    if (!unite(&s))
        return false;
    for (int k = 0; k < s.order.count; k++) {
        const int root = td_set_of(s.set, s.order.joint[k]);
        if (s.follower[root] == s.order.joint[k] && !make_group(&s, root, of_joint))
            return false;
    }
    return true;
}

/* ---- after all coordinates have been numbered ------------------------------------------------ */

static void number_places(td_model *model, td_loop_curves *c)
{
    for (int e = 0; e < c->places; e++) {
        c->w[e] = model->closure.w[c->joint[e]];
        c->wd[e] = model->closure.wd[c->joint[e]];
    }
}

/* Finds the entries of q̇ that move with followers: counts them per group, or lists them. */
static void find_moves(td_closure_map *closure, const int *group, bool count)
{
    const td_csr *rate = &closure->rate;
    for (size_t n = 0; n < closure->loops.solved; n++)
        if (closure->loops.group[n].form == TD_FORM_CURVES)
            /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): such a group has curves */
            closure->loops.group[n].curves->moves.count = 0;
    for (int row = 0; row < rate->rows; row++)
        for (int e = rate->row[row]; e < rate->row[row + 1]; e++) {
            if (group[rate->column[e]] < 0)
                continue;
            td_scatter *moves = &closure->loops.group[group[rate->column[e]]].curves->moves;
            const size_t n = moves->count++;
            if (count)
                continue;
            moves->source[n] = (size_t)closure->loops.slot[rate->column[e]];
            moves->target[n] = (size_t)row;
            moves->factor[n] = rate->value[e];
        }
}

static bool list_moves(td_build *build)
{
    td_closure_map *closure = &build->model->closure;
    td_arena *arena = &build->model->records.arena;
    td_arena_scope(&build->temporary);
    int *group = TD_ARENA_NEW(&build->temporary, int, closure->nwd); /* per velocity in ẇ: the group
                                                                        of the follower, or −1 */
    if (!group)
        return false;
    for (size_t k = 0; k < closure->nwd; k++)
        group[k] = -1;
    for (size_t n = 0; n < closure->loops.solved; n++) {
        const td_loop_group *g = &closure->loops.group[n];
        for (int i = 0; g->form == TD_FORM_CURVES && i < g->dependents; i++)
            group[g->velocity[i]] = (int)n;
    }
    find_moves(closure, group, true);
    for (size_t n = 0; n < closure->loops.solved; n++) {
        if (closure->loops.group[n].form != TD_FORM_CURVES)
            continue;
        td_scatter *moves = &closure->loops.group[n].curves->moves;
        moves->source = TD_ARENA_NEW(arena, size_t, moves->count);
        moves->target = TD_ARENA_NEW(arena, size_t, moves->count);
        moves->factor = TD_ARENA_NEW(arena, double, moves->count);
        if (!moves->source || !moves->target || !moves->factor)
            return false;
    }
    find_moves(closure, group, false);
    return true;
}
/* Sets *direct if only curves are solved and no entry of G is a sum of several terms. Returns false
   if out of memory. */
static bool are_direct(td_build *build, bool *direct)
{
    const td_closure_map *closure = &build->model->closure;
    const td_loops *loops = &closure->loops;
    td_arena_scope(&build->temporary);
    char *taken = TD_ARENA_NEW(&build->temporary, char,
                               (size_t)closure->velocity.row[closure->velocity.rows]);
    *direct = loops->solved > 0;
    for (size_t n = 0; taken && n < loops->count; n++) {
        const td_loop_group *g = &loops->group[n];
        *direct =
            *direct && (n < loops->solved ? g->form == TD_FORM_CURVES : g->form == TD_FORM_LINEAR);
        for (size_t k = 0; k < g->fill.count; k++) {
            *direct =
                *direct && !taken[g->fill.target[k]] && loops->constant[g->fill.target[k]] == 0;
            taken[g->fill.target[k]] = 1;
        }
    }
    return taken != NULL;
}

bool td_finish_curves(td_build *build)
{
    td_closure_map *closure = &build->model->closure;
    td_loops *loops = &closure->loops;
    for (size_t n = 0; n < loops->solved; n++)
        if (loops->group[n].curves)
            number_places(build->model, loops->group[n].curves);
    if (!list_moves(build))
        return false;
    loops->run = TD_ARENA_NEW(&build->model->records.arena, td_run, closure->ny);
    if (!loops->run)
        return false;
    for (size_t k = 0; k < closure->ny; k++) {
        const int w = closure->w_of_y[k];
        if (k && w == closure->w_of_y[k - 1] + 1)
            loops->run[loops->runs - 1].count++;
        else
            loops->run[loops->runs++] = (td_run){w, (int)k, 1};
    }
    return are_direct(build, &loops->direct);
}
