/* SPDX-License-Identifier: MIT */
/*
 * Limits of joints that follow one independent joint by curves, including their linear followers.
 * These limits may allow several intervals of the leader. The interval that contains the leader's
 * start position is kept, or else the nearest one.
 *
 * The search steps along the leader's range for all its followers at once. An excursion shorter
 * than one step is not noticed. The position where a joint crosses a limit within a step comes from
 * the cubic with the positions and slopes at both ends. Steps are halved until this position no
 * longer changes.
 */
#include <math.h>

#include "base/limit.h"
#include "kernel/kernel.h"
#include "load/closure/curve_limits.h"
#include "model/joint_kind.h"

/* STEPS, MOST_STEPS: smallest and largest number of steps over a leader's range. first_step,
   growth: length of the first step, and its growth factor. farthest: search no farther than this
   from the start. */
enum { STEPS = 2048, MOST_STEPS = 32 * STEPS };
static const double first_step = 1e-3, growth = 1 + 1.0 / 64, farthest = 1e4;
/* tolerance for the position of a limit between two cubics, relative to the leader's position */
static const double same_place = 1e-12;

/* The range of one leader. */
typedef struct path {
    td_curve_search *s;
    int leader; /* coordinate */
    double own[2], step;
    int count, *member; /* indices in the list */
} path;

/* ---- search along the range ------------------------------------------------------------------ */

/* Evaluates all joints at a leader position. */
static void evaluate(path *p, double y, sample *out)
{
    td_curve_search *s = p->s;
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

/* Returns whether a position is within limits, up to rounding. So a limit does not bind if the
   ranges of leader and follower end at the same point. */
static bool is_within(const td_curve_followed *f, double position)
{
    return !td_is_outside(position, f->lower, f->upper);
}

static bool new_sample(td_arena *arena, int count, sample *s)
{
    s->position = TD_ARENA_NEW(arena, double, (size_t)count);
    s->slope = TD_ARENA_NEW(arena, double, (size_t)count);
    return s->position && s->slope;
}

/* Returns where the cubic through the positions and slopes of two samples crosses the limit between
   them. *slope: its slope there. */
static double cross(const td_curve_followed *f, const sample *a, const sample *b, int n,
                    double *slope)
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

static void note(td_curve_followed *f, int side, double y, double slope)
{
    f->fastest[side] = fmax(f->fastest[side], fabs(slope));
    if (!f->within)
        f->entry[side] = y;
    else
        f->bound[side] = y;
    f->done = f->within;
    f->within = true;
}

/* Finds where the joints of the list that starts at crossing cross a limit between two samples.
   Returns false if out of memory. */
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
        td_curve_followed *f = &p->s->list[p->member[n]];
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

/* Steps from the start to one side until all joints have left their limits or the range ends.
   Returns false if out of memory. */
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
        td_curve_followed *f = &p->s->list[p->member[n]];
        f->within = f->starts_within = is_within(f, at.position[n]);
        f->done = false;
        f->entry[side] = NAN;
        f->bound[side] = sign * INFINITY; /* only the leader's limit applies */
        f->fastest[side] = f->within ? fabs(at.slope[n]) : 0;
    }
    for (bool last = false; left > 0 && !last; length *= growth) {
        double y = at.y + sign * fmin(length, p->step);
        int crossing = -1;
        last = side ? y >= end : y <= end;
        y = last ? end : y;
        if (fabs(y - start) > farthest || (y == at.y && !last)) /* or the step is below rounding */
            return true;
        evaluate(p, y, &next);
        for (int n = 0; n < p->count; n++) {
            td_curve_followed *f = &p->s->list[p->member[n]];
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

/* ---- results --------------------------------------------------------------------------------- */

static void report_empty(td_build *build, const td_curve_followed *f, int leader)
{
    const td_joint *joint = build->model->records.joint.at;
    td_report(build->diagnostics, TD_CODE_MIMIC_LIMITS_EMPTY, joint[f->joint].source,
              "widen the limits, or correct the curve",
              "no position of '%s' within its limits brings '%s' within its limits [%.6g, %.6g]",
              joint[leader].name, joint[f->joint].name, f->lower, f->upper);
}

/* Intersects the leader's effective limits with the interval. Warns if the leader's limits in the
   file are wider. */
static void narrow(td_build *build, const td_curve_followed *f, int leading, const double at[2],
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
                  "the limits of '%s' restrict '%s' to [%.6g, %.6g] around its start, but its own "
                  "limits are [%.6g, %.6g]",
                  follower->name, leader->name, at[0] + 0.0, at[1] + 0.0, lower + 0.0,
                  upper + 0.0); /* replaces −0 by 0 */
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

/* Applies the interval that was found for a joint. */
static void fold(td_build *build, const td_curve_followed *f, int leader)
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

/* Returns a step short enough for the pieces of tables. */
static double step_of(const path *p)
{
    const td_curve_search *s = p->s;
    int steps = STEPS;
    for (int n = s->term_row[p->leader]; n < s->term_row[p->leader + 1] && steps < MOST_STEPS; n++)
        steps += 4 * s->term[n]->curve->points;
    return (p->own[1] - p->own[0]) / fmin(steps, MOST_STEPS); /* infinite if an end is infinite */
}

/* Searches the range for all joints that depend on one coordinate alone. Returns false if out of
   memory. */
static bool search_range(td_curve_search *s, int leader)
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
    td_curve_search s = {.build = build,
                         .model = model,
                         .leader = TD_ARENA_NEW(temporary, int, nw),
                         .joint_of = TD_ARENA_NEW(temporary, int, nw),
                         .first = TD_ARENA_NEW(temporary, int, nw),
                         .list = TD_ARENA_NEW(temporary, td_curve_followed, joints),
                         .term_row = TD_ARENA_NEW(temporary, int, nw + 1),
                         .term = TD_ARENA_NEW(temporary, const td_curve_term *, terms),
                         .curves = TD_ARENA_NEW(temporary, const td_loop_curves *, terms),
                         .w =
                             td_arena_copy(temporary, model->closure.reference, nw, sizeof(double)),
                         .rate = TD_ARENA_NEW(temporary, double, nw)};
    if (!s.leader || !s.joint_of || !s.first || !s.list || !s.term_row || !s.term || !s.curves ||
        !s.w || !s.rate)
        return false;
    td_list_curve_followers(&s);
    for (size_t k = 0; k < nw; k++)
        if (s.first[k] >= 0 && !search_range(&s, (int)k))
            return false;
    for (int n = 0; n < s.count; n++)
        fold(build, &s.list[n], s.joint_of[td_curve_leader(&s, s.list[n].joint)]);
    return true;
}
