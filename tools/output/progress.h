/* SPDX-License-Identifier: MIT */
/*
 * Progress of a table: percentage, rows per second and remaining time, on standard error if that is
 * a terminal and standard output is not. Prints nothing in the first second.
 */
#ifndef TOOL_PROGRESS_H
#define TOOL_PROGRESS_H

#include <stddef.h>

/* Seconds of a clock that only goes on. */
double seconds_now(void);

/* From now on nothing is shown. */
void progress_silence(void);

/* A table begins; total: of whatever is counted, 0 where nobody knows. */
void reading_begin(size_t total);
/* Begins work without output of total items; what: their word, instead of rows. */
void work_begin(size_t total, const char *what);
/* Sets how many items are done. */
void reading_done(size_t done);
/* Rows so far. */
void reading_rows(size_t rows);
/* Clears the line, before a message; it comes again. */
void reading_clear(void);
void reading_end(void);

#endif
