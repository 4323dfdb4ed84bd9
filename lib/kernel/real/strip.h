/* SPDX-License-Identifier: MIT */
/*
 * Strips: packs of consecutive reals. For a single state a strip fills a SIMD vector; in lanes it
 * is one real.
 */
#ifndef TD_STRIP_H
#define TD_STRIP_H

#include "kernel/real/real.h"

#if defined(TD_REAL_DOUBLE)
#define TD_STRIP TD_WIDE
typedef td_wide strip;
TD_INLINE strip strip_load(const real *x)
{
    return wide_load(x);
}
TD_INLINE strip strip_load_k(const double *k)
{
    return wide_load(k);
}
TD_INLINE strip strip_splat(real x)
{
    return x - (strip){0};
}
/* Loads reals with the stride apart. */
TD_INLINE strip strip_gather(const real *x, size_t apart)
{
#if TD_STRIP == 4
    return (strip){x[0], x[apart], x[2 * apart], x[3 * apart]};
#else
    return (strip){x[0], x[apart]};
#endif
}
TD_INLINE void strip_scatter(strip a, real *x, size_t apart)
{
    for (size_t k = 0; k < TD_STRIP; k++)
        x[k * apart] = a[k];
}
TD_INLINE strip strip_select_lt(strip a, strip b, strip x, strip y)
{
    return wide_select(a < b, x, y);
}
TD_INLINE real strip_sum(strip a)
{
#if TD_STRIP == 4
    return (a[0] + a[1]) + (a[2] + a[3]);
#else
    return a[0] + a[1];
#endif
}
/* Stores the first count reals. Reads and rewrites the memory after them. */
TD_INLINE void strip_store(real *x, strip a, int count)
{
    if (count < TD_STRIP) {
        static const int64_t ones[8] = {
            -1, -1, -1, -1}; /* the first count entries of the mask start at 4 − count */
        td_wide_bits mask;
        memcpy(&mask, ones + 4 - count, sizeof mask);
        a = wide_select(mask, a, wide_load(x));
    }
    wide_store(x, a);
}
#else
#define TD_STRIP 1
typedef real strip;
TD_INLINE strip strip_load(const real *x)
{
    return *x;
}
TD_INLINE strip strip_load_k(const double *k)
{
    return splat(*k);
}
TD_INLINE strip strip_splat(real x)
{
    return x;
}
TD_INLINE strip strip_gather(const real *x, size_t apart)
{
    (void)apart;
    return *x;
}
TD_INLINE void strip_scatter(strip a, real *x, size_t apart)
{
    (void)apart;
    *x = a;
}
TD_INLINE strip strip_select_lt(strip a, strip b, strip x, strip y)
{
    return select_lt(a, b, x, y);
}
TD_INLINE real strip_sum(strip a)
{
    return a;
}
TD_INLINE void strip_store(real *x, strip a, int count)
{
    (void)count;
    *x = a;
}
#endif

/* strip_subtract computes a −= f b, strip_dot returns a · b. Neither accesses memory beyond
   count. */
TD_INLINE void strip_subtract(real *a, real f, const real *b, int count)
{
    int j = 0;
    for (; j + TD_STRIP <= count; j += TD_STRIP)
        strip_store(a + j, strip_load(a + j) - strip_splat(f) * strip_load(b + j), TD_STRIP);
    for (int rest = 1; rest < TD_STRIP && j < count; rest++, j++)
        a[j] -= f * b[j];
}
TD_INLINE real strip_dot(const real *a, const real *b, int count)
{
    strip sum = strip_splat(splat(0));
    int j = 0;
    for (; j + TD_STRIP <= count; j += TD_STRIP)
        sum += strip_load(a + j) * strip_load(b + j);
    real total = strip_sum(sum);
    for (int rest = 1; rest < TD_STRIP && j < count; rest++, j++)
        total += a[j] * b[j];
    return total;
}

#endif
