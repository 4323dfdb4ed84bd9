/* SPDX-License-Identifier: MIT */
/*
 * Finds the smallest residual of loops that cannot be followed to y.
 */
#ifndef TD_RELAX_H
#define TD_RELAX_H

#include "kernel/algebra/ldlt.h"
#include "kernel/loops/move.h"

/* limits: steps from one start, starts, steps from all starts, steps in which |φ|² must halve */
enum { MOST_RELAXATIONS = 40, MOST_STARTS = 12, MOST_SPENT = 100, PATIENCE = 3 };

/* Computes a Levenberg-Marquardt step at the evaluated state into out. With the Gauss-Newton step s
   = −J⁺ φ and J = Q R, it solves (Rᵀ R + |φ|² D) x = Rᵀ R s, where D contains the inverse squares
   of the slots' units. With damping |φ|², convergence is still quadratic (Yamashita and Fukushima
   2001). If φ cannot vanish, J loses rank, and the steps converge to a minimum of |φ|. On return
   the diagonal of R is no longer inverted. */
static void loop_damped_step(const loop_problem *p, real merit, real *out)
{
    const loop_room *r = &p->r;
    const size_t n = (size_t)p->g->dependents;
    const td_loop_sparsity *sparse = p->g->sparse;
    real *A = r->rotation, *Rs = r->moved;
    for (size_t i = 0; i < n; i++) {
        const real inverse = r->R[i * n + i];
        const real pivot = select_lt(splat(0), inverse, 1.0 / inverse, splat(0));
        r->R[i * n + i] = pivot;
        Rs[i] = dense_dot(n - i, r->R + i * n + i, r->step + i);
    }
    for (size_t i = 0; i < n; i++) {
        out[i] = splat(0);
        for (size_t j = 0; j <= i; j++)
            A[i * n + j] = splat(0);
        for (size_t k = 0; k <= i; k++)
            out[i] += r->R[k * n + i] * Rs[k];
        for (size_t j = 0; !sparse && j <= i; j++)
            for (size_t k = 0; k <= j; k++)
                A[i * n + j] += r->R[k * n + i] * r->R[k * n + j];
    }
    if (sparse)
        sparse_square(n, sparse, r->R, A);
    for (size_t i = 0; i < n; i++)
        A[i * n + i] += (1 / (p->g->unit[i] * p->g->unit[i])) * merit;
    for (size_t k = 0; k < n; k++) {
        const real pivot = A[k * n + k];
        const real inverse = 1.0 / select_lt(splat(1e-300), pivot, pivot, splat(1));
        if (sparse)
            sparse_eliminate(n, sparse, A, k, inverse);
        else
            ldlt_eliminate(n, n, A, k, inverse);
    }
    ldlt_solve(n, n, A, out);
}

/* Takes damped steps at y from the current w, in the lanes of the mask. Returns the smallest
   squared residual and stores its positions in from. A lane stops if PATIENCE steps have not halved
   its residual. Takes at most `most` steps and adds each lane's steps to spent. */
static real loop_descend(loop_problem *p, int most, real mask, real *spent)
{
    const td_loop_group *g = p->g;
    const loop_room *r = &p->r;
    const real unity = splat(1), none = splat(0), half = splat(0.5), large = splat(LARGE_STEP);
    real least = splat(1e300), part = unity, before = least, active = mask;
    for (int n = 0; n < most && any_lane_below(-active, -0.5); n++) {
        loop_evaluate(p);
        const real merit = loop_merit(g, r) + loops_turned(g, r);
        const real better = active * select_lt(merit, least, unity, none);
        loop_damped_step(p, merit, r->ahead);
        const real size = loop_step_size(g, r->ahead);
        const real damp = select_lt(size, large, unity,
                                    real_sqrt(LARGE_STEP / select_lt(size, large, unity, size)));
        part = select_lt(half, better, unity, 0.5 * part);
        keep_positions(p, better, r->from);
        for (int i = 0; i < g->dependents; i++) {
            r->tangent[i] = select_lt(half, better, damp * r->ahead[i], r->tangent[i]);
            r->ahead[i] = part * r->tangent[i];
        }
        move_from(p, active, r->from, r->ahead);
        least = select_lt(half, better, merit, least);
        *spent += active;
        if (n % PATIENCE == PATIENCE - 1) {
            active = select_lt(least, 0.5 * before, active, none);
            before = least;
        }
    }
    return least;
}

/* Returns a number in (−1, 1), evenly distributed over i for each k and over k for each i. */
static double scattered(int k, int i)
{
    double x = 0.5 + k * 0.6180339887498949 + i * 0.7548776662466927 * k;
    return 2 * (x - (double)(long)x) - 1;
}

/* Sets the dependents to the k-th of the starts scattered around the start, in the lanes of the
   mask. */
static void scatter_dependents(const loop_problem *p, int k, real mask)
{
    const td_loop_group *g = p->g;
    const loop_room *r = &p->r;
    real *w = p->s->w;
    for (int i = 0; i < g->dependents; i++) {
        r->tangent[i] = splat(3 * g->unit[i] * scattered(k, i));
        const int c = g->coordinate[i];
        real *x = coordinate_of(p, i);
        if (x) /* around the pose in y, if loops determine it in part */
            *x = select_lt(splat(0.5), mask, splat(c >= 0 ? p->start[c] : 0), *x);
    }
    for (int i = 0; i < g->quaternions; i++)
        for (int n = 0; is_dependent(g, &g->quaternion[i]) &&
                        n < td_loop_quaternion_positions(&g->quaternion[i]);
             n++) {
            int c = g->quaternion[i].w + n;
            w[c] = select_lt(splat(0.5), mask, splat(p->start[c]), w[c]);
        }
    move_on(p, mask, r->tangent);
}

/* Minimizes the residual at y in the lanes where following failed (failed is 1), from the last
   accepted point and from starts scattered around the start. This shows whether another branch
   exists. In these lanes w and the evaluation then belong to the best state. Other lanes are
   unchanged. */
static void loop_relax(loop_problem *p, real failed)
{
    const td_loop_group *g = p->g;
    const loop_room *r = &p->r;
    const real none = splat(0), unity = splat(1);
    real least = splat(1e300), open = failed, spent = none;
    for (int i = 0; i < g->dependents; i++)
        r->tangent[i] = none;
    loop_advance(p, unity);
    move_from(p, failed, r->from, r->tangent); /* the last accepted point */
    keep_positions(p, unity, r->best);
    for (int k = 0; k < MOST_STARTS && any_lane_below(-open, -0.5); k++) {
        int rest = p->closure->loops.most_evaluations - p->evaluations;
        if (rest <= 0)
            break;
        if (k > 0)
            scatter_dependents(p, k, open);
        real merit =
            loop_descend(p, rest < MOST_RELAXATIONS ? rest : MOST_RELAXATIONS, open, &spent);
        real better = open * select_lt(merit, least, unity, none);
        for (int i = 0; i < g->dependents; i++)
            r->best[i] = select_lt(splat(0.5), better, r->from[i], r->best[i]);
        for (size_t i = kept_pose(g, 0); i < kept_pose(g, g->quaternions); i++)
            r->best[i] = select_lt(splat(0.5), better, r->from[i], r->best[i]);
        least = select_lt(splat(0.5), better, merit, least);
        open = select_lt(least, splat(CLOSED_RESIDUAL * CLOSED_RESIDUAL), none, open);
        open = select_lt(spent, splat(MOST_SPENT), open, none);
    }
    for (int i = 0; i < g->dependents; i++)
        r->tangent[i] = none;
    move_from(p, failed, r->best, r->tangent);
    loop_evaluate(p);
}

#endif
