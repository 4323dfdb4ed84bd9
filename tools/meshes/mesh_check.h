/* SPDX-License-Identifier: MIT */
/*
 * Checks a robot's mesh files for missing files (a note), and for centers of mass far outside of
 * the meshes and inertias too large for them (warnings). Only the commands that diagnose robots
 * read meshes; the library does not.
 */
#ifndef TOOL_MESH_CHECK_H
#define TOOL_MESH_CHECK_H

#include "meshes/mesh_file.h"
#include "tandem/tandem.h"

/* Adds diagnostics to the list. Does nothing if the robot was not read from a file. Reads at most a
   thousand different meshes. Returns false if memory is short. */
bool mesh_check(const td_model *model, const td_file_search *places, td_diagnostics *list);

#endif
