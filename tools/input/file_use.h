/* SPDX-License-Identifier: MIT */
/*
 * The files that a command reads and writes. A command never overwrites a file that it reads,
 * whatever paths and links lead there. This is checked before anything is computed.
 */
#ifndef TOOL_FILE_USE_H
#define TOOL_FILE_USE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct file_use {
    const char **read, **written;
    size_t reads, writes;
} file_use;

/* Adds a file. Paths must live as long as the list. NULL and "-" (standard input or output) are
   ignored. */
void file_use_read(file_use *use, const char *path);
void file_use_write(file_use *use, const char *path);
void file_use_free(file_use *use);

/* Whether no file that is written is one that is read, with a message where one is. */
bool file_use_check(const file_use *use);

/* The ending of a file's name, ".csv", which starts no name; "" without one. */
const char *path_suffix(const char *path);

#endif
