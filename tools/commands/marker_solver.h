/* SPDX-License-Identifier: MIT */
/*
 * Computes configurations from recorded points, row by row: each minimizes the sum of squared
 * distances between computed and recorded points. Points that are missing in a row are ignored.
 */
#ifndef TOOL_MARKER_SOLVER_H
#define TOOL_MARKER_SOLVER_H

#include "commands/ik_markers.h"
#include "input/session.h"

enum { KEPT_SOLVERS = 32 };

/* A solver for the set of points that are present in a row. search: with restarts. */
typedef struct marker_pattern {
    td_ik *ik;
    bool *seen;
    bool search;
} marker_pattern;

typedef struct marker_solver {
    const session *s;
    const marker_list *points;
    marker_pattern kept[KEPT_SOLVERS];
    size_t next;    /* index of the solver to replace */
    double *seed;   /* ny: the last solution, or where the search begins */
    double *y;      /* ny: the solution of this row */
    double *left;   /* 2 per point of this row: its distance (m), and a number without meaning */
    double *target; /* 3 per point of this row (m) */
    double *tried, *tried_left;
    double usual; /* running mean of residuals; 0: none yet */
} marker_solver;

/* Allocates a solver. seed: ny numbers, where the search begins. The points must not change. */
marker_solver marker_solver_new(const session *s, const marker_list *points, const double *seed);
void marker_solver_free(marker_solver *r);

/* Reads the points of a row. Sets their .seen, and returns how many are present. */
size_t marker_solver_read(marker_solver *r, const number_row *row);
/* Solves the row for its points (at least one), and computes the root mean square of distances (m).
   Starts at the previous row. Uses other starts for the first row, or if the residual is larger
   than usual. */
td_status marker_solver_solve(marker_solver *r, size_t seen, double *rms);

#endif
