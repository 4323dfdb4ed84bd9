/* SPDX-License-Identifier: MIT */
/*
 * Estimates the noise of a recorded column, the noise after filtering in positions, velocities and
 * accelerations, and the cut-off with the least error of the forces computed from them.
 */
#ifndef TD_RECORDING_CUTOFF_H
#define TD_RECORDING_CUTOFF_H

#include <stddef.h>

#include "filters.h"

enum { TD_DERIVATIVES = 3 };

/* A square that errors of derivatives add to: Σ of[a][b] e_a e_b with e_a the error of the a-th
   one; symmetric. */
typedef struct td_error_weight {
    double of[TD_DERIVATIVES][TD_DERIVATIVES];
} td_error_weight;

/* The standard deviation of white noise in x (n ≥ 4) at ascending times t: of its differences of
   that order at which a higher one has no less of it, for a motion that steps resolve vanishes from
   high differences and noise does not. The largest tenth of the differences, where outliers and
   corners are, does not count. Of fewer than 16 rows NaN. TD_ERROR_MEMORY: it is not written.
   O(n log n). */
td_status td_noise_level(size_t n, const double *t, const double *x, double *noise);

/* The variances of a position that a filter leaves of white noise of variance 1, and of the first
   and the second derivative of the spline of that degree (3 or 5) through it, far from the ends.
   rate: Hz. */
void td_noise_left(td_filter kind, double rate, double cutoff, int degree,
                   double variance[TD_DERIVATIVES]);

/* The mean of the weighted square of noise whose derivatives have those variances. */
double td_noise_weighted(const td_error_weight *weight, const double variance[TD_DERIVATIVES]);

/* The cut-off with the least mean of the weighted square of errors (never negative), for values
   with noise of that standard deviation: what the filter takes from the motion, which it takes from
   a smoothed copy of the values, and what it leaves of the noise. The middle nine tenths of the
   rows count. Between 1/(tₙ − t₀) and td_filter_largest_cutoff, which it is where there is no
   noise. TD_ERROR_MEMORY: it is not written. O(n) for each of some 200 cut-offs. */
td_status td_cutoff_choose(td_filter kind, size_t n, const double *t, const double *x, double noise,
                           const td_error_weight *weight, double *cutoff);

#endif
