/* SPDX-License-Identifier: MIT */
/*
 * Chooses the closed position from which a group of loops starts. Assembly stops at the first one
 * that it finds. This position is kept under two conditions: all joints that move with the loops
 * are within limits, and joints with a given start are at that start. Otherwise others are searched
 * within the limits, and the best one is used.
 *
 * The order is: within limits before outside; then higher rank, since degenerate postures have a
 * lower one; then independent joints at their start; then the nearest to the start of assembly. The
 * distance is the root of the sum of squared changes of the group's coordinates. Angles are in rad
 * and lengths in units of the mechanism's size. Joints with a given start count ten times.
 */
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "load/repair/loop_limits.h"
#include "load/repair/repair.h"

/* how far a position may exceed a limit and still count as within: rad, or fraction of the size */
static const double slack = 1e-6;

/* ---- limits ---------------------------------------------------------------------------------- */

/* Returns how far a joint at x is outside its limits, in rad or m. */
static double excess(const td_limited *l, double x)
{
    return fmax(fmax(l->lower - x, x - l->upper), 0);
}

/* Returns the largest excess over all limits, in rad or as a fraction of the size. */
static double largest_excess(td_loop_analysis *analysis, const td_loop_limits *limits,
                             const double *w)
{
    double largest = 0;
    td_analysis_examine(analysis, w);
    analysis->model->single->affine(&limits->position, limits->offset, w, limits->x);
    for (int n = 0; n < limits->count; n++)
        largest = fmax(largest, excess(&limits->at[n], limits->x[n]) / limits->at[n].unit);
    return largest;
}

bool td_report_limits(td_loop_analysis *analysis)
{
    const td_model *model = analysis->model;
    td_arena_scope(&analysis->build->temporary);
    const td_loop_limits *limits = td_limits_new(analysis);
    if (!limits)
        return false;
    largest_excess(analysis, limits, analysis->w);
    for (int n = 0; n < limits->count; n++) {
        const td_limited *l = &limits->at[n];
        const td_joint *joint = &model->records.joint.at[l->joint];
        const double x = limits->x[n];
        if (excess(l, x) <= slack * l->unit)
            continue;
        td_report(analysis->build->diagnostics, TD_CODE_LOOP_LIMITS,
                  td_source_or(joint->limit_source, joint->source),
                  "correct the limits or the frames, or give joints of the loop a start position: "
                  "reference=\"...\" in the file, or --start",
                  "joint '%s' is at %.6g where loop '%s' closes, %s its limit %.6g; no closed "
                  "configuration within the limits was found",
                  joint->name, x, td_loop_name(model, analysis->group->loop[0].index),
                  x < l->lower ? "below" : "above", x < l->lower ? l->lower : l->upper);
    }
    return true;
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* Properties by which closed positions are compared. */
typedef struct closing {
    bool outside;
    int rank;
    bool moved; /* a joint that is declared independent has left its start */
    double distance;
} closing;

static double distance_between(const td_loop_analysis *analysis, double *a, double *b)
{
    double sum = 0;
    for (int s = 0; s < analysis->slots; s++) {
        double *from = td_analysis_coordinate(analysis, a, s);
        double *to = td_analysis_coordinate(analysis, b, s);
        const double weight =
            td_is_given_start(analysis->build, analysis->joint[s]) ? TD_WEIGHT_OF_GIVEN : 1;
        int count = 1;
        if (td_analysis_has_quaternion(analysis, s)) {
            const int quaternion = td_index_in(td_analysis_row(analysis, s)->kind.quaternion);
            const double cosine = td_dense_dot(4, from + quaternion, to + quaternion);
            const double angle = weight * 2 * acos(fmin(1, fabs(cosine)));
            sum += angle * angle;
            count = quaternion;
            s += td_analysis_row(analysis, s)->kind.nv - 1;
        }
        for (int k = 0; k < count; k++) {
            const double moved = weight * (to[k] - from[k]) / analysis->unit[s];
            sum += moved * moved;
        }
    }
    return sqrt(sum);
}

/* Returns whether a joint that is declared independent has left its start. */
static bool has_moved(const td_loop_analysis *analysis, const td_loop_limits *limits, double *w)
{
    for (int s = 0; s < analysis->slots; s++) {
        const td_joint_row *row = td_analysis_row(analysis, s);
        const bool whole = td_analysis_has_quaternion(analysis, s);
        const double *from = td_analysis_coordinate(analysis, limits->start, s);
        const double *to = td_analysis_coordinate(analysis, w, s);
        for (int k = 0; k < (whole ? row->kind.nq : 1); k++)
            if (analysis->kind[s] == TD_KIND_INDEPENDENT &&
                fabs(to[k] - from[k]) > slack * analysis->unit[s])
                return true;
        s += whole ? row->kind.nv - 1 : 0;
    }
    return false;
}

static closing closing_at(td_loop_analysis *analysis, const td_loop_limits *limits, double *w)
{
    closing c = {.outside = largest_excess(analysis, limits, w) > slack};
    c.moved = has_moved(analysis, limits, w);
    c.rank = td_analysis_rank(analysis, w);
    c.distance = distance_between(analysis, limits->start, w);
    return c;
}

static bool is_better(const closing *a, const closing *b)
{
    if (a->outside != b->outside)
        return b->outside;
    if (a->rank != b->rank)
        return a->rank > b->rank;
    if (a->moved != b->moved)
        return b->moved;
    return a->distance < b->distance;
}

/* Subtracts the full turns that angles have made since the start. Keeps them if the loops would
   open or a limit would be exceeded further, since followers turn with the angle. */
static void unwind(td_loop_analysis *analysis, const td_loop_limits *limits, double *w)
{
    for (int s = 0; s < analysis->slots; s++) {
        const td_joint *joint = &analysis->model->records.joint.at[analysis->joint[s]];
        if (!td_joint_turns(joint->type))
            continue;
        double *x = td_analysis_coordinate(analysis, w, s);
        const double before = *x, away = largest_excess(analysis, limits, w);
        const double from = limits->start[x - w];
        *x -= 2 * M_PI * round((*x - from) / (2 * M_PI));
        if (*x != before && (td_analysis_openness(analysis, w) > TD_ASSEMBLED ||
                             largest_excess(analysis, limits, w) > fmax(away, slack)))
            *x = before;
    }
}

/* Draws a random position near the start and within limits. */
static void draw(const td_loop_analysis *analysis, const td_loop_limits *limits, double *w,
                 td_assembly_try by, double size, unsigned *seed)
{
    memcpy(w, limits->start, analysis->nw * sizeof *w);
    for (int s = 0; s < analysis->slots; s++) {
        const double random = td_analysis_random(seed);
        const bool stays = td_analysis_stands_still(analysis, s, by);
        analysis->step[s] = stays ? 0 : size * random;
        if (stays || td_analysis_has_quaternion(analysis, s))
            continue;
        const bool given = td_is_given_start(analysis->build, analysis->joint[s]);
        const double x = *td_analysis_coordinate(analysis, w, s);
        const double reach = size * analysis->unit[s] / (given ? TD_WEIGHT_OF_GIVEN : 1);
        const bool between =
            !given && isfinite(limits->lower[s]) && isfinite(limits->upper[s]) && size > 1;
        const double low = between ? limits->lower[s] : fmax(limits->lower[s], x - reach);
        const double high = between ? limits->upper[s] : fmin(limits->upper[s], x + reach);
        if (low <= high)
            analysis->step[s] = (low + (high - low) * 0.5 * (random + 1) - x) / analysis->unit[s];
    }
    td_analysis_move(analysis, w, analysis->step);
}

static bool any_is_given(const td_loop_analysis *analysis)
{
    bool any = false;
    for (int s = 0; s < analysis->slots; s++)
        any = any || td_is_given_start(analysis->build, analysis->joint[s]);
    return any;
}

/* Returns whether joints may leave their given starts so that others keep their limits. If a given
   start is outside the joint's own limits, this is taken as intended. */
static bool may_leave_start(const td_loop_analysis *analysis, const td_loop_limits *limits)
{
    for (int s = 0; s < analysis->slots; s++) {
        if (td_analysis_has_quaternion(analysis, s) ||
            !td_is_given_start(analysis->build, analysis->joint[s]))
            continue;
        const double x = *td_analysis_coordinate(analysis, limits->start, s);
        const double margin = slack * analysis->unit[s];
        if (x < limits->lower[s] - margin || x > limits->upper[s] + margin)
            return false;
    }
    return true;
}

/* Searches for closed positions better than the best one so far, which is in analysis->w. */
static void search(td_loop_analysis *analysis, const td_loop_limits *limits, closing *best,
                   bool hold, bool missed)
{
    enum { TRIES = 48, FROM_START = 2, NEAR = 16 };
    const size_t bytes = analysis->nw * sizeof(double);
    double *w = limits->kept;
    unsigned seed = 17;
    analysis->lower = limits->lower;
    analysis->upper = limits->upper;
    for (int n = 0; n < TRIES; n++) {
        const td_assembly_try by = hold         ? TD_TRY_GIVEN
                                   : n % 2 == 0 ? TD_TRY_INDEPENDENT
                                                : TD_TRY_ELSEWHERE;
        if (n < FROM_START)
            memcpy(w, limits->start, bytes);
        else if (n == FROM_START)
            memcpy(w, analysis->w, bytes);
        else
            draw(analysis, limits, w, by, n < NEAR ? 1 : M_PI, &seed);
        if (td_analysis_try(analysis, w, by) > TD_ASSEMBLED)
            continue;
        unwind(analysis, limits, w);
        const closing found = closing_at(analysis, limits, w);
        if (!is_better(&found, best))
            continue;
        *best = found;
        memcpy(analysis->w, w, bytes);
        if (n < FROM_START && !found.outside && !missed)
            break; /* a nearer position is unlikely, since this search began at the start */
    }
    analysis->lower = analysis->upper = NULL;
}

bool td_choose_closing(td_loop_analysis *analysis, td_assembly_try found_by)
{
    td_arena_scope(&analysis->build->temporary);
    const td_loop_limits *limits = td_limits_new(analysis);
    if (!limits)
        return false;
    const bool hold = found_by == TD_TRY_GIVEN;
    const bool missed = !hold && any_is_given(analysis);
    if (found_by < TD_TRY_ELSEWHERE && !missed &&
        largest_excess(analysis, limits, analysis->w) <= slack)
        return true;
    unwind(analysis, limits, analysis->w);
    if (!td_analysis_prepare_ranks(analysis))
        return false;
    closing best = closing_at(analysis, limits, analysis->w);
    search(analysis, limits, &best, hold, missed);
    if (hold && best.outside && may_leave_start(analysis, limits))
        search(analysis, limits, &best, false, true);
    return true;
}
