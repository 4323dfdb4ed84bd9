/* SPDX-License-Identifier: MIT */
/*
 * A scalar curve f and its derivatives. Lanes may be in different pieces of the curve: each lane
 * finds its piece and loads the coefficients.
 */
#ifndef TD_CURVE_H
#define TD_CURVE_H

#include <math.h>
#include <stddef.h>

#include "base/spline.h"
#include "kernel/real/sincos.h"
#include "model/curve.h"

/* Number of values: f, f', f'' and f'''. */
enum { CURVE_VALUES = 4 };

/* Returns the number of points that are not above x. Constant time if the points are
   equidistant. */
static int curve_piece(const td_curve_data *c, double x)
{
    const double guess = (x - c->point[0]) * c->density;
    int low = -1, high = c->points; /* point[low] ≤ x < point[high] */
    if (guess >= 0 && guess < c->points - 1) {
        const int k = (int)guess;
        if (c->point[k] <= x && x < c->point[k + 1])
            return k + 1;
    }
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (c->point[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return low + 1;
}

/* Computes value[0 … highest] of Σ c_k t^k. own has coefficients per lane; if it is NULL, all lanes
   use shared. */
TD_INLINE void curve_polynomial(const real *own, const double *shared, int degree, real t,
                                int highest, real value[])
{
#define COEFFICIENT(k) (own ? own[k] : splat(shared[k]))
    if (degree == 3 && highest == 2) { /* the most common case */
        const real c3 = COEFFICIENT(3), c2 = COEFFICIENT(2), top = c3 * t;
        const real sum = top + c2, slope = sum + top;
        value[0] = (sum * t + COEFFICIENT(1)) * t + COEFFICIENT(0);
        value[1] = (slope + sum) * t + COEFFICIENT(1);
        value[2] = 2 * (slope + top);
        return;
    }
    real f = COEFFICIENT(degree), f1 = splat(0), f2 = f1, f3 = f1;
    for (int k = degree; k-- > 0;) {
        if (highest > 2)
            f3 = f3 * t + f2; /* f'''/6 */
        f2 = f2 * t + f1;     /* f''/2 */
        f1 = f1 * t + f;
        f = f * t + COEFFICIENT(k);
    }
#undef COEFFICIENT
    value[0] = f;
    value[1] = f1;
    value[2] = 2 * f2;
    if (highest > 2)
        value[3] = 6 * f3;
}

TD_INLINE void curve_pieces(const td_curve_data *c, real x, int highest, real value[])
{
    real own[TD_SPLINE_POWERS], t = x;
    const double *from = c->coefficient;
    for (size_t lane = 0; lane < TD_LANE_COUNT; lane++) {
        double at = real_get(x, lane), turns = 0;
        if (c->period != 0) {
            turns = floor((at - c->point[0]) / c->period);
            at -= turns * c->period;
        }
        const int piece = curve_piece(c, at);
        const double origin = c->point[piece > 0 ? piece - 1 : 0] + turns * c->period;
        from = c->coefficient + piece * (c->degree + 1);
        if (TD_LANE_COUNT == 1) {
            t -= origin;
            break;
        }
        for (int k = 0; k <= c->degree; k++)
            own[k] = real_set(lane ? own[k] : splat(0), lane, from[k]);
        t = real_set(t, lane, real_get(x, lane) - origin);
    }
    curve_polynomial(TD_LANE_COUNT == 1 ? NULL : own, from, c->degree, t, highest, value);
}

TD_INLINE void curve_sine(const td_curve_data *c, real x, int highest, real value[])
{
    const double w = c->frequency;
    real angle[TD_WIDE] = {c->phase + w * x}, sine[TD_WIDE], cosine[TD_WIDE];
    real_sincos_array(1, angle, NULL, sine, cosine);
    value[0] = c->amplitude * sine[0];
    value[1] = c->amplitude * w * cosine[0];
    value[2] = -(w * w) * value[0];
    if (highest > 2)
        value[3] = -(w * w) * value[1];
}

/* Computes f and its derivatives at x into value[0 … highest]; highest is 2 or 3. */
TD_INLINE void curve_evaluate(const td_curve_data *c, real x, int highest, real value[])
{
    if (c->sine)
        curve_sine(c, x, highest, value);
    else if (c->points)
        curve_pieces(c, x, highest, value);
    else
        curve_polynomial(NULL, c->coefficient, c->degree, x, highest, value);
}

#endif
