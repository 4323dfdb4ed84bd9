/* SPDX-License-Identifier: MIT */
/*
 * Low-pass filters for recorded motion, without delay: a Butterworth filter that runs forwards and
 * back, and the smoothing spline, whose frequency response is nearly the same. The cut-off is the
 * frequency at which what is left of an oscillation is 1/√2 of it, both passes counted.
 *
 * Both ends are continued by the values' reflection at the end point before filtering, and cut off
 * afterwards, so that neither value nor slope is drawn to anything there.
 */
#ifndef TOOL_FILTERS_H
#define TOOL_FILTERS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum filter_kind {
    FILTER_NONE,
    FILTER_BUTTERWORTH, /* second order each way; needs equal steps */
    FILTER_SPLINE,      /* cubic smoothing spline (Reinsch 1967); takes any ascending times */
} filter_kind;

/* Filters x (n ≥ 4) at times t in place. cutoff: Hz, above 0 and below half the rate (n − 1) /
   (last t − first t). O(n). */
void filter_apply(filter_kind kind, size_t n, const double *t, double cutoff, double *x);

/* What is left of an oscillation of that frequency (Hz) far from the ends, from 0 to 1, for values
   at that rate (Hz). */
double filter_response(filter_kind kind, double rate, double cutoff, double frequency);

/* The largest cut-off: 0.45 of the rate. */
double filter_largest_cutoff(size_t n, const double *t);

#endif
