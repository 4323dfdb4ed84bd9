/* SPDX-License-Identifier: MIT */
/*
 * One state of a robot, given by names on the command line.
 */
#ifndef TOOL_STATE_H
#define TOOL_STATE_H

#include <stdbool.h>

#include "input/coordinates.h"
#include "options.h"

/* Starts neutral and at rest. */
typedef struct robot_state {
    double *value[QUANTITY_COUNT]; /* tau: for results */
    bool *given[QUANTITY_COUNT];   /* for each entry, whether an assignment says it */
} robot_state;

robot_state state_new(const coordinates *c);
void state_free(robot_state *s);

/* Fills the state with the file and the assignments of the options. Returns the exit code: with a
   message EXIT_FILE where the file is wrong, EXIT_USAGE where an assignment is. Quaternions are
   made of unit length. tree_hint: see coordinates_explain. */
int state_read(robot_state *s, const coordinates *c, const tool_options *options, bool tree_hint);

#endif
