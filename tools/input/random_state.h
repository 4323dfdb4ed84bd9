/* SPDX-License-Identifier: MIT */
/*
 * Draws random configurations of a robot.
 */
#ifndef TOOL_RANDOM_STATE_H
#define TOOL_RANDOM_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/coordinates.h"
#include "tandem/tandem.h"

/* Writes a random configuration to x: q if tree is true, otherwise y. If the loops cannot be closed
   there, moves y toward the reference configuration by repeated halving. */
void random_state(bool tree, const td_model *model, td_workspace *workspace, uint64_t *seed,
                  double *x);

#endif
