/* SPDX-License-Identifier: MIT */
/*
 * Finds values of a recorded column that do not belong to its motion, such as spikes.
 */
#ifndef TD_RECORDING_OUTLIERS_H
#define TD_RECORDING_OUTLIERS_H

#include <stddef.h>

#include "tandem/status.h"

/* Finds the outliers of x (n ≥ 4, all finite) at ascending times t: single values whose distance
   from the cubic through two neighbors on each side is more than ten times the usual distance
   nearby and more than a thousandth of the range. Corners do not count. Writes their ascending
   indices to index, the cubic's values to expected (n each), and their number to count. Fails with
   TD_ERROR_MEMORY and writes nothing. O(n). */
td_status td_outliers(size_t n, const double *t, const double *x, size_t *index, double *expected,
                      size_t *count);

#endif
