/* SPDX-License-Identifier: MIT */
/*
 * The table of a motion, row by row, into its file: text, or an array of NumPy where the file's
 * name ends in .npy. The file appears when it is complete.
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
    output_file file; /* of text: CSV, or what the command writes to its stream */
    csv_line line;
    const char *path; /* of an array */
    npy_output npy;
    char **name; /* of its fields */
    size_t columns, filled;
    double *row;
    bool started; /* the heading is written */
} table_output;

/* path NULL or "-": standard output. False, with a message, where it cannot be written. */
bool table_output_open(table_output *t, const char *path);

/* Columns of numbers: a name, and "PREFIX:NAME" for each name. */
void table_output_name(table_output *t, const char *name);
void table_output_names(table_output *t, const char *prefix, const char *const *names,
                        size_t count);
void table_output_numbers(table_output *t, const double *x, size_t count);
/* The heading or a cell of a column of text, which an array does not have. */
void table_output_text(table_output *t, const char *text);
/* Ends the heading, or a row. False, with a message, where an array cannot be written. */
bool table_output_end(table_output *t);

/* Whether all that was written so far has gone out. */
bool table_output_flush(table_output *t);
/* See output_make_partial. */
const char *table_output_make_partial(table_output *t);
/* Gives the file its name where the table is good, or removes it; frees the rest. False where there
   is no table then, with a message if it is good. */
bool table_output_close(table_output *t, bool good);

#endif
