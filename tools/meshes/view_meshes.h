/* SPDX-License-Identifier: MIT */
/*
 * Adds the meshes of a robot to the data of its page.
 */
#ifndef TOOL_VIEW_MESHES_H
#define TOOL_VIEW_MESHES_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "input/session.h"

/* Adds "meshes" (empty if none is true) and "left_out" to the data, each file once. Prints a
   message and returns false if the page (output; NULL: a new file) would overwrite a mesh, or if
   the meshes are too large for a browser. */
bool view_add_meshes(cJSON *data, const session *s, const tool_options *options, bool none,
                     const char *output);

#endif
