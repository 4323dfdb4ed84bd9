/* SPDX-License-Identifier: MIT */
/*
 * Column names that are paths, as PlotJuggler, rosbag and others write them, with a joint next to
 * its quantity: "/joint_states/elbow/position", "joint_states.velocity.elbow".
 */
#ifndef TOOL_COLUMN_PATH_H
#define TOOL_COLUMN_PATH_H

#include <stdbool.h>

#include "options.h"

/* Calls the function with names at the end of the path, longest first, and their quantity, until it
   returns true. Returns whether it did. Text is a copy that ends with the name. */
bool column_path_find(const char *path,
                      bool (*try)(void *context, enum quantity quantity, const char *name),
                      void *context);

/* Whether a path ends with a number in brackets or behind a word, "position[2]", which says nothing
   of a joint. */
bool column_path_is_numbered(const char *path);

#endif
