/* SPDX-License-Identifier: MIT */
/*
 * How far from closed loops stay at best, where they cannot be followed to y.
 */
#ifndef TD_RELAX_H
#define TD_RELAX_H

#include "kernel/loops/move.h"

enum { MOST_RELAXATIONS = 40, MOST_STARTS = 12 };

/* The least residual that damped Gauss-Newton steps reach at y from where w is, and the positions
   of that in from; lanes with failed = 0 stay. */
static real loop_descend(loop_problem *p, int most, real failed)
{
    const td_loop_group *g = p->g;
    const loop_scratch *r = &p->r;
    const real unity = splat(1), none = splat(0), large = splat(LARGE_STEP);
    real least = splat(1e300), part = unity;
    for (int n = 0; n < most; n++) {
        loop_evaluate(p);
        real merit = loop_merit(g, r) + loops_turned(g, r), size = loop_step_size(g, r);
        real damp = select_lt(size, large, unity,
                              real_sqrt(LARGE_STEP / select_lt(size, large, unity, size)));
        part = select_lt(merit, least, unity, 0.5 * part);
        keep_positions(p, select_lt(merit, least, unity, none), r->from);
        for (int i = 0; i < g->dependents; i++) {
            r->tangent[i] = select_lt(merit, least, damp * r->step[i], r->tangent[i]);
            r->ahead[i] = part * r->tangent[i];
        }
        move_from(p, failed, r->from, r->ahead);
        least = select_lt(merit, least, merit, least);
    }
    return least;
}

/* a number in (−1, 1), spread evenly over i for each k and over k for each i */
static double scattered(int k, int i)
{
    double x = 0.5 + k * 0.6180339887498949 + i * 0.7548776662466927 * k;
    return 2 * (x - (double)(long)x) - 1;
}

/* the dependents at the k-th of the starts about the start, in the lanes of the mask */
static void scatter_dependents(const loop_problem *p, int k, real mask)
{
    const td_loop_group *g = p->g;
    const loop_scratch *r = &p->r;
    real *w = p->s->w;
    for (int i = 0; i < g->dependents; i++) {
        r->tangent[i] = splat(3 * g->unit[i] * scattered(k, i));
        if (g->coordinate[i] >= 0)
            w[g->coordinate[i]] =
                select_lt(splat(0.5), mask, splat(p->start[g->coordinate[i]]), w[g->coordinate[i]]);
    }
    for (int i = 0; i < g->floatings; i++)
        for (int n = 0; is_dependent(g, &g->floating[i]) && n < TD_FLOATING_POSITIONS; n++) {
            int c = g->floating[i].w + n;
            w[c] = select_lt(splat(0.5), mask, splat(p->start[c]), w[c]);
        }
    move_on(p, mask, r->tangent);
}

/* Where loops did not follow (failed is 1): the least residual at y from the last good point and
   from others about the start, which says whether there is another branch. w and all that is
   evaluated are that state's then; for the others nothing changes. */
static void loop_relax(loop_problem *p, real failed)
{
    const td_loop_group *g = p->g;
    const loop_scratch *r = &p->r;
    const real none = splat(0), unity = splat(1);
    real least = splat(1e300), open = failed;
    for (int i = 0; i < g->dependents; i++)
        r->tangent[i] = none;
    loop_advance(p, unity);
    move_from(p, failed, r->from, r->tangent); /* the last good point */
    keep_positions(p, unity, r->best);
    for (int k = 0; k < MOST_STARTS && any_lane_below(-open, -0.5); k++) {
        int rest = p->loops->most_evaluations - p->evaluations;
        if (rest <= 0)
            break;
        if (k > 0)
            scatter_dependents(p, k, failed);
        real merit = loop_descend(p, rest < MOST_RELAXATIONS ? rest : MOST_RELAXATIONS, open);
        real better = select_lt(merit, least, unity, none);
        for (int i = 0; i < g->dependents; i++)
            r->best[i] = select_lt(splat(0.5), better, r->from[i], r->best[i]);
        for (size_t i = kept_pose(g, 0); i < kept_pose(g, g->floatings); i++)
            r->best[i] = select_lt(splat(0.5), better, r->from[i], r->best[i]);
        least = select_lt(merit, least, merit, least);
        open = select_lt(least, splat(CLOSED_RESIDUAL * CLOSED_RESIDUAL), none, open);
    }
    for (int i = 0; i < g->dependents; i++)
        r->tangent[i] = none;
    move_from(p, failed, r->best, r->tangent);
    loop_evaluate(p);
}

#endif
