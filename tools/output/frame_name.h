/* SPDX-License-Identifier: MIT */
/*
 * Names of the frames of spatial vectors, for --frame and --wrench.
 */
#ifndef TOOL_FRAME_NAME_H
#define TOOL_FRAME_NAME_H

#include <stdbool.h>

#include "tandem/tandem.h"

/* Returns "world", "body" or "aligned". */
const char *frame_name(td_frame frame);
/* Reads the name of a frame. Returns false if it is unknown. */
bool frame_find(const char *name, td_frame *frame);

#endif
