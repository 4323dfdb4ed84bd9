/* SPDX-License-Identifier: MIT */
/*
 * Reads the text of a whole file; see file_text.h.
 */
#include "input/file_text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

char *file_text(const char *path, size_t most, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        complain("%s: %s", path, strerror(errno));
        return NULL;
    }
    char *text = NULL;
    size_t length = 0, room = 0;
    bool larger = false;
    do {
        room = 2 * room + (1 << 16);
        text = reallocate(text, room + 1, 1);
        length += fread(text + length, 1, room - length, file);
        larger = most > 0 && length > most << 20;
    } while (length == room && !larger);
    text[length] = '\0';
    const bool failed = ferror(file) != 0;
    if (failed) {
        complain("%s: cannot be read", path);
    } else if (larger) {
        complain("%s: larger than %zu MiB", path, most);
    }
    fclose(file);
    if (failed || larger) {
        free(text);
        return NULL;
    }
    if (size != NULL) {
        *size = length;
    }
    return text;
}
