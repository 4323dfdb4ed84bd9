/* SPDX-License-Identifier: MIT */
/*
 * A scalar function of one argument as kernels evaluate it (kernel/loops/curve.h): a sine, or
 * piecewise polynomials. load/closure/curve.c builds it from a td_curve.
 */
#ifndef TD_CURVE_DATA_H
#define TD_CURVE_DATA_H

#include <stdbool.h>

/*
 * f(x) = Σ coefficient t^k with t = x − x₀ in each piece. With n points there are n + 1 pieces:
 * before the first point, between two points, and beyond the last one. x₀ is the point at which a
 * piece begins; the piece before the first point uses the first point. Without points there is one
 * piece, with x₀ = 0.
 */
typedef struct td_curve_data {
    bool sine; /* amplitude · sin(frequency x + phase) */
    double amplitude, frequency, phase;
    int degree; /* of each piece */
    int points;
    double *point;       /* ascending */
    double *coefficient; /* pieces × (degree + 1) */
    double period;  /* 0 for none; else x is reduced to the range between the first and the last
                       point */
    double density; /* pieces per unit of x if all had the same length: the starting guess of the
                       search */
    double lower, upper; /* range of validity */
} td_curve_data;

#endif
