/* SPDX-License-Identifier: MIT */
/*
 * Mesh files that a URDF names, found by mesh_place.h, with the files that they name themselves:
 * materials of OBJ files, buffers of glTF files, and pictures.
 */
#ifndef TOOL_MESH_FILE_H
#define TOOL_MESH_FILE_H

#include <cjson/cJSON.h>
#include <stddef.h>

#include "meshes/mesh_place.h"

typedef struct mesh_file {
    const char *type;     /* "stl", "obj", "dae", "glb" or "gltf"; NULL: none, by its name */
    unsigned char *bytes; /* with a NUL behind them; NULL where it is left out */
    size_t size;
    char *why;        /* it is left out, else NULL */
    mesh_place place; /* of it */
} mesh_file;

/* The file of that name, as the URDF has it: where it is, or why it is left out. */
mesh_file mesh_file_find(const mesh_places *places, const char *name);
/* Reads the bytes, or sets the reason why the file is left out, unless it is set already. */
void mesh_file_fill(mesh_file *file);
/* Both. */
mesh_file mesh_file_read(const mesh_places *places, const char *name);
void mesh_file_free(mesh_file *file);

/* Returns {"type", "base64", "gzip": true if compressed, "files": {name: base64}} of a file that
   was read. "files" has the files that it names, if any. */
cJSON *mesh_file_json(const mesh_file *file);

#endif
