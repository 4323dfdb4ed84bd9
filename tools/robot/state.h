/* SPDX-License-Identifier: MIT */
/*
 * One state of a robot, given by names on the command line.
 */
#ifndef TOOL_STATE_H
#define TOOL_STATE_H

#include <stdbool.h>

#include "options.h"
#include "robot/coordinates.h"

/* Starts neutral and at rest. */
typedef struct robot_state {
    double *value[QUANTITY_COUNT]; /* tau: for results */
    bool *given[QUANTITY_COUNT];   /* for each entry, whether an assignment says it */
} robot_state;

robot_state state_new(const coordinates *c);
void state_free(robot_state *s);

/* Fills the state with the assignments of the options; false, with a message, where one is wrong.
   Quaternions are made of unit length. tree_hint: see coordinates_explain. */
bool state_read(robot_state *s, const coordinates *c, const tool_options *options, bool tree_hint);

#endif
