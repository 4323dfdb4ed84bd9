/* SPDX-License-Identifier: MIT */
/*
 * Tables of results, a row a state of a table that is read: as CSV to standard output, or as an
 * array of NumPy.
 */
#ifndef TOOL_TABLE_WRITER_H
#define TOOL_TABLE_WRITER_H

#include <stdbool.h>
#include <stddef.h>

#include "input/npy.h"
#include "input/session.h"
#include "input/state_table.h"
#include "options.h"

typedef struct table_writer {
    const session *s;
    const tool_options *options;
    char **name; /* of the columns */
    size_t count;
    bool plain;   /* an array has no names, and no times */
    bool started; /* the heading is written */
    bool array;
    npy_output npy;
    double *row; /* of an array */
    char **field;
    size_t failed; /* rows without a result */
} table_writer;

/* An empty one; columns are added to it. */
table_writer table_writer_new(const session *s, const tool_options *options);
/* "prefix:name" for each name. */
void table_writer_add(table_writer *w, const char *prefix, const char *const *names, size_t count);

/* How the table of states is read for it: keeps what --keep asks for. */
void table_writer_form(const table_writer *w, state_form *form);

/* The heading, once the first batch is there. False where the file cannot be written. */
bool table_writer_start(table_writer *w, const state_batch *batch);
/* The row of state i of the batch. Numbers come in pieces: values of the first columns, then of the
   next; NULL: NaN. */
void table_writer_row(table_writer *w, const state_batch *batch, size_t i, const double *values,
                      size_t count, const double *more);
/* Whether a state without a result is still to be told, the first ones being; counts it. */
bool table_writer_fails(table_writer *w);

/* Ends the table and frees the writer; good: nothing was wrong before. Returns the exit code:
   EXIT_NEGATIVE where a state had no result, and where something was
   wrong EXIT_FILE, or without a file of states EXIT_USAGE. */
int table_writer_end(table_writer *w, bool good);

#endif
