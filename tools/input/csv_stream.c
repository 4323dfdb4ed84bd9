/* SPDX-License-Identifier: MIT */
/*
 * Reads CSV row by row; see csv_stream.h. Lines without quotation marks, the usual case in tables
 * of numbers, are split in place. Other lines go through csv_parser.h one at a time, so that
 * messages can name the line. All rows use the same buffer.
 */
#include "input/csv_stream.h"

#include <stdlib.h>
#include <string.h>

#include "input/csv_parser.h"
#include "output/progress.h"
#include "text.h"

enum {
    BLOCK_BYTES = 1 << 18,
    PIECE_BYTES = 1 << 16, /* that the parser reads between checks of the limits */
    FIELD_BYTES_LIMIT = 1 << 16,
    ROW_BYTES_LIMIT = 1 << 26,
    FIELDS_LIMIT = 1 << 20
};

typedef struct collector {
    csv_handler handler;
    void *context;
    bool stopped;   /* by the handler */
    bool nul;       /* a field contains a NUL byte */
    bool longer;    /* a field has more than FIELD_BYTES_LIMIT bytes */
    bool open;      /* the parser is within a row */
    bool careful;   /* an unusual field was found: the parser reads the rest */
    bool heading;   /* a row was read */
    char separator; /* between fields; see csv_stream.h */
    size_t line;
    char *text; /* the fields of this row, each with its NUL */
    size_t used, size;
    size_t *start; /* of each field in text */
    char **field;
    size_t count, capacity;
} collector;

/* Ensures capacity for one more field. */
static void make_room(collector *c)
{
    if (c->count == c->capacity) {
        c->capacity = 2 * c->capacity + 16;
        c->start = reallocate(c->start, c->capacity, sizeof *c->start);
        c->field = reallocate(c->field, c->capacity, sizeof *c->field);
    }
}

static void end_field(void *context, const char *bytes, size_t length)
{
    collector *c = context;
    c->longer = c->longer || length > FIELD_BYTES_LIMIT;
    if (c->used + length + 1 > c->size) {
        c->size = 2 * (c->used + length + 1);
        c->text = reallocate(c->text, c->size, 1);
    }
    make_room(c);
    c->start[c->count++] = c->used;
    if (length > 0) {
        memcpy(c->text + c->used, bytes, length);
        c->nul = c->nul || memchr(bytes, '\0', length) != NULL;
    }
    c->text[c->used + length] = '\0';
    c->used += length + 1;
}

/* Replaces a decimal comma by a point, in place. */
static void put_point(char *field)
{
    char *comma = strchr(field, ',');
    if (comma != NULL && field[strspn(field, "0123456789+-eE,")] == '\0' &&
        strchr(comma + 1, ',') == NULL) {
        *comma = '.';
    }
}

/* Passes the collected row to the handler. */
static void hand_over(collector *c)
{
    csv_row row = {c->line, c->count, c->field};
    bool empty = true;
    for (size_t i = 0; i < c->count; i++) {
        empty = empty && *c->field[i] == '\0';
        if (c->heading && c->separator != ',') {
            put_point(c->field[i]);
        }
    }
    c->count = 0;
    if (empty) {
        return;
    }
    c->heading = true;
    c->stopped = !c->handler(c->context, &row);
}

static void end_row(void *context)
{
    collector *c = context;
    for (size_t i = 0; i < c->count; i++) {
        c->field[i] = c->text + c->start[i];
    }
    if (!c->stopped && !c->nul && !c->longer) {
        hand_over(c);
    }
    c->count = 0;
    c->used = 0;
    c->open = false;
}

/* Returns the fault that the parser or the collector has found so far, or NULL. */
static const char *fault(const csv_parser *parser, const collector *c)
{
    if (c->nul) {
        return "a NUL byte";
    }
    if (c->longer || parser->length > FIELD_BYTES_LIMIT + PIECE_BYTES) {
        return "a field is longer than 64 KiB";
    }
    if (c->used + parser->length > ROW_BYTES_LIMIT || c->count > FIELDS_LIMIT) {
        return "the row is too long";
    }
    return parser->misplaced ? "misplaced quotation mark" : NULL;
}

/* Passes a part of the input through the parser. Returns false if the handler stopped, or after a
   message about a fault. */
static bool feed(csv_parser *parser, collector *c, const char *path, const char *part,
                 size_t length)
{
    c->open = true; /* until a row ends */
    while (length > 0) {
        const size_t piece = length < PIECE_BYTES ? length : PIECE_BYTES;
        csv_parse(parser, part, piece);
        const char *text = fault(parser, c);
        if (text != NULL && !c->stopped) {
            complain("%s:%zu: %s", path, c->line, text);
            return false;
        }
        if (c->stopped) {
            return false;
        }
        part += piece;
        length -= piece;
    }
    return true;
}

static bool is_blank(const collector *c, char x)
{
    return (x == ' ' || x == '\t') && x != c->separator;
}

/* Passes a line of fields without quotation marks to the handler, without its line end. Removes
   blanks around fields, as the parser does. */
static bool cut_line(collector *c, char *line, char *end)
{
    while (line < end && is_blank(c, *line)) {
        line++;
    }
    for (char *next; line != NULL; line = next) {
        char *separator = memchr(line, c->separator, (size_t)(end - line));
        char *last = separator != NULL ? separator : end;
        next = separator != NULL ? separator + 1 : NULL;
        if (next == NULL && c->count == 0 && line == end) {
            return true; /* an empty line */
        }
        while (line < last && is_blank(c, *line)) {
            line++;
        }
        while (last > line && is_blank(c, last[-1])) {
            last--;
        }
        *last = '\0';
        make_room(c);
        c->field[c->count++] = line;
    }
    hand_over(c);
    return !c->stopped;
}

/* Returns the separator of a heading: the most frequent of comma, semicolon and tab outside of
   quotation marks, in this order if equally frequent. */
static char separator_of(const char *line, size_t length)
{
    static const char each[] = {',', ';', '\t'};
    size_t count[3] = {0}, most = 0;
    bool quoted = false;
    for (size_t i = 0; i < length; i++) {
        quoted = quoted != (line[i] == '"');
        for (size_t k = 0; k < 3; k++) {
            count[k] += !quoted && line[i] == each[k];
        }
    }
    for (size_t k = 1; k < 3; k++) {
        most = count[k] > count[most] ? k : most;
    }
    return each[most];
}

/* Processes a line, including its line end. */
static bool take_line(csv_parser *parser, collector *c, const char *path, char *line, size_t length)
{
    char *end = line + length - 1;
    end -= end > line && end[-1] == '\r' ? 1 : 0;
    const size_t inside = (size_t)(end - line);
    if (!c->open && *line == '#') { /* a comment */
        c->line++;
        return true;
    }
    if (!c->heading && !c->open) {
        c->separator = separator_of(line, inside);
        parser->delimiter = c->separator;
    }
    c->careful = c->careful || inside > FIELD_BYTES_LIMIT || memchr(line, '\r', inside) != NULL ||
                 memchr(line, '\0', inside) != NULL;
    bool plain = !c->careful && !c->open && memchr(line, '"', inside) == NULL;
    bool good = plain ? cut_line(c, line, end) : feed(parser, c, path, line, length);
    c->line++;
    return good;
}

/* Processes the complete lines of a block. Returns the number of their bytes; an incomplete last
   line remains. */
static size_t take_block(csv_parser *parser, collector *c, const char *path, char *block,
                         size_t length, bool *good)
{
    size_t taken = 0;
    char *newline;
    while (*good && (newline = memchr(block + taken, '\n', length - taken)) != NULL) {
        const size_t part = (size_t)(newline - block) + 1 - taken;
        *good = take_line(parser, c, path, block + taken, part);
        taken += part;
    }
    if (*good && taken == 0 && length == BLOCK_BYTES) { /* a line longer than a block */
        c->careful = true;
        *good = feed(parser, c, path, block, length);
        taken = length;
    }
    return taken;
}

/* Parses the text after the last line end and ends the input. */
static bool finish(csv_parser *parser, collector *c, const char *path, const char *rest,
                   size_t length)
{
    const bool comment = !c->open && length > 0 && *rest == '#';
    if (length > 0 && !comment && !feed(parser, c, path, rest, length)) {
        return false;
    }
    if (!csv_finish(parser)) {
        complain("%s:%zu: a quotation mark is not closed", path, c->line);
        return false;
    }
    const char *text = fault(parser, c);
    if (text != NULL) {
        complain("%s:%zu: %s", path, c->line, text);
    }
    return !c->stopped && text == NULL && c->handler(c->context, NULL);
}

bool csv_stream(table_input *in, const char *name, csv_handler handler, void *context)
{
    collector c = {.handler = handler, .context = context, .line = 1, .separator = ','};
    csv_parser parser = {.delimiter = ',', .field = end_field, .row = end_row, .context = &c};
    scoped char *block = allocate(BLOCK_BYTES, 1);
    size_t held = 0; /* bytes of a line that has no end yet */
    reading_begin(table_input_total(in));
    ssize_t length;
    bool good = true;
    bool first = true;
    while (good && (length = table_input_read(in, block + held, BLOCK_BYTES - held)) != 0) {
        if (length < 0) {
            good = false;
            break;
        }
        held += (size_t)length;
        reading_done(table_input_done(in));
        size_t taken = 0;
        if (first && held < 3 && memcmp(block, "\xef\xbb\xbf", held) == 0) {
            continue;
        }
        /* skip the byte order mark that some programs write before UTF-8 */
        taken += first && held >= 3 && memcmp(block, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
        first = false;
        taken += take_block(&parser, &c, name, block + taken, held - taken, &good);
        held -= taken;
        memmove(block, block + taken, held);
        good = good && handler(context, NULL);
    }
    good = good && finish(&parser, &c, name, block, held);
    reading_end();
    free(parser.text);
    free(c.text);
    free(c.start);
    free(c.field);
    return good;
}
