/* SPDX-License-Identifier: MIT */
/*
 * Arrays of reals: copying, clearing, storing to rows of doubles, and testing for finite numbers.
 */
#ifndef TD_ARRAYS_H
#define TD_ARRAYS_H

#include "kernel/real/lines.h"
#include "kernel/reals.h"
#include <stdbool.h>
#include <string.h>

/* Returns a bit for each of the first rows lanes: whether 0 · x equals 0. */
TD_INLINE int vanishing(real x, size_t rows)
{
    x *= 0.0;
#if defined(TD_REAL_LANES)
    return wide_le(x, splat(0)) & ((1 << rows) - 1);
#else
    (void)rows;
    return real_get(x, 0) == 0;
#endif
}

static int lanes_finite(const td_reals *src, size_t count, size_t rows)
{
    const real *in = src;
    real sum[4]; /* becomes NaN if any number is NaN or infinite */
    for (size_t k = 0; k < 4; k++)
        sum[k] = splat(0);
    size_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (size_t k = 0; k < 4; k++)
            sum[k] += 0.0 * in[i + k];
    for (; i < count; i++)
        sum[0] += 0.0 * in[i];
    return vanishing(sum[0] + sum[1] + (sum[2] + sum[3]), rows);
}

/* Stores count reals to the first rows lanes, which are stride doubles apart. Returns their sum. */
TD_INLINE real store_reals(double *dst, size_t stride, const real *in, size_t count, size_t rows)
{
    real sum[2] = {splat(0), splat(0)};
    size_t i = 0;
#if defined(TD_REAL_LANES)
    double *row[TD_LANE_COUNT] = {0};
    for (size_t lane = 0; rows == TD_LANE_COUNT && lane < TD_LANE_COUNT; lane++)
        row[lane] = dst + lane * stride;
    for (; rows == TD_LANE_COUNT && i + 2 * TD_LINE <= count; i += 2 * TD_LINE) {
        real squares[2 * TD_LINE];
        for (size_t k = 0; k < 2 * TD_LINE; k++)
            sum[k % 2] += squares[k] = in[i + k];
        lines_store_both(row, i, squares);
    }
    for (; rows == TD_LANE_COUNT && i + TD_LINE <= count; i += TD_LINE) {
        real square[TD_LINE];
        for (size_t k = 0; k < TD_LINE; k++)
            sum[k % 2] += square[k] = in[i + k];
        lines_store(row, i, square);
    }
#endif
    for (; i < count; i++) {
        sum[0] += in[i];
        for (size_t lane = 0; lane < TD_LANE_COUNT && lane < rows; lane++)
            dst[lane * stride + i] = real_get(in[i], lane);
    }
    return sum[0] + sum[1];
}

/* Returns whether all numbers of a row are finite. */
TD_INLINE bool row_finite(const double *row, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += 0.0 * row[i];
    return sum == 0;
}

static void copy(td_reals *dst, const td_reals *src, size_t count)
{
    if (dst != src && count) /* empty arrays may be NULL */
        memcpy(dst, src, count * sizeof(real));
}

static void clear(td_reals *dst, size_t count)
{
    if (count)
        memset(dst, 0, count * sizeof(real));
}

static void spread(td_reals *dst, const double *src, size_t count)
{
    real *out = dst;
    for (size_t i = 0; i < count; i++)
        out[i] = splat(src[i]);
}

#endif
