/* SPDX-License-Identifier: MIT */
/*
 * Reads whole files, up to a cap.
 */
#ifndef TD_FILE_H
#define TD_FILE_H

#include "base/diagnostic.h"

typedef struct td_file {
    char *text; /* callers free it in all cases */
    size_t size;
    const char *name; /* for diagnostics */
} td_file;

/* Reads a file, or standard input for "-". Stops as soon as the text is longer than the cap, so
   file->size exceeds the cap then. Returns TD_ERROR_IO after a report, or TD_ERROR_MEMORY. */
td_status td_file_read(const char *path, size_t cap, td_diagnostics *diagnostics, td_file *file);

#endif
