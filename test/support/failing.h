/* SPDX-License-Identifier: MIT */
/*
 * Makes allocations fail: the n-th after failing_left is set to n, alone or with all later ones.
 * This needs glibc, whose allocation functions can be replaced, which also covers other libraries.
 * Under tools that replace these functions themselves nothing fails and failing_works is false. If
 * this is compiled with FAILING_WRAPS and linked with --wrap for each function, allocations of the
 * project's sources fail even there.
 */
#ifndef TD_FAILING_H
#define TD_FAILING_H

#include <stdbool.h>

#include "tandem/status.h"

extern const bool failing_works;
extern long failing_left;   /* allocations that may still succeed; negative: unlimited */
extern bool failing_once;   /* only one allocation fails; later ones succeed */
extern long failing_pieces; /* allocations minus frees */

/* Reads a text with at most that many successful allocations. Stores the number of leaked pieces in
 *leaked, up to a constant offset. */
typedef td_status failing_reader(const char *text, long allocations, long *leaked);

/* Runs the reader with the n-th and all later allocations failing, for every n. The reader must
   return TD_ERROR_MEMORY and leak no more than a run without failures, which ends with the given
   status. */
void failing_each(failing_reader *read, const char *text, td_status in_the_end);

#endif
