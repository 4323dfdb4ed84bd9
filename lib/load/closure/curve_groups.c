/* SPDX-License-Identifier: MIT */
/*
 * Followers by curves become groups, once loops have decided what they decide. What a leader is
 * that follows others linearly is put in, so that the argument of a curve is a sum over coordinates
 * of w: independent ones, and other followers by curves, which come before. Followers that share
 * coordinates are one group. One whose leaders are all fixed is a constant.
 */
#include <stdio.h>
#include <string.h>

#include "base/sets.h"
#include "kernel/kernel.h"
#include "load/closure/loop_analysis.h"

/* The next leader of a follower that is looked at: of that curve, that one of what it is a sum of;
   by: the leader by which the follower was come to, −1 where it is itself one. */
typedef struct cursor {
    size_t curve;
    int summand, by;
} cursor;

/* All followers: joints in an order in which each comes after those that it follows. */
typedef struct chain {
    td_build *build;
    int *joint, count;
    char *state; /* per joint: 0 new, 1 on the way, 2 done */
    int *way;    /* the joints on the way, leaders that follow linearly too */
    int length;
    cursor *at; /* per joint on the way: what of it comes next */
    int *set;   /* per joint: those of one group */
    bool good;
} chain;

/* What a leader is: Σ factor · joint + constant. A joint that follows nothing linearly is itself.
 */
typedef struct argument {
    int count;
    const int *joint;
    const double *factor;
    double constant;
} argument;

static argument argument_of(const td_build *build, const int *leader)
{
    static const double one = 1;
    const td_joint_place *place = &build->model->place[*leader];
    const td_combination *c = &build->model->closure.combination[*leader];
    if (place->nq == 0)
        return (argument){.constant = td_locked_position(build, *leader)};
    if (place->dependent && place->cluster < 0)
        return (argument){c->count, c->joint, c->factor, c->constant};
    return (argument){1, leader, &one, 0};
}

static const td_follower *record_of(const td_model *model, int joint)
{
    return &model->records.follower.at[model->follower[joint]];
}

static const td_follower_curves *curves_of(const td_model *model, int joint)
{
    return &model->curves[model->follower[joint]];
}

/* ---- their order ----------------------------------------------------------------------------- */

static void report_cycle(chain *c, int joint)
{
    const td_model *model = c->build->model;
    char path[512];
    size_t used = 0;
    int n = 0;
    while (c->way[n] != joint)
        n++;
    for (; n < c->length && used < sizeof path; n++)
        used += (size_t)snprintf(path + used, sizeof path - used, "%s → ",
                                 model->records.joint.at[c->way[n]].name);
    td_report(c->build->diagnostics, TD_CODE_MIMIC_CYCLE, record_of(model, joint)->source,
              "one of them must be independent: remove what makes it follow",
              "joints follow each other in a circle: %s%s", path,
              model->records.joint.at[joint].name);
    c->good = false;
}

/* Loops that decide a joint of w leave no room for a curve there, and what they decide is known
   after the curves alone. */
static void refuse_loop(chain *c, int follower, int leader)
{
    const td_model *model = c->build->model;
    const char *name = model->records.joint.at[follower].name;
    if (leader < 0)
        td_report(c->build->diagnostics, TD_CODE_FOLLOWER_LOOP, record_of(model, follower)->source,
                  "leave out the loop or the curves, or declare a function for all of it "
                  "(td_closure_function)",
                  "joint '%s' follows others by curves and moves loops as well", name);
    else
        td_report(c->build->diagnostics, TD_CODE_FOLLOWER_LOOP, record_of(model, follower)->source,
                  "write independent=\"true\" on the leader, or follow a joint that the loop "
                  "leaves independent",
                  "joint '%s' follows joint '%s', which loops decide", name,
                  model->records.joint.at[leader].name);
    c->good = false;
}

static void enter(chain *c, int joint, int by)
{
    if (by >= 0)
        c->way[c->length++] = by;
    c->way[c->length++] = joint;
    c->state[joint] = 1;
    c->at[joint] = (cursor){.by = by};
}

static void leave(chain *c, int joint)
{
    c->length -= c->at[joint].by >= 0 ? 2 : 1;
    c->state[joint] = 2;
    c->joint[c->count++] = joint;
}

/* Puts a follower behind all that it follows, however long the chain is. */
static void visit(chain *c, int first)
{
    const td_model *model = c->build->model;
    enter(c, first, -1);
    while (c->length > 0) {
        const int joint = c->way[c->length - 1];
        cursor *at = &c->at[joint];
        if (at->curve == record_of(model, joint)->curves) {
            leave(c, joint);
            continue;
        }
        const int leader = curves_of(model, joint)->leader[at->curve];
        const argument a = argument_of(c->build, &curves_of(model, joint)->leader[at->curve]);
        if (at->summand == a.count) {
            at->curve++;
            at->summand = 0;
            continue;
        }
        const int on = a.joint[at->summand++], by = on != leader ? leader : -1;
        if (model->follower[on] < 0) {
            if (model->place[on].dependent)
                refuse_loop(c, joint, on);
        } else if (c->state[on] == 0) {
            enter(c, on, by);
        } else if (c->state[on] == 1) {
            if (by >= 0)
                c->way[c->length++] = by;
            report_cycle(c, on);
            c->length -= by >= 0;
        }
    }
}

/* whether solved loops have the joint among their coordinates, or loops decide it */
static bool moves_loops(const td_model *model, int joint)
{
    const td_loops *loops = &model->closure.loops;
    bool any = model->place[joint].dependent;
    for (size_t n = 0; n < loops->solved; n++)
        for (int k = 0; k < loops->group[n].dependents + loops->group[n].independents; k++)
            any = any || loops->group[n].coordinate[k] == joint;
    return any;
}

static bool find_order(chain *c)
{
    const td_model *model = c->build->model;
    const size_t joints = model->records.joint.count;
    td_arena *temporary = &c->build->temporary;
    c->joint = TD_ARENA_NEW(temporary, int, joints);
    c->state = TD_ARENA_NEW(temporary, char, joints);
    c->way = TD_ARENA_NEW(temporary, int, 2 * joints);
    c->at = TD_ARENA_NEW(temporary, cursor, joints);
    c->set = TD_ARENA_NEW(temporary, int, joints);
    if (!c->joint || !c->state || !c->way || !c->at || !c->set)
        return false;
    for (size_t i = 0; i < joints; i++) {
        c->set[i] = (int)i;
        if (model->follower[i] >= 0 && moves_loops(model, (int)i))
            refuse_loop(c, (int)i, -1);
    }
    for (size_t i = 0; i < joints; i++)
        if (model->follower[i] >= 0 && c->state[i] == 0)
            visit(c, (int)i);
    return true;
}

/* ---- constants ------------------------------------------------------------------------------- */

static double curve_value(const td_model *model, const td_curve_data *curve, double x,
                          double value[4])
{
    model->single->curve(curve, &x, value);
    return value[0];
}

/* what follows the joint linearly has a constant in its place */
static void put_constant(td_model *model, int joint, double position)
{
    for (size_t i = 0; i < model->records.joint.count; i++) {
        td_combination *c = &model->closure.combination[i];
        int left = 0;
        if (!model->place[i].dependent || model->place[i].cluster >= 0)
            continue;
        for (int k = 0; k < c->count; k++)
            if (c->joint[k] == joint) {
                c->constant += c->factor[k] * position;
            } else {
                c->joint[left] = c->joint[k];
                c->factor[left++] = c->factor[k];
            }
        c->count = left;
        td_place_combination(model, (int)i);
    }
}

/* A follower of what is fixed alone becomes a constant; false if it is none. */
static bool settle(chain *c, int joint)
{
    td_model *model = c->build->model;
    const td_follower *record = record_of(model, joint);
    const td_follower_curves *curves = curves_of(model, joint);
    double position = record->offset, value[4];
    for (size_t k = 0; k < record->curves; k++) {
        const argument a = argument_of(c->build, &curves->leader[k]);
        if (a.count)
            return false;
        position += curve_value(model, &curves->curve[k], a.constant, value);
    }
    const int leader = curves->leader[0];
    model->place[joint].dependent = true;
    model->closure.combination[joint] = (td_combination){.constant = position};
    td_place_combination(model, joint);
    put_constant(model, joint, position);
    td_report(c->build->diagnostics,
              td_is_locked(c->build, leader) ? TD_CODE_LOCK_FOLLOWER : TD_CODE_MIMIC_OF_FIXED,
              record->source, td_is_locked(c->build, leader) ? NULL : "follow a joint that moves",
              "joint '%s' follows '%s', which does not move: it stays at %.9g",
              model->records.joint.at[joint].name, model->records.joint.at[leader].name, position);
    return true;
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* slots of a group: its followers in their order, then what they follow */
static bool number_slots(const chain *c, int root, td_loop_group *g, int *slot_of)
{
    const td_model *model = c->build->model;
    td_arena *arena = &c->build->model->records.arena;
    const size_t joints = model->records.joint.count;
    size_t n = 0;
    for (size_t i = 0; i < joints; i++)
        n += td_set_of(c->set, (int)i) == root;
    *g = (td_loop_group){.form = TD_FORM_CURVES,
                         .coordinate = TD_ARENA_NEW(arena, int, n),
                         .velocity = TD_ARENA_NEW(arena, int, n),
                         .y = TD_ARENA_NEW(arena, int, n),
                         .yd = TD_ARENA_NEW(arena, int, n),
                         .unit = TD_ARENA_NEW(arena, double, n),
                         .curves = TD_ARENA_NEW(arena, td_loop_curves, 1)};
    if (!g->coordinate || !g->velocity || !g->y || !g->yd || !g->unit || !g->curves)
        return false;
    for (int k = 0; k < c->count; k++)
        if (c->joint[k] >= 0 && td_set_of(c->set, c->joint[k]) == root)
            g->coordinate[g->dependents++] = c->joint[k];
    g->rows = g->dependents;
    for (size_t i = 0; i < joints; i++)
        if (td_set_of(c->set, (int)i) == root && model->follower[i] < 0)
            g->coordinate[g->dependents + g->independents++] = (int)i;
    g->curves->q = TD_ARENA_NEW(arena, int, n);
    g->curves->qd = TD_ARENA_NEW(arena, int, n);
    for (size_t k = 0; g->curves->q && g->curves->qd && k < n; k++) {
        slot_of[g->coordinate[k]] = (int)k;
        g->unit[k] = 1;
        g->curves->q[k] = model->place[g->coordinate[k]].q;
        g->curves->qd[k] = model->place[g->coordinate[k]].qd;
    }
    return g->curves->q && g->curves->qd;
}

/* the terms of all followers, and the sums that they are about */
static bool write_terms(const chain *c, td_loop_group *g, const int *slot_of)
{
    const td_model *model = c->build->model;
    td_arena *arena = &c->build->model->records.arena;
    td_loop_curves *curves = g->curves;
    size_t terms = 0, arguments = 0;
    for (int i = 0; i < g->dependents; i++)
        for (size_t k = 0; k < record_of(model, g->coordinate[i])->curves; k++, terms++)
            arguments +=
                (size_t)argument_of(c->build, &curves_of(model, g->coordinate[i])->leader[k]).count;
    curves->term = TD_ARENA_NEW(arena, td_curve_term, terms);
    curves->slot = TD_ARENA_NEW(arena, int, arguments);
    curves->factor = TD_ARENA_NEW(arena, double, arguments);
    curves->w = TD_ARENA_NEW(arena, int, arguments);
    curves->rate = TD_ARENA_NEW(arena, int, arguments);
    curves->offset = TD_ARENA_NEW(arena, double, (size_t)g->dependents);
    if (!curves->term || !curves->slot || !curves->factor || !curves->offset || !curves->w ||
        !curves->rate)
        return false;
    for (int i = 0, at = 0; i < g->dependents; i++) {
        const int joint = g->coordinate[i];
        bool begins = true;
        curves->offset[i] = record_of(model, joint)->offset;
        for (size_t k = 0; k < record_of(model, joint)->curves; k++) {
            const argument a = argument_of(c->build, &curves_of(model, joint)->leader[k]);
            const td_curve_data *curve = &curves_of(model, joint)->curve[k];
            double value[4];
            if (!a.count) { /* of what does not move */
                curves->offset[i] += curve_value(model, curve, a.constant, value);
                continue;
            }
            td_curve_term *term = &curves->term[curves->terms++];
            *term = (td_curve_term){curve, i, a.constant, at, a.count, begins, false};
            begins = false;
            for (int e = 0; e < a.count; e++, at++) {
                curves->slot[at] = slot_of[a.joint[e]];
                curves->factor[at] = a.factor[e];
                term->chained = term->chained || curves->slot[at] < g->dependents;
            }
        }
    }
    return true;
}

void td_place_followers(const td_model *model, const td_loop_group *g, const char *needed,
                        double *w, double *rate)
{
    const td_loop_curves *curves = g->curves;
    for (int i = 0; i < g->dependents; i++) {
        w[g->coordinate[i]] = curves->offset[i];
        if (rate)
            rate[g->coordinate[i]] = 0;
    }
    for (int t = 0; t < curves->terms; t++) {
        const td_curve_term *term = &curves->term[t];
        double x = term->constant, v = 0, value[4];
        if (needed && !needed[term->follower])
            continue;
        for (int e = term->first; e < term->first + term->arguments; e++) {
            x += curves->factor[e] * w[g->coordinate[curves->slot[e]]];
            v += rate ? curves->factor[e] * rate[g->coordinate[curves->slot[e]]] : 0;
        }
        w[g->coordinate[term->follower]] += curve_value(model, term->curve, x, value);
        if (rate)
            rate[g->coordinate[term->follower]] += value[1] * v;
    }
}

/* where the followers of a group start, by joint as loops keep it */
static void place_start(const td_model *model, const td_loop_group *g, double *w, double *of_joint)
{
    for (int k = 0; k < g->independents; k++) {
        const int joint = g->coordinate[g->dependents + k];
        w[joint] = of_joint[TD_MOST_POSITIONS * joint];
    }
    td_place_followers(model, g, NULL, w, NULL); /* coordinates are joints as yet */
    for (int i = 0; i < g->dependents; i++)
        of_joint[TD_MOST_POSITIONS * g->coordinate[i]] = w[g->coordinate[i]];
}

/* slot_of, w: room of joints */
static bool make_group(const chain *c, int root, int *slot_of, double *w, double *of_joint)
{
    td_model *model = c->build->model;
    td_closure_map *closure = &model->closure;
    td_loop_group *g = &closure->loops.group[closure->loops.solved];
    if (!number_slots(c, root, g, slot_of) || !write_terms(c, g, slot_of))
        return false;
    place_start(model, g, w, of_joint);
    for (int i = 0; i < g->dependents; i++) {
        td_joint_place *place = &model->place[g->coordinate[i]];
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
    chain c = {.build = build, .good = true};
    td_arena_scope(&build->temporary);
    int *slot_of = TD_ARENA_NEW(&build->temporary, int, model->records.joint.count);
    double *w = TD_ARENA_NEW(&build->temporary, double, model->records.joint.count);
    if (!slot_of || !w || !find_order(&c))
        return false;
    if (!c.good || !model->single)
        return true;
    for (int k = 0; k < c.count; k++)
        if (settle(&c, c.joint[k]))
            c.joint[k] = -1;
    for (int k = 0; k < c.count; k++)
        for (size_t n = 0; c.joint[k] >= 0 && n < record_of(model, c.joint[k])->curves; n++) {
            const argument a = argument_of(build, &curves_of(model, c.joint[k])->leader[n]);
            for (int e = 0; e < a.count; e++)
                c.set[td_set_of(c.set, a.joint[e])] = td_set_of(c.set, c.joint[k]);
        }
    for (int k = 0; k < c.count; k++) {
        const int root = c.joint[k] < 0 ? -1 : td_set_of(c.set, c.joint[k]);
        bool first = root >= 0;
        for (int l = 0; l < k; l++)
            first = first && (c.joint[l] < 0 || td_set_of(c.set, c.joint[l]) != root);
        if (first && !make_group(&c, root, slot_of, w, of_joint))
            return false;
    }
    return true;
}

/* ---- once all coordinates have their numbers --------------------------------------------------
 */

/* what of q̇ moves with each follower, and where arguments are */
static bool finish_group(td_model *model, td_loop_group *g)
{
    const td_closure_map *closure = &model->closure;
    td_arena *arena = &model->records.arena;
    td_loop_curves *c = g->curves;
    td_scatter *moves = &c->moves;
    const td_csr *rate = &closure->rate;
    for (int t = 0; t < c->terms; t++)
        for (int e = c->term[t].first; e < c->term[t].first + c->term[t].arguments; e++) {
            c->w[e] = g->coordinate[c->slot[e]];
            c->rate[e] = c->qd[c->slot[e]];
        }
    for (int pass = 0; pass < 2; pass++) {
        moves->count = 0;
        for (int row = 0; row < rate->rows; row++)
            for (int e = rate->row[row]; e < rate->row[row + 1]; e++)
                for (int i = 0; i < g->dependents; i++) {
                    if (rate->column[e] != g->velocity[i])
                        continue;
                    if (pass) {
                        moves->source[moves->count] = (size_t)i;
                        moves->target[moves->count] = (size_t)row;
                        moves->factor[moves->count] = rate->value[e];
                    }
                    moves->count++;
                }
        if (pass)
            break;
        moves->source = TD_ARENA_NEW(arena, size_t, moves->count);
        moves->target = TD_ARENA_NEW(arena, size_t, moves->count);
        moves->factor = TD_ARENA_NEW(arena, double, moves->count);
        if (!moves->source || !moves->target || !moves->factor)
            return false;
    }
    return true;
}

/* whether curves are all that is solved, and no entry of G is a sum of several things */
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
        if (loops->group[n].form == TD_FORM_CURVES && !finish_group(build->model, &loops->group[n]))
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
