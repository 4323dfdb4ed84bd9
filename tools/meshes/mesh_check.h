/* SPDX-License-Identifier: MIT */
/*
 * Checks of a robot's mesh files: missing files (a note) and centers of mass far outside of the
 * meshes of their link (a warning). The library does not read files that a robot names; only the
 * commands that diagnose robots do.
 */
#ifndef TOOL_MESH_CHECK_H
#define TOOL_MESH_CHECK_H

#include "meshes/mesh_file.h"
#include "tandem/tandem.h"

/* Adds to the list. Nothing is looked at where the robot is not read from a file, and no more than
   a thousand different meshes. False without memory. */
bool mesh_check(const td_model *model, const mesh_places *places, td_diagnostics *list);

#endif
