/* SPDX-License-Identifier: MIT */
/*
 * γ by curves: followers x_i = offset + Σ f(z) over terms with z = constant + Σ factor · slot.
 * Arguments may include earlier followers. One pass in order computes x and W = ∂x/∂y by the chain
 * rule:
 *
 *   ∂x_i/∂y = Σ f' ∂z/∂y,  d/dt ∂x_i/∂y = Σ f'' ż ∂z/∂y + f' d/dt ∂z/∂y
 *
 * The constraints keep the equation of each follower as given, without eliminating earlier
 * followers: φ = x − offset − Σ f(z) and K = (1, −f' factor).
 */
#ifndef TD_CURVES_H
#define TD_CURVES_H

#include "kernel/loops/problem.h"
#include "kernel/loops/stiffness_sum.h"

typedef struct curves_room {
    real *value; /* per term: f, f' and f'' */
    real *W, *W_rate;
    real *along; /* ∂z/∂y, or its rate */
    real *drift; /* per follower: its acceleration without Wÿ */
} curves_room;

enum { TERM_VALUES = 3 };

static curves_room curves_take(td_stack *stack, const td_loop_group *g)
{
    const size_t x = (size_t)g->dependents, y = (size_t)g->independents;
    curves_room r;
    r.value = td_take(stack, real, TERM_VALUES * (size_t)g->curves->terms);
    r.W = td_take(stack, real, x * y);
    r.W_rate = td_take(stack, real, x * y);
    r.along = td_take(stack, real, 2 * y);
    r.drift = td_take(stack, real, x);
    return r;
}

/* ---- arguments of a term --------------------------------------------------------------------- */

/* Computes ∂z/∂y of a term, or its rate, from the rows of the followers. unit is the derivative of
   an independent coordinate by itself: 1, or 0 for rates. */
TD_INLINE void term_row(const td_loop_group *g, const td_curve_term *term, const real *rows,
                        double unit, real *along)
{
    const td_loop_curves *c = g->curves;
    const int y = g->independents;
    clear(along, (size_t)y);
    for (int e = term->first; e < term->first + term->arguments; e++) {
        const int slot = c->slot[e];
        if (slot >= g->dependents)
            along[slot - g->dependents] += c->factor[e] * unit;
        for (int k = 0; slot < g->dependents && k < y; k++)
            along[k] += c->factor[e] * rows[slot * y + k];
    }
}

/* ---- γ, G and Ġ ------------------------------------------------------------------------------ */

/* Evaluates all terms at w. If place is true, also computes the followers in w. */
static void curves_close(const loop_problem *p, bool place)
{
    const td_loop_group *g = p->g;
    const td_loop_curves *c = g->curves;
    const curves_room r = p->s->curves[g->room];
    const int y = g->independents;
    real *w = p->s->w;
    clear(r.W, (size_t)(g->dependents * y));
    for (int i = 0; place && i < g->dependents; i++)
        w[g->coordinate[i]] = splat(c->offset[i]);
    for (int t = 0; t < c->terms; t++) {
        const td_curve_term *term = &c->term[t];
        real *value = r.value + TERM_VALUES * t, *row = r.W + term->follower * y;
        curve_evaluate(term->curve, term_at(c, term, term->constant, w, c->w), 2, value);
        if (place)
            w[g->coordinate[term->follower]] += value[0];
        term_row(g, term, r.W, 1, r.along);
        for (int k = 0; k < y; k++)
            row[k] += value[1] * r.along[k];
    }
    loop_fill(g, r.W, p->s->G);
}

/* Does the same for a model that solves only curves (td_loops.direct). Sets the followers' entries
   of G and keeps the others. Most groups have one independent coordinate and need no rows of
   ∂z/∂y. */
static void curves_follow(const td_loop_group *g, const td_scratch *s)
{
    const td_loop_curves *c = g->curves;
    const curves_room r = s->curves[g->room];
    const int y = g->independents;
    real *w = s->w, *G = s->G;
    for (int t = 0; t < c->terms; t++) {
        const td_curve_term *term = &c->term[t];
        const int first = term->first, follower = term->follower;
        real *value = r.value + TERM_VALUES * t, *at = &w[g->coordinate[follower]];
        curve_evaluate(term->curve, term_at(c, term, term->constant, w, c->w), 2, value);
        *at = value[0] + (term->begins ? splat(c->offset[follower]) : *at);
        real *row = r.W + follower * y;
        if (y == 1 && !term->chained && term->arguments == 1) {
            *row = c->factor[first] * value[1] + (term->begins ? splat(0) : *row);
            continue;
        }
        term_row(g, term, r.W, 1, r.along);
        for (int k = 0; k < y; k++)
            row[k] = value[1] * r.along[k] + (term->begins ? splat(0) : row[k]);
    }
    for (size_t k = 0; k < g->fill.count; k++)
        G[g->fill.target[k]] = g->fill.factor[k] * r.W[g->fill.source[k]];
}

/* After curves_follow: computes the followers' part of g in q̈ = Gÿ + g. */
static void curves_drift(const td_loop_group *g, const td_scratch *s, const real *qd)
{
    const td_loop_curves *c = g->curves;
    const curves_room r = s->curves[g->room];
    for (int t = 0; t < c->terms; t++) {
        const td_curve_term *term = &c->term[t];
        const real *value = r.value + TERM_VALUES * t;
        const real v = term_at(c, term, 0, qd, c->qd);
        real a = value[2] * v * v;
        for (int e = term->first; term->chained && e < term->first + term->arguments; e++)
            if (c->slot[e] < g->dependents)
                a += value[1] * (c->factor[e] * r.drift[c->slot[e]]);
        r.drift[term->follower] = term->begins ? a : r.drift[term->follower] + a;
    }
}

/* After curves_drift: adds g of the followers, and of joints that follow them linearly, to
   accelerations computed without it. */
static void curves_accelerate(const td_loop_group *g, const td_scratch *s, real *qdd)
{
    const td_scatter *moves = &g->curves->moves;
    const real *drift = s->curves[g->room].drift;
    for (size_t k = 0; k < moves->count; k++)
        qdd[moves->target[k]] += moves->factor[k] * drift[moves->source[k]];
}

static void curves_solve(loop_problem *p)
{
    curves_close(p, true);
}

static void curves_tangent(loop_problem *p)
{
    curves_close(p, false);
}

static void curves_rate(const loop_problem *p, const real *qd)
{
    const td_loop_group *g = p->g;
    const td_loop_curves *c = g->curves;
    const curves_room r = p->s->curves[g->room];
    const int y = g->independents;
    real *rate = r.along + y;
    clear(r.W_rate, (size_t)(g->dependents * y));
    for (int t = 0; t < c->terms; t++) {
        const td_curve_term *term = &c->term[t];
        const real *value = r.value + TERM_VALUES * t;
        const real bend = value[2] * term_at(c, term, 0, qd, c->qd);
        real *row = r.W_rate + term->follower * y;
        term_row(g, term, r.W, 1, r.along);
        term_row(g, term, r.W_rate, 0, rate);
        for (int k = 0; k < y; k++)
            row[k] += bend * r.along[k] + value[1] * rate[k];
    }
    loop_fill(g, r.W_rate, p->s->G_rate);
}

/* ---- derivatives along y --------------------------------------------------------------------- */

typedef struct curves_curvature {
    real *acceleration; /* ∂ẍ/∂y */
    real *along, *velocity_along, *acceleration_along;
    real *force; /* per follower: its force, including the forces of its followers */
} curves_curvature;

static curves_curvature curves_curvature_take(td_stack *stack, const td_loop_group *g)
{
    const size_t x = (size_t)g->dependents, y = (size_t)g->independents;
    curves_curvature c;
    c.acceleration = td_take(stack, real, x * y);
    c.along = td_take(stack, real, y);
    c.velocity_along = td_take(stack, real, y);
    c.acceleration_along = td_take(stack, real, y);
    c.force = td_take(stack, real, x);
    return c;
}

/* γ'' is symmetric, so ∂(Gẏ)/∂y = Ġ. A term has ẍ = f' z̈ + f'' ż², so that

     ∂ẍ/∂y = (f'' z̈ + f''' ż²) ∂z/∂y + f' ∂z̈/∂y + 2 f'' ż ∂ż/∂y */
static void curves_derivatives(const loop_problem *p, const real *qd, const real *qdd)
{
    const td_loop_group *g = p->g;
    const td_loop_curves *c = g->curves;
    const curves_room r = p->s->curves[g->room];
    const int y = g->independents;
    loop_fill(g, r.W_rate, p->s->velocity_y);
    if (!qdd)
        return;
    td_scope(p->s->stack, curvature);
    const curves_curvature m = curves_curvature_take(p->s->stack, g);
    clear(m.acceleration, (size_t)(g->dependents * y));
    for (int t = 0; t < c->terms; t++) {
        const td_curve_term *term = &c->term[t];
        real value[CURVE_VALUES], *row = m.acceleration + term->follower * y;
        curve_evaluate(term->curve, term_at(c, term, term->constant, p->s->w, c->w), 3, value);
        const real v = term_at(c, term, 0, qd, c->qd), a = term_at(c, term, 0, qdd, c->qd);
        const real bend = value[2] * a + value[3] * v * v, turn = 2 * value[2] * v;
        term_row(g, term, r.W, 1, m.along);
        term_row(g, term, r.W_rate, 0, m.velocity_along);
        term_row(g, term, m.acceleration, 0, m.acceleration_along);
        for (int k = 0; k < y; k++)
            row[k] +=
                bend * m.along[k] + turn * m.velocity_along[k] + value[1] * m.acceleration_along[k];
    }
    loop_fill(g, m.acceleration, p->s->acceleration_y);
}

/* Adds ∂(Wᵀ f)/∂y = Σ λ f'' (∂z/∂y)ᵀ (∂z/∂y). λ of a follower is its force plus f' factor λ of each
   follower that depends on it. */
static void curves_stiffness(const loop_problem *p, const real *force, const stiffness_sum *sum)
{
    const td_loop_group *g = p->g;
    const td_loop_curves *c = g->curves;
    const curves_room r = p->s->curves[g->room];
    const int y = g->independents;
    td_scope(p->s->stack, curvature);
    const curves_curvature m = curves_curvature_take(p->s->stack, g);
    for (int i = 0; i < g->dependents; i++)
        m.force[i] = force[g->velocity[i]];
    for (int t = c->terms; t-- > 0;) {
        const td_curve_term *term = &c->term[t];
        const real *value = r.value + TERM_VALUES * t;
        const real carried = m.force[term->follower], bend = carried * value[2];
        for (int e = term->first; e < term->first + term->arguments; e++)
            if (c->slot[e] < g->dependents)
                m.force[c->slot[e]] += c->factor[e] * (carried * value[1]);
        term_row(g, term, r.W, 1, m.along);
        for (int a = 0; a < y; a++)
            for (int b = 0; b < y; b++)
                stiffness_add(sum, g, (size_t)a, (size_t)b, bend * m.along[a] * m.along[b]);
    }
}

/* ---- constraints of the tree ----------------------------------------------------------------- */

static void curves_constraints(const loop_problem *p, const real *q, const real *qd, real *phi,
                               real *K, real *drift)
{
    const td_loop_group *g = p->g;
    const td_loop_curves *c = g->curves;
    const size_t nv = p->tree->nv;
    for (int i = 0; i < g->dependents; i++) {
        phi[i] = q[c->q[i]] - c->offset[i];
        K[(size_t)i * nv + (size_t)c->qd[i]] = splat(1);
    }
    for (int t = 0; t < c->terms; t++) {
        const td_curve_term *term = &c->term[t];
        const int i = term->follower;
        real value[CURVE_VALUES];
        curve_evaluate(term->curve, term_at(c, term, term->constant, q, c->q), 2, value);
        phi[i] -= value[0];
        for (int e = term->first; e < term->first + term->arguments; e++)
            K[(size_t)i * nv + (size_t)c->qd[e]] -= c->factor[e] * value[1];
        if (qd) {
            const real v = term_at(c, term, 0, qd, c->qd);
            drift[i] -= value[2] * v * v;
        }
    }
}

#endif
