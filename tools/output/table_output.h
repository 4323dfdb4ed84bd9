/* SPDX-License-Identifier: MIT */
/*
 * Writes the table of a motion to a file row by row: text, or a NumPy array if the file's name ends
 * in .npy. The file appears when it is complete.
 */
#ifndef TOOL_TABLE_OUTPUT_H
#define TOOL_TABLE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "input/npy.h"
#include "output/csv_output.h"
#include "output/output_file.h"

typedef struct table_output {
    bool array;
    bool plain;       /* an array has no names */
    output_file file; /* of text: CSV, or what the command writes to its stream */
    csv_line line;
    const char *path; /* for an array */
    npy_output npy;
    char **name; /* names of the fields */
    size_t columns, filled;
    double *row;
    bool started; /* the heading was written */
} table_output;

/* Opens a table; path NULL or "-": standard output. Prints a message and returns false on
   failure. */
bool table_output_open(table_output *t, const char *path);

/* Declare columns of numbers: one with this name, or "PREFIX:NAME" for each name. */
void table_output_name(table_output *t, const char *name);
void table_output_names(table_output *t, const char *prefix, const char *const *names,
                        size_t count);
/* x NULL: NaN */
void table_output_numbers(table_output *t, const double *x, size_t count);
/* Writes the heading or a cell of a column of text. Arrays omit such columns. */
void table_output_text(table_output *t, const char *text);
/* Writes headings or cells of several columns of text, which are CSV already. "": no column. */
void table_output_cells(table_output *t, const char *cells);
/* Ends the heading, or a row. False, with a message, where an array cannot be written. */
bool table_output_end(table_output *t);

/* Writes buffered output. Returns whether all output so far was written. */
bool table_output_flush(table_output *t);
/* Does the same as output_make_partial. */
const char *table_output_make_partial(table_output *t);
/* Frees the table. Gives the file its final name, or removes it if good is false. Returns whether
   the file exists; prints a message if writing failed. */
bool table_output_close(table_output *t, bool good);

#endif
