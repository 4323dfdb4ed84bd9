/* SPDX-License-Identifier: MIT */
/*
 * Orders followers by curves, turns followers with constant leaders into constants, and writes the
 * terms of the others. Leaders that follow others linearly are substituted. So the argument of a
 * curve is a sum over coordinates of w: independent ones, coordinates that loops decide, and other
 * followers by curves.
 */
#include <stdio.h>

#include "base/sets.h"
#include "kernel/kernel.h"
#include "load/closure/follower_order.h"

/* The next leader of a follower to visit: its curve, and the summand within the leader's argument.
   by: the leader through which the follower was reached, or −1 if it is that leader. */
typedef struct cursor {
    size_t curve;
    int summand, by;
} cursor;

typedef struct chain {
    td_build *build;
    td_follower_order *order;
    char *state; /* per joint: 0 not visited, 1 on the current path, 2 done */
    int *way;    /* the joints on the current path, including leaders that follow linearly */
    int length;
    cursor *at; /* per joint on the path: where to continue */
} chain;

/* Returns whether a joint is a follower that became a constant. */
static bool is_constant(const td_model *model, int joint)
{
    const td_place *place = &model->place[joint];
    return model->follower[joint] >= 0 && place->dependent && place->cluster < 0;
}

td_argument td_argument_of(const td_build *build, const int *leader)
{
    static const double one = 1;
    const td_place *place = &build->model->place[*leader];
    const td_combination *c = &build->model->closure.combination[*leader];
    if (place->nq == 0)
        return (td_argument){.constant = td_locked_position(build, *leader)};
    if (place->dependent && place->cluster < 0)
        return (td_argument){c->count, c->joint, c->factor, c->constant};
    return (td_argument){1, leader, &one, 0};
}

const td_follower *td_follower_record(const td_model *model, int joint)
{
    return &model->records.follower.at[model->follower[joint]];
}

const td_follower_curves *td_curves_of_follower(const td_model *model, int joint)
{
    return &model->curves[model->follower[joint]];
}

/* ---- order ----------------------------------------------------------------------------------- */

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
    td_report(c->build->diagnostics, TD_CODE_MIMIC_CYCLE, td_follower_record(model, joint)->source,
              "make one of them independent: remove its <mimic> or coupling",
              "joints follow each other in a cycle: %s%s", path,
              model->records.joint.at[joint].name);
    c->order->good = false;
}

/* Handles a follower with a leader that loops or closures decide. Marks it to be solved with the
   loops; a closure of the options cannot include it, which is reported. */
static void tie(chain *c, int follower, int leader)
{
    const td_model *model = c->build->model;
    const int cluster = model->place[leader].cluster;
    const bool loops = cluster < 0 || model->closure.loops.group[cluster].form != TD_FORM_FUNCTION;
    if (loops && !c->build->tied[follower]) {
        c->build->tied[follower] = 1;
        c->build->corrected = true;
        return;
    }
    td_report(
        c->build->diagnostics, TD_CODE_FOLLOWER_LOOP, td_follower_record(model, follower)->source,
        loops ? "follow an independent joint, or use smaller units"
              : "follow an independent joint of the closure, or let the closure determine both",
        "joint '%s' follows joint '%s', which %s", model->records.joint.at[follower].name,
        model->records.joint.at[leader].name,
        loops ? "depends on loops that cannot be solved together with it"
              : "a closure of the options determines");
    c->order->good = false;
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
    c->order->joint[c->order->count++] = joint;
}

/* Appends a follower after all joints that it follows. Uses an explicit stack, since chains may be
   long. */
static void visit(chain *c, int first)
{
    const td_model *model = c->build->model;
    enter(c, first, -1);
    while (c->length > 0) {
        const int joint = c->way[c->length - 1];
        cursor *at = &c->at[joint];
        const td_follower_curves *curves = td_curves_of_follower(model, joint);
        if (at->curve == td_follower_record(model, joint)->curves) {
            leave(c, joint);
            continue;
        }
        const int leader = curves->leader[at->curve];
        const td_argument a = td_argument_of(c->build, &curves->leader[at->curve]);
        if (at->summand == a.count) {
            at->curve++;
            at->summand = 0;
            continue;
        }
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a constant has no summands */
        const int on = a.joint[at->summand++], by = on != leader ? leader : -1;
        if (model->follower[on] < 0) {
            if (model->place[on].dependent)
                tie(c, joint, on);
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

/* ---- constants ------------------------------------------------------------------------------- */

static double curve_value(const td_model *model, const td_curve_data *curve, double x)
{
    double value[4];
    model->single->curve(curve, &x, value);
    return value[0];
}

/* Returns whether all joints of an argument are constants, and its position if so. */
static bool is_settled(const td_model *model, const td_argument *a, double *position)
{
    *position = a->constant;
    for (int e = 0; e < a->count; e++) {
        if (!is_constant(model, a->joint[e]))
            return false;
        *position += a->factor[e] * model->closure.combination[a->joint[e]].constant;
    }
    return true;
}

/* Turns a follower into a constant if all its leaders are fixed. Returns false otherwise. */
static bool settle(td_build *build, int joint)
{
    td_model *model = build->model;
    const td_follower *record = td_follower_record(model, joint);
    const td_follower_curves *curves = td_curves_of_follower(model, joint);
    double position = record->offset, x;
    for (size_t k = 0; k < record->curves; k++) {
        const td_argument a = td_argument_of(build, &curves->leader[k]);
        if (!is_settled(model, &a, &x))
            return false;
        position += curve_value(model, &curves->curve[k], x);
    }
    const int leader = curves->leader[0];
    model->place[joint].dependent = true;
    model->closure.combination[joint] = (td_combination){.constant = position};
    td_place_combination(model, joint);
    td_report(build->diagnostics,
              td_is_locked(build, leader) ? TD_CODE_LOCK_FOLLOWER : TD_CODE_MIMIC_OF_FIXED,
              record->source, td_is_locked(build, leader) ? NULL : "follow a joint that moves",
              "joint '%s' follows '%s', which does not move; it stays at %.9g",
              model->records.joint.at[joint].name, model->records.joint.at[leader].name, position);
    return true;
}

/* Substitutes constants in the combinations of joints that follow them linearly. */
static void put_constants(td_model *model)
{
    for (size_t i = 0; i < model->records.joint.count; i++) {
        td_combination *c = &model->closure.combination[i];
        int left = 0;
        if (!model->place[i].dependent || model->place[i].cluster >= 0)
            continue;
        for (int k = 0; k < c->count; k++)
            if (is_constant(model, c->joint[k])) {
                c->constant += c->factor[k] * model->closure.combination[c->joint[k]].constant;
            } else {
                c->joint[left] = c->joint[k];
                c->factor[left++] = c->factor[k];
            }
        if (left < c->count) {
            c->count = left;
            td_place_combination(model, (int)i);
        }
    }
}

static void settle_all(td_build *build, td_follower_order *order)
{
    int left = 0;
    for (int k = 0; k < order->count; k++)
        if (!settle(build, order->joint[k]))
            order->joint[left++] = order->joint[k];
    if (left < order->count)
        put_constants(build->model);
    order->count = left;
}

/* ---- all ------------------------------------------------------------------------------------- */

bool td_order_followers(td_build *build, td_follower_order *order)
{
    const td_model *model = build->model;
    const size_t joints = model->records.joint.count;
    td_arena *temporary = &build->temporary;
    *order = (td_follower_order){TD_ARENA_NEW(temporary, int, joints), 0, true};
    chain c = {.build = build,
               .order = order,
               .state = TD_ARENA_NEW(temporary, char, joints),
               .way = TD_ARENA_NEW(temporary, int, 2 * joints),
               .at = TD_ARENA_NEW(temporary, cursor, joints)};
    if (!order->joint || !c.state || !c.way || !c.at)
        return false;
    for (size_t i = 0; i < joints; i++)
        if (model->place[i].dependent) /* a constant, or solved with loops */
            c.state[i] = 2;
    for (size_t i = 0; i < joints; i++)
        if (model->follower[i] >= 0 && c.state[i] == 0)
            visit(&c, (int)i);
    if (order->good && !build->corrected && model->single)
        settle_all(build, order);
    return true;
}

bool td_settle_followers(td_build *build)
{
    td_follower_order order;
    td_arena_scope(&build->temporary);
    return !build->model->records.follower.count || td_order_followers(build, &order);
}

bool td_spread_ties(td_build *build, const td_follower_order *order)
{
    const td_model *model = build->model;
    const size_t joints = model->records.joint.count;
    td_arena_scope(&build->temporary);
    int *set = TD_ARENA_NEW(&build->temporary, int, joints);
    char *tied = TD_ARENA_NEW(&build->temporary, char, joints);
    if (!set || !tied)
        return false;
    for (size_t i = 0; i < joints; i++)
        set[i] = (int)i;
    for (int n = 0; n < order->count; n++) {
        const int joint = order->joint[n];
        for (size_t k = 0; k < td_follower_record(model, joint)->curves; k++) {
            const td_argument a =
                td_argument_of(build, &td_curves_of_follower(model, joint)->leader[k]);
            for (int e = 0; e < a.count; e++)
                if (model->follower[a.joint[e]] >= 0)
                    set[td_set_of(set, a.joint[e])] = td_set_of(set, joint);
        }
    }
    for (int n = 0; n < order->count; n++)
        if (build->tied[order->joint[n]])
            tied[td_set_of(set, order->joint[n])] = 1;
    for (int n = 0; n < order->count; n++)
        build->tied[order->joint[n]] = tied[td_set_of(set, order->joint[n])];
    return true;
}

/* ---- terms ----------------------------------------------------------------------------------- */

/* Allocates the most places and terms that the followers may need. */
static bool allocate(td_build *build, const int *joint, int count, td_loop_curves *curves)
{
    const td_model *model = build->model;
    td_arena *arena = &build->model->records.arena;
    size_t terms = 0, places = (size_t)count;
    for (int i = 0; i < count; i++)
        for (size_t k = 0; k < td_follower_record(model, joint[i])->curves; k++, terms++)
            places +=
                (size_t)td_argument_of(build, &td_curves_of_follower(model, joint[i])->leader[k])
                    .count;
    *curves = (td_loop_curves){.term = TD_ARENA_NEW(arena, td_curve_term, terms),
                               .offset = TD_ARENA_NEW(arena, double, (size_t)count),
                               .row = TD_ARENA_NEW(arena, int, places),
                               .joint = TD_ARENA_NEW(arena, int, places),
                               .w = TD_ARENA_NEW(arena, int, places),
                               .wd = TD_ARENA_NEW(arena, int, places),
                               .q = TD_ARENA_NEW(arena, int, places),
                               .qd = TD_ARENA_NEW(arena, int, places),
                               .slot = TD_ARENA_NEW(arena, int, places),
                               .factor = TD_ARENA_NEW(arena, double, places)};
    return curves->term && curves->offset && curves->row && curves->joint && curves->w &&
           curves->wd && curves->q && curves->qd && curves->slot && curves->factor;
}

/* Adds a place. The joint has been numbered in the tree already. */
static void add_place(const td_model *model, td_loop_curves *curves, int joint, int row,
                      double factor)
{
    const int n = curves->places++;
    curves->joint[n] = joint;
    curves->row[n] = row;
    curves->factor[n] = factor;
    curves->q[n] = model->place[joint].q;
    curves->qd[n] = model->place[joint].qd;
}

static void write_terms(const td_build *build, int joint, int i, td_loop_curves *curves)
{
    const td_model *model = build->model;
    bool begins = true;
    curves->offset[i] = td_follower_record(model, joint)->offset;
    for (size_t k = 0; k < td_follower_record(model, joint)->curves; k++) {
        const td_curve_data *curve = &td_curves_of_follower(model, joint)->curve[k];
        const td_argument a =
            td_argument_of(build, &td_curves_of_follower(model, joint)->leader[k]);
        if (!a.count) { /* a constant argument */
            curves->offset[i] += curve_value(model, curve, a.constant);
            continue;
        }
        td_curve_term *term = &curves->term[curves->terms++];
        *term = (td_curve_term){curve, i, a.constant, curves->places, a.count, begins, false};
        begins = false;
        for (int e = 0; e < a.count; e++) {
            add_place(model, curves, a.joint[e], i, a.factor[e]);
            term->chained = term->chained || model->follower[a.joint[e]] >= 0;
        }
    }
}

bool td_write_curves(td_build *build, const int *joint, int count, td_loop_curves *curves)
{
    if (!allocate(build, joint, count, curves))
        return false;
    curves->followers = count;
    for (int i = 0; i < count; i++)
        add_place(build->model, curves, joint[i], i, 1);
    for (int i = 0; i < count; i++)
        write_terms(build, joint[i], i, curves);
    return true;
}

void td_place_followers(const td_model *model, const td_loop_curves *curves, const int *at,
                        const char *needed, double *w, double *rate)
{
    for (int i = 0; i < curves->followers; i++) {
        if (needed && !needed[i])
            continue;
        w[at[i]] = curves->offset[i];
        if (rate)
            rate[at[i]] = 0;
    }
    for (int t = 0; t < curves->terms; t++) {
        const td_curve_term *term = &curves->term[t];
        const int follower = at[term->follower];
        double x = term->constant, v = 0, value[4];
        if (needed && !needed[term->follower])
            continue;
        for (int e = term->first; e < term->first + term->arguments; e++) {
            x += curves->factor[e] * w[at[e]];
            v += rate ? curves->factor[e] * rate[at[e]] : 0;
        }
        model->single->curve(term->curve, &x, value);
        w[follower] += value[0];
        if (rate)
            rate[follower] += value[1] * v;
    }
}
