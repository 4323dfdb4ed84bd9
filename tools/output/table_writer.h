/* SPDX-License-Identifier: MIT */
/*
 * Writes tables of results, a row for each state of the input: CSV to standard output, or a NumPy
 * array.
 */
#ifndef TOOL_TABLE_WRITER_H
#define TOOL_TABLE_WRITER_H

#include <stdbool.h>
#include <stddef.h>

#include "input/session.h"
#include "input/state_table.h"
#include "options.h"
#include "output/table_output.h"

typedef struct table_writer {
    const session *s;
    const tool_options *options;
    char **name; /* names of the columns */
    size_t count;
    table_output out;
    size_t failed; /* rows without a result */
} table_writer;

/* An empty one; columns are added to it. out.plain: an array has no names, and no times. */
table_writer table_writer_new(const session *s, const tool_options *options);
/* Adds a column "prefix:name" for each name. */
void table_writer_add(table_writer *w, const char *prefix, const char *const *names, size_t count);

/* Sets the form of the input so that it keeps columns for --keep. */
void table_writer_form(const table_writer *w, state_form *form);

/* Writes the heading, when the first batch is read. Returns false if the file cannot be written. */
bool table_writer_start(table_writer *w, const state_batch *batch);
/* Writes the row of state i of the batch: values for the first count columns, then more for the
   others. NULL stands for NaN. */
void table_writer_row(table_writer *w, const state_batch *batch, size_t i, const double *values,
                      size_t count, const double *more);
/* Counts a state without a result. Returns whether to report it: true for the first ones. */
bool table_writer_fails(table_writer *w);

/* Ends the table and frees the writer. good: no fault occurred before. Returns the exit code:
   EXIT_NEGATIVE if a state had no result; after a fault EXIT_FILE, or EXIT_USAGE without a file of
   states. */
int table_writer_end(table_writer *w, bool good);

#endif
