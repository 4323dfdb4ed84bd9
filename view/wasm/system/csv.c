/* SPDX-License-Identifier: MIT */
/*
 * Parses CSV byte by byte, as a replacement of libcsv; see csv.h.
 */
#include <csv.h>

#include <stdlib.h>

int csv_init(struct csv_parser *p, unsigned char options)
{
    (void)options; /* always strict, see csv.h */
    *p = (struct csv_parser){.delimiter = ','};
    return 0;
}

void csv_free(struct csv_parser *p)
{
    free(p->text);
    p->text = NULL;
}

void csv_set_delim(struct csv_parser *p, unsigned char delimiter)
{
    p->delimiter = delimiter;
}

int csv_error(const struct csv_parser *p)
{
    return p->status;
}

const char *csv_strerror(int status)
{
    return status == CSV_ENOMEM ? "out of memory" : status == CSV_EPARSE ? "no CSV" : "success";
}

size_t csv_get_buffer_size(const struct csv_parser *p)
{
    return p->size;
}

static void add(struct csv_parser *p, char c)
{
    if (p->length == p->size) {
        const size_t size = 2 * p->size + 64;
        char *larger = realloc(p->text, size);
        if (larger == NULL) {
            p->status = CSV_ENOMEM;
            return;
        }
        p->text = larger;
        p->size = size;
    }
    p->text[p->length++] = c;
}

static bool is_blank(const struct csv_parser *p, unsigned char c)
{
    return (c == ' ' || c == '\t') && c != p->delimiter;
}

static void end_field(struct csv_parser *p, csv_field_handler *field, void *context)
{
    while (p->state == CSV_PLAIN && p->length > 0 &&
           is_blank(p, (unsigned char)p->text[p->length - 1])) {
        p->length--;
    }
    field(p->text, p->length, context);
    p->length = 0;
    p->state = CSV_FIELD_BEGINS;
}

/* Processes a byte that ends a field or a row. */
static void take_end(struct csv_parser *p, unsigned char c, csv_field_handler *field,
                     csv_row_handler *row, void *context)
{
    const bool empty = p->state == CSV_ROW_BEGINS && c != p->delimiter;
    if (!empty) {
        end_field(p, field, context);
    }
    if (!empty && c != p->delimiter) {
        row(c, context);
        p->state = CSV_ROW_BEGINS;
    }
}

static void take_inside(struct csv_parser *p, unsigned char c)
{
    switch (p->state) {
    case CSV_QUOTED:
        if (c == '"') {
            p->state = CSV_QUOTE_IN_QUOTED;
        } else {
            add(p, (char)c);
        }
        break;
    case CSV_QUOTE_IN_QUOTED: /* "" is an escaped mark; a single one ends the field */
        if (c == '"') {
            add(p, (char)c);
            p->state = CSV_QUOTED;
            break;
        }
        p->state = CSV_CLOSED;
        /* fall through */
    case CSV_CLOSED:
        if (!is_blank(p, c)) {
            p->status = CSV_EPARSE;
        }
        break;
    case CSV_PLAIN:
        if (c == '"') {
            p->status = CSV_EPARSE;
        } else {
            add(p, (char)c);
        }
        break;
    default:
        if (c == '"') {
            p->state = CSV_QUOTED;
        } else if (!is_blank(p, c)) {
            p->state = CSV_PLAIN;
            add(p, (char)c);
        } /* skips blanks before a field, so a row of blanks is skipped */
    }
}

size_t csv_parse(struct csv_parser *p, const void *text, size_t length, csv_field_handler *field,
                 csv_row_handler *row, void *context)
{
    const unsigned char *bytes = text;
    size_t i = 0;
    for (; i < length && p->status == CSV_SUCCESS; i++) {
        const unsigned char c = bytes[i];
        if (p->state != CSV_QUOTED && (c == p->delimiter || c == '\n' || c == '\r')) {
            take_end(p, c, field, row, context);
        } else {
            take_inside(p, c);
        }
    }
    return i;
}

int csv_fini(struct csv_parser *p, csv_field_handler *field, csv_row_handler *row, void *context)
{
    if (p->state == CSV_QUOTED) {
        p->status = CSV_EPARSE;
        return -1;
    }
    if (p->state != CSV_ROW_BEGINS) {
        take_end(p, '\n', field, row, context);
    }
    return 0;
}

/* Writes a field in quotation marks, at most room bytes. Returns how many bytes it needs. */
size_t csv_write(void *to, size_t room, const void *field, size_t length)
{
    char *end = to;
    const char *text = field;
    size_t used = 0;
    for (size_t i = 0; i < length + 2; i++) {
        const bool mark = i == 0 || i == length + 1;
        const char c = mark ? '"' : text[i - 1];
        for (int twice = !mark && c == '"' ? 2 : 1; twice > 0; twice--) {
            if (used < room) {
                end[used] = c;
            }
            used++;
        }
    }
    return used;
}
