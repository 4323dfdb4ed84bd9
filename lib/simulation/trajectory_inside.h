/* SPDX-License-Identifier: MIT */
/*
 * Internals of trajectories: pieces that are polynomials in the time since their beginning, or a
 * cycloid.
 */
#ifndef TD_TRAJECTORY_INSIDE_H
#define TD_TRAJECTORY_INSIDE_H

#include "base/dense.h"
#include "base/stack.h"
#include "tandem/trajectory.h"

/* Four numbers on the great circle a cos φ + b sin φ. The first number's coefficients are the
   angle's, φ. a and b are orthogonal unit vectors. */
typedef struct td_arc {
    size_t at; /* the first of the numbers */
    double a[4], b[4];
} td_arc;

struct td_trajectory {
    size_t n, pieces, degree;
    td_stack stack;
    double *begin;       /* pieces + 1 times; the last is the end */
    double *coefficient; /* pieces × n × (degree + 1), ascending powers */
    bool cycloid;        /* one piece, whose two coefficients are the start and the displacement */
    bool straight;       /* moves on a straight line */
    td_arc *arc;         /* ascending; NULL without arcs */
    size_t arcs;
};

/* Allocates a trajectory of zeros. Returns NULL if memory is exhausted. */
td_trajectory *td_trajectory_new(size_t n, size_t pieces, size_t degree);

/* Returns the coefficients of coordinate j in a piece. */
static inline double *td_piece(const td_trajectory *t, size_t piece, size_t j)
{
    return t->coefficient + (piece * t->n + j) * (t->degree + 1);
}

/* Returns the last interval from low to high − 1 that begins at or before t. */
size_t td_interval_at(size_t low, size_t high, const double *begin, double t);

#endif
