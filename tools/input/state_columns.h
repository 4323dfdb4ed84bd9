/* SPDX-License-Identifier: MIT */
/*
 * Determines the meaning of the columns of a table of states from their headings, for all commands
 * that read states or motion.
 */
#ifndef TOOL_STATE_COLUMNS_H
#define TOOL_STATE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "input/column_words.h"
#include "input/coordinates.h"
#include "input/number_table.h"
#include "input/state_form.h"
#include "output/paragraph.h"

/* The meaning of a column. */
typedef enum column_kind {
    COLUMN_VALUE,
    COLUMN_TIME,
    COLUMN_WRENCH,   /* index: in links × 6, followed by feet × FOOT_COLUMNS */
    COLUMN_FOLLOWER, /* index: position of a dependent joint in q */
    COLUMN_UNUSED
} column_kind;

typedef struct state_column {
    column_kind kind;
    enum quantity quantity;
    size_t index;
    bool known;       /* some command writes it, or --map ignores it */
    const char *name; /* as in the heading */
} state_column;

typedef struct state_columns {
    const coordinates *c;
    const char *name; /* of the file, for messages */
    const state_form *form;
    size_t count; /* 0 before the heading */
    state_column *column;
    bool *kept;                  /* per column, whether its text is kept */
    bool read[QUANTITY_COUNT];   /* whether the form has the quantity */
    bool any[QUANTITY_COUNT];    /* whether the table has a column of the quantity, including
                                    followers */
    bool *given[QUANTITY_COUNT]; /* per coordinate, whether it has a column */
    bool has_time, has_wrench;
    const state_column *reached; /* written by ik; NULL if absent or not requested */
    bool bare;                   /* no column is q:JOINT */
    const number_heading *heading;
    column_lookup lookup;
    bool by_option;    /* --map or --unit applies to the current column */
    size_t explained;  /* number of unknown joints that were explained */
    name_list strange; /* further unknown joints */
} state_columns;

state_columns state_columns_new(const coordinates *c, const char *name, const state_form *form);
void state_columns_free(state_columns *columns);

/* Reads the heading. neutral: positions of coordinates without a column; completes partly given
   quaternions in it. Reports missing and unused columns. The reader then supplies cells in rad, m,
   s and N. Prints a message and returns false for an invalid heading. */
bool state_columns_read(state_columns *columns, const number_heading *heading, double *neutral);

/* Reports unused and missing columns (state_told.c). neutral: after completion of quaternions. */
void state_columns_tell(const state_columns *columns, const double *neutral);

/* Assigns the columns of a plain array: the form's quantities one after the other in the model's
   order (state_array.c). Prints a message and returns false if their number does not fit. */
bool state_columns_place(state_columns *columns);

#endif
