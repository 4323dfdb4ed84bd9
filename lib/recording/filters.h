/* SPDX-License-Identifier: MIT */
/*
 * Low-pass filters for recorded motion, without delay: a Butterworth filter that runs forwards and
 * back, and the smoothing spline, whose frequency response is nearly the same. The cut-off is the
 * frequency at which an oscillation is reduced to 1/√2 by both passes together.
 *
 * Before filtering, the values are extended at both ends by their reflection at the end point, and
 * cut off afterwards. The filter then distorts neither value nor slope there.
 *
 * This folder is not an installed library: the command and the Python package compile its sources.
 */
#ifndef TD_RECORDING_FILTERS_H
#define TD_RECORDING_FILTERS_H

#include <stddef.h>

#include "tandem/status.h"

typedef enum td_filter {
    TD_FILTER_NONE,
    TD_FILTER_BUTTERWORTH, /* second order in each direction; needs equal steps */
    TD_FILTER_SPLINE,      /* cubic smoothing spline (Reinsch 1967); accepts any ascending times */
} td_filter;

/* Filters x (n ≥ 4) at times t in place. cutoff: Hz, above 0 and below half the rate (n − 1) /
   (last t − first t). TD_ERROR_MEMORY: x is unchanged. O(n). */
td_status td_filter_apply(td_filter kind, size_t n, const double *t, double cutoff, double *x);

/* Returns the gain, 0 to 1, for an oscillation of the given frequency (Hz) far from the ends, at
   the given sampling rate (Hz). */
double td_filter_response(td_filter kind, double rate, double cutoff, double frequency);

/* Returns the mean sampling rate of n ≥ 2 rows (Hz), (n − 1) / (t[n − 1] − t[0]). */
double td_filter_rate(size_t n, const double *t);

/* Returns the largest cut-off (Hz), 0.45 of the rate. */
double td_filter_largest_cutoff(size_t n, const double *t);

#endif
