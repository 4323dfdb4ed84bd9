/* SPDX-License-Identifier: MIT */
/*
 * Finds the mesh files that a URDF names, and the files that these name (docs/view.md).
 */
#ifndef TOOL_MESH_PLACE_H
#define TOOL_MESH_PLACE_H

#include "tandem/urdf.h"

/* A file and the folder in which it was found: real paths, in new strings. */
typedef struct mesh_place {
    char *path;   /* NULL if not found */
    char *folder; /* NULL if not found */
    char *why;    /* reason if not found, in a new string; otherwise NULL */
} mesh_place;

/* Finds a file by its name in the URDF (td_find_file). */
mesh_place mesh_place_find(const td_file_search *places, const char *name);

/* Finds a file that a mesh names, such as a texture: relative to the mesh or in the same folder,
   and within the folder that was searched for the mesh. Returns a new string, or NULL. */
char *mesh_place_beside(const mesh_place *mesh, const char *name);

void mesh_place_free(mesh_place *place);

#endif
