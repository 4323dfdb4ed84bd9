/* SPDX-License-Identifier: MIT */
/*
 * Reads mesh files that a URDF names, which mesh_place.h finds. Includes the files that meshes
 * name: materials of OBJ files, buffers of glTF files, and pictures.
 */
#ifndef TOOL_MESH_FILE_H
#define TOOL_MESH_FILE_H

#include <cjson/cJSON.h>
#include <stddef.h>

#include "meshes/mesh_place.h"

typedef struct mesh_file {
    const char *type;     /* "stl", "obj", "dae", "glb" or "gltf"; NULL if the suffix is unknown */
    unsigned char *bytes; /* followed by a NUL; NULL if the file is omitted */
    size_t size;
    char *why;        /* reason if the file is omitted, otherwise NULL */
    mesh_place place; /* where the file is */
} mesh_file;

/* Finds a file by its name in the URDF. Sets its place, or why it is omitted. */
mesh_file mesh_file_find(const td_file_search *places, const char *name);
/* Reads the bytes, or sets why the file is omitted. Does nothing if that is set already. */
void mesh_file_fill(mesh_file *file);
/* Finds and reads a file. */
mesh_file mesh_file_read(const td_file_search *places, const char *name);
void mesh_file_free(mesh_file *file);

/* Returns {"type", "base64", "gzip": true if compressed, "files": {name: base64}} for a file that
   was read. "files" contains the files that it names, if any. */
cJSON *mesh_file_json(const mesh_file *file);

#endif
