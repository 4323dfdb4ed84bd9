/* SPDX-License-Identifier: MIT */
/*
 * The frames of spatial vectors by name: --frame, and the frame of --wrench.
 */
#ifndef TOOL_FRAME_NAME_H
#define TOOL_FRAME_NAME_H

#include <stdbool.h>

#include "tandem/tandem.h"

/* "world", "body" or "aligned". */
const char *frame_name(td_frame frame);
/* Reads the name of a frame. Returns false if it is unknown. */
bool frame_find(const char *name, td_frame *frame);

#endif
