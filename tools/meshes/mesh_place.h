/* SPDX-License-Identifier: MIT */
/*
 * Finds the mesh files that a URDF names, in folders that the user named or that contain the robot.
 * An untrusted URDF must not give access to other files of the machine. A mesh must therefore be
 * within the searched folder after resolution of symbolic links (docs/view.md).
 */
#ifndef TOOL_MESH_PLACE_H
#define TOOL_MESH_PLACE_H

#include <stddef.h>

/* A folder from --package NAME=DIR. NAME may be empty, as in package:///meshes/a.stl. */
typedef struct mesh_package {
    const char *name; /* does not end with NUL; see name_length */
    size_t name_length;
    const char *folder;
} mesh_package;

typedef struct mesh_places {
    const char *robot; /* file of the URDF; NULL for standard input */
    const mesh_package *package;
    size_t packages;
    const char *const *root; /* --mesh-root DIR */
    size_t roots;
} mesh_places;

/* A file and the folder in which it was found: real paths, in new strings. */
typedef struct mesh_place {
    char *path;   /* NULL if not found */
    char *folder; /* NULL if not found */
    char *why;    /* reason if not found, in a new string; otherwise NULL */
} mesh_place;

/* Finds a file by its name in the URDF. Searches in this order: for package://NAME/REST the folders
   of --package NAME, for other names the folder of the URDF; its parent folders (NAME/REST in each,
   then REST); ROS_PACKAGE_PATH and AMENT_PREFIX_PATH; --mesh-root. Accepts absolute paths and file:
   only within the folder of the URDF or a folder that the user named. */
mesh_place mesh_place_find(const mesh_places *places, const char *name);

/* Finds a file that a mesh names, such as a texture: relative to the mesh or in the same folder,
   and within the folder that was searched for the mesh. Returns a new string, or NULL. */
char *mesh_place_beside(const mesh_place *mesh, const char *name);

void mesh_place_free(mesh_place *place);

#endif
