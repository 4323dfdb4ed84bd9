/* SPDX-License-Identifier: MIT */
/*
 * Sines and cosines of wide vectors of angles.
 */
#ifndef TD_WIDE_SINCOS_H
#define TD_WIDE_SINCOS_H

#include "kernel/real/wide.h"

/*
 * sin and cos of |x| ≤ TD_SINCOS_MAX, error below 0.85 ulp; of the numbers beside a multiple of π/2
 * below 0.6 where there is a multiply-add, 1.1 elsewhere. x = n π/2 + (y0 + y1). With a
 * multiply-add the first part of π/2 has 53 bits, and x − n times it as many, so that it is exact;
 * without it 33, so that the product is. So is n times the second part, of 33 bits. The polynomials
 * are those of fdlibm on [−π/4, π/4].
 */
#define TD_SINCOS_MAX 1e6

/* Its constants, as vectors in memory: there are more of them than registers, and set up for every
   call they cost as much as four angles. */
#if defined(TD_HAVE_FMA)
#define TD_HALF_PI(X)                                                                              \
    X(first, 0x1.921fb54442d18p+0)                                                                 \
    X(second, 0x1.1a626331p-54)                                                                    \
    X(third, 0x1.1701b839a2520p-88)
#else
#define TD_HALF_PI(X)                                                                              \
    X(first, 0x1.921fb544p+0)                                                                      \
    X(second, 0x1.0b4611a6p-34)                                                                    \
    X(third, 0x1.3198a2e037073p-69)
#endif
#define TD_SINCOS(X)                                                                               \
    TD_HALF_PI(X)                                                                                  \
    X(to_integer, 0x1.8p52) /* adding it leaves the integer in the low bits */                     \
    X(two_over_pi, 0x1.45f306dc9c883p-1)                                                           \
    X(s1, -1.66666666666666324348e-01)                                                             \
    X(s2, 8.33333333332248946124e-03)                                                              \
    X(s3, -1.98412698298579493134e-04)                                                             \
    X(s4, 2.75573137070700676789e-06)                                                              \
    X(s5, -2.50507602534068634195e-08)                                                             \
    X(s6, 1.58969099521155010221e-10)                                                              \
    X(c1, 4.16666666666666019037e-02)                                                              \
    X(c2, -1.38888888888741095749e-03)                                                             \
    X(c3, 2.48015872894767294178e-05)                                                              \
    X(c4, -2.75573143513906633035e-07)                                                             \
    X(c5, 2.08757232129817482790e-09)                                                              \
    X(c6, -1.13596475577881948265e-11)                                                             \
    X(half, 0.5)                                                                                   \
    X(one, 1.0)

#define TD_SINCOS_FIELD(name, value) td_wide name;
typedef struct wide_sincos_constants {
    TD_SINCOS(TD_SINCOS_FIELD)
} wide_sincos_constants;
#undef TD_SINCOS_FIELD

#if TD_WIDE == 2
#define TD_SINCOS_VALUE(name, value) .name = {value, value},
#elif TD_WIDE == 4
#define TD_SINCOS_VALUE(name, value) .name = {value, value, value, value},
#else
#define TD_SINCOS_VALUE(name, value)                                                               \
    .name = {value, value, value, value, value, value, value, value},
#endif
static const wide_sincos_constants sincos_constants = {TD_SINCOS(TD_SINCOS_VALUE)};
#undef TD_SINCOS_VALUE

/* n, in the low bits of shifted, and x − n π/2 as a sum */
TD_INLINE void wide_reduce(const wide_sincos_constants *k, td_wide x, td_wide *shifted, td_wide *y0,
                           td_wide *y1)
{
    *shifted = x * k->two_over_pi + k->to_integer;
    const td_wide n = *shifted - k->to_integer;
#if defined(TD_HAVE_FMA)
    const td_wide r = wide_fnma(n, k->first, x);
    *y0 = wide_fnma(n, k->second, r);
    *y1 = wide_fnma(n, k->third, wide_fnma(n, k->second, r - *y0));
#else
    const td_wide r = x - n * k->first, second = n * k->second, y = r - second;
    const td_wide rest = n * k->third - ((r - y) - second);
    *y0 = y - rest;
    *y1 = (y - *y0) - rest;
#endif
}

/* What waits for what is kept short: the processor sees no more than three or four of these. */
TD_INLINE void wide_sincos(const wide_sincos_constants *k, td_wide x, td_wide *sine,
                           td_wide *cosine)
{
    td_wide shifted, y0, y1;
    wide_reduce(k, x, &shifted, &y0, &y1);
    const td_wide z = y0 * y0, zz = z * z;
    const td_wide ps = k->s1 + z * ((k->s2 + z * k->s3) + zz * ((k->s4 + z * k->s5) + zz * k->s6));
    const td_wide pc = (k->c1 + z * k->c2) + zz * ((k->c3 + z * k->c4) + zz * (k->c5 + z * k->c6));
    const td_wide w = k->one - k->half * z; /* and what it was rounded by */
    const td_wide rounding = (k->one - w) - k->half * z;
    td_wide s = y0 + (z * y0 * ps + y1 * w);
    td_wide c = w + (zz * pc + (rounding - y0 * y1));

    /* quadrant n mod 4: odd ones swap, sin is negative in 2 and 3, cos in 1 and 2 */
    const td_wide_bits n = (td_wide_bits)shifted, sign = (td_wide_bits)(-(td_wide){0});
    const td_wide_bits sign_s = (n << 62) & sign, sign_c = sign_s ^ (n << 63);
    wide_exchange_odd(n, &s, &c);
    *sine = (td_wide)((td_wide_bits)s ^ sign_s);
    *cosine = (td_wide)((td_wide_bits)c ^ sign_c);
}

/* The angles from the i-th double on: x itself, or by an index, which says for every real where in
   x it is. */
TD_INLINE td_wide wide_angles(const double *x, const int *index, size_t i)
{
    if (!index)
        return wide_load(x + i);
#if defined(TD_REAL_LANES)
    return wide_load(x + TD_WIDE * (size_t)index[i / TD_WIDE]);
#elif TD_WIDE == 4
    return (td_wide){x[index[i]], x[index[i + 1]], x[index[i + 2]], x[index[i + 3]]};
#else
    return (td_wide){x[index[i]], x[index[i + 1]]};
#endif
}

/* sin and cos of as many whole vectors: consecutive ones, or those that begin at each start (in
   reals); index: NULL for none. Angles beyond the range of the reduction (and NaN) are rare, and
   left to libm. The others are never: a state has the same bits whatever its neighbors are. The sum
   of squares in each entry of the vectors tells whether there may be some. */
TD_INLINE void wide_sincos_every(size_t vectors, const int *start, const double *x,
                                 const int *index, double *sine, double *cosine)
{
#if defined(TD_REAL_LANES)
    enum { STEP = TD_REAL_LANES };
#else
    enum { STEP = 1 };
#endif
    const wide_sincos_constants *k = &sincos_constants;
    td_wide squares = {0};
    for (size_t v = 0; v < vectors; v++) {
        __asm__("" : "+r"(k)); /* or they are loaded before the loop, and have no registers there */
        const size_t i = start ? STEP * (size_t)start[v] : TD_WIDE * v;
        td_wide angle = wide_angles(x, index, i), s, c;
        squares += angle * angle;
        wide_sincos(k, angle, &s, &c);
        wide_store(sine + i, s);
        wide_store(cosine + i, c);
    }
    const td_wide most = TD_SINCOS_MAX * TD_SINCOS_MAX - (td_wide){0};
    if (wide_le(squares, most) == (1 << TD_WIDE) - 1)
        return;
    for (size_t v = 0; v < vectors; v++) {
        const size_t i = start ? STEP * (size_t)start[v] : TD_WIDE * v;
        td_wide angle = wide_angles(x, index, i);
        for (size_t j = 0; j < TD_WIDE; j++) {
            if (fabs(angle[j]) <= TD_SINCOS_MAX)
                continue;
            sine[i + j] = sin(angle[j]);
            cosine[i + j] = cos(angle[j]);
        }
    }
}

TD_INLINE void wide_sincos_array(size_t vectors, const int *start, const double *x,
                                 const int *index, double *sine, double *cosine)
{
    if (index) /* asked once */
        wide_sincos_every(vectors, start, x, index, sine, cosine);
    else
        wide_sincos_every(vectors, start, x, NULL, sine, cosine);
}

#endif
