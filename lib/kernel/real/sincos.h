/* SPDX-License-Identifier: MIT */
/*
 * Sines and cosines of arrays of reals.
 */
#ifndef TD_SINCOS_H
#define TD_SINCOS_H

#include "kernel/real/real.h"
#include "kernel/real/wide_sincos.h"

/* number of reals whose sines and cosines are computed at once */
#if defined(TD_REAL_LANES) || defined(TD_REAL_QUAD) || defined(TD_REAL_COMPLEX)
enum { TD_SINES = 1 };
#else
enum { TD_SINES = TD_WIDE };
#endif

/* Computes sin and cos of x, or of x[index[i]] (index NULL: x), for several packs of TD_SINES
   reals. times: the number of packs. start: where each pack begins (NULL: packs are consecutive).
   The results, and index or else x, need capacity up to the next multiple of TD_SINES. The extra
   angles must be finite. */
TD_INLINE void real_sincos_some(size_t times, const int *start, const real *x, const int *index,
                                real *sine, real *cosine)
{
#if defined(TD_REAL_QUAD) || defined(TD_REAL_COMPLEX)
    for (size_t k = 0; k < times; k++) {
        const size_t i = start ? (size_t)start[k] : k;
        const real angle = x[index ? (size_t)index[i] : i];
#if defined(TD_REAL_QUAD)
        sine[i] = sinf128(angle), cosine[i] = cosf128(angle);
#else
        sine[i] = csin(angle), cosine[i] = ccos(angle);
#endif
    }
#else
    wide_sincos_array(times, start, (const double *)x, index, (double *)sine, (double *)cosine);
#endif
}

/* Computes sines and cosines of the first count reals. */
TD_INLINE void real_sincos_array(size_t count, const real *x, const int *index, real *sine,
                                 real *cosine)
{
    real_sincos_some((count + TD_SINES - 1) / TD_SINES, NULL, x, index, sine, cosine);
}

#endif
