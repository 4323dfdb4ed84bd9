/* SPDX-License-Identifier: MIT */
/*
 * CSV by rows, of any length: fields with commas between them, or, where the first row
 * has more of these, with semicolons, as spreadsheets of some countries write it, or with tabs;
 * numbers may have decimal commas then, and handlers get a point. Lines that begin with # are
 * comments.
 */
#ifndef TOOL_CSV_STREAM_H
#define TOOL_CSV_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "input/table_input.h"

/* Valid only during the call that gets it. */
typedef struct csv_row {
    size_t line;  /* of the file, from 1 */
    size_t count; /* of fields */
    char **field;
} csv_row;

/* row is NULL where the input pauses: what was read is worth passing on before waiting for more.
   Returns false to stop. */
typedef bool (*csv_handler)(void *context, const csv_row *row);

/* Hands every row to the handler; empty lines, and those whose fields are all empty, are none.
   name: of the file, for messages. False where the file cannot be read or is no CSV, with a
   message, or where the handler stopped. */
bool csv_stream(table_input *in, const char *name, csv_handler handler, void *context);

#endif
