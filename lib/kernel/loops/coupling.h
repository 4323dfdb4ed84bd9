/* SPDX-License-Identifier: MIT */
/*
 * Followers by curves that are solved together with loops have rows of φ after the loops' rows:
 *
 *   φ = x − offset − Σ f(z),   z = constant + Σ factor · coordinate.
 *
 * K has the entries 1 at the follower and −f' factor at the arguments; K̇ has 0 and −f'' ż factor
 * there. All these coordinates belong to joints with one coordinate, so they are velocities of the
 * tree too.
 */
#ifndef TD_COUPLING_H
#define TD_COUPLING_H

#include "base/stack.h"
#include "kernel/loops/curve.h"
#include "kernel/real/arrays.h"
#include "model/loops.h"

typedef struct coupling_room {
    real *value;      /* per term: f, f' and f'' */
    real *z;          /* per term */
    real *K, *K_rate; /* per place (td_loop_curves) */
} coupling_room;

static coupling_room coupling_take(td_stack *stack, const td_loop_curves *c)
{
    const size_t terms = c ? (size_t)c->terms : 0, places = c ? (size_t)c->places : 0;
    coupling_room r;
    r.value = td_take(stack, real, CURVE_VALUES * terms);
    r.z = td_take(stack, real, terms);
    r.K = td_take(stack, real, places);
    r.K_rate = td_take(stack, real, places);
    return r;
}

TD_INLINE int coupling_places(const td_loop_group *g)
{
    return g->curves ? g->curves->places : 0;
}

/* Returns the group's row that contains the entry of a place. */
TD_INLINE int coupling_row(const td_loop_group *g, int place)
{
    return g->rows - g->curves->followers + g->curves->row[place];
}

/* Returns z of a term, or ż with constant = 0, from the coordinates at index[place]. */
TD_INLINE real term_at(const td_loop_curves *c, const td_curve_term *term, double constant,
                       const real *from, const int *index)
{
    real z = c->factor[term->first] * from[index[term->first]] + constant;
    for (int e = term->first + 1; e < term->first + term->arguments; e++)
        z += c->factor[e] * from[index[e]];
    return z;
}

/* Computes φ of the group's last rows, and K. Like coupling_rates it is not inlined, since few
   groups need it. */
__attribute__((noinline)) static void coupling_rows(const td_loop_group *g, const coupling_room *r,
                                                    const real *q, real *phi)
{
    const td_loop_curves *c = g->curves;
    real *rows = phi + g->rows - c->followers;
    for (int i = 0; i < c->followers; i++) {
        rows[i] = q[c->q[i]] - c->offset[i];
        r->K[i] = splat(1);
    }
    for (int t = 0; t < c->terms; t++) {
        const td_curve_term *term = &c->term[t];
        real *value = r->value + CURVE_VALUES * t;
        r->z[t] = term_at(c, term, term->constant, q, c->q);
        curve_evaluate(term->curve, r->z[t], 2, value);
        rows[term->follower] -= value[0];
        for (int e = term->first; e < term->first + term->arguments; e++)
            r->K[e] = -c->factor[e] * value[1];
    }
}

/* Computes K̇. */
__attribute__((noinline)) static void coupling_rates(const td_loop_group *g, const coupling_room *r,
                                                     const real *qd)
{
    const td_loop_curves *c = g->curves;
    clear(r->K_rate, (size_t)c->followers);
    for (int t = 0; t < c->terms; t++) {
        const td_curve_term *term = &c->term[t];
        const real bend = r->value[CURVE_VALUES * t + 2] * term_at(c, term, 0, qd, c->qd);
        for (int e = term->first; e < term->first + term->arguments; e++)
            r->K_rate[e] = -c->factor[e] * bend;
    }
}

/* Computes the weighted change of φ̇ = ẋ − Σ f' ż or, with q̈ given, of φ̈ = ẍ − Σ (f' z̈ + f'' ż²),
   for the group's last rows. The coordinates are displaced by δ (NULL: zero) and the velocities of
   arguments change by δż (NULL: zero). Changes of ẋ and ẍ themselves are not included:

     −Σ f'' δz ż,   −Σ (f'' δz z̈ + f''' δz ż² + 2 f'' ż δż) */
TD_INLINE void coupling_changes(const td_loop_group *g, const coupling_room *r,
                                const real *displacement, const real *qd, const real *qdd,
                                const real *qd_change, real *out)
{
    const td_loop_curves *c = g->curves;
    for (int i = 0; c && i < c->followers; i++)
        out[g->rows - c->followers + i] = splat(0);
    for (int t = 0; c && t < c->terms; t++) {
        const td_curve_term *term = &c->term[t];
        real value[CURVE_VALUES], x = splat(0);
        const real v = term_at(c, term, 0, qd, c->qd);
        curve_evaluate(term->curve, r->z[t], 3, value);
        if (displacement) {
            const real moved = term_at(c, term, 0, displacement, c->qd);
            x += moved * (qdd ? value[2] * term_at(c, term, 0, qdd, c->qd) + value[3] * v * v
                              : value[2] * v);
        }
        if (qdd && qd_change)
            x += 2 * value[2] * v * term_at(c, term, 0, qd_change, c->qd);
        const int i = g->rows - c->followers + term->follower;
        out[i] -= g->row[i].weight * x;
    }
}

#endif
