/* SPDX-License-Identifier: MIT */
/*
 * Evaluates γ over the range of one independent coordinate, with the others fixed.
 */
#ifndef TOOL_CLOSURE_SWEEP_H
#define TOOL_CLOSURE_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "input/coordinates.h"
#include "input/session.h"

typedef struct sweep_end {
    double at;              /* NaN: default, by the limits or a full turn */
    const value_unit *unit; /* its unit; NULL: SI units and radians */
} sweep_end;

typedef struct sweep_options {
    const char *joint; /* the coordinate's name; NULL: no sweep */
    sweep_end start, end;
    size_t steps; /* number of steps, one less than rows; 0: SWEEP_STEPS */
} sweep_options;

enum { SWEEP_STEPS = 100, SWEEP_MOST_STEPS = 1000000 };

/* Prints a table of γ at y, with the coordinate from one end to the other, in CSV or JSON. Follows
   the branch in both directions from y, so that rows are on the branch of y. Returns EXIT_NEGATIVE
   if some row cannot be assembled. */
int closure_sweep(const session *s, const coordinates *independent, const double *y,
                  const sweep_options *options, const tool_options *common);

#endif
