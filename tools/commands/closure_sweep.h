/* SPDX-License-Identifier: MIT */
/*
 * γ over the range of one independent coordinate, the others standing still.
 */
#ifndef TOOL_CLOSURE_SWEEP_H
#define TOOL_CLOSURE_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "input/coordinates.h"
#include "input/session.h"

typedef struct sweep_end {
    double at;              /* NaN: by the limits, or a whole turn */
    const value_unit *unit; /* in which it is given; NULL: SI units and radians */
} sweep_end;

typedef struct sweep_options {
    const char *joint; /* the coordinate's name; NULL: no sweep */
    sweep_end start, end;
    size_t steps; /* between from and to: one row more; 0: SWEEP_STEPS */
} sweep_options;

enum { SWEEP_STEPS = 100, SWEEP_MOST_STEPS = 1000000 };

/* Prints a table of γ at y with the coordinate from one end to the other, in CSV or JSON. The
   branch is followed from the coordinate's value in y both ways, so rows are on the branch of y.
   EXIT_NEGATIVE where some row cannot be assembled. */
int closure_sweep(const session *s, const coordinates *independent, const double *y,
                  const sweep_options *options, const tool_options *common);

#endif
