/* SPDX-License-Identifier: MIT */
/*
 * The meshes of a robot in the data of its page.
 */
#ifndef TOOL_VIEW_MESHES_H
#define TOOL_VIEW_MESHES_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "robot/session.h"

/* Adds "meshes", none of them where that is wished, and "left_out" to the data: a file once,
   however often and by whatever names it is named. False, with a message, where the page (NULL: a
   new file) would be written over one of them, or they are more than a browser can open. */
bool view_add_meshes(cJSON *data, const session *s, const tool_options *options, bool none,
                     const char *output);

#endif
