/* SPDX-License-Identifier: MIT */
/*
 * What forbids idle motions (load/tree/idle.c), and whether that is all of them, as can mostly be
 * told body by body (load/tree/resting.c).
 */
#ifndef TD_IDLE_H
#define TD_IDLE_H

#include "base/arena.h"
#include "model/tree.h"

/* turn · ω + slide · v = 0 at a point of a body; ω, and v at the world's origin */
typedef struct td_idle_row {
    int body;
    double turn[3], slide[3], point[3];
} td_idle_row;

/* What the left side is for a motion: ω and v, of which entries are that far from each other. */
static inline double td_idle_entry(const td_idle_row *row, const double *motion, size_t stride)
{
    const double *w = motion, *v = w + 3 * stride;
    double sum = 0;
    for (size_t a = 0; a < 3; a++) {
        const size_t x = (a + 1) % 3, y = (a + 2) % 3;
        sum += row->turn[a] * w[a * stride] +
               row->slide[a] *
                   (v[a * stride] + w[x * stride] * row->point[y] - w[y * stride] * row->point[x]);
    }
    return sum;
}

/* What keeps bodies at rest. */
typedef struct td_idle_rows {
    const td_tree *tree;
    const bool *solid; /* per body */
    const double *J;   /* 6 × nv: the joints' motions */
    const td_idle_row *row;
    size_t rows;
    double size; /* of the robot */
} td_idle_rows;

/* *rest: whether no body can move under rows, which is shown body by body; there may be no idle
   motion where it is not. O(bodies). False without memory. */
bool td_bodies_rest(const td_idle_rows *under, td_arena *temporary, bool *rest);

#endif
