/* SPDX-License-Identifier: MIT */
/*
 * Random configurations of a robot.
 */
#ifndef TOOL_RANDOM_STATE_H
#define TOOL_RANDOM_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/coordinates.h"
#include "tandem/tandem.h"

/* Writes a random configuration, y or q of the tree, to x. Where loops cannot be closed at y, one
   nearer to the configuration in which they were assembled. */
void random_state(bool tree, const td_model *model, td_workspace *workspace, uint64_t *seed,
                  double *x);

#endif
