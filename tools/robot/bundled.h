/* SPDX-License-Identifier: MIT */
/*
 * The robots that come with tandem: where they are, and FILEs that name one of them,
 * tandem:gripper.
 */
#ifndef TOOL_BUNDLED_H
#define TOOL_BUNDLED_H

#include <stdbool.h>
#include <stddef.h>

/* What stands before the name of such a robot in place of a folder. */
#define BUNDLED "tandem:"

/* The folder: $TANDEM_ROBOTS, or share/tandem/robots beside the bin/ that this program is in, or
   where it is installed; in a new string. */
char *bundled_folder(void);

/* The robot's path in a new string, by its name with or without .urdf; NULL where there is none. */
char *bundled_path(const char *name);

/* Their names without .urdf, sorted, each in a new string as the list is; NULL and 0 for none. */
char **bundled_names(size_t *count);
void bundled_names_free(char **names, size_t count);

/* A FILE as it is opened: file itself, or the path of the robot that tandem:NAME means, which lasts
   as long as the program. NULL, and says why, where there is no such robot. */
const char *bundled_file(const char *file);

/* Whether a word names a robot and no table: "robot.urdf", "robot.xml", "tandem:gripper". */
bool names_robot(const char *word);

/* Says where a robot of the name of this file, which does not exist, is, if one comes with tandem.
 */
void bundled_hint(const char *file);

#endif
