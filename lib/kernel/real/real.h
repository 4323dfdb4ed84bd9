/* SPDX-License-Identifier: MIT */
/*
 * What `real` is. Every kernel is written once over `real` and compiled with one of
 *
 *   TD_REAL_DOUBLE    double: one state
 *   TD_REAL_LANES N   N doubles side by side: N states, one a lane
 *   TD_REAL_QUAD      113 bits (quad.h): tells the rounding error of the others (tests)
 *   TD_REAL_COMPLEX   double complex: derivatives by a complex step (tests)
 *
 * GCC and Clang give + - * / the same meaning for all of them, mixed with double too. The rest is
 * the vocabulary below. A kernel uses no comparison, no `if` on a real, no fabs and no conj: vector
 * and complex types refuse them, and a branch would differ from lane to lane.
 */
#ifndef TD_REAL_H
#define TD_REAL_H

#include "kernel/real/wide.h"

#if defined(TD_REAL_LANES)

typedef td_wide real;
#define TD_LANE_COUNT TD_REAL_LANES
#define TD_EPSILON 0x1p-53
#define TD_POLISH 0 /* iterations that a converged Newton method adds */

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
/* x where a < b, else y */
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
#undef I /* an inertia here */

typedef double complex real;
#define TD_LANE_COUNT 1
#define TD_EPSILON 0x1p-53
#define TD_POLISH 2 /* derivatives converge behind the value */

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
/* the imaginary part is the derivative to the first order */
TD_INLINE real real_atan2(real y, real x)
{
    double a = creal(x), b = creal(y);
    return atan2(b, a) + (a * cimag(y) - b * cimag(x)) / (a * a + b * b) * _Complex_I;
}
/* decided on the real parts, as the function that is differentiated decides */
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

/* Keeps the first index whose pivot is not above its bound: −1 as long as all are. NaN counts. */
TD_INLINE real first_bad(real bad, real bound, real pivot, size_t index)
{
    real now = select_lt(bad, splat(0), splat((double)index), bad);
    return select_lt(bound, pivot, bad, now);
}

#endif
