/* SPDX-License-Identifier: MIT */
/*
 * Computes the bounding box of a mesh from the bytes of a file: binary or text STL, or OBJ.
 * Malicious input is safe: the parser never reads past the end and takes linear time.
 */
#ifndef TOOL_MESH_BOUNDS_H
#define TOOL_MESH_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>

/* type: "stl" or "obj". A NUL must follow the last byte. Ignores vertices without three numbers.
   Returns false, with low and high undefined, if there is no vertex, a number is not finite, or a
   binary file is too short for its triangles. */
bool mesh_bounds(const char *type, const unsigned char *bytes, size_t size, double low[3],
                 double high[3]);

#endif
