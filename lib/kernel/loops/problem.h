/* SPDX-License-Identifier: MIT */
/*
 * The data from which γ of a group is computed, and one evaluation of them. In the group's
 * coordinates w, dependent (x) and independent (y), J_x ẋ + J_y ẏ = 0. J_x has as many columns as
 * the rank, and often more rows; its least-squares inverse is R⁻¹ Qᵀ. W = ∂x/∂y = −J_x⁺ J_y.
 */
#ifndef TD_PROBLEM_H
#define TD_PROBLEM_H

#include "kernel/algebra/sparse_columns.h"
#include "kernel/loops/part.h"

/* the largest residual of a closed loop, dimensionless */
#define CLOSED_RESIDUAL 1e-9
/* Limits of squared corrections, in the units of the slots. Larger ones are not trusted; below the
   second limit, the next correction is rounding error; below the third, the correction itself. */
#define LARGE_STEP (0.3 * 0.3)
#define SMALL_STEP (1e-7 * 1e-7)
#define ROUNDING_STEP ((64 * TD_EPSILON) * (64 * TD_EPSILON))

/* The data from which γ of a group is computed. */
typedef struct loop_problem {
    const td_tree *tree;
    const td_closure_map *closure;
    const td_loop_group *g;
    const td_scratch *s;
    loop_room r;
    const real *y;
    const double *start; /* w at the start */
    int evaluations;     /* number so far */
    bool has_slopes;     /* W belongs to the last evaluation */
    bool by_velocities;  /* J is in velocities of the poses that loops determine in part, as the
                            final W requires, and not in the coordinates of part.h */
} loop_problem;

TD_INLINE real *coordinates_of(const loop_problem *p)
{
    return p->s->w;
}

/* Returns the coordinate of a slot. Returns NULL for joints with a quaternion that are dependent or
   independent as a whole. */
TD_INLINE real *coordinate_of(const loop_problem *p, int slot)
{
    const int c = p->g->coordinate[slot];
    if (c == TD_COORDINATE_WHOLE)
        return NULL;
    return c >= 0 ? coordinates_of(p) + c : p->r.part + (TD_COORDINATE_WHOLE - 1 - c);
}

/* Computes weighted J per slot, or J̇ if rates is true. */
static void loop_jacobian(const loop_problem *p, const loop_room *r, bool rates, real *dependent,
                          real *independent)
{
    const td_tree *tree = p->tree;
    const td_scratch *s = p->s;
    const td_loop_group *g = p->g;
    const td_csr *rate = &p->closure->rate;
    const int *slot_of = p->closure->loops.slot;
    size_t m = (size_t)g->rows;
    clear(dependent, m * (size_t)g->dependents);
    clear(independent, m * (size_t)g->independents);
    for (int n = 0; n < g->columns; n++) {
        const td_loop_column *c = &g->column[n];
        const td_loop_joint *loop = &g->loop[c->loop];
        loop_ends e = ends_of(loop, r);
        spatial S = loop_column(tree, g, s, r, c, e.point), S_rate = S;
        if (rates)
            S_rate = loop_column_rate(tree, g, s, r, c, e.point, loop_point_velocity(loop, r, &e));
        for (int i = loop->first; i < loop->first + loop->rows; i++) {
            real x = rates ? spatial_dot(r->wrench_rate[i], S) + spatial_dot(r->wrench[i], S_rate)
                           : spatial_dot(r->wrench[i], S);
            x *= c->sign * g->row[i].weight;
            for (int k = rate->row[c->velocity]; k < rate->row[c->velocity + 1]; k++) {
                int slot = slot_of[rate->column[k]];
                real *target = slot < g->dependents
                                   ? dependent + (size_t)slot * m
                                   : independent + (size_t)(slot - g->dependents) * m;
                target[i] += rate->value[k] * x;
            }
        }
    }
    for (int e = 0; e < coupling_places(g); e++) {
        const int slot = slot_of[g->curves->wd[e]], i = coupling_row(g, e);
        real *target = slot < g->dependents ? dependent + (size_t)slot * m
                                            : independent + (size_t)(slot - g->dependents) * m;
        target[i] += g->row[i].weight * (rates ? r->coupling.K_rate[e] : r->coupling.K[e]);
    }
}

/* Computes φ and F at the w of the scratch. */
static void loop_measure(const loop_problem *p)
{
    const td_loop_group *g = p->g;
    const td_csr *M = &p->closure->position;
    const real *w = p->s->w;
    real *q = p->s->q;
    for (int i = 0; i < g->bodies; i++) {
        const td_body *body = &p->tree->body[g->body[i]];
        for (int k = body->q; k < body->q + body->nq; k++) {
            q[k] = splat(p->closure->offset[k]);
            for (int e = M->row[k]; e < M->row[k + 1]; e++)
                q[k] += M->value[e] * w[M->column[e]];
        }
    }
    for (int e = 0; e < coupling_places(g); e++)
        q[g->curves->q[e]] = w[g->curves->w[e]];
    loop_poses(p->tree, g, p->s, &p->r, q);
    loop_rows(g, &p->r, q);
}

/* Factors the columns of the dependents as Q R. */
TD_INLINE void loop_factor(const td_loop_group *g, const loop_room *r)
{
    const size_t m = (size_t)g->rows, x = (size_t)g->dependents;
    if (g->sparse)
        sparse_factor(m, x, g->sparse, r->dependent, r->R, r->least);
    else
        factor_columns(m, x, NULL, NO_PIVOT, r->dependent, r->R, r->least);
}

/* Computes out = −J_x⁺ b. The dependents in out are `stride` apart. Overwrites b. */
TD_INLINE void loop_solve(const td_loop_group *g, const loop_room *r, real *b, real *out,
                          size_t stride)
{
    const size_t m = (size_t)g->rows, x = (size_t)g->dependents;
    if (g->sparse)
        sparse_solve(m, x, g->sparse, r->dependent, r->R, b, out, stride);
    else
        solve_columns(m, x, r->dependent, r->R, b, out, stride);
}

/* Computes φ, Q, R and the Newton step at the coordinates of the slots. */
static void loop_evaluate(loop_problem *p)
{
    const td_loop_group *g = p->g;
    const loop_room *r = &p->r;
    size_t m = (size_t)g->rows;
    const bool parts = g->parts && p->y;
    if (parts)
        parts_place(g, r->part, p->y, p->s->w);
    loop_measure(p);
    loop_jacobian(p, r, false, r->dependent, r->independent);
    if (parts && !p->by_velocities)
        parts_turn(&p->closure->loops, g, r->part, r->dependent, r->independent);
    loop_factor(g, r);
    for (size_t i = 0; i < m; i++)
        r->column[i] = g->row[i].weight * r->phi[i];
    loop_solve(g, r, r->column, r->step, 1);
    p->evaluations++;
    p->has_slopes = false;
}

/* Computes W of the last evaluation and overwrites its J_y. Separate because corrections do not
   need W, which takes a fourth of their time. */
static void loop_slopes(loop_problem *p)
{
    const td_loop_group *g = p->g;
    const loop_room *r = &p->r;
    size_t m = (size_t)g->rows, y = (size_t)g->independents;
    for (size_t k = 0; k < y && !p->has_slopes; k++)
        loop_solve(g, r, r->independent + k * m, r->W + k, y);
    p->has_slopes = true;
}

/* Returns Σ φ², weighted. */
static real loop_merit(const td_loop_group *g, const loop_room *r)
{
    real sum = splat(0);
    for (int i = 0; i < g->rows; i++) {
        real x = g->row[i].weight * r->phi[i];
        sum += x * x;
    }
    return sum;
}

/* Returns the same sum for loops that are half a turn off, which φ does not detect. */
static real loops_turned(const td_loop_group *g, const loop_room *r)
{
    real sum = splat(0);
    for (int l = 0; l < g->loops; l++) {
        real off = loop_turned(&g->loop[l], r);
        sum += off * off;
    }
    return sum;
}

/* Returns the square of a step, in the units of the slots. */
static real loop_step_size(const td_loop_group *g, const real *step)
{
    real sum = splat(0);
    for (int i = 0; i < g->dependents; i++) {
        real x = (1 / g->unit[i]) * step[i];
        sum += x * x;
    }
    return sum;
}

TD_INLINE bool any_lane_below(real x, double bound)
{
    for (size_t lane = 0; lane < TD_LANE_COUNT; lane++)
        if (!(real_get(x, lane) >= bound))
            return true;
    return false;
}

/* Returns 1 if a Newton step of this size, after one of size last, is small and no longer
   decreases. */
static real loop_has_stalled(real size, real last)
{
    const real unity = splat(1), none = splat(0);
    return select_lt(last, splat(SMALL_STEP), unity, none) *
           select_lt(0.25 * last, size, unity, none);
}

#endif
