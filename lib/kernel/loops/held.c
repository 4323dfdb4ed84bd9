/* SPDX-License-Identifier: MIT */
/*
 * Motions K q̈ = k of the constrained tree at any configuration, closed or not. The dependent
 * velocities of each cluster of loops are computed from the independent ones as in implicit.h, so
 * that
 *
 *   q̈ = G ÿ + g,   K G = 0,   K g = k = − K̇ q̇ − 2 α K q̇ − β² φ      (Baumgarte 1972).
 *
 * Dynamics in ÿ then use the equations of closed loops with this G and g. This takes O(joints)
 * operations for clusters of bounded size.
 */
#include "kernel/loops/forms.h"

/* Relative error of G above which equations with multipliers are more accurate. */
#define HELD_DIGITS 1e-10
/* Tolerance for K q̈ = k, relative to its largest term. Redundant rows of slightly open loops
   contradict the others by about this much. A larger error means that open loops impose more
   constraints than closed ones. */
#define HELD_CONTRADICTION 3e-6

/* Computes g of the coordinates that follow linearly. It equals k, since K has the entry 1
   there. */
static void follower_accelerations(const td_closure_map *closure, const real *q, const real *qd,
                                   double alpha, double beta, real *g)
{
    const td_csr *K = &closure->constraint;
    for (int i = 0; i < K->rows; i++) {
        real phi = splat(-closure->constraint_offset[i]), rate = splat(0);
        for (int e = K->row[i]; e < K->row[i + 1]; e++) {
            phi += K->value[e] * q[closure->constraint_q[e]];
            rate += K->value[e] * qd[K->column[e]];
        }
        g[K->column[K->row[i]]] = -(2 * alpha * rate + beta * beta * phi);
    }
}

/* Computes k of a group's rows into phi, at the poses of q. Stores in column, weighted, the part of
   k that remains for the group's coordinates after g. */
static void group_accelerations(const loop_problem *p, const real *qd, const real *g, double alpha,
                                double beta)
{
    const loop_room *r = &p->r;
    const td_loop_group *group = p->g;
    loop_motions(p->tree, group, p->s, r, qd);
    loop_row_rates(group, r, qd);
    for (int i = 0; i < group->rows; i++) {
        r->phi[i] = -(beta * beta) * r->phi[i];
        r->column[i] = splat(0);
    }
    for (int n = 0; n < group->columns; n++) {
        const td_loop_column *c = &group->column[n];
        const td_loop_joint *loop = &group->loop[c->loop];
        const loop_ends e = ends_of(loop, r);
        const spatial S = loop_column(p->tree, group, p->s, r, c, e.point);
        const spatial S_rate =
            loop_column_rate(p->tree, group, p->s, r, c, e.point, loop_point_velocity(loop, r, &e));
        for (int i = loop->first; i < loop->first + loop->rows; i++) {
            const real K = c->sign * spatial_dot(r->wrench[i], S);
            const real K_rate =
                c->sign * (spatial_dot(r->wrench_rate[i], S) + spatial_dot(r->wrench[i], S_rate));
            r->phi[i] -= (K_rate + 2 * alpha * K) * qd[c->velocity];
            r->column[i] -= K * g[c->velocity];
        }
    }
    for (int e = 0; e < coupling_places(group); e++) {
        const int i = coupling_row(group, e), velocity = group->curves->qd[e];
        const real K = r->coupling.K[e], K_rate = r->coupling.K_rate[e];
        r->phi[i] -= (K_rate + 2 * alpha * K) * qd[velocity];
        r->column[i] -= K * g[velocity];
    }
    for (int i = 0; i < group->rows; i++)
        r->column[i] = group->row[i].weight * (r->phi[i] + r->column[i]);
}

/* After group_accelerations: computes the group's part of G, g of its dependents (in w), and the
   outcome. */
static void group_tangent(loop_problem *p)
{
    const td_loop_group *g = p->g;
    const loop_room *r = &p->r;
    const td_scratch *s = p->s;
    const size_t m = (size_t)g->rows, x = (size_t)g->dependents, y = (size_t)g->independents;
    real *outcome = s->outcome, *w = s->w;
    loop_jacobian(p, r, false, r->dependent, r->independent);
    loop_factor(g, r);
    loop_solve(g, r, r->column, r->step, 1);
    for (size_t i = 0; i < x; i++)
        w[g->velocity[i]] = -r->step[i];
    for (size_t k = 0; k < y; k++)
        loop_solve(g, r, r->independent + k * m, r->W + k, y);
    loop_fill(g, r->W, s->G);
    if (x)
        outcome[TD_OUTCOME_CODE] =
            select_lt(lost_digits(g, r), splat(HELD_DIGITS), outcome[TD_OUTCOME_CODE], splat(2));
}

static void held_tangent(const td_tree *tree, const td_closure_map *closure, const td_scratch *s,
                         const td_reals *q, const td_reals *qd, double alpha, double beta)
{
    const td_loops *loops = &closure->loops;
    const td_csr *rate = &closure->rate;
    loop_problem p = {.tree = tree, .closure = closure, .s = s};
    real *g = s->g, *w = s->w;
    loop_begin(closure, s);
    clear(g, tree->nv);
    if (alpha != 0 || beta != 0)
        follower_accelerations(closure, q, qd, alpha, beta, g);
    if (loops->solved)
        clear(w, (size_t)rate->columns);
    for (size_t n = 0; n < loops->count; n++) {
        p.g = &loops->group[n];
        p.r = s->loop[p.g->room];
        loop_poses(tree, p.g, s, &p.r, q);
        loop_rows(p.g, &p.r, q);
        group_accelerations(&p, qd, g, alpha, beta);
        if (n < loops->solved)
            group_tangent(&p);
    }
    for (int i = 0; loops->solved && i < rate->rows; i++)
        for (int e = rate->row[i]; e < rate->row[i + 1]; e++)
            g[i] += rate->value[e] * w[rate->column[e]];
}

/* Checks K q̈ = k for all rows. The outcome is singular if the loops impose more constraints than
   they do when closed. */
static void held_judge(const td_tree *tree, const td_loops *loops, const td_scratch *s,
                       const td_reals *accelerations)
{
    const real *qdd = accelerations;
    real *outcome = s->outcome;
    for (size_t n = 0; n < loops->count; n++) {
        const td_loop_group *g = &loops->group[n];
        const loop_room r = s->loop[g->room];
        real worst = splat(0), most = splat(0);
        for (int i = 0; i < g->rows; i++) {
            r.column[i] = -r.phi[i];
            most = larger_of(most, size_of(g->row[i].weight * r.phi[i]));
        }
        for (int k = 0; k < g->columns; k++) {
            const td_loop_column *c = &g->column[k];
            const td_loop_joint *loop = &g->loop[c->loop];
            const spatial S = loop_column(tree, g, s, &r, c, ends_of(loop, &r).point);
            for (int i = loop->first; i < loop->first + loop->rows; i++) {
                const real term = c->sign * spatial_dot(r.wrench[i], S) * qdd[c->velocity];
                r.column[i] += term;
                most = larger_of(most, size_of(g->row[i].weight * term));
            }
        }
        for (int e = 0; e < coupling_places(g); e++) {
            const int i = coupling_row(g, e);
            const real term = r.coupling.K[e] * qdd[g->curves->qd[e]];
            r.column[i] += term;
            most = larger_of(most, size_of(g->row[i].weight * term));
        }
        for (int i = 0; i < g->rows; i++)
            worst = larger_of(worst, size_of(g->row[i].weight * r.column[i]));
        const real bound = HELD_CONTRADICTION * most;
        outcome[TD_OUTCOME_CODE] = select_lt(bound, worst, splat(2), outcome[TD_OUTCOME_CODE]);
    }
}
