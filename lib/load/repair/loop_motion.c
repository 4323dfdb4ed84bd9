/* SPDX-License-Identifier: MIT */
/*
 * Computes positions along the motion that a group of loops would have without rounding. If axes
 * are nearly parallel or nearly intersect, columns of J are nearly dependent. Ignoring columns
 * shorter than TD_ROUNDED_RANK lowers the rank and gives more independent coordinates. As many
 * coordinates as the rank are dependent and close the loops as nearly as possible, by least
 * squares. The dependent ones are chosen again at each position, so that cranks can pass the dead
 * points of the joints that they drive.
 */
#include <math.h>
#include <string.h>

#include "base/damped.h"
#include "base/linalg.h"
#include "load/repair/loop_motion.h"

/* number of positions: a constant, plus some for each independent coordinate */
enum { POSITIONS = 16, POSITIONS_EACH = 4 };
/* longest step of the walk (rad, or fraction of the size); how often a step is halved, and how many
   directions are tried */
static const double longest_step = 0.5;
enum { HALVES = 4, DIRECTIONS = 4 };
/* positions are rejected if a dependent column is shorter than this fraction of the longest */
static const double regular = 1e-2;
/* damping of squared singular values of J, smaller than values in its range and larger than values
   due to rounding */
static const double tangent_damping = 1e-6;
/* limit on multiplications for one least-squares step at all positions: a few seconds in total, and
   more than any robot needs */
static const double most_work = 1e8;

/* Returns the rank of the first columns of analysis->copy. */
static int rank_of_copy(td_loop_analysis *analysis, int columns, double tolerance)
{
    memset(analysis->class_of, 0, (size_t)analysis->slots * sizeof *analysis->class_of);
    return td_pivoted_qr(analysis->group->rows, columns, analysis->copy, analysis->class_of,
                         tolerance, analysis->R, analysis->pick);
}

int td_motion_rank(td_loop_analysis *analysis, const double *w, double tolerance)
{
    size_t m = (size_t)analysis->group->rows, n = (size_t)analysis->slots;
    td_analysis_examine(analysis, w);
    memcpy(analysis->copy, analysis->J, m * n * sizeof *analysis->copy);
    return rank_of_copy(analysis, analysis->slots, tolerance);
}

/* Returns the rank near analysis->w. If analysis->w is singular, moves it slightly to where the
   rank is higher. */
static int find_rank(td_loop_analysis *analysis, double *other)
{
    enum { TRIES = 6 };
    size_t bytes = analysis->nw * sizeof *other;
    unsigned seed = 11;
    int highest = td_motion_rank(analysis, analysis->w, TD_ROUNDED_RANK);
    for (int k = 0; k < TRIES; k++) {
        memcpy(other, analysis->w, bytes);
        td_analysis_move_at_random(analysis, other, TD_TRY_ALL, 0.05, &seed);
        if (td_analysis_descend(analysis, other, TD_KINDS) > TD_ROUNDED_RESIDUAL)
            continue;
        int rank = td_motion_rank(analysis, other, TD_ROUNDED_RANK);
        if (rank > highest)
            memcpy(analysis->w, other, bytes);
        highest = rank > highest ? rank : highest;
    }
    return highest;
}

bool td_motion_open(td_loop_analysis *analysis, td_loop_motion *motion)
{
    size_t m = (size_t)analysis->group->rows, n = (size_t)analysis->slots;
    size_t nw = analysis->nw;
    td_arena *temporary = &analysis->build->temporary;
    *motion = (td_loop_motion){0};
    double *other = TD_ARENA_NEW(temporary, double, nw);
    if (!other)
        return false;
    motion->rank = find_rank(analysis, other);
    size_t independent = n - (size_t)motion->rank;
    size_t count = independent > 0 ? POSITIONS + POSITIONS_EACH * independent : 1;
    motion->count = (int)count;
    if ((double)count * (double)(m * n) * (double)(m < n ? m : n) > most_work) {
        motion->count = 0;
        return true;
    }
    motion->w = TD_ARENA_NEW(temporary, double, count *nw);
    motion->fixed = TD_ARENA_NEW(temporary, int, count *n);
    motion->direction = TD_ARENA_NEW(temporary, double, n);
    motion->along = TD_ARENA_NEW(temporary, double, n);
    motion->rate = TD_ARENA_NEW(temporary, double, m);
    return motion->w && motion->fixed && motion->direction && motion->along && motion->rate;
}

/* Chooses the slots that are fixed at a position. Returns false if the rank differs from the rank
   of the motion, or is uncertain. */
static bool choose_fixed(td_loop_analysis *analysis, td_loop_motion *motion, int position,
                         double tolerance)
{
    size_t n = (size_t)analysis->slots, nw = analysis->nw;
    int *fixed = motion->fixed + (size_t)position * n;
    if (td_motion_rank(analysis, motion->w + (size_t)position * nw, tolerance) != motion->rank)
        return false;
    for (int k = 0; k < analysis->slots; k++)
        fixed[analysis->pick[k]] = k < motion->rank ? TD_KIND_DEPENDENT : TD_KIND_INDEPENDENT;
    return true;
}

double td_motion_settle(td_loop_analysis *analysis, td_loop_motion *motion, int position)
{
    int *kind = analysis->kind;
    analysis->kind = motion->fixed + (size_t)position * (size_t)analysis->slots;
    double residual = td_analysis_descend(analysis, motion->w + (size_t)position * analysis->nw,
                                          TD_KIND_INDEPENDENT);
    analysis->kind = kind;
    return residual;
}

bool td_motion_range(td_loop_analysis *analysis, const td_loop_motion *motion, int position,
                     double tolerance)
{
    size_t m = (size_t)analysis->group->rows, n = (size_t)analysis->slots;
    const int *fixed = motion->fixed + (size_t)position * n;
    int count = 0;
    for (size_t s = 0; s < n; s++)
        if (fixed[s] == TD_KIND_DEPENDENT)
            memcpy(analysis->copy + (size_t)count++ * m, analysis->J + s * m, m * sizeof(double));
    return rank_of_copy(analysis, count, tolerance) == count;
}

/* Projects the direction at w onto the motion that the loops allow, with largest component 1.
   Returns false if the projection is nearly zero. */
static bool find_tangent(td_loop_analysis *analysis, td_loop_motion *motion, const double *w)
{
    size_t m = (size_t)analysis->group->rows, n = (size_t)analysis->slots;
    double *along = motion->along, largest = 0;
    td_analysis_examine(analysis, w);
    for (size_t i = 0; i < m; i++) {
        motion->rate[i] = 0;
        for (size_t s = 0; s < n; s++)
            motion->rate[i] += analysis->J[s * m + i] * motion->direction[s];
    }
    if (!td_damped_step(m, n, analysis->J, motion->rate, tangent_damping, &analysis->stack, along))
        return false;
    for (size_t s = 0; s < n; s++) {
        along[s] = motion->direction[s] - along[s];
        largest = fmax(largest, fabs(along[s]));
    }
    for (size_t s = 0; s < n; s++)
        along[s] /= largest;
    return largest > 0.01;
}

/* Takes a step along the tangent to a position. Returns its residual, or infinity if the step
   fails. */
static double step_to(td_loop_analysis *analysis, td_loop_motion *motion, int position, double step)
{
    size_t nw = analysis->nw;
    double *w = motion->w + (size_t)position * nw;
    memcpy(w, w - nw, nw * sizeof *w);
    for (int s = 0; s < analysis->slots; s++)
        analysis->step[s] = step * motion->along[s];
    td_analysis_move(analysis, w, analysis->step);
    if (!choose_fixed(analysis, motion, position, regular))
        return INFINITY;
    double residual = td_motion_settle(analysis, motion, position);
    return td_motion_range(analysis, motion, position, regular) ? residual : INFINITY;
}

/* Finds the next position: as far as possible in the current direction, or else in another.
   Corrections are determined better if positions are farther apart. */
static double walk_on(td_loop_analysis *analysis, td_loop_motion *motion, int position,
                      unsigned *seed)
{
    size_t nw = analysis->nw, bytes = (size_t)analysis->slots * sizeof(double);
    const double *from = motion->w + (size_t)(position - 1) * nw;
    for (int k = 0; k < DIRECTIONS; k++) {
        for (int s = 0; s < analysis->slots; s++) /* forward, backward, elsewhere */
            motion->direction[s] =
                k == 1 ? -motion->direction[s]
                       : (k ? 0 : motion->direction[s]) + 0.3 * td_analysis_random(seed);
        if (!find_tangent(analysis, motion, from))
            continue;
        double step = longest_step;
        for (int h = 0; h < HALVES; h++, step *= 0.5) {
            double residual = step_to(analysis, motion, position, step);
            if (residual > TD_ROUNDED_FRAMES)
                continue;
            memcpy(motion->direction, motion->along, bytes);
            return residual;
        }
    }
    return INFINITY;
}

double td_motion_walk(td_loop_analysis *analysis, td_loop_motion *motion, unsigned seed)
{
    size_t nw = analysis->nw;
    motion->open = 0;
    if (motion->count == 0)
        return INFINITY;
    memcpy(motion->w, analysis->w, nw * sizeof *motion->w);
    if (!choose_fixed(analysis, motion, 0, TD_ROUNDED_RANK))
        return INFINITY;
    for (int s = 0; s < analysis->slots; s++)
        motion->direction[s] = td_analysis_random(&seed);
    double largest = 0;
    for (int n = 0; n < motion->count && largest <= TD_ROUNDED_FRAMES; n++) {
        double residual =
            n ? walk_on(analysis, motion, n, &seed) : td_motion_settle(analysis, motion, n);
        largest = fmax(largest, residual);
        motion->open += residual > TD_ASSEMBLED;
    }
    return largest;
}
