/* SPDX-License-Identifier: MIT */
/*
 * Reads a table of states: columns q:JOINT, qd:JOINT, qdd:JOINT, tau:JOINT and an optional t in any
 * order (state_columns.h), one state per row. Ignores quantities that the command does not need and
 * columns that commands write, so that results can serve as input. The default of missing columns
 * is zero; for positions it is coordinates_default.
 */
#ifndef TOOL_STATE_TABLE_H
#define TOOL_STATE_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "input/coordinates.h"
#include "input/state_form.h"

/* Default rows per batch. Larger batches take more memory but are not faster. */
enum { BATCH_ROWS = 256 };

typedef struct state_batch {
    size_t rows, room;
    size_t first_row; /* its row in the table, from 1 */
    bool has_time;
    double *time;                  /* rows */
    size_t *line;                  /* rows: the line in the file, from 1 */
    double *value[QUANTITY_COUNT]; /* rows × size of the quantity; NULL if the command does not read
                                      it */
    bool given[QUANTITY_COUNT];    /* whether the table has a column of the quantity */
    double *wrench; /* rows × links × 6: columns wrench:, moments and forces on links at their
                       origins, in world axes; NULL if the table has none */
    const char *kept_heading;        /* of the kept columns, as CSV; NULL without keep */
    char **kept;                     /* rows: their cells as CSV */
    const bool *has[QUANTITY_COUNT]; /* per coordinate, whether it has a column; NULL as above */
} state_batch;

/* Processes a batch; returns false to stop. The first call follows the heading and may have no
   rows. */
typedef bool (*state_sink)(void *context, const state_batch *batch);

/* Reads the table ("-" is standard input) and passes all states to the sink. Prints a message and
   returns false on failure, after it has passed on the rows before the fault. */
bool state_table_read(const coordinates *c, const state_form *form, const char *path,
                      state_sink sink, void *context);

#endif
