/* SPDX-License-Identifier: MIT */
/*
 * Random configurations of a robot, and which coordinates the library is asked for.
 */
#ifndef TOOL_RANDOM_STATE_H
#define TOOL_RANDOM_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "tandem/tandem.h"

static inline td_coordinates coordinates_for(bool tree)
{
    return tree ? TD_COORDINATES_TREE : TD_COORDINATES_INDEPENDENT;
}

/* Writes a random configuration, y or q of the tree, to x. Where loops cannot be closed at y, one
   nearer to the configuration in which they were assembled. */
void random_state(bool tree, const td_model *model, td_workspace *workspace, uint64_t *seed,
                  double *x);

#endif
