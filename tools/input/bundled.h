/* SPDX-License-Identifier: MIT */
/*
 * Words that name a robot; those that come with tandem are tandem:gripper (urdf/bundled.h).
 */
#ifndef TOOL_BUNDLED_H
#define TOOL_BUNDLED_H

#include <stdbool.h>

#include "../urdf/bundled.h"

/* Whether a word names a robot and no table: "robot.urdf", "robot.xml", "tandem:gripper". */
bool names_robot(const char *word);

/* Says where a robot of the name of this file, which does not exist, is, if one comes with tandem.
 */
void bundled_hint(const char *file);

#endif
