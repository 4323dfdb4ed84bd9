/* SPDX-License-Identifier: MIT */
/*
 * Closes a group of loops from one position by the Levenberg–Marquardt method on φ and the turn
 * rows of its loops (td_loop_joint). Some slots may be fixed, and others bounded.
 */
#include <math.h>
#include <string.h>

#include "base/damped.h"
#include "base/dense.h"
#include "load/closure/loop_analysis.h"

static double square_of(const td_loop_analysis *analysis)
{
    return td_dense_dot((size_t)analysis->closing.rows, analysis->phi, analysis->phi);
}

/* Returns whether a coordinate is at a bound that the step would exceed. */
static bool leaves_bounds(const td_loop_analysis *analysis, double *w, int s)
{
    if (!analysis->lower || td_analysis_has_quaternion(analysis, s))
        return false;
    const double x = *td_analysis_coordinate(analysis, w, s);
    return analysis->step[s] < 0 ? x <= analysis->lower[s] : x >= analysis->upper[s];
}

/* Clips the step of each coordinate to its bounds. */
static void keep_bounds(td_loop_analysis *analysis, double *w)
{
    for (int s = 0; analysis->lower && s < analysis->slots; s++) {
        if (td_analysis_has_quaternion(analysis, s))
            continue;
        const double x = *td_analysis_coordinate(analysis, w, s), unit = analysis->unit[s];
        const double low = fmin(analysis->lower[s] - x, 0), high = fmax(analysis->upper[s] - x, 0);
        analysis->step[s] = fmin(fmax(unit * analysis->step[s], low), high) / unit;
    }
}

/* Returns the scale of a slot in a step: joints with a given start move less. */
static double share_of(const td_loop_analysis *analysis, int s)
{
    return td_is_given_start(analysis->build, analysis->joint[s]) ? 1 / TD_WEIGHT_OF_GIVEN : 1;
}

/* Computes the shortest step of the slots that are not fixed, measured by the distance of
   loop_start.c. Slots at a bound that they would exceed are fixed too. Returns false if the damping
   is too small. */
static bool shortest_step(td_loop_analysis *analysis, double *w, int fixed, double damping)
{
    enum { MOST_PASSES = 4 };
    const size_t m = (size_t)analysis->closing.rows;
    bool again = true;
    for (int s = 0; s < analysis->slots; s++) {
        double *column = analysis->J + (size_t)s * m;
        const double share = share_of(analysis, s);
        if (analysis->kind[s] >= fixed || td_analysis_is_held(analysis, s))
            memset(column, 0, m * sizeof(double));
        for (size_t i = 0; share != 1 && i < m; i++)
            column[i] *= share;
    }
    for (int pass = 0; again && pass < MOST_PASSES; pass++) {
        again = false;
        if (!td_damped_step(m, (size_t)analysis->slots, analysis->J, analysis->phi, damping,
                            &analysis->stack, analysis->step))
            return false;
        for (int s = 0; s < analysis->slots; s++) {
            analysis->step[s] *= -share_of(analysis, s);
            if (analysis->step[s] == 0 || !leaves_bounds(analysis, w, s))
                continue;
            memset(analysis->J + (size_t)s * m, 0, m * sizeof(double));
            again = true;
        }
    }
    keep_bounds(analysis, w);
    return true;
}

/* Uses the Levenberg–Marquardt method with shortest steps. */
double td_analysis_descend(td_loop_analysis *analysis, double *w, int fixed)
{
    /* The search within bounds runs many times, and 20 steps are usually enough if a solution
       exists. Convergence to a double root may take hundreds of steps, so iterations near a
       solution may continue longer. */
    enum { MOST_STEPS = 300, MOST_WITHIN_BOUNDS = 50, MOST_IF_NEAR = 2000 };
    static const double near = 1e-5;
    const int most = analysis->lower ? MOST_WITHIN_BOUNDS : MOST_STEPS,
              most_if_near = analysis->lower ? MOST_WITHIN_BOUNDS : MOST_IF_NEAR;
    double damping = 1e-3, residual = td_analysis_openness(analysis, w),
           square = square_of(analysis);
    memcpy(analysis->trial, w, analysis->nw * sizeof *w);
    for (int step = 0; step < (residual < near ? most_if_near : most) && residual > 1e-16; step++) {
        if (!shortest_step(analysis, w, fixed, damping + 1e-15)) {
            damping = fmax(10 * damping, 1e-12);
            continue;
        }
        td_analysis_move(analysis, analysis->trial, analysis->step);
        double reached = td_analysis_openness(analysis, analysis->trial), now = square_of(analysis);
        if (now < square) {
            memcpy(w, analysis->trial, analysis->nw * sizeof *w);
            square = now;
            residual = reached;
            damping *= 0.1;
        } else {
            if (residual < TD_ASSEMBLED || damping > 1e6)
                break;
            memcpy(analysis->trial, w, analysis->nw * sizeof *w);
            td_analysis_openness(analysis, w);
            damping = 10 * fmax(damping, 1e-10);
        }
    }
    residual = td_analysis_openness(analysis, w);
    td_analysis_examine(analysis, w);
    return residual;
}

/* Writes the kinds to held, with joints that have a given start as the only fixed ones. */
static void hold_given(const td_loop_analysis *analysis, const int *kind, int *held)
{
    for (int s = 0; s < analysis->slots; s++)
        held[s] = td_is_given_start(analysis->build, analysis->joint[s]) ? TD_KIND_INDEPENDENT
                  : kind[s] == TD_KIND_INDEPENDENT                       ? TD_KIND_FREE
                                                                         : kind[s];
}

double td_analysis_try(td_loop_analysis *analysis, double *w, td_assembly_try by)
{
    int *kind = analysis->kind;
    if (by >= TD_TRY_ALL)
        return td_analysis_descend(analysis, w, TD_KINDS);
    if (by == TD_TRY_GIVEN) {
        hold_given(analysis, kind, analysis->class_of);
        analysis->kind = analysis->class_of;
    }
    const double residual = td_analysis_descend(analysis, w, TD_KIND_INDEPENDENT);
    analysis->kind = kind;
    return residual;
}
