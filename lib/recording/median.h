/* SPDX-License-Identifier: MIT */
/*
 * Computes the median of numbers, which repairs of recordings use as the typical size of steps and
 * errors.
 */
#ifndef TD_MEDIAN_H
#define TD_MEDIAN_H

#include <stdlib.h>

static inline int td_compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the median of n ≥ 1 numbers, and sorts them. For even n it is the mean of the middle two.
 */
static inline double td_median(double *x, size_t n)
{
    qsort(x, n, sizeof *x, td_compare_numbers);
    return n % 2 == 1 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

#endif
