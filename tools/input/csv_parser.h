/* SPDX-License-Identifier: MIT */
/*
 * Parses CSV byte by byte in the strict form (RFC 4180): quotation marks only around whole fields.
 * Blanks around fields are removed, and rows of blanks are skipped.
 */
#ifndef TABLE_CSV_PARSER_H
#define TABLE_CSV_PARSER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct csv_parser {
    enum {
        CSV_ROW_BEGINS,
        CSV_FIELD_BEGINS,
        CSV_PLAIN,
        CSV_QUOTED,
        CSV_QUOTE_IN_QUOTED,
        CSV_CLOSED /* after the closing mark */
    } state;
    char delimiter;
    bool misplaced; /* a quotation mark is misplaced; parsing has stopped */
    char *text;     /* of the field so far; allocated */
    size_t length, size;
    void (*field)(void *context, const char *text, size_t length);
    void (*row)(void *context);
    void *context;
} csv_parser;

void csv_parse(csv_parser *p, const char *text, size_t length);
/* Ends the input. Returns false if it ends within quotation marks. */
bool csv_finish(csv_parser *p);

#endif
