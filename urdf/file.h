/* SPDX-License-Identifier: MIT */
/*
 * Files as a whole, up to a cap.
 */
#ifndef TD_FILE_H
#define TD_FILE_H

#include "base/diagnostic.h"

typedef struct td_file {
    char *text; /* to be freed, in all cases */
    size_t size;
    const char *name; /* for diagnostics */
} td_file;

/* Reads the file, or standard input for "-": all of it, or as soon as it is longer one part that
   is longer than the cap. TD_ERROR_IO after a report, TD_ERROR_MEMORY. */
td_status td_file_read(const char *path, size_t cap, td_diagnostics *diagnostics, td_file *file);

#endif
