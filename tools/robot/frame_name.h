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
/* Reads a name; returns false if it is none. */
bool frame_find(const char *name, td_frame *frame);

#endif
