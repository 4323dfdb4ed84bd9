/* SPDX-License-Identifier: MIT */
/*
 * Reads one state of a robot from the command line.
 */
#ifndef TOOL_STATE_H
#define TOOL_STATE_H

#include <stdbool.h>

#include "input/coordinates.h"
#include "options.h"

/* A state. Its default is the reference configuration at rest. */
typedef struct robot_state {
    double *value[QUANTITY_COUNT]; /* tau is for results */
    bool *given[QUANTITY_COUNT];   /* for each entry, whether an assignment sets it */
} robot_state;

robot_state state_new(const coordinates *c);
void state_free(robot_state *s);

/* Fills the state with the file and the assignments of the options. Normalizes quaternions. Returns
   the exit code; after a message, EXIT_FILE for a fault of the file, or EXIT_USAGE for a fault of
   an assignment. tree_hint: see coordinates_explain. */
int state_read(robot_state *s, const coordinates *c, const tool_options *options, bool tree_hint);

#endif
