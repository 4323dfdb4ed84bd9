/* SPDX-License-Identifier: MIT */
/*
 * Finds the mesh files that a URDF names, in folders that the user named or that contain the robot.
 * A file from a stranger must not give access to other files of the machine: a file is accepted
 * only within the searched folder, after resolving symbolic links (docs/view.md).
 */
#ifndef TOOL_MESH_PLACE_H
#define TOOL_MESH_PLACE_H

#include <stddef.h>

/* --package NAME=DIR; NAME may be empty, as in package:///meshes/a.stl */
typedef struct mesh_package {
    const char *name; /* not ended by NUL: name_length */
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

/* A file, and the folder that it was searched in; both real paths, to be freed. */
typedef struct mesh_place {
    char *path;   /* NULL if it was not found */
    char *folder; /* likewise */
    char *why;    /* the reason if it was not found, to be freed; else NULL */
} mesh_place;

/* The file of that name, as the URDF has it. In this order: of package://NAME/REST the folders of
   --package NAME, of any other name the folder of the URDF; the folders that hold that (of each
   NAME/REST, then REST); ROS_PACKAGE_PATH and AMENT_PREFIX_PATH; --mesh-root. Absolute paths and
   file: are read where they lie in the URDF's folder or one that the user has named. */
mesh_place mesh_place_find(const mesh_places *places, const char *name);

/* Finds a file that a mesh names, such as a texture: relative to the mesh or in the same folder,
   and within the folder that was searched for the mesh. Returns a new string, or NULL. */
char *mesh_place_beside(const mesh_place *mesh, const char *name);

void mesh_place_free(mesh_place *place);

#endif
