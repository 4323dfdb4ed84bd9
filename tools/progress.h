/* SPDX-License-Identifier: MIT */
/*
 * How far a table is, on standard error where that is a terminal and standard output is none: the
 * part that is done, rows a second, time that is left. Nothing for what takes less than a second.
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
/* Work begins that writes nothing meanwhile, of so many of what the word names in place of rows. */
void work_begin(size_t total, const char *what);
/* What is done of the total. */
void reading_done(size_t done);
/* Rows so far. */
void reading_rows(size_t rows);
/* Clears the line, before a message; it comes again. */
void reading_clear(void);
void reading_end(void);

#endif
