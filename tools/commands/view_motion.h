/* SPDX-License-Identifier: MIT */
/*
 * The table of motion that tandem view writes into a page.
 */
#ifndef TOOL_VIEW_MOTION_H
#define TOOL_VIEW_MOTION_H

#include "tandem/tandem.h"

/* The table of that file ("-" is standard input; an array with names by its suffix .npy) as the
   page reads it: CSV with commas, t in s, q:JOINT, qd:JOINT and qdd:JOINT in SI units and radians,
   other columns as they are. A new string; NULL, with a message, where it is none for this robot.
 */
char *view_motion_text(const td_model *model, const char *path);

#endif
