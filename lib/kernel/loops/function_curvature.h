/* SPDX-License-Identifier: MIT */
/*
 * Derivatives of q̇ = G ẏ, q̈ = G ÿ + g and Gᵀ f along y for a user-supplied γ. Calls the user's
 * function for these derivatives if there is one, and otherwise takes differences of G and Ġ. Works
 * lane by lane in doubles.
 */
#ifndef TD_FUNCTION_CURVATURE_H
#define TD_FUNCTION_CURVATURE_H

#include "kernel/loops/function.h"
#include "kernel/loops/stiffness_sum.h"

/* Step of the sixth-order differences (rad or m). The truncation error is h⁶/140 = 4e-19 times the
   seventh derivative, and the rounding error about 2 ε/h = 1e-13. If a function bends sharply
   within 0.1, there is another error of this size. */
#define FUNCTION_STEP 0x1p-9

/* Scratch for the derivatives of one lane, and the results of all lanes. */
typedef struct function_curvature {
    double *y, *yd, *ydd, *f;                /* for one lane */
    double *velocity, *acceleration, *force; /* ∂ẋ/∂y, ∂ẍ/∂y, ∂(Wᵀ f)/∂y */
    real *velocities, *accelerations, *forces;
    double *x, *G, *G_rate; /* at a displaced position */
} function_curvature;

static function_curvature function_curvature_take(td_stack *stack, const td_loop_group *g)
{
    const size_t x = (size_t)g->dependents, y = (size_t)g->independents;
    function_curvature c;
    c.y = td_take(stack, double, y);
    c.yd = td_take(stack, double, y);
    c.ydd = td_take(stack, double, y);
    c.f = td_take(stack, double, x);
    c.velocity = td_take(stack, double, x *y);
    c.acceleration = td_take(stack, double, x *y);
    c.force = td_take(stack, double, y *y);
    c.velocities = td_take(stack, real, x * y);
    c.accelerations = td_take(stack, real, x * y);
    c.forces = td_take(stack, real, y * y);
    c.x = td_take(stack, double, x);
    c.G = td_take(stack, double, x *y);
    c.G_rate = td_take(stack, double, x *y);
    return c;
}

/* Adds the function's values at a position displaced along y_k, times a weight. */
static void add_difference(const td_loop_group *g, const function_curvature *c, size_t k,
                           double weight, bool rates, bool accelerations)
{
    const size_t x = (size_t)g->dependents, y = (size_t)g->independents;
    for (size_t i = 0; i < x; i++)
        for (size_t a = 0; a < y; a++) {
            const double G = weight * c->G[i * y + a];
            if (!rates) {
                c->force[a * y + k] += G * c->f[i];
                continue;
            }
            c->velocity[i * y + k] += G * c->yd[a];
            if (accelerations)
                c->acceleration[i * y + k] +=
                    G * c->ydd[a] + weight * c->G_rate[i * y + a] * c->yd[a];
        }
}

/* Computes the derivatives by differences. Returns false if γ has no value nearby. */
static bool difference_function(const td_loop_group *g, const function_curvature *c, bool rates,
                                bool accelerations)
{
    static const double weight[] = {0.75, -0.15, 1.0 / 60};
    const td_loop_function *f = g->function;
    const size_t x = (size_t)g->dependents, y = (size_t)g->independents;
    for (size_t i = 0; i < x * y; i++)
        c->velocity[i] = c->acceleration[i] = 0;
    for (size_t i = 0; i < y * y; i++)
        c->force[i] = 0;
    for (size_t k = 0; k < y; k++)
        for (int n = 0; n < 6; n++) {
            const double here = c->y[k], side = n % 2 ? -1 : 1;
            c->y[k] = here + side * (n / 2 + 1) * FUNCTION_STEP;
            const int bad = f->solve(f->context, c->y, accelerations ? c->yd : NULL, c->x, c->G,
                                     accelerations ? c->G_rate : NULL);
            c->y[k] = here;
            if (bad)
                return false;
            add_difference(g, c, k, side * weight[n / 2] / FUNCTION_STEP, rates, accelerations);
        }
    return true;
}

static void set_lane(const double *value, size_t lane, size_t count, real *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = real_set(lane ? out[i] : splat(0), lane, value[i]);
}

/* Computes the derivatives of velocities and accelerations in all lanes, or of forces if qd is
   NULL. Reports lanes without a value nearby in the outcome. */
static void function_curve(const loop_problem *p, const function_curvature *c, const real *qd,
                           const real *qdd, const real *force)
{
    const td_loop_group *g = p->g;
    const td_loop_function *f = g->function;
    const size_t x = (size_t)g->dependents, y = (size_t)g->independents;
    const real *w = p->s->w;
    real *code = (real *)p->s->outcome + TD_OUTCOME_CODE;
    for (size_t lane = 0; lane < TD_LANE_COUNT; lane++) {
        for (size_t k = 0; k < y; k++) {
            c->y[k] = real_get(w[g->coordinate[x + k]], lane);
            c->yd[k] = qd ? real_get(qd[f->qd[x + k]], lane) : 0;
            c->ydd[k] = qdd ? real_get(qdd[f->qd[x + k]], lane) : 0;
        }
        for (size_t i = 0; i < x; i++)
            c->f[i] = force ? real_get(force[g->velocity[i]], lane) : 0;
        const bool good =
            f->derivatives
                ? !f->derivatives(f->context, c->y, c->yd, c->ydd, c->f, qd ? c->velocity : NULL,
                                  qdd ? c->acceleration : NULL, force ? c->force : NULL)
                : difference_function(g, c, qd != NULL, qdd != NULL);
        if (!good && real_get(*code, lane) == 0)
            *code = real_set(*code, lane, 1);
        if (qd)
            set_lane(c->velocity, lane, x * y, c->velocities);
        if (qdd)
            set_lane(c->acceleration, lane, x * y, c->accelerations);
        if (force)
            set_lane(c->force, lane, y * y, c->forces);
    }
}

static void function_derivatives(const loop_problem *p, const real *qd, const real *qdd)
{
    td_scope(p->s->stack, curvature);
    const function_curvature c = function_curvature_take(p->s->stack, p->g);
    function_curve(p, &c, qd, qdd, NULL);
    loop_fill(p->g, c.velocities, p->s->velocity_y);
    if (qdd)
        loop_fill(p->g, c.accelerations, p->s->acceleration_y);
}

static void function_stiffness(const loop_problem *p, const real *force, const stiffness_sum *sum)
{
    const td_loop_group *g = p->g;
    const size_t y = (size_t)g->independents;
    td_scope(p->s->stack, curvature);
    const function_curvature c = function_curvature_take(p->s->stack, g);
    function_curve(p, &c, NULL, NULL, force);
    for (size_t a = 0; a < y; a++)
        for (size_t b = 0; b < y; b++)
            stiffness_add(sum, g, a, b, c.forces[a * y + b]);
}

#endif
