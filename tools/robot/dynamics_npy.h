/* SPDX-License-Identifier: MIT */
/*
 * Dynamics of an array of states in NumPy's format: what tandem id and tandem fd do with
 * STATES.npy.
 */
#ifndef TOOL_DYNAMICS_NPY_H
#define TOOL_DYNAMICS_NPY_H

#include "robot/dynamics_table.h"

/* Reads the array of options->states, a row a state: positions, velocities, and accelerations or
   forces, in the model's order, or records with the names that columns of a CSV table have. Writes
   the array of forces or accelerations to options->output. A state without a result is a row of
   NaN. Returns the exit code. */
int dynamics_npy(const session *s, const coordinates *c, const dynamics_options *options);

#endif
