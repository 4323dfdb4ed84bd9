/* SPDX-License-Identifier: MIT */
/*
 * What the mesh files of a robot tell of it: that they are not there (a note), and that a centre of
 * mass is far outside of its link's meshes (a warning). The library reads no files that a robot
 * names; the commands that say what is wrong with a robot do.
 */
#ifndef TOOL_MESH_CHECK_H
#define TOOL_MESH_CHECK_H

#include "robot/mesh_file.h"
#include "tandem/tandem.h"

/* Adds to the list. Nothing is looked at where the robot is not read from a file, and no more than
   a thousand different meshes. False without memory. */
bool mesh_check(const td_model *model, const mesh_places *places, td_diagnostics *list);

#endif
