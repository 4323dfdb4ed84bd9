/* SPDX-License-Identifier: MIT */
/*
 * Sines and cosines of SIMD vectors of angles.
 */
#ifndef TD_WIDE_SINCOS_H
#define TD_WIDE_SINCOS_H

#include "kernel/real/wide.h"

/*
 * sin and cos of |x| ≤ TD_SINCOS_MAX, with an error below 0.85 ulp. For the doubles next to a
 * multiple of π/2 it is below 0.6 ulp with FMA and 1.1 ulp without. The reduction is x = n π/2 +
 * (y0 + y1). With FMA, the first part of π/2 has 53 bits and x − n · first is exact, as it fits in
 * 53 bits. Without FMA, the first part has 33 bits and n · first is exact. n times the second part,
 * which has 33 bits, is exact too. The polynomials come from fdlibm on [−π/4, π/4].
 */
#define TD_SINCOS_MAX 1e6

/* The constants of wide_sincos, as vectors in memory. There are more of them than registers, and
   building them in every call would take as long as four angles. */
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

/* Computes n, in the low bits of shifted, and x − n π/2 as a sum of two doubles. */
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

/* Chains of dependent operations are kept short: the processor's window covers only three or four
   calls of this function. */
TD_INLINE void wide_sincos(const wide_sincos_constants *k, td_wide x, td_wide *sine,
                           td_wide *cosine)
{
    td_wide shifted, y0, y1;
    wide_reduce(k, x, &shifted, &y0, &y1);
    const td_wide z = y0 * y0, zz = z * z;
    const td_wide ps = k->s1 + z * ((k->s2 + z * k->s3) + zz * ((k->s4 + z * k->s5) + zz * k->s6));
    const td_wide pc = (k->c1 + z * k->c2) + zz * ((k->c3 + z * k->c4) + zz * (k->c5 + z * k->c6));
    const td_wide w = k->one - k->half * z; /* the rounding error of w is added later */
    const td_wide rounding = (k->one - w) - k->half * z;
    td_wide s = y0 + (z * y0 * ps + y1 * w);
    td_wide c = w + (zz * pc + (rounding - y0 * y1));

    /* Quadrant n mod 4: odd quadrants swap sin and cos; sin is negative in 2 and 3, cos in 1 and
       2. */
    const td_wide_bits n = (td_wide_bits)shifted, sign = (td_wide_bits)(-(td_wide){0});
    const td_wide_bits sign_s = (n << 62) & sign, sign_c = sign_s ^ (n << 63);
    wide_exchange_odd(n, &s, &c);
    *sine = (td_wide)((td_wide_bits)s ^ sign_s);
    *cosine = (td_wide)((td_wide_bits)c ^ sign_c);
}

/* Loads the angles from the i-th double on: from x, or through an index of each real's entry in
   x. */
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

/* Computes sin and cos of several whole vectors, consecutive ones or those that begin at each start
   (in reals). index: NULL for none. Angles beyond the range of the reduction, and NaN, are rare;
   libm computes them. It never computes the others, so that a state has the same bits whatever its
   neighbors are. The sum of squares in each vector entry shows whether there are such angles. */
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
        /* keeps the compiler from loading constants before the loop, which has too few registers */
        __asm__("" : "+r"(k));
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
    if (index) /* tested once, outside the loop */
        wide_sincos_every(vectors, start, x, index, sine, cosine);
    else
        wide_sincos_every(vectors, start, x, NULL, sine, cosine);
}

#endif
