/* SPDX-License-Identifier: MIT */
/*
 * The outcome of solving a group: the accuracy of G, and whether the loops close.
 */
#ifndef TD_OUTCOME_H
#define TD_OUTCOME_H

#include "kernel/loops/problem.h"

/* smallest relative error of G that counts as singular, and the rounding error that causes it */
#define LOST_DIGITS 1e-8
#define ROUNDING 0x1p-52

/* Returns an estimate of the relative error of G, or of x if there is no G. Columns of J_x are
   scaled to length 1, or by td_loop_group.usual if they are shorter than usual. Rounding causes
   errors of ε in φ, ‖R⁻¹‖ ε in x and in J_x, and ‖R⁻¹‖² ε in G. If that is 1e-8, Ġ and the
   accelerations have errors of 1e-5, since 1.5 times as many of their digits are lost to rounding
   (test_closure_branches.c). */
static real lost_digits(const td_loop_group *g, const loop_room *r)
{
    int n = g->dependents;
    const real *R = r->R; /* the diagonal is inverted; 0 if the column was dropped */
    real *z = r->column, *length = r->moved, sum = splat(0);
    for (int i = 0; i < n; i++) {
        real pivot = R[i * n + i];
        length[i] = 1.0 / select_lt(splat(0), pivot, pivot * pivot, splat(1e-300));
        for (int k = 0; k < i; k++)
            length[i] += R[k * n + i] * R[k * n + i];
        length[i] = select_lt(length[i], splat(g->usual[i]), splat(g->usual[i]), length[i]);
    }
    for (int j = 0; j < n; j++) { /* R z = e_j */
        const int first = g->sparse ? g->sparse->reach[j] : 0;
        const real pivot = z[j] = R[j * n + j];
        sum += pivot * pivot * length[j];
        for (int i = j - 1; i >= first; i--) {
            real product = R[i * n + j] * pivot;
            for (int k = i + 1; k < j; k++)
                product += R[i * n + k] * z[k];
            product *= R[i * n + i];
            z[i] = -product;
            sum += product * product * length[i];
        }
        sum += select_lt(splat(0), pivot, splat(0), splat(1e300));
    }
    return g->independents > 0 ? ROUNDING * sum : ROUNDING * real_sqrt(sum); /* of x: ‖R⁻¹‖ ε */
}

/* Adds the result of a group to the outcome of all. Every state is checked for φ = 0. */
static void loop_judge(const loop_problem *p, real failed, real reached)
{
    const td_loop_group *g = p->g;
    const loop_room *r = &p->r;
    const real none = splat(0), half = splat(0.5);
    real *outcome = p->s->outcome;
    real merit = loop_merit(g, r), worst = splat(-1), failed_loop = splat(-1), residual = none;
    for (int l = 0; l < g->loops; l++) {
        real off = loop_turned(&g->loop[l], r), sum = off * off;
        merit += sum;
        residual = select_lt(residual, sum, sum, residual);
        for (int i = g->loop[l].first; i < g->loop[l].first + g->loop[l].rows; i++) {
            sum += (g->row[i].weight * r->phi[i]) * (g->row[i].weight * r->phi[i]);
            real square = r->phi[i] * r->phi[i];
            residual = select_lt(residual, square, square, residual);
        }
        failed_loop = select_lt(worst, sum, splat(g->loop[l].index), failed_loop);
        worst = select_lt(worst, sum, sum, worst);
    }
    /* singularity is determined at the final state, even if the path ended before it */
    real code = select_lt(half, failed, splat(3), none);
    if (g->dependents)
        code = select_lt(lost_digits(g, r), splat(LOST_DIGITS), code, splat(2));
    code = select_lt(merit, splat(CLOSED_RESIDUAL * CLOSED_RESIDUAL), code, splat(1));
    /* if all loops close on another branch, residuals are rounding errors, so report the first
       loop */
    failed_loop = select_lt(splat(2.5), code, splat(g->loops ? g->loop[0].index : -1), failed_loop);
    real first = select_lt(outcome[TD_OUTCOME_CODE], half, splat(1), none);
    failed_loop = select_lt(code, half, splat(-1), failed_loop);
    first *= select_lt(half, code, splat(1), none);
    outcome[TD_OUTCOME_LOOP] = select_lt(half, first, failed_loop, outcome[TD_OUTCOME_LOOP]);
    outcome[TD_OUTCOME_CODE] = select_lt(half, first, code, outcome[TD_OUTCOME_CODE]);
    outcome[TD_OUTCOME_REACHED] = select_lt(half, first, reached, outcome[TD_OUTCOME_REACHED]);
    residual = real_sqrt(residual);
    outcome[TD_OUTCOME_RESIDUAL] =
        select_lt(outcome[TD_OUTCOME_RESIDUAL], residual, residual, outcome[TD_OUTCOME_RESIDUAL]);
    real count = splat(p->evaluations);
    outcome[TD_OUTCOME_EVALUATIONS] =
        select_lt(outcome[TD_OUTCOME_EVALUATIONS], count, count, outcome[TD_OUTCOME_EVALUATIONS]);
}

#endif
