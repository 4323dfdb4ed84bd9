/* SPDX-License-Identifier: MIT */
/*
 * Finds links, and points on links, by the names that users write.
 */
#ifndef TOOL_LINK_NAME_H
#define TOOL_LINK_NAME_H

#include <stdbool.h>

#include "tandem/tandem.h"

/* Return "no link 'tol'; did you mean 'tool'?", or the same for a joint or loop, in a new
   string. */
char *unknown_link(const td_model *model, const char *name);
char *unknown_joint(const td_model *model, const char *name);

/* Returns the index of a link. Without one prints a message, with a suggestion if possible, and
   returns -1. */
int find_link(const td_model *model, const char *name);

/* Finds the link that carries a point (m) of a link of the file, and writes the point in its
   coordinates to at. For a flexible link this is the piece of the beam at the point, as for joints.
   Otherwise, and if given is false, it is the named link. Returns −1 after a message. */
int find_link_point(const td_model *model, const char *name, bool given, const double point[3],
                    double at[3]);

/* Returns whether the named link is flexible. If so, the model's link of that name is its first
   piece. */
bool is_flexible(const td_model *model, const char *name);

#endif
