/* SPDX-License-Identifier: MIT */
/*
 * The equations Jᵀ λ = b of each set of loops, with weighted rows (kernel/loops/balance.c), and the
 * effect of their solutions λ on the joints.
 */
#ifndef TD_LOOP_BALANCE_H
#define TD_LOOP_BALANCE_H

#include "kernel/algebra/least_squares.h"
#include "kernel/loops/residual.h"

/* squared ratio of a pivot to its column below which loops do not support the coordinate */
#define NOT_HELD 1e-16
typedef struct balance_room {
    real *A, *R;         /* columns of J, then Q; and R */
    real *part;          /* per constrained coordinate: b */
    real *lambda, *unit; /* rows */
} balance_room;

static balance_room balance_take(td_stack *stack, const td_loop_balance *set)
{
    const size_t m = (size_t)set->rows, n = (size_t)set->held;
    balance_room r;
    r.A = td_take(stack, real, m * n);
    r.R = td_take(stack, real, n * n);
    r.part = td_take(stack, real, n);
    r.lambda = td_take(stack, real, m);
    r.unit = td_take(stack, real, m);
    return r;
}

/* Computes J of a set: one column for each of its first `held` constrained coordinates. */
static void balance_columns(const td_tree *tree, const td_closure_map *closure,
                            const td_loop_balance *set, int held, const td_scratch *s, real *A)
{
    const td_csr *of_velocity = &closure->balances.held;
    const size_t m = (size_t)set->rows;
    size_t above = 0;
    clear(A, m * (size_t)held);
    for (int k = 0; k < set->groups; k++) {
        const td_loop_group *g = &closure->loops.group[set->group[k]];
        const loop_room r = s->loop[g->room];
        for (int n = 0; n < g->columns; n++) {
            const td_loop_column *c = &g->column[n];
            const td_loop_joint *loop = &g->loop[c->loop];
            const spatial S = loop_column(tree, g, s, &r, c, ends_of(loop, &r).point);
            for (int e = of_velocity->row[c->velocity]; e < of_velocity->row[c->velocity + 1];
                 e++) {
                const int h = of_velocity->column[e] - set->first;
                if (h < 0 || h >= held)
                    continue;
                real *column = A + (size_t)h * m + above;
                for (int i = loop->first; i < loop->first + loop->rows; i++)
                    column[i] += (of_velocity->value[e] * c->sign * g->row[i].weight) *
                                 spatial_dot(r.wrench[i], S);
            }
        }
        for (int n = 0; n < coupling_places(g); n++) {
            const int velocity = g->curves->qd[n], i = coupling_row(g, n);
            for (int e = of_velocity->row[velocity]; e < of_velocity->row[velocity + 1]; e++) {
                const int h = of_velocity->column[e] - set->first;
                if (h >= 0 && h < held)
                    A[(size_t)h * m + above + (size_t)i] +=
                        (of_velocity->value[e] * g->row[i].weight) * r.coupling.K[n];
            }
        }
        above += (size_t)g->rows;
    }
}

/* Adds to tau the effect on the joints of the weighted multipliers of a set's followers by curves,
   times sign. */
static void add_couplings(const td_loops *loops, const td_loop_balance *set, const td_scratch *s,
                          const real *lambda, double sign, real *tau)
{
    for (int k = 0; k < set->groups; k++) {
        const td_loop_group *g = &loops->group[set->group[k]];
        const coupling_room *r = &((const loop_room *)s->loop)[g->room].coupling;
        for (int e = 0; e < coupling_places(g); e++) {
            const int i = coupling_row(g, e);
            tau[g->curves->qd[e]] += (sign * g->row[i].weight) * lambda[i] * r->K[e];
        }
        lambda += g->rows;
    }
}

/* Adds the wrenches of weighted multipliers of a set to wrench, in the axes of the group's carrier.
   Subtracts their effect on the joints from tau (NULL: not wanted). */
static void add_wrenches(const td_tree *tree, const td_loops *loops, const td_loop_balance *set,
                         const td_scratch *s, const real *lambda_of_set, spatial *wrench, real *tau)
{
    const real *lambda = lambda_of_set;
    for (int k = 0; k < set->groups; k++) {
        const td_loop_group *g = &loops->group[set->group[k]];
        const loop_room r = s->loop[g->room];
        int n = 0;
        for (int l = 0; l < g->loops; l++) {
            const td_loop_joint *loop = &g->loop[l];
            spatial f = spatial_zero();
            for (int i = loop->first; i < loop->first + loop->rows; i++) {
                const real force = g->row[i].weight * lambda[i];
                f.angular = add(f.angular, scale_by(force, r.wrench[i].angular));
                f.linear = add(f.linear, scale_by(force, r.wrench[i].linear));
            }
            wrench[loop->index] = spatial_add(wrench[loop->index], f);
            const vec3 point = ends_of(loop, &r).point;
            for (; tau && n < g->columns && g->column[n].loop == l; n++) {
                const td_loop_column *c = &g->column[n];
                tau[c->velocity] -= c->sign * spatial_dot(f, loop_column(tree, g, s, &r, c, point));
            }
        }
        lambda += g->rows;
    }
    if (tau)
        add_couplings(loops, set, s, lambda_of_set, -1, tau);
}

/* Adds weighted multipliers of a set to the multipliers of K's rows. */
static void add_multipliers(const td_loops *loops, const td_loop_balance *set, const real *lambda,
                            real *multipliers)
{
    for (int k = 0; k < set->groups; k++) {
        const td_loop_group *g = &loops->group[set->group[k]];
        for (int i = 0; i < g->rows; i++)
            multipliers[g->constraint + i] += g->row[i].weight * lambda[i];
        lambda += g->rows;
    }
}

/* x −= Q Qᵀ x, twice to remove the rounding error of the first pass */
static void leave_range(size_t m, size_t n, const real *Q, real *x)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t j = 0; j < n; j++) {
            const real along = dense_dot(m, Q + j * m, x);
            for (size_t i = 0; i < m; i++)
                x[i] -= along * Q[j * m + i];
        }
}

#endif
