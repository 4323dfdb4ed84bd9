/* SPDX-License-Identifier: MIT */
/*
 * Finds outliers in a column; see outliers.h.
 */
#include "outliers.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "median.h"

/* A column: n times and values. x is a copy in which is_alone temporarily replaces a value. */
typedef struct points {
    size_t n;
    const double *t;
    double *x;
} points;

/* Returns the value at time i of the cubic through two neighbors on each side. */
static double expected(const points *s, size_t i)
{
    const size_t at[4] = {i - 2, i - 1, i + 1, i + 2};
    double sum = 0;
    for (size_t a = 0; a < 4; a++) {
        double weight = 1;
        for (size_t b = 0; b < 4; b++) {
            weight *= a == b ? 1 : (s->t[i] - s->t[at[b]]) / (s->t[at[a]] - s->t[at[b]]);
        }
        sum += weight * s->x[at[a]];
    }
    return sum;
}

/* Extrapolates the line, parabola or cubic through count points on one side (step −1: before, 1:
   after) to point i. */
static double continued(const points *s, size_t i, ptrdiff_t step, size_t count)
{
    double sum = 0;
    for (size_t a = 1; a <= count; a++) {
        const size_t at = i + (size_t)(step * (ptrdiff_t)a);
        double weight = 1;
        for (size_t b = 1; b <= count; b++) {
            const size_t other = i + (size_t)(step * (ptrdiff_t)b);
            weight *= a == b ? 1 : (s->t[i] - s->t[other]) / (s->t[at] - s->t[other]);
        }
        sum += weight * s->x[at];
    }
    return sum;
}

/* Returns whether point i, at the distance off from its cubic, continues the points on one side. It
   is then at a corner: the value itself, its acceleration or its jerk jumps there. */
static bool is_corner(const points *s, size_t i, double off)
{
    enum { LEAST = 2, MOST = 4 };
    static const double part = 0.2;
    for (size_t count = LEAST; count <= MOST; count++) {
        if ((i >= count && fabs(s->x[i] - continued(s, i, -1, count)) < part * off) ||
            (i + count < s->n && fabs(s->x[i] - continued(s, i, 1, count)) < part * off)) {
            return true;
        }
    }
    return false;
}

/* Returns whether the neighbors of point i fit their cubics once point i has its expected value.
   Otherwise more than one value is off: the motion has a corner or few rows there. */
static bool is_alone(const points *s, size_t i)
{
    static const double part = 0.3;
    const double before = s->x[i], off = before - expected(s, i);
    double left = 0;
    s->x[i] -= off;
    for (size_t k = i > 4 ? i - 2 : 2; k <= i + 2 && k + 2 < s->n; k++) {
        const double by = k == i ? 0 : s->x[k] - expected(s, k);
        left += by * by;
    }
    s->x[i] = before;
    return left < part * off * off;
}

/* Returns the median distance d of values near the i-th from their cubics; −1 if no value is near.
 */
static double usual(const points *s, const double *d, size_t i)
{
    enum { NEAR = 3, FAR = 20 };
    double nearby[2 * FAR];
    size_t n = 0;
    for (size_t k = NEAR; k <= FAR; k++) {
        if (i >= k + 2)
            nearby[n++] = d[i - k];
        if (i + k + 2 < s->n)
            nearby[n++] = d[i + k];
    }
    return n == 0 ? -1 : td_median(nearby, n);
}

td_status td_outliers(size_t n, const double *t, const double *x, size_t *index, double *expect,
                      size_t *count)
{
    double *room = calloc(2 * n, sizeof *room);
    if (!room)
        return TD_ERROR_MEMORY;
    points s = {n, t, room};
    double *d = room + n, low = x[0], high = x[0];
    memcpy(s.x, x, n * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        low = fmin(low, x[i]);
        high = fmax(high, x[i]);
        d[i] = i >= 2 && i + 2 < n ? fabs(x[i] - expected(&s, i)) : 0;
    }
    *count = 0;
    for (size_t i = 2; i + 2 < n; i++) {
        /* a spike also shifts the cubics of its neighbors: keep only the largest distance */
        if (d[i] <= 1e-3 * (high - low) || d[i] < d[i - 1] || d[i] < d[i + 1])
            continue;
        const double near = usual(&s, d, i);
        if (near < 0 || d[i] <= 10 * near || !is_alone(&s, i) || is_corner(&s, i, d[i]))
            continue;
        expect[*count] = expected(&s, i);
        index[(*count)++] = i;
    }
    free(room);
    return TD_OK;
}
