/* SPDX-License-Identifier: MIT */
/*
 * Trajectory objects: memory, values at a time, and duration.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "trajectory_inside.h"

static void trajectory_take(td_trajectory *t, td_stack *stack)
{
    t->begin = td_take(stack, double, t->pieces + 1);
    t->coefficient = td_take(stack, double, t->pieces * t->n * (t->degree + 1));
}

td_trajectory *td_trajectory_new(size_t n, size_t pieces, size_t degree)
{
    const size_t most = SIZE_MAX / 16 / sizeof(double);
    if (n > most / (degree + 1) || pieces + 1 > most / (n * (degree + 1)))
        return NULL;
    td_trajectory *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->n = n;
    t->pieces = pieces;
    t->degree = degree;
    if (td_take_twice(&t->stack, trajectory_take(t, &t->stack)))
        return t;
    td_trajectory_free(t);
    return NULL;
}

void td_trajectory_free(td_trajectory *t)
{
    if (!t)
        return;
    td_stack_end(&t->stack);
    free(t);
}

/* ---- values ---------------------------------------------------------------------------------- */

size_t td_interval_at(size_t low, size_t high, const double *begin, double t)
{
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (begin[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Computes a polynomial and its first two derivatives by Horner's rule. */
static void polynomial(size_t degree, const double *c, double x, double out[3])
{
    double value = 0, first = 0, half_second = 0;
    for (size_t k = degree + 1; k-- > 0;) {
        half_second = half_second * x + first;
        first = first * x + value;
        value = value * x + c[k];
    }
    out[0] = value;
    out[1] = first;
    out[2] = 2 * half_second;
}

static void cycloid(const double *c, double x, double duration, double out[3])
{
    const double turn = 2 * acos(-1), s = x / duration;
    out[0] = c[0] + c[1] * (s - sin(turn * s) / turn);
    out[1] = c[1] * (1 - cos(turn * s)) / duration;
    out[2] = c[1] * turn * sin(turn * s) / (duration * duration);
}

td_status td_trajectory_evaluate(const td_trajectory *trajectory, double t, double *y, double *yd,
                                 double *ydd)
{
    if (!trajectory)
        return TD_ERROR_ARGUMENT;
    if (isnan(t))
        return TD_ERROR_NOT_FINITE;
    const double begin = trajectory->begin[0], end = trajectory->begin[trajectory->pieces];
    const bool moving = t >= begin && t <= end;
    const double at = fmin(fmax(t, begin), end);
    const size_t piece = td_interval_at(0, trajectory->pieces, trajectory->begin, at);
    for (size_t j = 0; j < trajectory->n; j++) {
        double out[3];
        if (trajectory->cycloid)
            cycloid(td_piece(trajectory, piece, j), at - begin, end - begin, out);
        else
            polynomial(trajectory->degree, td_piece(trajectory, piece, j),
                       at - trajectory->begin[piece], out);
        if (y)
            y[j] = out[0];
        if (yd)
            yd[j] = moving ? out[1] : 0;
        if (ydd)
            ydd[j] = moving ? out[2] : 0;
    }
    return TD_OK;
}

/* ---- queries and scale ----------------------------------------------------------------------- */

size_t td_trajectory_size(const td_trajectory *t)
{
    return t ? t->n : 0;
}

double td_trajectory_begin(const td_trajectory *t)
{
    return t ? t->begin[0] : 0;
}

double td_trajectory_end(const td_trajectory *t)
{
    return t ? t->begin[t->pieces] : 0;
}

size_t td_trajectory_pieces(const td_trajectory *t)
{
    return t ? t->pieces : 0;
}

double td_trajectory_piece(const td_trajectory *t, size_t i)
{
    return t ? t->begin[i < t->pieces ? i : t->pieces] : 0;
}

td_status td_trajectory_scale(td_trajectory *t, double factor)
{
    if (!t || !(factor > 0) || !isfinite(factor))
        return TD_ERROR_ARGUMENT;
    for (size_t i = 1; i <= t->pieces; i++)
        t->begin[i] = t->begin[0] + factor * (t->begin[i] - t->begin[0]);
    for (size_t i = 0; i < t->pieces * t->n && !t->cycloid; i++) {
        double power = 1;
        for (size_t k = 0; k <= t->degree; k++, power /= factor)
            t->coefficient[i * (t->degree + 1) + k] *= power;
    }
    return TD_OK;
}
