/* SPDX-License-Identifier: MIT */
/*
 * Lines: consecutive numbers of each lane, turned into vectors over the lanes and back.
 */
#ifndef TD_LINES_H
#define TD_LINES_H

#include "kernel/real/real.h"

#if defined(TD_REAL_LANES)

/* a line, and that of a lane TD_LINE farther on: the vector of them, and back */
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

/* lines of a with those of b behind them */
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

/* TD_LINE reals from as many consecutive numbers of every lane, which begin at[lane] + i; and back
 */
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
/* 2 TD_LINE reals, written in two lines that lie side by side */
TD_INLINE void lines_store_both(double *const *at, size_t i, real a[2 * TD_LINE])
{
    wide_transpose(a);
    wide_transpose(a + TD_LINE);
    for (size_t k = 0; k < TD_LINE; k++)
        lines_to_both(at[k] + i, at[TD_LANE_COUNT - TD_LINE + k] + i, a[k], a[TD_LINE + k]);
}

#endif

#endif
