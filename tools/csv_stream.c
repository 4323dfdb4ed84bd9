/* SPDX-License-Identifier: MIT */
/*
 * CSV by rows through libcsv, see csv_stream.h. Input goes to libcsv line by line, so that messages
 * can name the line; a row is collected in one buffer that is used again for the next.
 */
#include "csv_stream.h"

#include <csv.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text.h"

/* libcsv lengthens the buffer of a field by a few bytes at a time and copies it each time: without
   a limit a single field of megabytes takes seconds. */
enum { BLOCK_BYTES = 1 << 16, FIELD_BYTES_LIMIT = 1 << 16, ROW_BYTES_LIMIT = 1 << 26 };

typedef struct collector {
    csv_handler handler;
    void *context;
    bool stopped; /* by the handler */
    bool nul;     /* a field with a NUL byte was met */
    bool longer;  /* a field of more than FIELD_BYTES_LIMIT was met */
    size_t line;
    char *text; /* the fields of this row, each with its NUL */
    size_t used, size;
    size_t *start; /* of each field in text */
    char **field;
    size_t count, capacity;
} collector;

static void end_field(void *bytes, size_t length, void *context)
{
    collector *c = context;
    c->longer = c->longer || length > FIELD_BYTES_LIMIT;
    if (c->used + length + 1 > c->size) {
        c->size = 2 * (c->used + length + 1);
        c->text = reallocate(c->text, c->size, 1);
    }
    if (c->count == c->capacity) {
        c->capacity = 2 * c->capacity + 16;
        c->start = reallocate(c->start, c->capacity, sizeof *c->start);
        c->field = reallocate(c->field, c->capacity, sizeof *c->field);
    }
    c->start[c->count++] = c->used;
    if (length > 0) {
        memcpy(c->text + c->used, bytes, length);
        c->nul = c->nul || memchr(bytes, '\0', length) != NULL;
    }
    c->text[c->used + length] = '\0';
    c->used += length + 1;
}

static void end_row(int terminator, void *context)
{
    collector *c = context;
    (void)terminator;
    for (size_t i = 0; i < c->count; i++) {
        c->field[i] = c->text + c->start[i];
    }
    csv_row row = {c->line, c->count, c->field};
    if (!c->stopped && !c->nul && !c->longer) {
        c->stopped = !c->handler(c->context, &row);
    }
    c->count = 0;
    c->used = 0;
}

/* What libcsv and the collector have against the input so far; NULL if nothing. */
static const char *fault(struct csv_parser *parser, const collector *c)
{
    if (c->nul) {
        return "a NUL byte";
    }
    /* the buffer, of a field that has not ended yet, is a block longer at most */
    if (c->longer || csv_get_buffer_size(parser) > FIELD_BYTES_LIMIT + BLOCK_BYTES) {
        return "a field is longer than 64 KiB";
    }
    if (c->used + csv_get_buffer_size(parser) > ROW_BYTES_LIMIT) {
        return "the row is too long";
    }
    int error = csv_error(parser);
    return error == CSV_SUCCESS  ? NULL
           : error == CSV_EPARSE ? "misplaced quotation mark"
                                 : csv_strerror(error);
}

/* Feeds a block by lines. False on a fault, which is reported, or where the handler stopped. */
static bool feed(struct csv_parser *parser, collector *c, const char *path, const char *block,
                 size_t length)
{
    while (length > 0) {
        const char *newline = memchr(block, '\n', length);
        size_t part = newline == NULL ? length : (size_t)(newline - block) + 1;
        csv_parse(parser, block, part, end_field, end_row, c);
        const char *text = fault(parser, c);
        if (text != NULL && !c->stopped) {
            complain("%s:%zu: %s", path, c->line, text);
            return false;
        }
        if (c->stopped) {
            return false;
        }
        c->line += newline != NULL;
        block += part;
        length -= part;
    }
    return true;
}

/* Bytes read, 0 at the end, -1 on an error. */
static ssize_t read_block(int file, char *block)
{
    ssize_t length;
    do {
        length = read(file, block, BLOCK_BYTES);
    } while (length < 0 && errno == EINTR);
    return length;
}

static bool stream_file(int file, const char *path, struct csv_parser *parser, collector *c)
{
    char *block = allocate(BLOCK_BYTES, 1);
    ssize_t length;
    bool good = true;
    bool first = true;
    while (good && (length = read_block(file, block)) != 0) {
        if (length < 0) {
            complain("%s: %s", path, strerror(errno));
            good = false;
            break;
        }
        /* the byte order mark that some programs put before UTF-8 */
        size_t skip = first && length >= 3 && memcmp(block, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
        first = false;
        good = feed(parser, c, path, block + skip, (size_t)length - skip);
        good = good && c->handler(c->context, NULL);
    }
    free(block);
    if (good && csv_fini(parser, end_field, end_row, c) != 0) {
        complain("%s:%zu: a quotation mark is not closed", path, c->line);
        good = false;
    }
    const char *text = good ? fault(parser, c) : NULL;
    if (text != NULL) {
        complain("%s:%zu: %s", path, c->line, text);
    }
    return good && !c->stopped && text == NULL && c->handler(c->context, NULL);
}

bool csv_stream(const char *path, csv_handler handler, void *context)
{
    bool standard = strcmp(path, "-") == 0;
    int file = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        complain("%s: %s", path, strerror(errno));
        return false;
    }
    struct csv_parser parser;
    csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI);
    collector c = {.handler = handler, .context = context, .line = 1};
    bool good = stream_file(file, standard ? "<stdin>" : path, &parser, &c);
    csv_free(&parser);
    free(c.text);
    free(c.start);
    free(c.field);
    if (!standard) {
        close(file);
    }
    return good;
}
