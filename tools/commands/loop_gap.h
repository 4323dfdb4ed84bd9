/* SPDX-License-Identifier: MIT */
/*
 * Computes how far a loop is from being closed, using only the frames of its two sides. It also
 * checks that axes point the same way. The constraints φ of the library (sines) do not distinguish
 * opposite directions.
 */
#ifndef TOOL_LOOP_GAP_H
#define TOOL_LOOP_GAP_H

#include "tandem/tandem.h"

/* Returns the largest violation: offsets relative to size (m), and differences of unit vectors.
   predecessor and successor: poses (3 × 4) of the two links. */
double loop_gap(const td_loop *loop, const double *predecessor, const double *successor,
                double size);

#endif
