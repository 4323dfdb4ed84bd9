/* SPDX-License-Identifier: MIT */
/*
 * Conversion between TD_LINE consecutive numbers of each lane (a line) and vectors over the lanes.
 */
#ifndef TD_LINES_H
#define TD_LINES_H

#include "kernel/real/real.h"

#if defined(TD_REAL_LANES)

/* Loads or stores a vector of lines: one line, or two with vectors of eight. The second line, next,
   belongs to the lane with TD_LINE added to its number. */
TD_INLINE real lines_at(const double *line, const double *next)
{
#if TD_WIDE == 8
    return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(line)), _mm256_loadu_pd(next),
                              1);
#else
    (void)next;
    return wide_load(line);
#endif
}
TD_INLINE void lines_to(double *line, double *next, real a)
{
#if TD_WIDE == 8
    _mm256_storeu_pd(line, _mm512_castpd512_pd256(a));
    _mm256_storeu_pd(next, _mm512_extractf64x4_pd(a, 1));
#else
    (void)next;
    wide_store(line, a);
#endif
}

/* Stores two consecutive lines of each lane: a, then b. */
TD_INLINE void lines_to_both(double *line, double *next, real a, real b)
{
#if TD_WIDE == 8
    wide_store(line, _mm512_shuffle_f64x2(a, b, 0x44));
    wide_store(next, _mm512_shuffle_f64x2(a, b, 0xee));
#else
    lines_to(line, next, a);
    lines_to(line + TD_LINE, next + TD_LINE, b);
#endif
}

/* Loads TD_LINE reals from TD_LINE consecutive numbers of every lane, starting at at[lane] + i, or
   stores them. */
TD_INLINE void lines_load(real a[TD_LINE], const double *const at[TD_LANE_COUNT], size_t i)
{
    for (size_t k = 0; k < TD_LINE; k++)
        a[k] = lines_at(at[k] + i, at[TD_LANE_COUNT - TD_LINE + k] + i);
    wide_transpose(a);
}
TD_INLINE void lines_store(double *const *at, size_t i, real a[TD_LINE])
{
    wide_transpose(a);
    for (size_t k = 0; k < TD_LINE; k++)
        lines_to(at[k] + i, at[TD_LANE_COUNT - TD_LINE + k] + i, a[k]);
}
/* Stores 2 TD_LINE reals as two consecutive lines per lane. */
TD_INLINE void lines_store_both(double *const *at, size_t i, real a[2 * TD_LINE])
{
    wide_transpose(a);
    wide_transpose(a + TD_LINE);
    for (size_t k = 0; k < TD_LINE; k++)
        lines_to_both(at[k] + i, at[TD_LANE_COUNT - TD_LINE + k] + i, a[k], a[TD_LINE + k]);
}

#endif

#endif
