/* SPDX-License-Identifier: MIT */
/*
 * Allocations that fail: the n-th and all after it, once failing_left is set to n. Needs glibc,
 * whose allocation functions can be replaced; with tools that replace them themselves nothing fails
 * and failing_works is false.
 */
#ifndef TD_FAILING_H
#define TD_FAILING_H

#include <stdbool.h>

extern const bool failing_works;
extern long failing_left;   /* allocations that may still be made; negative: no end */
extern long failing_pieces; /* allocated and not freed */

#endif
