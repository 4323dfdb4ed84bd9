/* SPDX-License-Identifier: MIT */
/*
 * Shows the progress of a table: percentage, rows per second and remaining time. Prints to standard
 * error if it is a terminal and standard output is not. Prints nothing in the first second.
 */
#ifndef TOOL_PROGRESS_H
#define TOOL_PROGRESS_H

#include <stddef.h>

/* Returns the time of a monotonic clock in seconds. */
double seconds_now(void);

/* Disables progress for the rest of the process. */
void progress_silence(void);

/* Begins a table. total: the number of bytes or other items, or 0 if unknown. */
void reading_begin(size_t total);
/* Begins work on total items without output. what: the word for the items, instead of rows. */
void work_begin(size_t total, const char *what);
/* Sets how many items are done. */
void reading_done(size_t done);
/* Sets how many rows are done. */
void reading_rows(size_t rows);
/* Clears the line before a message. The next update shows it again. */
void reading_clear(void);
void reading_end(void);

#endif
