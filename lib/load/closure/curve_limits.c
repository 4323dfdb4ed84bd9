/* SPDX-License-Identifier: MIT */
/*
 * Limits of joints that follow one independent joint by curves, their linear followers included.
 * What they leave of the leader's range may be several intervals: the one about where the leader
 * starts is kept, or the nearest to it. It is found by steps along the leader's range and, at its
 * ends, by bisection: an excursion that is shorter than a step is not seen.
 */
#include <math.h>

#include "load/build.h"
#include "model/joint_kind.h"

/* The most of a range that a step takes, the first one and how they grow; and the farthest from the
   start that limits are looked for. */
enum { STEPS = 2048 };
static const double first_step = 1e-3, growth = 1 + 1.0 / 64, farthest = 1e4;

/* Along the leader's range: a joint as a function of it. */
typedef struct path {
    const td_model *model;
    const td_loop_group *group;
    int joint, leader;
    double *w, *rate;
    double lower, upper; /* of the joint, with slack */
    double own[2];       /* the leader's own limits */
    double step;         /* the longest one */
    const char *needed;  /* by slots of the group: what the joint depends on */
    double fastest;      /* largest |dq/dy| that was met */
} path;

/* the joint's position at a position of the leader; whether it is within its limits */
static bool is_within(path *p, double y)
{
    const td_model *model = p->model;
    const td_combination *c = &model->closure.combination[p->joint];
    const int at = model->closure.w[p->joint];
    p->w[model->closure.w[p->leader]] = y;
    td_place_followers(model, p->group->curves, p->group->curves->w, p->needed, p->w, p->rate);
    double position = at >= 0 ? p->w[at] : c->constant, rate = at >= 0 ? p->rate[at] : 0;
    for (int k = 0; at < 0 && k < c->count; k++) {
        position += c->factor[k] * p->w[model->closure.w[c->joint[k]]];
        rate += c->factor[k] * p->rate[model->closure.w[c->joint[k]]];
    }
    const bool within = position >= p->lower && position <= p->upper;
    if (within)
        p->fastest = fmax(p->fastest, fabs(rate));
    return within;
}

/* From y on to one side until what is within its limits changes; false at the end of the range,
   where *y is. */
static bool walk(path *p, int side, double *y)
{
    const bool begin = is_within(p, *y);
    double length = first_step;
    const double end = p->own[side > 0], start = *y;
    for (;;) {
        double next = *y + side * fmin(length, p->step);
        const bool last = side > 0 ? next >= end : next <= end;
        if (last)
            next = end;
        if (fabs(next - start) > farthest || (next == *y && !last)) { /* or steps are rounding */
            *y = end;
            return false;
        }
        if (is_within(p, next) != begin) {
            double in = *y, out = next; /* in: still as at the beginning */
            for (int n = 0; n < 60; n++) {
                const double middle = (in + out) / 2;
                *(is_within(p, middle) == begin ? &in : &out) = middle;
            }
            *y = begin ? in : out;
            return true;
        }
        *y = next;
        if (last)
            return false;
        length *= growth;
    }
}

/* a position within the limits, as near to the start as it can be; NaN for none */
static double find_inside(path *p, double start)
{
    if (is_within(p, start))
        return start;
    double at[2] = {start, start};
    const bool found[2] = {walk(p, -1, &at[0]), walk(p, 1, &at[1])};
    if (!found[0] && !found[1])
        return NAN;
    return found[1] && (!found[0] || at[1] - start <= start - at[0]) ? at[1] : at[0];
}

/* the leader on which a joint depends through the group alone; −1 for none, or several */
static int only_leader(const td_model *model, const td_loop_group *g, int joint, char *depends)
{
    const td_loop_curves *c = g->curves;
    const td_combination *sum = &model->closure.combination[joint];
    const int own = model->closure.w[joint];
    int leader = -1, count = 0;
    for (int k = 0; k < g->independents; k++) {
        for (int i = 0; i < g->dependents + g->independents; i++)
            depends[i] = i == g->dependents + k;
        for (int t = 0; t < c->terms; t++)
            for (int e = c->term[t].first; e < c->term[t].first + c->term[t].arguments; e++)
                depends[c->term[t].follower] |= depends[c->slot[e]];
        bool any = false;
        for (int i = 0; i < g->dependents + g->independents; i++) {
            bool part = own == g->coordinate[i];
            for (int n = 0; own < 0 && n < sum->count; n++)
                part = part || model->closure.w[sum->joint[n]] == g->coordinate[i];
            any = any || (part && depends[i]);
        }
        if (!any)
            continue;
        count++;
        for (size_t i = 0; i < model->records.joint.count; i++)
            if (model->closure.w[i] == g->coordinate[g->dependents + k])
                leader = (int)i;
    }
    for (int n = 0; own < 0 && n < sum->count; n++) { /* others beside the group's */
        bool inside = false;
        for (int i = 0; i < g->dependents + g->independents; i++)
            inside = inside || model->closure.w[sum->joint[n]] == g->coordinate[i];
        count += !inside;
    }
    return count == 1 ? leader : -1;
}

/* by slots of the group: what the joint depends on, coordinates of the group that it is included */
static void find_needed(const td_model *model, const td_loop_group *g, int joint, char *needed)
{
    const td_loop_curves *c = g->curves;
    const td_combination *sum = &model->closure.combination[joint];
    const int own = model->closure.w[joint];
    for (int i = 0; i < g->dependents + g->independents; i++) {
        needed[i] = own == g->coordinate[i];
        for (int n = 0; own < 0 && n < sum->count; n++)
            needed[i] |= model->closure.w[sum->joint[n]] == g->coordinate[i];
    }
    for (int t = c->terms; t-- > 0;)
        for (int e = c->term[t].first; e < c->term[t].first + c->term[t].arguments; e++)
            needed[c->slot[e]] |= needed[c->term[t].follower];
}

/* the group by which a joint follows others, NULL for none */
static const td_loop_group *group_of(const td_model *model, int joint)
{
    const td_joint_place *place = &model->place[joint];
    const td_combination *c = &model->closure.combination[joint];
    int cluster = place->cluster;
    for (int k = 0; place->dependent && place->cluster < 0 && k < c->count; k++)
        if (model->place[c->joint[k]].cluster >= 0)
            cluster = model->place[c->joint[k]].cluster;
    if (!place->dependent || cluster < 0 ||
        model->closure.loops.group[cluster].form != TD_FORM_CURVES)
        return NULL;
    return &model->closure.loops.group[cluster];
}

static void report_empty(td_build *build, const path *p)
{
    const td_joint *joint = build->model->records.joint.at;
    td_report(build->diagnostics, TD_CODE_MIMIC_LIMITS_EMPTY, joint[p->joint].source,
              "widen the limits, or correct the curve",
              "no position of '%s' within its own limits takes '%s' into its limits [%.6g, %.6g]",
              joint[p->leader].name, joint[p->joint].name, p->lower, p->upper);
}

/* the interval into the leader's effective limits, and a warning where its own are wider */
static void narrow(td_build *build, const path *p, const double at[2])
{
    td_model *model = build->model;
    const td_joint *follower = &model->records.joint.at[p->joint];
    const td_joint *leader = &model->records.joint.at[p->leader];
    td_effective_limit *limit = &model->limit[p->leader];
    const double slack = 1e-6;
    if ((isfinite(at[0]) && isfinite(p->own[0]) && p->own[0] < at[0] - slack * (1 + fabs(at[0]))) ||
        (isfinite(at[1]) && isfinite(p->own[1]) && p->own[1] > at[1] + slack * (1 + fabs(at[1]))))
        td_report(build->diagnostics, TD_CODE_MIMIC_LIMITS, follower->source,
                  "narrow the leader's limits to this interval, or widen the follower's",
                  "the limits of '%s' allow '%s' only [%.6g, %.6g] about where it starts, but it "
                  "goes over [%.6g, %.6g]",
                  follower->name, leader->name, at[0], at[1], p->own[0], p->own[1]);
    if (at[0] > limit->lower) {
        limit->lower = at[0];
        limit->lower_joint = p->joint;
    }
    if (at[1] < limit->upper) {
        limit->upper = at[1];
        limit->upper_joint = p->joint;
    }
    const double velocity = follower->limit.velocity / p->fastest;
    if (velocity < limit->velocity) {
        limit->velocity = velocity;
        limit->velocity_joint = p->joint;
    }
}

/* steps as short as the pieces of tables want it */
static double step_of(const path *p)
{
    int steps = STEPS;
    for (int t = 0; t < p->group->curves->terms; t++)
        if (p->needed[p->group->curves->term[t].follower])
            steps += 4 * p->group->curves->term[t].curve->points;
    return (p->own[1] - p->own[0]) / steps; /* infinite where there is an end less */
}

/* room: a character per joint */
static void fold(td_build *build, int joint, const td_loop_group *g, path *p, char *room)
{
    td_model *model = build->model;
    const td_joint *record = &model->records.joint.at[joint];
    td_joint_limits(record, &p->lower, &p->upper);
    p->joint = joint;
    p->group = g;
    p->leader = only_leader(model, g, joint, room);
    p->fastest = 0;
    if (p->leader < 0 || (isinf(p->lower) && isinf(p->upper) && isnan(record->limit.velocity)))
        return;
    p->lower -= 1e-9 * (1 + fabs(p->lower)); /* an end of both is no limit */
    p->upper += 1e-9 * (1 + fabs(p->upper));
    td_joint_limits(&model->records.joint.at[p->leader], &p->own[0], &p->own[1]);
    find_needed(model, g, joint, room);
    p->needed = room;
    p->step = step_of(p);
    for (size_t k = 0; k < model->closure.nw; k++) {
        p->w[k] = model->closure.reference[k];
        p->rate[k] = 0;
    }
    p->rate[model->closure.w[p->leader]] = 1;
    const double given = p->w[model->closure.w[p->leader]];
    const double start = fmin(fmax(given, p->own[0]), p->own[1]);
    const double inside = find_inside(p, start);
    if (isnan(inside)) {
        report_empty(build, p);
        return;
    }
    double at[2] = {inside, inside};
    p->fastest = 0;
    for (int side = 0; side < 2; side++)
        if (!walk(p, side ? 1 : -1, &at[side]))
            at[side] = side ? INFINITY : -INFINITY; /* nothing binds but the leader's own */
    narrow(build, p, at);
}

bool td_fold_curve_limits(td_build *build)
{
    td_model *model = build->model;
    const size_t joints = model->records.joint.count;
    td_arena_scope(&build->temporary);
    path p = {.model = model,
              .w = TD_ARENA_NEW(&build->temporary, double, model->closure.nw),
              .rate = TD_ARENA_NEW(&build->temporary, double, model->closure.nw)};
    char *room = TD_ARENA_NEW(&build->temporary, char, joints);
    if (!p.w || !p.rate || !room)
        return false;
    for (size_t i = 0; model->single && i < joints; i++) {
        const td_loop_group *g = group_of(model, (int)i);
        if (g)
            fold(build, (int)i, g, &p, room);
    }
    return true;
}
