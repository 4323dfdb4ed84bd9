/* SPDX-License-Identifier: MIT */
/*
 * The part of libcsv that tools/table/ calls, implemented for the page in csv.c. Parses strict CSV
 * (RFC 4180): quotation marks enclose whole fields only. Blanks around fields are removed.
 */
#ifndef VIEW_SYSTEM_CSV_H
#define VIEW_SYSTEM_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { CSV_STRICT = 1, CSV_STRICT_FINI = 4 };
enum { CSV_SUCCESS, CSV_EPARSE, CSV_ENOMEM };

struct csv_parser {
    enum {
        CSV_ROW_BEGINS,
        CSV_FIELD_BEGINS,
        CSV_PLAIN,
        CSV_QUOTED,
        CSV_QUOTE_IN_QUOTED,
        CSV_CLOSED /* after the closing mark */
    } state;
    unsigned char delimiter;
    int status;
    char *text; /* the current field so far */
    size_t length, size;
};

typedef void csv_field_handler(void *field, size_t length, void *context);
typedef void csv_row_handler(int end, void *context);

int csv_init(struct csv_parser *p, unsigned char options);
void csv_free(struct csv_parser *p);
void csv_set_delim(struct csv_parser *p, unsigned char delimiter);
int csv_error(const struct csv_parser *p);
const char *csv_strerror(int status);
size_t csv_get_buffer_size(const struct csv_parser *p);
/* Returns the number of bytes read, which is less than length after an error. */
size_t csv_parse(struct csv_parser *p, const void *text, size_t length, csv_field_handler *field,
                 csv_row_handler *row, void *context);
/* Ends the text. Returns 0, or -1 if a quoted field is not closed. */
int csv_fini(struct csv_parser *p, csv_field_handler *field, csv_row_handler *row, void *context);
size_t csv_write(void *to, size_t room, const void *field, size_t length);
int csv_fwrite(FILE *stream, const void *field, size_t length); /* never called in a page */

#endif
