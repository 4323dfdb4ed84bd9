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

/* Add a file. Paths must remain valid as long as the list. NULL and "-" (standard input or output)
   are ignored. */
void file_use_read(file_use *use, const char *path);
void file_use_write(file_use *use, const char *path);
void file_use_free(file_use *use);

/* Returns true if no written file is also read. Otherwise prints a message and returns false. */
bool file_use_check(const file_use *use);

/* Returns the suffix of a file's name, such as ".csv", or "". A leading point starts no suffix. */
const char *path_suffix(const char *path);

#endif
