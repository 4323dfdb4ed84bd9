/* SPDX-License-Identifier: MIT */
/*
 * Reads tables of numbers row by row: CSV files, NumPy arrays, or joint states of ROS
 * (joint_messages.h), which may be compressed by gzip. The first bytes determine the format.
 * Columns may have any names. In a record array these are the names of its fields; a plain array
 * gets the first names of a list. Headings may name a unit: "x [mm]", "time_ms".
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
    char **text;             /* headings as in the file */
    char **column;           /* headings without units */
    const value_unit **unit; /* NULL if the heading names none */
    bool *used;              /* default: false; cells of unused columns are not parsed */
    double *factor;          /* default: 1 */
    int *time;               /* the column of times, initially -1; its factor converts the unit */
    bool array;              /* the file is an array: rows have no fields */
    bool plain;              /* the array has no names */
    bool messages;           /* rows are messages of ROS, which may be of other robots, too */
} number_heading;

typedef struct number_row {
    size_t row;          /* from 1 */
    size_t line;         /* of the file, from 1; for an array, the row */
    const double *value; /* per column, multiplied by its factor; NaN if missing, not finite or not
                            used */
    const csv_row *fields; /* the cells; NULL for an array */
} number_row;

typedef struct number_form {
    const char *const *plain; /* column names for an array without names */
    size_t plain_count;       /* the largest number of its columns */
    bool any_plain; /* it may have any number of columns; their names are "0", "1" and so on */
    bool lenient;   /* treat cells that are not numbers as missing */
    bool complete;  /* used columns may have no missing cells */
    /* Both functions return false to stop. row is NULL when the input pauses. */
    bool (*heading)(void *context, const number_heading *heading);
    bool (*row)(void *context, const number_row *row);
    void *context;
} number_form;

/* Reads the table ("-" is standard input). Returns false if a function of form stopped it. Prints a
   message and returns false on failure. */
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
/* Finds the column of times and uses it. */
int number_use_time(const number_heading *heading);

/* Prints one line that lists the unused columns. known: returns whether to omit a column; NULL:
   omit none. */
void number_tell_unused(const number_heading *heading, bool (*known)(const char *name));

#endif
