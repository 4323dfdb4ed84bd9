/* SPDX-License-Identifier: MIT */
/*
 * γ, G and Ġ by user-supplied functions. These functions take doubles, so they are called lane by
 * lane. The constraint is φ = x − γ(y) with K = (1, −∂γ/∂y).
 */
#ifndef TD_FUNCTION_H
#define TD_FUNCTION_H

#include "kernel/loops/problem.h"

typedef struct function_room {
    real *x, *W, *W_rate;
    double *y, *yd, *value, *G, *G_rate; /* for one lane */
} function_room;

static function_room function_take(td_stack *stack, const td_loop_group *g)
{
    const size_t x = (size_t)g->dependents, y = (size_t)g->independents;
    function_room r;
    r.x = td_take(stack, real, x);
    r.W = td_take(stack, real, x * y);
    r.W_rate = td_take(stack, real, x * y);
    r.y = td_take(stack, double, y);
    r.yd = td_take(stack, double, y);
    r.value = td_take(stack, double, x);
    r.G = td_take(stack, double, x *y);
    r.G_rate = td_take(stack, double, x *y);
    return r;
}

/* Computes x, W and, if rates are given, their rates. `from` contains the independent coordinates
   at index[k], rates their velocities at rate_index[k]. Returns 1 in the lanes without a value. */
static real call_function(const td_loop_group *g, const function_room *r, const real *from,
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

/* Computes x and W like call_function. Stores W in G and failures in the outcome. */
static function_room function_close(const loop_problem *p, const real *from, const int *index)
{
    const td_loop_group *g = p->g;
    function_room r = p->s->function[g->room];
    real *outcome = p->s->outcome;
    real failed = call_function(g, &r, from, index, NULL, NULL);
    real first = select_lt(outcome[TD_OUTCOME_CODE], splat(0.5), failed, splat(0));
    outcome[TD_OUTCOME_CODE] = select_lt(splat(0.5), first, splat(1), outcome[TD_OUTCOME_CODE]);
    loop_fill(g, r.W, p->s->G);
    return r;
}

static void function_solve(loop_problem *p)
{
    const td_loop_group *g = p->g;
    function_room r = function_close(p, p->y, g->y);
    real *w = p->s->w;
    for (int i = 0; i < g->dependents; i++)
        w[g->coordinate[i]] = r.x[i];
    for (int k = 0; k < g->independents; k++)
        w[g->coordinate[g->dependents + k]] = p->y[g->y[k]];
}

static void function_tangent(loop_problem *p)
{
    function_close(p, p->s->w, p->g->coordinate + p->g->dependents);
}

static void function_rate(const loop_problem *p, const real *qd)
{
    const td_loop_group *g = p->g;
    function_room r = p->s->function[g->room];
    call_function(g, &r, p->s->w, g->coordinate + g->dependents, qd,
                  g->function->qd + g->dependents);
    loop_fill(g, r.W_rate, p->s->G_rate);
}

static void function_constraints(const loop_problem *p, const real *q, const real *qd, real *phi,
                                 real *K, real *drift)
{
    function_room r = p->s->function[p->g->room];
    const td_loop_function *f = p->g->function;
    int x = p->g->dependents, y = p->g->independents;
    call_function(p->g, &r, q, f->q + x, qd, f->qd + x);
    for (int i = 0; i < x; i++, K += p->tree->nv, r.W += y, r.W_rate += y) {
        phi[i] = q[f->q[i]] - r.x[i];
        K[f->qd[i]] = splat(1);
        for (int k = 0; k < y; k++) {
            K[f->qd[x + k]] = -r.W[k];
            if (qd)
                drift[i] -= r.W_rate[k] * qd[f->qd[x + k]];
        }
    }
}

#endif
