/* SPDX-License-Identifier: MIT */
/*
 * Limits of joints that follow one independent joint by curves, their linear followers included.
 * What they leave of the leader's range may be several intervals: the one about where the leader
 * starts is kept, or the nearest to it. It is found by steps along the leader's range, of all that
 * follow the leader at once: an excursion that is shorter than a step is not seen. Where a joint
 * passes a limit within a step is told by the cubic with its positions and slopes at both ends, of
 * halves of the step until that changes nothing.
 */
#include <math.h>

#include "base/limit.h"
#include "kernel/kernel.h"
#include "load/build.h"
#include "model/joint_kind.h"

/* The least and the most of a leader's range in steps, the first one and how they grow; and the
   farthest from the start that limits are looked for. */
enum { STEPS = 2048, MOST_STEPS = 32 * STEPS };
static const double first_step = 1e-3, growth = 1 + 1.0 / 64, farthest = 1e4;
/* how far two cubics may differ in where a limit is, against the leader's position */
static const double same_place = 1e-12;

enum { NONE = -2, SEVERAL = -1 };

/* A joint whose limits are looked at, and its interval of the leader. */
typedef struct followed {
    int joint, next;                  /* of those with the same leader the next one, −1 */
    double lower, upper;              /* what is beyond them by rounding is within */
    bool starts_within, within, done; /* where the leader is now; beyond the interval */
    double entry[2], bound[2]; /* by side: where it comes within its limits, where it leaves */
    double fastest[2];         /* by side: largest |dq/dy| within */
    double start;              /* of the leader */
    int crossing;              /* of those that pass a limit in a step the next one, −1 */
} followed;

/* positions and slopes of the joints that are looked at */
typedef struct sample {
    double y, *position, *slope;
} sample;

/* All of them. Coordinates are those of w. */
typedef struct search {
    td_build *build;
    td_model *model;
    int *leader;    /* per coordinate: the one that it depends on alone */
    int *joint_of;  /* per coordinate */
    int *first;     /* per coordinate: of what follows it the first in the list, −1 */
    followed *list; /* in the order of joints */
    int count;
    int *term_row; /* per coordinate: where the terms begin that depend on it alone */
    const td_curve_term **term;
    const td_loop_curves **curves; /* per term: whose it is */
    double *w, *rate;
} search;

/* Along the range of one leader. */
typedef struct path {
    search *s;
    int leader; /* coordinate */
    double own[2], step;
    int count, *member; /* places in the list */
} path;

/* ---- what follows what ----------------------------------------------------------------------- */

static int merged(int a, int b)
{
    return a == NONE || a == b ? b : SEVERAL;
}

/* on what each coordinate of groups depends alone */
static void find_coordinates(search *s)
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

/* the coordinate that a joint depends on alone, by curves at least in part; SEVERAL or NONE */
static int leader_of(const search *s, int joint)
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

/* the joints with limits, and per leader those that follow it alone */
static void list_followers(search *s)
{
    for (size_t k = 0; k < s->model->closure.nw; k++)
        s->first[k] = -1;
    for (size_t i = 0; i < s->model->records.joint.count; i++) {
        const td_joint *record = &s->model->records.joint.at[i];
        const int leader = leader_of(s, (int)i);
        followed f = {.joint = (int)i};
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

/* the terms by what they depend on alone, in their order */
static void list_terms(search *s)
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
    for (size_t k = closure->nw; k > 0; k--) /* each ended where the next one begins */
        s->term_row[k] = s->term_row[k - 1];
    s->term_row[0] = 0;
}

/* ---- along the range ------------------------------------------------------------------------- */

/* all joints at a position of the leader */
static void evaluate(path *p, double y, sample *out)
{
    search *s = p->s;
    out->y = s->w[p->leader] = y;
    for (int n = s->term_row[p->leader]; n < s->term_row[p->leader + 1]; n++) {
        const td_curve_term *term = s->term[n];
        const td_loop_curves *c = s->curves[n];
        const int follower = c->w[term->follower];
        double x = term->constant, v = 0, value[4];
        for (int e = term->first; e < term->first + term->arguments; e++) {
            x += c->factor[e] * s->w[c->w[e]];
            v += c->factor[e] * s->rate[c->w[e]];
        }
        s->model->single->curve(term->curve, &x, value);
        s->w[follower] = value[0] + (term->begins ? c->offset[term->follower] : s->w[follower]);
        s->rate[follower] = value[1] * v + (term->begins ? 0 : s->rate[follower]);
    }
    for (int n = 0; n < p->count; n++) {
        const int joint = s->list[p->member[n]].joint, at = s->model->closure.w[joint];
        const td_combination *c = &s->model->closure.combination[joint];
        out->position[n] = at >= 0 ? s->w[at] : c->constant;
        out->slope[n] = at >= 0 ? s->rate[at] : 0;
        for (int k = 0; at < 0 && k < c->count; k++) {
            out->position[n] += c->factor[k] * s->w[s->model->closure.w[c->joint[k]]];
            out->slope[n] += c->factor[k] * s->rate[s->model->closure.w[c->joint[k]]];
        }
    }
}

/* An end of both ranges is no limit. */
static bool is_within(const followed *f, double position)
{
    return !td_is_outside(position, f->lower, f->upper);
}

static bool new_sample(td_arena *arena, int count, sample *s)
{
    s->position = TD_ARENA_NEW(arena, double, (size_t)count);
    s->slope = TD_ARENA_NEW(arena, double, (size_t)count);
    return s->position && s->slope;
}

/* where the cubic with the positions and slopes of two samples passes the limit between them, and
   its slope there */
static double cross(const followed *f, const sample *a, const sample *b, int n, double *slope)
{
    const double h = b->y - a->y, from = a->position[n], to = b->position[n];
    const double outside = is_within(f, from) ? to : from;
    const double limit = outside > f->upper ? f->upper : f->lower;
    const double c1 = h * a->slope[n], c3 = c1 + h * b->slope[n] - 2 * (to - from);
    const double c2 = to - from - c1 - c3;
    const bool rises = to > from;
    double low = 0, high = 1;
    for (int k = 0; k < 54; k++) {
        const double t = (low + high) / 2, x = from + t * (c1 + t * (c2 + t * c3));
        *((x > limit) == rises ? &high : &low) = t;
    }
    *slope = (c1 + low * (2 * c2 + 3 * low * c3)) / h;
    return a->y + low * h;
}

static void note(followed *f, int side, double y, double slope)
{
    f->fastest[side] = fmax(f->fastest[side], fabs(slope));
    if (!f->within)
        f->entry[side] = y;
    else
        f->bound[side] = y;
    f->done = f->within;
    f->within = true;
}

/* Where the joints of the list that crossing begins pass a limit between two samples. False without
   memory. */
static bool find_crossings(path *p, int side, const sample *a, const sample *b, int crossing)
{
    td_arena *temporary = &p->s->build->temporary;
    sample middle;
    int half[2] = {-1, -1};
    td_arena_scope(temporary);
    if (!new_sample(temporary, p->count, &middle))
        return false;
    evaluate(p, (a->y + b->y) / 2, &middle);
    const bool least = middle.y == a->y || middle.y == b->y;
    for (int n = crossing, next; n >= 0; n = next) {
        followed *f = &p->s->list[p->member[n]];
        const bool later = is_within(f, a->position[n]) == is_within(f, middle.position[n]);
        double slope, unused;
        const double rough = cross(f, a, b, n, &unused);
        const double y = later ? cross(f, &middle, b, n, &slope) : cross(f, a, &middle, n, &slope);
        next = f->crossing;
        if (least || fabs(y - rough) <= same_place * (1 + fabs(y))) {
            note(f, side, y, slope);
        } else {
            f->crossing = half[later];
            half[later] = n;
        }
    }
    return (half[0] < 0 || find_crossings(p, side, a, &middle, half[0])) &&
           (half[1] < 0 || find_crossings(p, side, &middle, b, half[1]));
}

/* From the start on to one side until all joints have left their limits, or to the end of the
   range. False without memory. */
static bool walk(path *p, int side, double start)
{
    td_arena *temporary = &p->s->build->temporary;
    td_arena_scope(temporary);
    sample at, next;
    int left = p->count;
    double length = first_step;
    const double end = p->own[side], sign = side ? 1 : -1;
    if (!new_sample(temporary, p->count, &at) || !new_sample(temporary, p->count, &next))
        return false;
    evaluate(p, start, &at);
    for (int n = 0; n < p->count; n++) {
        followed *f = &p->s->list[p->member[n]];
        f->within = f->starts_within = is_within(f, at.position[n]);
        f->done = false;
        f->entry[side] = NAN;
        f->bound[side] = sign * INFINITY; /* nothing binds but the leader's own */
        f->fastest[side] = f->within ? fabs(at.slope[n]) : 0;
    }
    for (bool last = false; left > 0 && !last; length *= growth) {
        double y = at.y + sign * fmin(length, p->step);
        int crossing = -1;
        last = side ? y >= end : y <= end;
        y = last ? end : y;
        if (fabs(y - start) > farthest || (y == at.y && !last)) /* or steps are rounding */
            return true;
        evaluate(p, y, &next);
        for (int n = 0; n < p->count; n++) {
            followed *f = &p->s->list[p->member[n]];
            const bool within = is_within(f, next.position[n]);
            if (f->done)
                continue;
            if (within)
                f->fastest[side] = fmax(f->fastest[side], fabs(next.slope[n]));
            if (within == f->within)
                continue;
            left -= f->within;
            f->crossing = crossing;
            crossing = n;
        }
        if (crossing >= 0 && !find_crossings(p, side, &at, &next, crossing))
            return false;
        const sample swap = at;
        at = next, next = swap;
    }
    return true;
}

/* ---- what comes of it ------------------------------------------------------------------------ */

static void report_empty(td_build *build, const followed *f, int leader)
{
    const td_joint *joint = build->model->records.joint.at;
    td_report(build->diagnostics, TD_CODE_MIMIC_LIMITS_EMPTY, joint[f->joint].source,
              "widen the limits, or correct the curve",
              "no position of '%s' within its own limits takes '%s' into its limits [%.6g, %.6g]",
              joint[leader].name, joint[f->joint].name, f->lower, f->upper);
}

/* the interval into the leader's effective limits, and a warning where its own are wider */
static void narrow(td_build *build, const followed *f, int leading, const double at[2],
                   double fastest)
{
    td_model *model = build->model;
    const td_joint *follower = &model->records.joint.at[f->joint];
    const td_joint *leader = &model->records.joint.at[leading];
    td_effective_limit *limit = &model->limit[leading];
    const double slack = 1e-6;
    double lower, upper;
    td_joint_limits(leader, &lower, &upper);
    if ((isfinite(at[0]) && isfinite(lower) && lower < at[0] - slack * (1 + fabs(at[0]))) ||
        (isfinite(at[1]) && isfinite(upper) && upper > at[1] + slack * (1 + fabs(at[1]))))
        td_report(build->diagnostics, TD_CODE_MIMIC_LIMITS, follower->source,
                  "narrow the leader's limits to this interval, or widen the follower's",
                  "the limits of '%s' allow '%s' only [%.6g, %.6g] about where it starts, but it "
                  "goes over [%.6g, %.6g]",
                  follower->name, leader->name, at[0] + 0.0, at[1] + 0.0, lower + 0.0,
                  upper + 0.0); /* −0 + 0 is 0 */
    if (at[0] > limit->lower) {
        limit->lower = at[0];
        limit->lower_joint = (size_t)f->joint;
    }
    if (at[1] < limit->upper) {
        limit->upper = at[1];
        limit->upper_joint = (size_t)f->joint;
    }
    const double velocity = follower->limit.velocity / fastest;
    if (velocity < limit->velocity) {
        limit->velocity = velocity;
        limit->velocity_joint = (size_t)f->joint;
    }
}

/* the interval that was found of a joint */
static void fold(td_build *build, const followed *f, int leader)
{
    double at[2] = {f->bound[0], f->bound[1]}, fastest = fmax(f->fastest[0], f->fastest[1]);
    if (!f->starts_within) {
        const double start = f->start, before = start - f->entry[0], behind = f->entry[1] - start;
        if (isnan(before) && isnan(behind)) {
            report_empty(build, f, leader);
            return;
        }
        const int side = !isnan(behind) && (isnan(before) || behind <= before);
        at[!side] = f->entry[side];
        fastest = f->fastest[side];
    }
    narrow(build, f, leader, at, fastest);
}

/* steps as short as the pieces of tables want it */
static double step_of(const path *p)
{
    const search *s = p->s;
    int steps = STEPS;
    for (int n = s->term_row[p->leader]; n < s->term_row[p->leader + 1] && steps < MOST_STEPS; n++)
        steps += 4 * s->term[n]->curve->points;
    return (p->own[1] - p->own[0]) / fmin(steps, MOST_STEPS); /* infinite with an end less */
}

/* all that follows a coordinate alone; false without memory */
static bool search_range(search *s, int leader)
{
    path p = {.s = s, .leader = leader};
    td_arena *temporary = &s->build->temporary;
    const double given = s->w[leader];
    td_arena_scope(temporary);
    for (int k = s->first[leader]; k >= 0; k = s->list[k].next)
        p.count++;
    p.member = TD_ARENA_NEW(temporary, int, (size_t)p.count);
    if (!p.member)
        return false;
    p.count = 0;
    for (int k = s->first[leader]; k >= 0; k = s->list[k].next)
        p.member[p.count++] = k;
    td_joint_limits(&s->model->records.joint.at[s->joint_of[leader]], &p.own[0], &p.own[1]);
    p.step = step_of(&p);
    const double start = fmin(fmax(given, p.own[0]), p.own[1]);
    s->rate[leader] = 1;
    const bool ok = walk(&p, 0, start) && walk(&p, 1, start);
    s->rate[leader] = 0;
    s->w[leader] = given;
    for (int n = 0; n < p.count; n++)
        s->list[p.member[n]].start = start;
    return ok;
}

bool td_fold_curve_limits(td_build *build)
{
    td_model *model = build->model;
    const size_t joints = model->records.joint.count, nw = model->closure.nw;
    td_arena *temporary = &build->temporary;
    size_t terms = 0;
    td_arena_scope(temporary);
    for (size_t n = 0; n < model->closure.loops.solved; n++)
        if (model->closure.loops.group[n].form == TD_FORM_CURVES)
            terms += (size_t)model->closure.loops.group[n].curves->terms;
    if (!terms || !model->single)
        return true;
    search s = {.build = build,
                .model = model,
                .leader = TD_ARENA_NEW(temporary, int, nw),
                .joint_of = TD_ARENA_NEW(temporary, int, nw),
                .first = TD_ARENA_NEW(temporary, int, nw),
                .list = TD_ARENA_NEW(temporary, followed, joints),
                .term_row = TD_ARENA_NEW(temporary, int, nw + 1),
                .term = TD_ARENA_NEW(temporary, const td_curve_term *, terms),
                .curves = TD_ARENA_NEW(temporary, const td_loop_curves *, terms),
                .w = td_arena_copy(temporary, model->closure.reference, nw, sizeof(double)),
                .rate = TD_ARENA_NEW(temporary, double, nw)};
    if (!s.leader || !s.joint_of || !s.first || !s.list || !s.term_row || !s.term || !s.curves ||
        !s.w || !s.rate)
        return false;
    find_coordinates(&s);
    list_followers(&s);
    list_terms(&s);
    for (size_t k = 0; k < nw; k++)
        if (s.first[k] >= 0 && !search_range(&s, (int)k))
            return false;
    for (int n = 0; n < s.count; n++)
        fold(build, &s.list[n], s.joint_of[leader_of(&s, s.list[n].joint)]);
    return true;
}
