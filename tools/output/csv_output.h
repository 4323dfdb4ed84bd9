/* SPDX-License-Identifier: MIT */
/*
 * Writes CSV to standard output or another stream, cell by cell.
 */
#ifndef TOOL_CSV_OUTPUT_H
#define TOOL_CSV_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The row that is being written; initially {false, stream}. */
typedef struct csv_line {
    bool begun;   /* the row has a cell */
    FILE *stream; /* NULL: standard output */
} csv_line;

/* Writes a cell, quoted if necessary. "" is an empty cell. */
void csv_cell(csv_line *line, const char *text);
/* Writes cells that are already CSV, separated by commas. "" means no cells. */
void csv_text(csv_line *line, const char *cells);
/* Writes the heading "PREFIX:NAME" for each name. */
void csv_headings(csv_line *line, const char *prefix, const char *const *names, size_t count);
/* Writes numbers that read back to the same doubles. */
void csv_numbers(csv_line *line, const double *x, size_t count);
/* Writes a field as CSV to `to`, quoted if necessary. Returns the number of bytes, at most twice
   the length plus two. */
size_t csv_quote(const char *field, char *to);
/* Writes the kept fields, separated by commas, to *text. Enlarges this buffer of *size bytes if
   necessary. */
void csv_keep(size_t count, char *const *field, const bool *kept, char **text, size_t *size);
/* Ends the row. */
void csv_end(csv_line *line);

#endif
