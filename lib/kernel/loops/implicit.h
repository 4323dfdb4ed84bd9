/* SPDX-License-Identifier: MIT */
/*
 * Functions shared by all groups whose dependent coordinates are solved for, by any method: the
 * last corrections and the outcome; W by the implicit function theorem and its rate, Ẇ = −J_x⁺ (J̇_x
 * W + J̇_y); and φ, K and K̇ q̇.
 */
#ifndef TD_IMPLICIT_H
#define TD_IMPLICIT_H

#include "kernel/loops/outcome.h"
#include "kernel/loops/relax.h"

/* Returns the squared distance of poses that loops determine in part from the poses in y: the sum
   of the squares of their dependent coordinates, in the units of the slots. */
static real parts_moved(const td_loop_group *g, const loop_room *r)
{
    real moved = splat(0);
    for (int i = 0; i < g->dependents; i++) {
        if (g->coordinate[i] >= TD_COORDINATE_WHOLE)
            continue;
        const real x = (1 / g->unit[i]) * r->part[TD_COORDINATE_WHOLE - 1 - g->coordinate[i]];
        moved += x * x;
    }
    return moved;
}

/* Resets poses to those in y, in the lanes of the mask. */
static void parts_return(const loop_problem *p, real mask)
{
    const td_loop_group *g = p->g;
    for (int i = 0; i < g->dependents; i++)
        if (g->coordinate[i] < TD_COORDINATE_WHOLE) {
            real *x = coordinate_of(p, i);
            *x = select_lt(splat(0.5), mask, splat(0), *x);
        }
}

/* Returns whether all dependent coordinates belong to poses. */
static bool parts_are_all(const td_loop_group *g)
{
    for (int i = 0; i < g->dependents; i++)
        if (g->coordinate[i] >= TD_COORDINATE_WHOLE)
            return false;
    return true;
}

/* Makes γ of poses that loops determine in part independent of the path. γ of a closed pose is
   exactly that pose; γ of another pose is the closed pose that damped steps from it reach. If other
   coordinates are dependent too, they must have been followed and may change only little; otherwise
   the lane fails. Returns 1 in the lanes that failed. */
static real parts_settle(loop_problem *p, real failed)
{
    enum { MOST_POLISHES = 3 };
    const td_loop_group *g = p->g;
    const loop_room *r = &p->r;
    const real none = splat(0), unity = splat(1);
    const real all = splat(parts_are_all(g));
    const real moved = parts_moved(g, r);
    parts_return(p, select_lt(moved, splat(ROUNDING_STEP), unity, none));
    real mask = select_lt(splat(SMALL_STEP), moved, unity, none), spent = none;
    mask = failed * all + (unity - failed) * mask;
    if (!any_lane_below(-mask, -0.5))
        return failed;
    keep_positions(p, unity, r->best);
    loop_advance(p, unity);
    parts_return(p, mask);
    const real merit = loop_descend(p, MOST_RELAXATIONS, mask, &spent);
    real good = mask * select_lt(merit, splat(CLOSED_RESIDUAL * CLOSED_RESIDUAL), unity, none);
    for (int i = 0; i < g->dependents; i++) {
        r->tangent[i] = none;
        const real change = (1 / g->unit[i]) * (r->from[i] - r->best[i]);
        if (g->coordinate[i] >= 0)
            good = select_lt(change * change, splat(LARGE_STEP), good, none);
    }
    move_from(p, good, r->from, r->tangent);
    move_from(p, mask * (unity - good), r->best, r->tangent);
    for (int k = 0; k < MOST_POLISHES; k++) {
        loop_evaluate(p);
        move_on(p, good, r->step);
    }
    return (unity - mask) * failed + mask * (unity - good) * (unity - all * (unity - failed));
}

/* Computes w from y and the start. Returns 1 in the lanes that did not arrive; reached is as in
   loop_follow. */
typedef real implicit_search(loop_problem *p, real *reached);

/* Computes w by a search and polishes it to rounding error, then computes W and the outcome. */
TD_INLINE void implicit_solve(loop_problem *p, implicit_search *search)
{
    real reached;
    p->r = p->s->loop[p->g->room];
    p->evaluations = 0;
    p->by_velocities = false;
    real failed = search(p, &reached);
    if (p->g->parts)
        failed = parts_settle(p, failed);
    for (int k = 0; k < TD_POLISH; k++) {
        move_on(p, splat(1), p->r.step);
        loop_evaluate(p);
    }
    /* skipped if the start is `last`, because the caller then tries the anchor and uses its
       outcome */
    if (p->start != p->s->last && any_lane_below(-failed, -0.5))
        loop_relax(p, failed);
    p->by_velocities = true;
    if (p->g->parts)
        loop_evaluate(p);
    loop_judge(p, failed, reached);
    loop_slopes(p);
    loop_fill(p->g, p->r.W, p->s->G);
}

/* Computes Q, R and W at w, and leaves them for Ẇ. */
static void implicit_tangent(loop_problem *p)
{
    p->r = p->s->loop[p->g->room];
    p->evaluations = 0;
    loop_evaluate(p);
    loop_judge(p, splat(0), splat(1));
    loop_slopes(p);
    loop_fill(p->g, p->r.W, p->s->G);
}

static void implicit_rate(const loop_problem *p, const real *qd)
{
    const td_loop_group *g = p->g;
    const td_scratch *s = p->s;
    loop_room r = s->loop[g->room];
    size_t m = (size_t)g->rows, x = (size_t)g->dependents, y = (size_t)g->independents;
    real *J_rate = r.independent;
    loop_motions(p->tree, g, s, &r, qd);
    loop_row_rates(g, &r, qd);
    real *own = r.dependent_rate;
    loop_jacobian(p, &r, true, own, J_rate);
    for (size_t k = 0; k < y; k++) {
        for (size_t i = 0; i < x; i++)
            for (size_t j = 0; j < m; j++)
                J_rate[k * m + j] += own[i * m + j] * r.W[i * y + k];
        loop_solve(g, &r, J_rate + k * m, r.W_rate + k, y);
    }
    loop_fill(g, r.W_rate, s->G_rate);
}

static void implicit_constraints(const loop_problem *p, const real *q, const real *qd, real *phi,
                                 real *K, real *drift)
{
    const td_tree *tree = p->tree;
    const td_loop_group *g = p->g;
    const td_scratch *s = p->s;
    loop_room r = s->loop[g->room];
    loop_poses(tree, g, s, &r, q);
    loop_rows(g, &r, q);
    copy(phi, r.phi, (size_t)g->rows);
    if (qd) {
        loop_motions(tree, g, s, &r, qd);
        loop_row_rates(g, &r, qd);
    }
    for (int k = 0; k < g->columns; k++) {
        const td_loop_column *c = &g->column[k];
        const td_loop_joint *loop = &g->loop[c->loop];
        loop_ends e = ends_of(loop, &r);
        spatial S = loop_column(tree, g, s, &r, c, e.point), S_rate = S;
        if (qd)
            S_rate =
                loop_column_rate(tree, g, s, &r, c, e.point, loop_point_velocity(loop, &r, &e));
        for (int i = loop->first; i < loop->first + loop->rows; i++) {
            K[(size_t)i * tree->nv + (size_t)c->velocity] += c->sign * spatial_dot(r.wrench[i], S);
            if (qd)
                drift[i] += (c->sign * qd[c->velocity]) *
                            (spatial_dot(r.wrench_rate[i], S) + spatial_dot(r.wrench[i], S_rate));
        }
    }
    for (int e = 0; e < coupling_places(g); e++) {
        const int i = coupling_row(g, e), velocity = g->curves->qd[e];
        K[(size_t)i * tree->nv + (size_t)velocity] += r.coupling.K[e];
        if (qd)
            drift[i] += r.coupling.K_rate[e] * qd[velocity];
    }
}

#endif
