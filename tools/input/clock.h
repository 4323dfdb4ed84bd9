/* SPDX-License-Identifier: MIT */
/*
 * The column of times of a table: numbers in a unit, or dates with a time of day, in seconds. Times
 * of a clock are counted from the first one on, before they are rounded to doubles.
 */
#ifndef TOOL_CLOCK_H
#define TOOL_CLOCK_H

#include <stdbool.h>

/* Whole units, and the part below that. */
typedef struct clock_time {
    long long whole;
    double part;
} clock_time;

typedef struct table_clock {
    const char *table, *column; /* for messages */
    double unit;                /* s; 0: unknown, derived from the size of the numbers */
    bool begun;
    bool dates;   /* the first time is a date */
    bool counted; /* from zero on, the first one */
    clock_time zero;
} table_clock;

/* The seconds of a cell. False where it is no time; missing ones are not looked at. */
bool clock_read(table_clock *clock, const char *text, double *seconds);
/* The same for a number; NaN if it is not finite. */
double clock_number(table_clock *clock, double x);

/* How surely a column of that name is one of times: 3 t or time, 2 timestamp, __time and the like,
   1 a path whose last name is one of these, 0 none. */
int clock_rank(const char *name);

#endif
