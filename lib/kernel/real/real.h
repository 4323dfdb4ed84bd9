/* SPDX-License-Identifier: MIT */
/*
 * Definition of `real`. Every kernel is written once over `real` and compiled with one of
 *
 *   TD_REAL_DOUBLE    double: one state
 *   TD_REAL_LANES N   N doubles: N states, one per SIMD lane
 *   TD_REAL_QUAD      113 bits (quad.h): measures the rounding error of the others (tests)
 *   TD_REAL_COMPLEX   double complex: derivatives by complex step (tests)
 *
 * GCC and Clang define + - * / for all of them, also mixed with double. The functions below do the
 * rest. Kernels use no comparison, no `if` on a real, no fabs and no conj: vector and complex types
 * do not support them, and lanes would need different branches.
 */
#ifndef TD_REAL_H
#define TD_REAL_H

#include "kernel/real/wide.h"

#if defined(TD_REAL_LANES)

typedef td_wide real;
#define TD_LANE_COUNT TD_REAL_LANES
#define TD_EPSILON 0x1p-53
#define TD_POLISH 0 /* extra iterations after Newton's method has converged */

TD_INLINE real splat(double x)
{
    return x - (real){0};
}
TD_INLINE double real_get(real x, size_t lane)
{
    return x[lane];
}
TD_INLINE real real_set(real x, size_t lane, double value)
{
    x[lane] = value;
    return x;
}
TD_INLINE real real_sqrt(real x)
{
    for (int lane = 0; lane < TD_REAL_LANES; lane++)
        x[lane] = sqrt(x[lane]);
    return x;
}
TD_INLINE real real_atan2(real y, real x)
{
    for (int lane = 0; lane < TD_REAL_LANES; lane++)
        x[lane] = atan2(y[lane], x[lane]);
    return x;
}
/* Returns x where a < b, else y. */
TD_INLINE real select_lt(real a, real b, real x, real y)
{
    return wide_select(a < b, x, y);
}

#elif defined(TD_REAL_QUAD)

#include "kernel/real/quad.h"

typedef quad real;
#define TD_LANE_COUNT 1
#define TD_EPSILON 0x1p-113
#define TD_POLISH 0

TD_INLINE real splat(double x)
{
    return x;
}
TD_INLINE double real_get(real x, size_t lane)
{
    (void)lane;
    return (double)x;
}
TD_INLINE real real_set(real x, size_t lane, double value)
{
    (void)x, (void)lane;
    return value;
}
TD_INLINE real real_sqrt(real x)
{
    return sqrtf128(x);
}
TD_INLINE real real_atan2(real y, real x)
{
    return atan2f128(y, x);
}
TD_INLINE real select_lt(real a, real b, real x, real y)
{
    return a < b ? x : y;
}

#elif defined(TD_REAL_COMPLEX)

#include <complex.h>
#undef I /* I is an inertia in kernels */

typedef double complex real;
#define TD_LANE_COUNT 1
#define TD_EPSILON 0x1p-53
#define TD_POLISH 2 /* derivatives converge later than the value */

TD_INLINE real splat(double x)
{
    return x;
}
TD_INLINE double real_get(real x, size_t lane)
{
    (void)lane;
    return creal(x);
}
TD_INLINE real real_set(real x, size_t lane, double value)
{
    (void)x, (void)lane;
    return value;
}
TD_INLINE real real_sqrt(real x)
{
    return csqrt(x);
}
/* The imaginary part is the derivative, to first order. */
TD_INLINE real real_atan2(real y, real x)
{
    double a = creal(x), b = creal(y);
    return atan2(b, a) + (a * cimag(y) - b * cimag(x)) / (a * a + b * b) * _Complex_I;
}
/* Compares real parts, as the real-valued function does. */
TD_INLINE real select_lt(real a, real b, real x, real y)
{
    return creal(a) < creal(b) ? x : y;
}

#else

typedef double real;
#define TD_LANE_COUNT 1
#define TD_EPSILON 0x1p-53
#define TD_POLISH 0

TD_INLINE real splat(double x)
{
    return x;
}
TD_INLINE double real_get(real x, size_t lane)
{
    (void)lane;
    return x;
}
TD_INLINE real real_set(real x, size_t lane, double value)
{
    (void)x, (void)lane;
    return value;
}
TD_INLINE real real_sqrt(real x)
{
    return sqrt(x);
}
TD_INLINE real real_atan2(real y, real x)
{
    return atan2(y, x);
}
TD_INLINE real select_lt(real a, real b, real x, real y)
{
    return a < b ? x : y;
}

#endif

/* Keeps the first index whose pivot is not greater than its bound; −1 if all are greater. NaN
   counts as a failure. */
TD_INLINE real first_bad(real bad, real bound, real pivot, size_t index)
{
    real now = select_lt(bad, splat(0), splat((double)index), bad);
    return select_lt(bound, pivot, bad, now);
}

#endif
