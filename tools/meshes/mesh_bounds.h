/* SPDX-License-Identifier: MIT */
/*
 * The box of a mesh, from the bytes of a file: STL, binary or text, and OBJ. The bytes are taken as
 * hostile: nothing is read past their end, and the time is linear in their number.
 */
#ifndef TOOL_MESH_BOUNDS_H
#define TOOL_MESH_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>

/* type: "stl" or "obj". The byte behind the last one is NUL. False where there is no vertex, a
   number is not finite, or a binary file is shorter than its triangles: low and high mean nothing
   then. Vertices without three numbers are left out. */
bool mesh_bounds(const char *type, const unsigned char *bytes, size_t size, double low[3],
                 double high[3]);

#endif
