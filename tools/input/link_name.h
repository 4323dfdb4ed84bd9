/* SPDX-License-Identifier: MIT */
/*
 * Links, and points of them, by the names that people write.
 */
#ifndef TOOL_LINK_NAME_H
#define TOOL_LINK_NAME_H

#include <stdbool.h>

#include "tandem/tandem.h"

/* Returns "no link 'tol'; did you mean 'tool'?" in a new string; the second also suggests loops. */
char *unknown_link(const td_model *model, const char *name);
char *unknown_joint(const td_model *model, const char *name);

/* Returns the index of a link. Prints a message, with a suggestion if possible, and returns -1. */
int find_link(const td_model *model, const char *name);

/* The link that a point (m) of a link of the file is on, and where in its coordinates: of a
   flexible link the piece at the point's place along the beam, as of joints; of all others, and
   where no point was given, the link of that name. −1 as above. */
int find_link_point(const td_model *model, const char *name, bool given, const double point[3],
                    double at[3]);

/* Whether the file says that the link of that name bends: what has that name then is its first
 * piece. */
bool is_flexible(const td_model *model, const char *name);

#endif
