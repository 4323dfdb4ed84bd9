/* SPDX-License-Identifier: MIT */
/*
 * Rows that forbid massless motions (load/tree/idle.c), and a fast test, body by body, for whether
 * they forbid all of them (load/tree/resting.c).
 */
#ifndef TD_IDLE_H
#define TD_IDLE_H

#include "base/arena.h"
#include "model/model.h"
#include "tandem/workspace.h"

/* turn · ω + slide · v = 0 at a point of a body; (ω, v): its spatial velocity at the world's
   origin */
typedef struct td_idle_row {
    int body;
    double turn[3], slide[3], point[3];
} td_idle_row;

/* Returns the left side of a row for a motion (ω, v), whose elements are `stride` apart. */
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

/* A robot and the rows that lock bodies, with the joints' motions. */
typedef struct td_idle_rows {
    const td_tree *tree;
    const bool *solid; /* per body */
    const double *J;   /* 6 × nv: the joints' motions */
    const td_idle_row *row;
    size_t rows;
    double size; /* of the robot */
} td_idle_rows;

/* Sets *rest if it can show, body by body, that no body can move under the rows. If it is false
   there may still be no massless motion. O(bodies). Returns false if memory runs out. */
bool td_bodies_rest(const td_idle_rows *under, td_arena *temporary, bool *rest);

/* Computes q = γ(y) for a random y away from the reference, closer to it if loops do not close.
   Sets *away; if it is false, q is the reference (load/tree/spins.c). Returns false if memory runs
   out. */
bool td_close_somewhere(const td_model *model, td_workspace *workspace, td_arena *temporary,
                        unsigned *seed, double *q, bool *away);

#endif
