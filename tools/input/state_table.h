/* SPDX-License-Identifier: MIT */
/*
 * A table of states: columns q:JOINT, qd:JOINT, qdd:JOINT, tau:JOINT and an optional t in any order
 * (state_columns.h), one state per row. Quantities that the command does not need, and columns that
 * commands write, are allowed and ignored, so that results can be fed back. Missing columns are
 * zero, and missing positions come from coordinates_default.
 */
#ifndef TOOL_STATE_TABLE_H
#define TOOL_STATE_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "input/coordinates.h"
#include "input/state_form.h"

/* Rows read side by side where the form says nothing; more only cost memory. */
enum { BATCH_ROWS = 256 };

typedef struct state_batch {
    size_t rows, room;
    size_t first_row; /* its number in the table, from 1 */
    bool has_time;
    double *time;                  /* rows */
    size_t *line;                  /* rows: of the file, from 1 */
    double *value[QUANTITY_COUNT]; /* rows × size of the quantity; NULL if it is not read */
    bool given[QUANTITY_COUNT];    /* some column of the quantity is in the table */
    double *wrench; /* rows × links × 6: moments and forces of columns wrench:, on links in world
                       axes at their origins; NULL where the table has none */
    const char *kept_heading;        /* of the columns that are kept, as CSV; NULL without keep */
    char **kept;                     /* rows: their cells, as CSV */
    const bool *has[QUANTITY_COUNT]; /* for each coordinate, whether its column is; NULL as above */
} state_batch;

/* Takes a batch; the first call comes once the heading is read, perhaps without rows. False stops.
 */
typedef bool (*state_sink)(void *context, const state_batch *batch);

/* Reads the table ("-" is standard input) and hands all states to the
   sink. False, with a message, where something is wrong; the rows before it have gone to the sink
   then. */
bool state_table_read(const coordinates *c, const state_form *form, const char *path,
                      state_sink sink, void *context);

#endif
