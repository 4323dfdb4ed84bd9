/* SPDX-License-Identifier: MIT */
/*
 * Writes CSV; see csv_output.h.
 */
#include "output/csv_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/decimal.h"
#include "text.h"

static FILE *stream_of(const csv_line *line)
{
    return line->stream != NULL ? line->stream : stdout;
}

/* Returns whether a cell needs no quotation marks in any position. It must not contain a separator
   (csv_stream.h) or have blanks at its ends. It must not begin like a comment, gzip data, an array
   or a byte order mark. */
static bool is_plain(const char *text, size_t length)
{
    return length == 0 ||
           (strcspn(text, ",;\t\"\r\n") == length && text[0] != ' ' && text[length - 1] != ' ' &&
            strchr("#\x1f\x93", text[0]) == NULL && strncmp(text, "\xef\xbb\xbf", 3) != 0);
}

size_t csv_quote(const char *field, char *to)
{
    const size_t length = strlen(field);
    if (is_plain(field, length)) {
        /* NOLINTNEXTLINE(bugprone-not-null-terminated-result): the length is known */
        memcpy(to, field, length);
        return length;
    }
    char *end = to;
    *end++ = '"';
    for (size_t i = 0; i < length; i++) {
        *end++ = field[i];
        if (field[i] == '"') {
            *end++ = '"';
        }
    }
    *end++ = '"';
    return (size_t)(end - to);
}

void csv_cell(csv_line *line, const char *text)
{
    FILE *stream = stream_of(line);
    size_t length = strlen(text);
    fputs(line->begun ? "," : "", stream);
    line->begun = true;
    if (is_plain(text, length)) {
        fputs(text, stream);
    } else {
        scoped char *quoted = allocate(2 * length + 2, 1);
        fwrite(quoted, 1, csv_quote(text, quoted), stream);
    }
}

void csv_text(csv_line *line, const char *cells)
{
    if (*cells != '\0') {
        fputs(line->begun ? "," : "", stream_of(line));
        line->begun = true;
        fputs(cells, stream_of(line));
    }
}

void csv_headings(csv_line *line, const char *prefix, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        scoped char *name = text_format("%s:%s", prefix, names[i]);
        csv_cell(line, name);
    }
}

void csv_numbers(csv_line *line, const double *x, size_t count)
{
    enum { BUFFER_BYTES = 64 * DECIMAL_SIZE };
    char buffer[BUFFER_BYTES];
    char *end = buffer;
    for (size_t i = 0; i < count; i++) {
        if (line->begun) {
            *end++ = ',';
        }
        line->begun = true;
        end = decimal_write(x[i], end);
        if (end > buffer + BUFFER_BYTES - DECIMAL_SIZE - 1) {
            fwrite(buffer, 1, (size_t)(end - buffer), stream_of(line));
            end = buffer;
        }
    }
    fwrite(buffer, 1, (size_t)(end - buffer), stream_of(line));
}

void csv_keep(size_t count, char *const *field, const bool *kept, char **text, size_t *size)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (!kept[i]) {
            continue;
        }
        const size_t most = 2 * strlen(field[i]) + 4; /* quoted, with a comma and a NUL */
        if (used + most > *size) {
            *size = 2 * (used + most);
            *text = reallocate(*text, *size, 1);
        }
        if (used > 0) {
            (*text)[used++] = ',';
        }
        used += csv_quote(field[i], *text + used);
    }
    if (*text == NULL) {
        *text = reallocate(NULL, *size = 1, 1);
    }
    (*text)[used] = '\0';
}

void csv_end(csv_line *line)
{
    fputc('\n', stream_of(line));
    line->begun = false;
}
