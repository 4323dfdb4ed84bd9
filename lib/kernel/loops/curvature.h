/* SPDX-License-Identifier: MIT */
/*
 * Derivatives along y of q̇ = G ẏ, q̈ = G ÿ + g and Gᵀ f, for groups whose dependent coordinates are
 * solved for. ∂_a is the derivative along the a-th velocity of y: column a of G displaces the
 * group's bodies, while ẏ, ÿ and f are constant. J ẇ = 0 and J ẅ + J̇ ẇ = 0 hold for all y, so that
 *
 *   ∂_a ẋ = − J_x⁺ (∂_a J) ẇ,
 *   ∂_a ẍ = − J_x⁺ ∂_a (J ẅ + J̇ ẇ) at constant ẅ, with ∂_a ẇ from above,
 *   ∂_b (W_aᵀ f_x) = − λᵀ (∂_b J) (W_a, 1_a),   λ = (J_x⁺)ᵀ f_x,
 *
 * where J_x⁺ is the inverse that gives W. Redundant rows are redundant at all closed positions, so
 * the right-hand sides stay in the range of J_x. Velocities of joints with a quaternion do not
 * commute: for them, ∂_a of column b of G differs from ∂_b of column a. This takes O(y) times the
 * operations of Ẇ.
 */
#ifndef TD_CURVATURE_H
#define TD_CURVATURE_H

#include "kernel/loops/change.h"
#include "kernel/loops/stiffness_sum.h"

/* Scratch for the derivatives of a group. */
typedef struct curvature_room {
    real *displacement, *qd_change;  /* nv: changes of the tree's positions and velocities */
    real *velocity, *acceleration;   /* dependents × independents: ∂ẋ/∂y and ∂ẍ/∂y */
    real *lambda, *f;                /* rows or dependents, whichever is larger */
    real *row;                       /* dependents + independents: λᵀ ∂_b J */
    spatial *wrench, *wrench_change; /* loops: Σ λ F, and its change */
    loop_change change;
} curvature_room;

static curvature_room curvature_take(td_stack *stack, const td_tree *tree, const td_loop_group *g)
{
    const size_t x = (size_t)g->dependents, y = (size_t)g->independents, m = (size_t)g->rows;
    curvature_room r;
    r.displacement = td_take(stack, real, tree->nv);
    r.qd_change = td_take(stack, real, tree->nv);
    r.velocity = td_take(stack, real, x * y);
    r.acceleration = td_take(stack, real, x * y);
    r.lambda = td_take(stack, real, m > x ? m : x);
    r.f = td_take(stack, real, m > x ? m : x);
    r.row = td_take(stack, real, x + y);
    r.wrench = td_take(stack, spatial, (size_t)g->loops);
    r.wrench_change = td_take(stack, spatial, (size_t)g->loops);
    r.change = change_take(stack, (size_t)g->bodies);
    return r;
}

/* Returns the slot in a group of an entry of ẇ, −1 if the entry is not in the group. */
TD_INLINE int slot_of(const loop_problem *p, int velocity)
{
    const td_loop_group *g = p->g;
    const int slot = p->closure->loops.slot[velocity];
    const bool own = slot < g->dependents + g->independents && g->velocity[slot] == velocity;
    return own ? slot : -1;
}

TD_INLINE real slot_velocity(const td_loop_group *g, const real *dependent, size_t stride,
                             int independent, int slot)
{
    return slot < g->dependents ? dependent[(size_t)slot * stride]
                                : splat(slot - g->dependents == independent);
}

/* Computes the tree's velocities of the group's bodies, and of the joints in its curves. The
   dependent slots have the velocities `dependent`, `stride` apart. The given independent slot has
   velocity 1, the others 0 (−1: all 0). */
static void slots_to_tree(const loop_problem *p, const real *dependent, size_t stride,
                          int independent, real *out)
{
    const td_loop_group *g = p->g;
    const td_csr *rate = &p->closure->rate;
    for (int i = 0; i < g->bodies; i++) {
        const td_body *body = &p->tree->body[g->body[i]];
        for (int k = body->qd; k < body->qd + body->nv; k++) {
            out[k] = splat(0);
            for (int e = rate->row[k]; e < rate->row[k + 1]; e++) {
                const int slot = slot_of(p, rate->column[e]);
                if (slot >= 0)
                    out[k] +=
                        rate->value[e] * slot_velocity(g, dependent, stride, independent, slot);
            }
        }
    }
    for (int e = 0; e < coupling_places(g); e++)
        out[g->curves->qd[e]] = slot_velocity(g, dependent, stride, independent,
                                              p->closure->loops.slot[g->curves->wd[e]]);
}

/* Displaces the group's bodies along its k-th independent velocity. Returns a loop_room with these
   displacements as motions. */
static loop_room displaced_along(const loop_problem *p, const loop_room *r, const curvature_room *c,
                                 int k)
{
    loop_room displaced = *r;
    displaced.motion = c->change.displacement;
    slots_to_tree(p, r->W + k, (size_t)p->g->independents, k, c->displacement);
    loop_motions(p->tree, p->g, p->s, &displaced, c->displacement);
    return displaced;
}

/* Computes ∂(Gẏ)/∂y and, if qdd is not NULL, ∂(Gÿ + g)/∂y. */
static void implicit_derivatives(const loop_problem *p, const real *qd, const real *qdd)
{
    const td_loop_group *g = p->g;
    const td_scratch *s = p->s;
    const loop_room r = s->loop[g->room];
    td_scope(s->stack, curvature);
    const curvature_room c = curvature_take(s->stack, p->tree, g);
    const loop_change *change = &c.change;
    const size_t y = (size_t)g->independents;
    loop_motions(p->tree, g, s, &r, qd);
    if (qdd)
        loop_accelerations(p->tree, g, s, &r, qd, qdd, change->acceleration);
    for (size_t k = 0; k < y; k++) {
        displaced_along(p, &r, &c, (int)k);
        loop_changes(p, &r, change, CHANGE_OF_VELOCITY, qd, NULL, NULL);
        loop_row_changes(g, &r, change, CHANGE_OF_VELOCITY, r.column);
        coupling_changes(g, &r.coupling, c.displacement, qd, NULL, NULL, r.column);
        loop_solve(g, &r, r.column, c.velocity + k, y);
        if (!qdd)
            continue;
        slots_to_tree(p, c.velocity + k, y, -1, c.qd_change);
        loop_changes(p, &r, change, CHANGE_OF_ACCELERATION, qd, qdd, c.qd_change);
        loop_row_changes(g, &r, change, CHANGE_OF_ACCELERATION, r.column);
        coupling_changes(g, &r.coupling, c.displacement, qd, qdd, c.qd_change, r.column);
        loop_solve(g, &r, r.column, c.acceleration + k, y);
    }
    loop_fill(g, c.velocity, s->velocity_y);
    if (qdd)
        loop_fill(g, c.acceleration, s->acceleration_y);
}

/* Sums λ F of each loop about the loop's point. F are wrenches or their changes. */
static void sum_wrenches(const td_loop_group *g, const real *lambda, const spatial *wrench,
                         spatial *sum)
{
    for (int l = 0; l < g->loops; l++) {
        sum[l] = spatial_zero();
        for (int i = g->loop[l].first; i < g->loop[l].first + g->loop[l].rows; i++)
            sum[l] = spatial_add(sum[l], spatial_scale(lambda[i], wrench[i]));
    }
}

/* Computes λᵀ ∂J per slot while the motions of `displaced` displace the bodies. */
static void weighted_change(const loop_problem *p, const curvature_room *c,
                            const loop_room *displaced)
{
    const td_loop_group *g = p->g;
    const td_csr *rate = &p->closure->rate;
    clear(c->row, (size_t)(g->dependents + g->independents));
    for (int n = 0; n < g->columns; n++) {
        const td_loop_column *column = &g->column[n];
        const td_loop_joint *loop = &g->loop[column->loop];
        const loop_ends e = ends_of(loop, displaced);
        const vec3 moved = loop_point_velocity(loop, displaced, &e);
        const spatial S = loop_column(p->tree, g, p->s, displaced, column, e.point);
        const spatial S_change =
            loop_column_rate(p->tree, g, p->s, displaced, column, e.point, moved);
        const real x = column->sign * (spatial_dot(c->wrench_change[column->loop], S) +
                                       spatial_dot(c->wrench[column->loop], S_change));
        for (int k = rate->row[column->velocity]; k < rate->row[column->velocity + 1]; k++)
            c->row[p->closure->loops.slot[rate->column[k]]] += rate->value[k] * x;
    }
    for (int e = 0; e < coupling_places(g); e++)
        c->row[p->closure->loops.slot[g->curves->wd[e]]] +=
            c->lambda[coupling_row(g, e)] * displaced->coupling.K_rate[e];
}

/* Adds ∂(Gᵀ f)/∂y of a group; force is f in velocities of w. */
static void implicit_stiffness(const loop_problem *p, const real *force, const stiffness_sum *sum)
{
    const td_loop_group *g = p->g;
    const loop_room r = p->s->loop[g->room];
    td_scope(p->s->stack, curvature);
    const curvature_room c = curvature_take(p->s->stack, p->tree, g);
    const size_t m = (size_t)g->rows, x = (size_t)g->dependents, y = (size_t)g->independents;
    for (size_t i = 0; i < x; i++)
        c.f[i] = force[g->velocity[i]];
    solve_rows(m, x, r.dependent, r.R, c.f, c.lambda);
    for (size_t i = 0; i < m; i++)
        c.lambda[i] *= g->row[i].weight;
    sum_wrenches(g, c.lambda, r.wrench, c.wrench);
    for (size_t b = 0; b < y; b++) {
        const loop_room displaced = displaced_along(p, &r, &c, (int)b);
        loop_row_rates(g, &displaced, c.displacement);
        sum_wrenches(g, c.lambda, displaced.wrench_rate, c.wrench_change);
        weighted_change(p, &c, &displaced);
        for (size_t a = 0; a < y; a++) {
            real entry = c.row[x + a];
            for (size_t i = 0; i < x; i++)
                entry += c.row[i] * r.W[i * y + a];
            stiffness_add(sum, g, a, b, -entry);
        }
    }
}

#endif
