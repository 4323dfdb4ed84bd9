/* SPDX-License-Identifier: MIT */
/*
 * Reads tables of numbers row by row: CSV or NumPy arrays, also compressed by gzip, as their first
 * bytes show. Columns have any names. In an array they are the names of its fields, in a plain
 * array the first names of a list. Headings may name a unit: "x [mm]", "time_ms".
 */
#ifndef TOOL_NUMBER_TABLE_H
#define TOOL_NUMBER_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "input/csv_stream.h"
#include "input/units.h"

/* The heading. Callers set .used and .factor of the columns that they need. */
typedef struct number_heading {
    const char *name; /* of the file, for messages */
    size_t columns;
    char **text;             /* as they stand there */
    char **column;           /* the same without units */
    const value_unit **unit; /* NULL: none is named */
    bool *used;              /* false at first: its cells may be anything */
    double *factor;          /* 1 at first */
    int *time;               /* the column of times, initially -1; its factor converts the unit */
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

/* Returns the column with the given name, or -1. */
int number_column(const number_heading *heading, const char *name);

/* Uses a column with units of a domain (UNIT_NONE: no unit). Prints a message and returns false if
   the heading names a unit of another domain. */
bool number_use(const number_heading *heading, size_t column, unit_domain domain);

/* Uses a column as times; unit may be NULL. Clock times count from the first row (clock.h). */
void number_use_clock(const number_heading *heading, size_t column, const value_unit *unit);

/* Finds the column of times by its name: t or time, otherwise timestamp and similar names. Returns
   -1 without one; prints a message and returns -2 for several candidates or a wrong unit. skipped:
   per column, whether to ignore it; NULL: ignore none. */
int number_find_time(const number_heading *heading, const bool *skipped);
/* The same, and uses it. */
int number_use_time(const number_heading *heading);

/* Prints one line with the unused columns, except columns that the caller knows. */
void number_tell_unused(const number_heading *heading, bool (*known)(const char *name));

#endif
