/* SPDX-License-Identifier: MIT */
/*
 * Which columns of a table of states are what, by their headings: of all commands that read
 * states or motion.
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

/* What a column of the file is for. */
typedef enum column_kind {
    COLUMN_VALUE,
    COLUMN_TIME,
    COLUMN_WRENCH,   /* index: of its number in links × 6 */
    COLUMN_FOLLOWER, /* index: of a dependent joint's position in q */
    COLUMN_UNUSED
} column_kind;

typedef struct state_column {
    column_kind kind;
    enum quantity quantity;
    size_t index;
    bool known;       /* some command writes it, or an option says that it is not read */
    const char *name; /* as written */
} state_column;

typedef struct state_columns {
    const coordinates *c;
    const char *name; /* of the file, for messages */
    const state_form *form;
    size_t count; /* 0 before the heading */
    state_column *column;
    bool *kept;                  /* for each column, whether it is */
    bool read[QUANTITY_COUNT];   /* quantities of the form */
    bool any[QUANTITY_COUNT];    /* some column of the quantity is there, of followers too */
    bool *given[QUANTITY_COUNT]; /* for each coordinate, whether it has a column */
    bool has_time, has_wrench;
    const state_column *reached; /* of ik, where form asks for it and there is one */
    bool bare;                   /* no column is q:JOINT */
    const number_heading *heading;
    column_lookup lookup;
    bool by_option;    /* --map or --unit says of the column at hand what it is, or its unit */
    size_t explained;  /* columns of joints that do not exist */
    name_list strange; /* more of them */
} state_columns;

state_columns state_columns_new(const coordinates *c, const char *name, const state_form *form);
void state_columns_free(state_columns *columns);

/* Reads the heading. neutral: positions of coordinates without a column; partly given quaternions
   are completed. Reports missing and unused columns. Used cells come from the reader in rad, m, s
   and N. Prints a message and returns false for an invalid heading. */
bool state_columns_read(state_columns *columns, const number_heading *heading, double *neutral);

/* Says which columns are not used, and which are missing (state_told.c). neutral: with the
   quaternions completed. */
void state_columns_tell(const state_columns *columns, const double *neutral);

/* Assigns the columns of a plain array: the form's quantities one after the other in the model's
   order (state_array.c). Prints a message and returns false if their number fits no form. */
bool state_columns_place(state_columns *columns);

#endif
