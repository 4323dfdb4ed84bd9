/* SPDX-License-Identifier: MIT */
/*
 * γ, G and Ġ by functions of the user's own. They speak doubles: lanes are called one by one. φ is
 * x − γ(y) then, and K = (1, −∂γ/∂y).
 */
#ifndef TD_FUNCTION_H
#define TD_FUNCTION_H

#include "kernel/loops/residual.h"

typedef struct function_scratch {
    real *x, *W, *W_rate;
    double *y, *yd, *value, *G, *G_rate; /* of one lane */
} function_scratch;

TD_INLINE function_scratch function_scratch_of(const td_loop_group *g, const td_scratch *s)
{
    const td_loop_layout l = td_function_layout_of(g);
    size_t x = (size_t)g->dependents, y = (size_t)g->independents;
    real *at = (real *)s->loop + g->scratch_start;
    function_scratch r = {.x = at + l.step, .W = at + l.W, .W_rate = at + l.W_rate};
    r.y = (double *)(at + l.dy);
    r.yd = r.y + y;
    r.value = r.yd + y;
    r.G = r.value + x;
    r.G_rate = r.G + x * y;
    return r;
}

/* x, W and, where there are velocities, their rates: of independent coordinates at index[k] in
   arrays of coordinates and velocities. 1 in the lanes that have no value. */
static real call_function(const td_loop_group *g, const function_scratch *r, const real *from,
                          const int *index, const real *rates, const int *rate_index)
{
    const td_loop_function *f = g->function;
    size_t x = (size_t)g->dependents, y = (size_t)g->independents;
    real failed = splat(0);
    for (size_t lane = 0; lane < TD_LANE_COUNT; lane++) {
        for (size_t k = 0; k < y; k++) {
            r->y[k] = real_get(from[index[k]], lane);
            r->yd[k] = rates ? real_get(rates[rate_index[k]], lane) : 0;
        }
        int bad = f->solve(f->context, r->y, rates ? r->yd : NULL, r->value, r->G,
                           rates ? r->G_rate : NULL);
        if (bad)
            failed = real_set(failed, lane, 1);
        for (size_t i = 0; i < x; i++)
            r->x[i] = real_set(lane ? r->x[i] : splat(0), lane, r->value[i]);
        for (size_t i = 0; i < x * y; i++) {
            r->W[i] = real_set(lane ? r->W[i] : splat(0), lane, r->G[i]);
            if (rates)
                r->W_rate[i] = real_set(lane ? r->W_rate[i] : splat(0), lane, r->G_rate[i]);
        }
    }
    return failed;
}

/* w, G and the outcome from y (index NULL: from the independent entries of w) */
static void function_close(const td_loop_group *g, const td_scratch *s, const real *y)
{
    function_scratch r = function_scratch_of(g, s);
    real *w = s->w, *outcome = s->outcome;
    real failed = y ? call_function(g, &r, y, g->y, NULL, NULL)
                    : call_function(g, &r, w, g->coordinate + g->dependents, NULL, NULL);
    for (int i = 0; y && i < g->dependents; i++)
        w[g->coordinate[i]] = r.x[i];
    for (int k = 0; y && k < g->independents; k++)
        w[g->coordinate[g->dependents + k]] = y[g->y[k]];
    real first = select_lt(outcome[TD_OUTCOME_CODE], splat(0.5), failed, splat(0));
    outcome[TD_OUTCOME_CODE] = select_lt(splat(0.5), first, splat(1), outcome[TD_OUTCOME_CODE]);
    loop_fill(g, r.W, s->G);
}

/* at q of the tree: q̇ → G_rate */
static void function_rates(const td_loop_group *g, const td_scratch *s, const real *qd)
{
    function_scratch r = function_scratch_of(g, s);
    call_function(g, &r, s->w, g->coordinate + g->dependents, qd, g->function->qd + g->dependents);
    loop_fill(g, r.W_rate, s->G_rate);
}

/* φ, K and K̇ q̇ as in constraints */
static void function_constraints(const td_loop_group *g, const td_scratch *s, size_t nv,
                                 const real *q, const real *qd, real *phi, real *K, real *drift)
{
    function_scratch r = function_scratch_of(g, s);
    const td_loop_function *f = g->function;
    int x = g->dependents, y = g->independents;
    clear(K, (size_t)x * nv);
    call_function(g, &r, q, f->q + x, qd, f->qd + x);
    for (int i = 0; i < x; i++, K += nv, r.W += y, r.W_rate += y) {
        phi[i] = q[f->q[i]] - r.x[i];
        K[f->qd[i]] = splat(1);
        if (qd)
            drift[i] = splat(0);
        for (int k = 0; k < y; k++) {
            K[f->qd[x + k]] = -r.W[k];
            if (qd)
                drift[i] -= r.W_rate[k] * qd[f->qd[x + k]];
        }
    }
}

#endif
