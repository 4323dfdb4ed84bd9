/* SPDX-License-Identifier: MIT */
/*
 * The text of a whole file.
 */
#ifndef TOOL_FILE_TEXT_H
#define TOOL_FILE_TEXT_H

#include <stddef.h>

/* All bytes of a file, and a NUL behind them, in a new string; *size (may be NULL) becomes their
   number. NULL, with a message, where it cannot be read, or is larger than that many MiB (0: any
   size). */
char *file_text(const char *path, size_t most, size_t *size);

#endif
