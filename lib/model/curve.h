/* SPDX-License-Identifier: MIT */
/*
 * A scalar function of one argument as kernels evaluate it (kernel/loops/curve.h): a sine, or
 * polynomials in pieces. It is made of a td_curve by load/closure/curve.c.
 */
#ifndef TD_CURVE_DATA_H
#define TD_CURVE_DATA_H

#include <stdbool.h>

/*
 * f(x) = Σ coefficient t^k, t = x − x₀ of the piece that x is in. With points there are one more
 * pieces than points: before the first point, between two, behind the last one; x₀ is the point
 * where a piece begins, and the first point of the piece before it. Without points there is one
 * piece, and x₀ = 0.
 */
typedef struct td_curve_data {
    bool sine; /* amplitude · sin(frequency x + phase) */
    double amplitude, frequency, phase;
    int degree; /* of the pieces */
    int points;
    double *point;       /* ascending */
    double *coefficient; /* pieces × (degree + 1) */
    double period;       /* 0: none; else x is taken between the first point and the last one */
    double density;      /* pieces per x, if all were of one length: where a search begins */
    double lower, upper; /* where it is good */
} td_curve_data;

#endif
