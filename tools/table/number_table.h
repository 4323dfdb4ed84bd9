/* SPDX-License-Identifier: MIT */
/*
 * A table of numbers with columns of any names, row by row: CSV, or an array of NumPy whose fields
 * have names, or a plain one whose columns are the first ones of a list. Headings may name a unit:
 * "x [mm]".
 */
#ifndef TOOL_NUMBER_TABLE_H
#define TOOL_NUMBER_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "table/csv_stream.h"
#include "units.h"

/* The heading. What a column is for is said by .used and .factor. */
typedef struct number_heading {
    const char *name; /* of the file, for messages */
    size_t columns;
    char **column;           /* names, without units */
    const value_unit **unit; /* NULL: none is named */
    bool *used;              /* false at first: its cells may be anything */
    double *factor;          /* 1 at first */
    const csv_row *fields;   /* as they stand there; NULL: of an array */
} number_heading;

typedef struct number_row {
    size_t row;          /* from 1 */
    size_t line;         /* of the file, from 1; of an array the row */
    const double *value; /* columns, times their factors; NaN: missing or not finite, or not used */
    const csv_row *fields; /* as above */
} number_row;

typedef struct number_form {
    const char *const *plain; /* names of the columns of an array that has none */
    size_t plain_count;
    /* Both return false to stop. row NULL: the input pauses. */
    bool (*heading)(void *context, const number_heading *heading);
    bool (*row)(void *context, const number_row *row);
    void *context;
} number_form;

/* Reads the table ("-" is standard input). False, with a message, where something is wrong, or
   where it was stopped. */
bool number_table_read(const char *path, const number_form *form);

/* The column of that name; -1 where there is none. */
int number_column(const number_heading *heading, const char *name);

/* Uses a column for what is measured in units of that domain and order (UNIT_NONE: none). False,
   with a message, where the heading names another unit. */
bool number_use(const number_heading *heading, size_t column, unit_domain domain);

/* Uses the column of times, t or time; -1 where there is none, -2, with a message, where its unit
   is none of time. */
int number_use_time(const number_heading *heading);

/* One line of the columns that are not used, but for those that the caller knows. */
void number_tell_unused(const number_heading *heading, bool (*known)(const char *name));

#endif
