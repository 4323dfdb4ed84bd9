/* SPDX-License-Identifier: MIT */
/*
 * Reads whole files.
 */
#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a stream up to its end, or until it exceeds the cap. TD_ERROR_IO keeps errno. */
static td_status read_stream(FILE *stream, size_t cap, td_file *file)
{
    size_t capacity = 0;
    while (file->size <= cap) {
        if (file->size == capacity) {
            size_t larger = capacity ? 2 * capacity : 64 * 1024;
            char *text = larger > capacity ? realloc(file->text, larger) : NULL;
            if (!text)
                return TD_ERROR_MEMORY;
            file->text = text;
            capacity = larger;
        }
        size_t got = fread(file->text + file->size, 1, capacity - file->size, stream);
        file->size += got;
        if (got == 0)
            return ferror(stream) ? TD_ERROR_IO : TD_OK;
    }
    return TD_OK;
}

static td_status unreadable(td_diagnostics *diagnostics, const char *name)
{
    td_report(diagnostics, TD_CODE_FILE_UNREADABLE, (td_source){name, 0, 0, NULL}, NULL,
              "the file cannot be read: %s", strerror(errno));
    return TD_ERROR_IO;
}

td_status td_file_read(const char *path, size_t cap, td_diagnostics *diagnostics, td_file *file)
{
    bool standard = strcmp(path, "-") == 0;
    *file = (td_file){.name = standard ? "<stdin>" : path};
    FILE *stream = standard ? stdin : fopen(path, "rb");
    if (!stream)
        return errno == ENOMEM ? TD_ERROR_MEMORY : unreadable(diagnostics, file->name);
    td_status status = read_stream(stream, cap, file);
    if (status == TD_ERROR_IO)
        unreadable(diagnostics, file->name);
    if (!standard)
        fclose(stream);
    return status;
}
