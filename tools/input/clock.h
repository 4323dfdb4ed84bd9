/* SPDX-License-Identifier: MIT */
/*
 * Reads the time column of a table: numbers in some unit, or dates with a time of day. Results are
 * in seconds. Clock times are relative to the first one, which is subtracted before they are
 * rounded to doubles.
 */
#ifndef TOOL_CLOCK_H
#define TOOL_CLOCK_H

#include <stdbool.h>

/* A time: whole units, and the fraction of a unit. */
typedef struct clock_time {
    long long whole;
    double part;
} clock_time;

typedef struct table_clock {
    const char *table, *column; /* for messages */
    double unit;                /* s; 0: derived from the size of the first number */
    bool begun;
    bool dates;   /* the first time is a date */
    bool counted; /* results are relative to zero, the first time */
    clock_time zero;
} table_clock;

/* Reads the time in a cell, in seconds. Returns false if the text is not a time. Callers skip
   missing cells. */
bool clock_read(table_clock *clock, const char *text, double *seconds);
/* Converts a number from the column to seconds. Returns NaN if it is not finite. */
double clock_number(table_clock *clock, double x);

/* Returns how likely it is that a column with this name contains times: 3 for t or time; 2 for
   timestamp, __time and similar; 1 for a path that ends in one of these names; 0 for other
   names. */
int clock_rank(const char *name);

#endif
