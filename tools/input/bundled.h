/* SPDX-License-Identifier: MIT */
/*
 * Recognizes words that name a robot: a model file, or a robot that comes with tandem, such as
 * tandem:gripper (urdf/bundled.h).
 */
#ifndef TOOL_BUNDLED_H
#define TOOL_BUNDLED_H

#include <stdbool.h>

#include "../urdf/bundled.h"

/* Returns whether a word names a robot and not a table: "robot.urdf", "robot.xml",
   "tandem:gripper". */
bool names_robot(const char *word);

/* Reports, for a file that does not exist, whether a robot with its name comes with tandem. */
void bundled_hint(const char *file);

#endif
