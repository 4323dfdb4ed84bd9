/* SPDX-License-Identifier: MIT */
/*
 * Mesh files that a URDF names. They are read only from below the folder of the URDF and those that
 * the user gives for packages: a robot file from a stranger can make no other file of the machine
 * part of a page.
 */
#ifndef TOOL_MESH_FILE_H
#define TOOL_MESH_FILE_H

#include <stddef.h>

/* --package NAME=DIR */
typedef struct mesh_package {
    const char *name; /* not ended by NUL: name_length */
    size_t name_length;
    const char *folder;
} mesh_package;

typedef struct mesh_places {
    const char *robot; /* file of the URDF; NULL for standard input */
    const mesh_package *package;
    size_t packages;
} mesh_places;

typedef struct mesh_file {
    const char *type; /* "stl", "obj" or "dae" */
    char *base64;     /* its bytes; NULL where it is left out */
    char *why;        /* it is left out, else NULL */
    char *path;       /* where it is; NULL where that is nowhere */
} mesh_file;

/* The bytes of the file of that name, found as mesh_file_read does, with a NUL behind them; NULL
   with *why, and *type as above or NULL. *path is a new string, where the file is, or NULL. */
unsigned char *mesh_file_bytes(const mesh_places *places, const char *name, const char **type,
                               size_t *size, char **path, char **why);

/* The file of that name, as the URDF has it: relative to the URDF, or package://NAME/..., which is
   found in the folder of --package, and without one in NAME/ beside the URDF. */
mesh_file mesh_file_read(const mesh_places *places, const char *name);
void mesh_file_free(mesh_file *file);

#endif
