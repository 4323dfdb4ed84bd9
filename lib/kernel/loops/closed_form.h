/* SPDX-License-Identifier: MIT */
/*
 * γ by a formula. Each closed form is a function of the type below, which its solve function passes
 * to loop_compute (forms.h). Newton's method then removes the rounding error of the formula.
 */
#ifndef TD_CLOSED_FORM_H
#define TD_CLOSED_FORM_H

#include <stdbool.h>

#include "kernel/loops/follow.h"

/* Computes the dependent coordinates of a group from the independent ones, both in w, on the branch
   of the start. Sets solved to 1 in the lanes that have a solution, else to 0. Returns false, with
   w unchanged, if the start does not determine the branch. All joints of the group must have one
   coordinate. */
typedef bool closed_form(const td_loop_group *g, const double *start, real *w, real *solved);

/* Computes γ by a closed form, and by continuation in lanes in which the formula has no solution.
   Returns 1 in the lanes that did not arrive; reached is as in loop_follow. */
TD_INLINE real loop_compute(loop_problem *p, closed_form *form, real *reached)
{
    enum { MOST_POLISHES = 3 };
    const real unity = splat(1), none = splat(0), half = splat(0.5);
    const td_loop_group *g = p->g;
    real *w = p->s->w, done = none, last = splat(1e300), *solution = p->r.best, open;
    for (int k = 0; k < g->independents; k++)
        w[g->coordinate[g->dependents + k]] = p->y[g->y[k]];
    if (!form(g, p->start, w, &open))
        return loop_follow(p, reached);
    for (int n = 0; n < MOST_POLISHES && any_lane_below(-open, -0.5); n++) {
        loop_evaluate(p);
        real size = loop_step_size(g, p->r.step);
        real arrived =
            open * select_lt(size, splat(ROUNDING_STEP), unity, loop_has_stalled(size, last));
        done += arrived;
        open -= arrived;
        move_on(p, open, p->r.step);
        last = size;
    }
    *reached = unity;
    if (!any_lane_below(done, 0.5))
        return none;
    keep_positions(p, unity, solution);
    real failed = loop_follow(p, reached);
    for (int i = 0; i < g->dependents; i++)
        w[g->coordinate[i]] = select_lt(half, done, solution[i], w[g->coordinate[i]]);
    loop_advance(p, unity);
    loop_evaluate(p);
    *reached = select_lt(half, done, unity, *reached);
    return select_lt(half, done, none, failed);
}

#endif
