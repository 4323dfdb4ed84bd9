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

/* The weights of errors: the weighted square is Σ of[a][b] e_a e_b, where e_a is the error of the
   a-th derivative. of is symmetric. */
typedef struct td_error_weight {
    double of[TD_DERIVATIVES][TD_DERIVATIVES];
} td_error_weight;

/* Estimates the standard deviation of white noise in x (n ≥ 4) at ascending times t, from
   differences of increasing order. High differences of a well-sampled motion vanish, and those with
   noise do not: the estimate is final when a higher order no longer reduces it. The largest tenth
   of the differences is ignored, because outliers and corners are there. *noise is NaN for fewer
   than 16 rows. TD_ERROR_MEMORY: *noise is not written. O(n log n). */
td_status td_noise_level(size_t n, const double *t, const double *x, double *noise);

/* Computes the variance that remains of white noise of variance 1 after a filter, far from the
   ends: in the position, and in the first and second derivative of the spline of this degree (3 or
   5) through it. rate and cutoff: Hz. */
void td_noise_left(td_filter kind, double rate, double cutoff, int degree,
                   double variance[TD_DERIVATIVES]);

/* Returns the mean weighted square of noise whose derivatives have these variances. */
double td_noise_weighted(const td_error_weight *weight, const double variance[TD_DERIVATIVES]);

/* A recorded column: its values, the standard deviation of their noise, and the weights of errors.
   A weight must not make a square negative. Noise that is 0 or NaN counts as none. */
typedef struct td_noisy_column {
    const double *x; /* n */
    double noise;
    td_error_weight weight;
} td_noisy_column;

/* Finds the common cut-off (Hz) of count ≥ 1 columns with the least mean weighted square of errors,
   summed over the columns. Errors are the motion that the filter removes, estimated from smoothed
   copies, and the noise that it leaves. Only the middle nine tenths of the rows count. The cut-off
   is between 1/(t[n − 1] − t[0]) and td_filter_largest_cutoff, which is the result without noise.
   TD_ERROR_MEMORY: *cutoff is not written. O(n · count) for each of about 200 cut-offs. */
td_status td_cutoff_choose(td_filter kind, size_t n, const double *t, size_t count,
                           const td_noisy_column *column, double *cutoff);

#endif
