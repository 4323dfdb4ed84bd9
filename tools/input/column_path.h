/* SPDX-License-Identifier: MIT */
/*
 * Parses column names that are paths. PlotJuggler, rosbag and other programs write them, with a
 * joint next to its quantity: "/joint_states/elbow/position", "joint_states.velocity.elbow".
 */
#ifndef TOOL_COLUMN_PATH_H
#define TOOL_COLUMN_PATH_H

#include <stdbool.h>

#include "options.h"

/* Calls try with each name that may end the path, longest first, and its quantity, until try
   returns true. Returns whether it did. */
bool column_path_find(const char *path,
                      bool (*try)(void *context, enum quantity quantity, const char *name),
                      void *context);

/* Returns whether a path ends with a quantity and a number, such as "position[2]", which names no
   joint. */
bool column_path_is_numbered(const char *path);

#endif
