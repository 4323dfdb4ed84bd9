/* SPDX-License-Identifier: MIT */
/*
 * Values of a recorded column that are none of its motion.
 */
#ifndef TD_RECORDING_OUTLIERS_H
#define TD_RECORDING_OUTLIERS_H

#include <stddef.h>

#include "tandem/status.h"

/* The outliers of x (n ≥ 4) at ascending times t, all of them numbers: values further from the
   cubic through their two neighbours on each side than ten times what is usual nearby, and than a
   thousandth of the range, and alone in that; corners are none. Writes which they are, ascending,
   into index, and what that cubic has in their place into expected (n each), and how many to count.
   TD_ERROR_MEMORY: nothing is written. O(n). */
td_status td_outliers(size_t n, const double *t, const double *x, size_t *index, double *expected,
                      size_t *count);

#endif
