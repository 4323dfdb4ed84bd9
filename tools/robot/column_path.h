/* SPDX-License-Identifier: MIT */
/*
 * Names of columns that are paths, as PlotJuggler, rosbag and others write them: a joint and what
 * is measured of it, next to each other, "/joint_states/elbow/position",
 * "joint_states.velocity.elbow".
 */
#ifndef TOOL_COLUMN_PATH_H
#define TOOL_COLUMN_PATH_H

#include <stdbool.h>

#include "options.h"

/* Hands names that end the path to the function, the longest one first, with what is measured,
   until it returns true; whether it did. Text is a copy that ends where the name does. */
bool column_path_find(const char *path,
                      bool (*try)(void *context, enum quantity quantity, const char *name),
                      void *context);

/* Whether a path ends with a number in brackets or behind a word, "position[2]", which says nothing
   of a joint. */
bool column_path_is_numbered(const char *path);

#endif
