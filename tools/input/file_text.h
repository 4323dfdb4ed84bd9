/* SPDX-License-Identifier: MIT */
/*
 * Reads the text of a whole file.
 */
#ifndef TOOL_FILE_TEXT_H
#define TOOL_FILE_TEXT_H

#include <stddef.h>

/* Returns the bytes of a file and a NUL in a new string. *size (may be NULL) receives their number
   without the NUL. Prints a message and returns NULL if the file cannot be read or is larger than
   most MiB (0: no limit). */
char *file_text(const char *path, size_t most, size_t *size);

#endif
