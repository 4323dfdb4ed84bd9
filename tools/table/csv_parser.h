/* SPDX-License-Identifier: MIT */
/*
 * What tools/table/ calls of libcsv, for the page (csv.c): the strict form of CSV (RFC 4180), where
 * quotation marks stand around whole fields alone, and blanks around fields are none of them.
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
        CSV_CLOSED /* behind the second mark */
    } state;
    unsigned char delimiter;
    int status;
    char *text; /* of the field so far */
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
/* How many bytes were read; fewer than there are on an error. */
size_t csv_parse(struct csv_parser *p, const void *text, size_t length, csv_field_handler *field,
                 csv_row_handler *row, void *context);
/* The end of the text; 0, or -1 within quotation marks. */
int csv_fini(struct csv_parser *p, csv_field_handler *field, csv_row_handler *row, void *context);
size_t csv_write(void *to, size_t room, const void *field, size_t length);
int csv_fwrite(FILE *stream, const void *field, size_t length); /* of what no page calls */

#endif
