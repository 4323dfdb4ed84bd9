/* SPDX-License-Identifier: MIT */
/*
 * The files that a command is told to read and to write. Nothing that is read is written over,
 * whatever paths and links lead there; that is looked at before anything is computed.
 */
#ifndef TOOL_FILE_USE_H
#define TOOL_FILE_USE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct file_use {
    const char **read, **written;
    size_t reads, writes;
} file_use;

/* Paths live as long as the list; NULL is none, "-" is standard input, or of what is written
   standard output, which is no file here. */
void file_use_read(file_use *use, const char *path);
void file_use_write(file_use *use, const char *path);
void file_use_free(file_use *use);

/* Whether no file that is written is one that is read, with a message where one is. */
bool file_use_check(const file_use *use);

/* The ending of a file's name, ".csv", which starts no name; "" without one. */
const char *path_suffix(const char *path);

#endif
