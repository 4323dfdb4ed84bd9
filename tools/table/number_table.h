/* SPDX-License-Identifier: MIT */
/*
 * The reader of all tables of numbers, row by row: CSV, or an array of NumPy, of either packed by
 * gzip, as the first bytes say. Columns have any names, in an array those of its fields, or if it
 * is a plain one the first of a list. Headings may name a unit: "x [mm]", "time_ms".
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
    char **text;             /* as they stand there */
    char **column;           /* the same without units */
    const value_unit **unit; /* NULL: none is named */
    bool *used;              /* false at first: its cells may be anything */
    double *factor;          /* 1 at first */
    int *time;               /* the column of times, -1 at first: its factor is that of the unit */
    bool array;              /* rows have no texts */
    bool plain;              /* an array without names */
} number_heading;

typedef struct number_row {
    size_t row;          /* from 1 */
    size_t line;         /* of the file, from 1; of an array the row */
    const double *value; /* columns, times their factors; NaN: missing or not finite, or not used */
    const csv_row *fields; /* the cells; NULL: of an array */
} number_row;

typedef struct number_form {
    const char *const *plain; /* names of the columns of an array that has none */
    size_t plain_count;       /* which has at most as many */
    bool any_plain; /* such an array has any number of columns, and names "0", "1" and so on */
    bool lenient;   /* a cell that is no number is a missing one */
    bool complete;  /* none may be missing where it is used */
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

/* Uses a column as that of times; unit: theirs, NULL where none is named. Times of a clock are
   counted from the first one on (clock.h). */
void number_use_clock(const number_heading *heading, size_t column, const value_unit *unit);

/* The column of times by its name: t or time, or else timestamp and the like; -1 where there is
   none, -2, with a message, where there are several that may be, or its unit is none of time.
   skipped: for each column whether it is none; NULL: they all may be. */
int number_find_time(const number_heading *heading, const bool *skipped);
/* The same, and uses it. */
int number_use_time(const number_heading *heading);

/* One line of the columns that are not used, but for those that the caller knows. */
void number_tell_unused(const number_heading *heading, bool (*known)(const char *name));

#endif
