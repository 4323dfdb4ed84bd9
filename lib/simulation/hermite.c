/* SPDX-License-Identifier: MIT */
/*
 * Curves through values and their derivatives. Between two points, h apart, with values q0, q1,
 * velocities v0, v1 and accelerations a0, a1, the curve is a polynomial in the time since the
 * first:
 *
 *   degree 3   D = q1 − q0,   V = v0 + v1
 *              q0 + v0 t + (3 D − (V + v0) h) t²/h² + (V h − 2 D) t³/h³
 *   degree 5   D = q1 − q0 − v0 h − a0 h²/2,   V = v1 − v0 − a0 h,   A = a1 − a0
 *              q0 + v0 t + a0 t²/2 + (10 D − 4 V h + A h²/2) t³/h³
 *                 + (−15 D + 7 V h − A h²) t⁴/h⁴ + (6 D − 3 V h + A h²/2) t⁵/h⁵
 */
#include <math.h>
#include <stdint.h>

#include "trajectory_inside.h"

static void cubic(double h, double q0, double q1, double v0, double v1, double *c)
{
    const double D = q1 - q0, V = v0 + v1;
    c[0] = q0;
    c[1] = v0;
    c[2] = (3 * D - (V + v0) * h) / (h * h);
    c[3] = (V * h - 2 * D) / (h * h * h);
}

static void quintic(double h, const double q[2], const double v[2], const double a[2], double *c)
{
    const double D = q[1] - q[0] - v[0] * h - 0.5 * a[0] * h * h;
    const double V = v[1] - v[0] - a[0] * h, A = a[1] - a[0];
    const double h2 = h * h, h3 = h2 * h;
    c[0] = q[0];
    c[1] = v[0];
    c[2] = 0.5 * a[0];
    c[3] = (10 * D - 4 * V * h + 0.5 * A * h2) / h3;
    c[4] = (-15 * D + 7 * V * h - A * h2) / (h3 * h);
    c[5] = (6 * D - 3 * V * h + 0.5 * A * h2) / (h3 * h2);
}

static td_status check(size_t points, size_t n, const double *t, const double *values,
                       const double *velocities, const double *accelerations)
{
    if (points < 2 || n == 0 || !t || !values || !velocities || points > (SIZE_MAX >> 16) / n)
        return TD_ERROR_ARGUMENT;
    for (size_t i = 1; i < points; i++)
        if (t[i] <= t[i - 1])
            return TD_ERROR_ARGUMENT;
    const bool finite = td_dense_finite(points, t) && td_dense_finite(points * n, values) &&
                        td_dense_finite(points * n, velocities) &&
                        (!accelerations || td_dense_finite(points * n, accelerations));
    return finite ? TD_OK : TD_ERROR_NOT_FINITE;
}

td_status td_trajectory_hermite(size_t points, size_t n, const double *t, const double *values,
                                const double *velocities, const double *accelerations,
                                td_trajectory **trajectory)
{
    if (!trajectory)
        return TD_ERROR_ARGUMENT;
    *trajectory = NULL;
    td_status status = check(points, n, t, values, velocities, accelerations);
    if (status != TD_OK)
        return status;
    td_trajectory *curve = td_trajectory_new(n, points - 1, accelerations ? 5 : 3);
    if (!curve)
        return TD_ERROR_MEMORY;
    for (size_t i = 0; i + 1 < points; i++) {
        curve->begin[i] = t[i];
        for (size_t j = 0; j < n; j++) {
            const size_t k = i * n + j, next = k + n;
            double *c = td_piece(curve, i, j);
            const double h = t[i + 1] - t[i];
            if (accelerations)
                quintic(h, (double[2]){values[k], values[next]},
                        (double[2]){velocities[k], velocities[next]},
                        (double[2]){accelerations[k], accelerations[next]}, c);
            else
                cubic(h, values[k], values[next], velocities[k], velocities[next], c);
        }
    }
    curve->begin[points - 1] = t[points - 1];
    *trajectory = curve;
    return TD_OK;
}
