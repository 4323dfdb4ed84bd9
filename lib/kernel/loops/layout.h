/* SPDX-License-Identifier: MIT */
/*
 * The scratch of a group of loops, in reals.
 */
#ifndef TD_KERNEL_LOOP_LAYOUT_H
#define TD_KERNEL_LOOP_LAYOUT_H

#include "kernel/layout.h"
#include "model/loops.h"

enum { TD_LOOP_ANGLES = 8 }; /* sines are computed for so many angles at a time */

typedef struct td_loop_layout {
    size_t angle, sine, cosine;         /* bodies, rounded up to whole vectors */
    size_t pose, motion;                /* bodies × 12; bodies × 6 */
    size_t wrench, wrench_rate;         /* rows × 6 */
    size_t phi, column;                 /* rows */
    size_t dependent, dependent_rate;   /* dependents × rows; the first becomes Q */
    size_t independent;                 /* independents × rows */
    size_t R, rotation;                 /* dependents² */
    size_t W, W_rate;                   /* dependents × independents */
    size_t step, tangent, ahead, moved; /* dependents */
    size_t from, best;                  /* positions of the dependents, see td_loop_group */
    size_t dy;                          /* independents */
    size_t frame;                       /* dependents × rows */
    size_t least;                       /* 1 */
    size_t reals;
} td_loop_layout;

/* the layout of a group that is followed, or kept for φ and K alone */
static inline td_loop_layout td_loop_layout_of(const td_loop_group *g)
{
    size_t b = (size_t)g->bodies, m = (size_t)g->rows;
    size_t x = (size_t)g->dependents, y = (size_t)g->independents;
    size_t angles = (b + TD_LOOP_ANGLES - 1) / TD_LOOP_ANGLES * TD_LOOP_ANGLES;
    size_t positions = x + (size_t)(TD_FLOATING_POSITIONS * g->floatings);
    td_loop_layout l = {0};
    l.angle = td_layout_piece(&l.reals, angles);
    l.sine = td_layout_piece(&l.reals, angles);
    l.cosine = td_layout_piece(&l.reals, angles);
    l.pose = td_layout_piece(&l.reals, 12 * b);
    l.motion = td_layout_piece(&l.reals, 6 * b);
    l.wrench = td_layout_piece(&l.reals, 6 * m);
    l.wrench_rate = td_layout_piece(&l.reals, 6 * m);
    l.phi = td_layout_piece(&l.reals, m);
    l.column = td_layout_piece(&l.reals, m > x ? m : x);
    l.dependent = td_layout_piece(&l.reals, m * x);
    l.dependent_rate = td_layout_piece(&l.reals, m * x);
    l.independent = td_layout_piece(&l.reals, m * y);
    l.R = td_layout_piece(&l.reals, x * x);
    l.rotation = td_layout_piece(&l.reals, x * x);
    l.W = td_layout_piece(&l.reals, x * y);
    l.W_rate = td_layout_piece(&l.reals, x * y);
    l.step = td_layout_piece(&l.reals, x);
    l.tangent = td_layout_piece(&l.reals, x);
    l.ahead = td_layout_piece(&l.reals, x);
    l.moved = td_layout_piece(&l.reals, x);
    l.from = td_layout_piece(&l.reals, positions);
    l.best = td_layout_piece(&l.reals, positions);
    l.dy = td_layout_piece(&l.reals, y);
    l.frame = td_layout_piece(&l.reals, m * x);
    l.least = td_layout_piece(&l.reals, 1);
    return l;
}

/* the layout of a group that a function of the user's decides: x, W and Ẇ in reals, then doubles of
   one lane: y, ẏ, x, W and Ẇ. A real is at least as large as a double. */
static inline td_loop_layout td_function_layout_of(const td_loop_group *g)
{
    size_t x = (size_t)g->dependents, y = (size_t)g->independents;
    td_loop_layout l = {0};
    l.step = td_layout_piece(&l.reals, x);
    l.W = td_layout_piece(&l.reals, x * y);
    l.W_rate = td_layout_piece(&l.reals, x * y);
    l.dy = td_layout_piece(&l.reals, 2 * y + x + 2 * x * y);
    return l;
}

static inline size_t td_loop_reals(const td_loop_group *g)
{
    return g->function ? td_function_layout_of(g).reals : td_loop_layout_of(g).reals;
}

#endif
