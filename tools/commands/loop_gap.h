/* SPDX-License-Identifier: MIT */
/*
 * How far a loop is from closed, by the frames of its two sides alone: the axis that stays free, or
 * all three, must point the same way on both, which the constraints φ of the library (sines) do not
 * tell from the opposite way.
 */
#ifndef TOOL_LOOP_GAP_H
#define TOOL_LOOP_GAP_H

#include "tandem/tandem.h"

/* The largest of what the loop holds: offsets as parts of size (m), differences of directions of
   length 1. predecessor and successor: poses (3 × 4) of the two links. */
double loop_gap(const td_loop *loop, const double *predecessor, const double *successor,
                double size);

#endif
