/* SPDX-License-Identifier: MIT */
/*
 * Reads CSV row by row, of any length. The separator is the most frequent one in the first row:
 * comma, semicolon or tab. With semicolons or tabs, numbers may have decimal commas, which become
 * points. Lines that begin with # are comments.
 */
#ifndef TOOL_CSV_STREAM_H
#define TOOL_CSV_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "input/table_input.h"

/* A row; valid only while the handler runs. */
typedef struct csv_row {
    size_t line;  /* of the file, from 1 */
    size_t count; /* of fields */
    char **field;
} csv_row;

/* Processes a row; returns false to stop. row is NULL when the input pauses, so that the handler
   can pass on its rows before the next wait. */
typedef bool (*csv_handler)(void *context, const csv_row *row);

/* Calls the handler for each row, except rows whose fields are all empty. name: the file, for
   messages. Returns false if the handler stopped. Prints a message and returns false if the file
   cannot be read or is not CSV. */
bool csv_stream(table_input *in, const char *name, csv_handler handler, void *context);

#endif
