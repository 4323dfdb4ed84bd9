/* SPDX-License-Identifier: MIT */
/*
 * The meshes of a robot in the data of its page.
 */
#ifndef TOOL_VIEW_MESHES_H
#define TOOL_VIEW_MESHES_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "input/session.h"

/* Adds "meshes" (empty if none is true) and "left_out" to the data, each file once. Prints a
   message and returns false if the page (NULL: a new file) would overwrite a mesh, or if the meshes
   are more than a browser can open. */
bool view_add_meshes(cJSON *data, const session *s, const tool_options *options, bool none,
                     const char *output);

#endif
