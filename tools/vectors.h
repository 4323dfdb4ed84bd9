/* SPDX-License-Identifier: MIT */
/*
 * Vectors of three numbers, and arrays without values.
 */
#ifndef TOOL_VECTORS_H
#define TOOL_VECTORS_H

#include <math.h>
#include <stddef.h>

static inline double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double length_of(const double a[3])
{
    return sqrt(dot(a, a));
}

static inline void cross(const double a[3], const double b[3], double c[3])
{
    for (size_t i = 0; i < 3; i++) {
        const size_t j = (i + 1) % 3, k = (i + 2) % 3;
        c[i] = a[j] * b[k] - a[k] * b[j];
    }
}

static inline void set_nan(double *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        x[i] = (double)NAN;
    }
}

#endif
