/* SPDX-License-Identifier: MIT */
/*
 * Positions along the motion that a group of loops would have if nothing were rounded. Loops whose
 * joints have axes that are nearly parallel (or nearly meet, or ...) have columns of J that are
 * nearly dependent. Without those that are shorter than TD_ROUNDED_RANK the rank is lower, and
 * there are more independent coordinates: as many others as the rank follow them and close the
 * loops as nearly as they can, by least squares. Which ones is chosen anew at each position, so
 * that cranks may turn past the turning points of what they drive.
 */
#include <math.h>
#include <string.h>

#include "base/damped.h"
#include "base/linalg.h"
#include "load/repair/loop_motion.h"

/* positions: as many, and more for each independent coordinate */
enum { POSITIONS = 16, POSITIONS_EACH = 4 };
/* a step of the walk (rad, or of the size): how often it is halved, and how often it goes elsewhere
 */
static const double longest_step = 0.5;
enum { HALVES = 4, DIRECTIONS = 4 };
/* no position is taken where the dependent columns have less than that part of the longest */
static const double regular = 1e-2;
/* of squares of singular values of J: those of its range are larger, those of rounding smaller */
static const double tangent_damping = 1e-6;
/* multiplications of a step of least squares at all positions: of some seconds in all, and more
   than any robot needs */
static const double most_work = 1e8;

int td_motion_rank(td_loop_analysis *analysis, const double *w, double tolerance)
{
    size_t m = (size_t)analysis->group->rows, n = (size_t)analysis->slots;
    td_analysis_examine(analysis, w);
    memcpy(analysis->copy, analysis->J, m * n * sizeof *analysis->copy);
    memset(analysis->class_of, 0, n * sizeof *analysis->class_of);
    return td_pivoted_qr((int)m, (int)n, analysis->copy, analysis->class_of, tolerance, analysis->R,
                         analysis->pick);
}

/* The rank about analysis->w. Where that is singular it moves a little, to where the rank is
   higher. */
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

/* The slots that are fixed at a position. False where the rank is not that of the motion, or only
   nearly. */
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
    memset(analysis->class_of, 0, n * sizeof *analysis->class_of);
    return td_pivoted_qr((int)m, count, analysis->copy, analysis->class_of, tolerance, analysis->R,
                         analysis->pick) == count;
}

/* What the loops leave of the direction at w, its largest component 1. False where they leave
   nothing. */
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

/* a step along the tangent to a position; its residual, infinite where there is no such step */
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

/* The next position: on in a direction as far as can be, or elsewhere. What is to be corrected is
   told apart the better the farther apart positions are. */
static double walk_on(td_loop_analysis *analysis, td_loop_motion *motion, int position,
                      unsigned *seed)
{
    size_t nw = analysis->nw, bytes = (size_t)analysis->slots * sizeof(double);
    const double *from = motion->w + (size_t)(position - 1) * nw;
    for (int k = 0; k < DIRECTIONS; k++) {
        for (int s = 0; s < analysis->slots; s++) /* on, back, elsewhere */
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
