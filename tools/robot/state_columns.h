/* SPDX-License-Identifier: MIT */
/*
 * Which columns of a table of states are what, by their headings: for state_table.c.
 */
#ifndef TOOL_STATE_COLUMNS_H
#define TOOL_STATE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "robot/coordinates.h"
#include "robot/state_form.h"
#include "table/csv_stream.h"
#include "table/npy.h"

/* What a column of the file is for. */
typedef enum column_kind {
    COLUMN_VALUE,
    COLUMN_TIME,
    COLUMN_WRENCH, /* index: of its number in links × 6 */
    COLUMN_UNUSED
} column_kind;

typedef struct state_column {
    column_kind kind;
    enum quantity quantity;
    size_t index;
    bool known;    /* some command writes it */
    double factor; /* from its unit */
    char *name;    /* as written */
} state_column;

typedef struct state_columns {
    const coordinates *c;
    const char *name; /* of the file, for messages */
    const state_form *form;
    size_t count; /* 0 before the heading */
    state_column *column;
    bool *kept;                  /* for each column, whether it is */
    bool read[QUANTITY_COUNT];   /* quantities of the form */
    bool any[QUANTITY_COUNT];    /* some column of the quantity is there */
    bool *given[QUANTITY_COUNT]; /* for each coordinate, whether it has a column */
    bool has_time, has_wrench;
    bool bare; /* no column is q:JOINT */
} state_columns;

state_columns state_columns_new(const coordinates *c, const char *name, const state_form *form);
void state_columns_free(state_columns *columns);

/* The heading. neutral: positions of coordinates without a column, of which quaternions are
   completed. False, with a message, where it makes no sense; what is not there, or not read, is
   told. */
bool state_columns_read(state_columns *columns, const csv_row *row, double *neutral);

/* The same of an array of NumPy: names of records are headings; a plain array has the quantities of
   the form in the model's order, all of them or those that are told and more (state_array.c). */
bool state_columns_read_array(state_columns *columns, const npy_input *in, double *neutral);

#endif
