/* SPDX-License-Identifier: MIT */
/*
 * Allocations that fail: the n-th, alone or with all after it, once failing_left is set to n. Needs
 * glibc, whose allocation functions can be replaced, for the libraries beside ours too. With tools
 * that replace them themselves nothing fails and failing_works is false, unless this is compiled
 * with FAILING_WRAPS and linked with --wrap for each of them: then those of our own sources fail.
 */
#ifndef TD_FAILING_H
#define TD_FAILING_H

#include <stdbool.h>

#include "tandem/status.h"

extern const bool failing_works;
extern long failing_left;   /* allocations that may still be made; negative: no end */
extern bool failing_once;   /* one fails, and those after it do not */
extern long failing_pieces; /* allocated and not freed */

/* Reads a text with that many allocations allowed, and says in *leaked how many pieces are left,
   give or take a number that is always the same. */
typedef td_status failing_reader(const char *text, long allocations, long *leaked);

/* Every allocation fails once, with all after it: the reader must say TD_ERROR_MEMORY and leave as
   much as it does where none fails, which ends with that status. */
void failing_each(failing_reader *read, const char *text, td_status in_the_end);

#endif
