/* SPDX-License-Identifier: MIT */
/*
 * CSV to standard output or another stream, cell by cell.
 */
#ifndef TOOL_CSV_OUTPUT_H
#define TOOL_CSV_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The row that is being written; starts as {false, stream}. */
typedef struct csv_line {
    bool begun;   /* it has a cell */
    FILE *stream; /* NULL: standard output */
} csv_line;

/* One cell, quoted where it must be; "" is an empty one. */
void csv_cell(csv_line *line, const char *text);
/* Cells that are CSV already, with commas between; "" are none. */
void csv_text(csv_line *line, const char *cells);
/* "PREFIX:NAME" for each name. */
void csv_headings(csv_line *line, const char *prefix, const char *const *names, size_t count);
/* Numbers that read back to the same doubles. */
void csv_numbers(csv_line *line, const double *x, size_t count);
/* A field as CSV, quoted where it must be, to that place: at most twice its length and two bytes.
   Returns how many. */
size_t csv_quote(const char *field, char *to);
/* The fields that are kept, as CSV with commas between, into a text of *size bytes, which grows. */
void csv_keep(size_t count, char *const *field, const bool *kept, char **text, size_t *size);
/* Ends the row. */
void csv_end(csv_line *line);

#endif
