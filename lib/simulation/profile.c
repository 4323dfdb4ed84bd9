/* SPDX-License-Identifier: MIT */
/*
 * Motions from one point to another: polynomials, the cycloid, and trapezoidal profiles of
 * velocity and of acceleration within limits.
 */
#include <math.h>
#include <string.h>

#include "trajectory_inside.h"

/* ---- for a given duration -------------------------------------------------------------------- */

static bool is_duration(double duration)
{
    return duration > 0 && isfinite(duration);
}

static const double cubic[] = {0, 0, 3, -2};
static const double minimum_jerk[] = {0, 0, 0, 10, -15, 6};
static const double septic[] = {0, 0, 0, 0, 35, -84, 70, -20};

static const struct way {
    size_t degree;
    const double *coefficient;
} ways[] = {
    [TD_PROFILE_CUBIC] = {3, cubic},
    [TD_PROFILE_MINIMUM_JERK] = {5, minimum_jerk},
    [TD_PROFILE_SEPTIC] = {7, septic},
    [TD_PROFILE_CYCLOID] = {1, NULL},
};

td_status td_trajectory_move(size_t n, const double *from, const double *to, td_profile profile,
                             double duration, td_trajectory **trajectory)
{
    if (trajectory)
        *trajectory = NULL;
    if (!trajectory || n == 0 || !from || !to || (unsigned)profile > TD_PROFILE_CYCLOID ||
        !is_duration(duration))
        return TD_ERROR_ARGUMENT;
    if (!td_dense_finite(n, from) || !td_dense_finite(n, to))
        return TD_ERROR_NOT_FINITE;
    const struct way *way = &ways[profile];
    td_trajectory *t = td_trajectory_new(n, 1, way->degree);
    if (!t)
        return TD_ERROR_MEMORY;
    t->begin[1] = duration;
    t->cycloid = profile == TD_PROFILE_CYCLOID;
    t->straight = true;
    for (size_t j = 0; j < n; j++) {
        double *c = td_piece(t, 0, j), power = 1;
        for (size_t k = 0; k <= way->degree; k++, power /= duration)
            c[k] = t->cycloid ? 0 : (to[j] - from[j]) * way->coefficient[k] * power;
        c[0] = from[j];
        if (t->cycloid)
            c[1] = to[j] - from[j];
    }
    *trajectory = t;
    return TD_OK;
}

/* Computes the upper half of the coefficients of ∑ c_k s^k on [0, 1] from values and derivatives
   at 1; the lower half is known. With m = k − half and the remainders r_i of the i-th
   derivative, ∑_m c (half + m)! / (half + m − i)! = r_i. */
static void upper_half(size_t half, double *c, const double *remainder)
{
    double a[4][5];
    for (size_t i = 0; i < half; i++) {
        for (size_t m = 0; m < half; m++) {
            a[i][m] = 1;
            for (size_t k = 0; k < i; k++)
                a[i][m] *= (double)(half + m - k);
        }
        a[i][half] = remainder[i];
    }
    for (size_t i = 0; i < half; i++) /* the pivots of this matrix are nonzero */
        for (size_t k = 0; k < half; k++) {
            const double factor = k == i ? 0 : a[k][i] / a[i][i];
            for (size_t m = i; m <= half && k != i; m++)
                a[k][m] -= factor * a[i][m];
        }
    for (size_t i = 0; i < half; i++)
        c[half + i] = a[i][half] / a[i][i];
}

/* Computes the polynomial on [0, 1] from (degree + 1) / 2 values and derivatives at each end,
   for a motion of this duration. */
static void between_ends(size_t half, const double *from, const double *to, size_t stride,
                         double duration, double *c)
{
    double remainder[4], power = 1, factorial = 1;
    for (size_t i = 0; i < half; i++) {
        c[i] = from[i * stride] * power / factorial;
        power *= duration;
        factorial *= (double)(i + 1);
    }
    power = 1;
    for (size_t i = 0; i < half; i++, power *= duration) {
        remainder[i] = to[i * stride] * power;
        for (size_t k = i; k < half; k++) {
            double term = c[k];
            for (size_t m = 0; m < i; m++)
                term *= (double)(k - m);
            remainder[i] -= term;
        }
    }
    upper_half(half, c, remainder);
    power = 1;
    for (size_t k = 0; k < 2 * half; k++, power /= duration)
        c[k] *= power;
}

td_status td_trajectory_polynomial(size_t n, size_t degree, const double *from, const double *to,
                                   double duration, td_trajectory **trajectory)
{
    if (trajectory)
        *trajectory = NULL;
    if (!trajectory || n == 0 || !from || !to || !is_duration(duration) ||
        (degree != 3 && degree != 5 && degree != 7))
        return TD_ERROR_ARGUMENT;
    const size_t half = (degree + 1) / 2;
    if (!td_dense_finite(half * n, from) || !td_dense_finite(half * n, to))
        return TD_ERROR_NOT_FINITE;
    td_trajectory *t = td_trajectory_new(n, 1, degree);
    if (!t)
        return TD_ERROR_MEMORY;
    t->begin[1] = duration;
    for (size_t j = 0; j < n; j++)
        between_ends(half, from + j, to + j, n, duration, td_piece(t, 0, j));
    *trajectory = t;
    return TD_OK;
}

/* ---- within limits --------------------------------------------------------------------------- */

enum { PIECES = 7 };

/* The pieces of a motion along a path of length 1: their durations, and the jerk or, if it is
   unlimited, the acceleration. */
typedef struct plan {
    double length[PIECES], value[PIECES];
} plan;

/* Plans a velocity trapezoid; v and a are limits along the path of length 1. */
static plan trapezoid(double v, double a)
{
    double ramp = v / a, cruise = 1 / v - ramp;
    if (cruise < 0) { /* does not reach the velocity limit */
        ramp = sqrt(1 / a);
        cruise = 0;
    }
    return (plan){{ramp, cruise, ramp}, {a, 0, -a}};
}

/* Plans a trapezoid of acceleration (Biagiotti and Melchiorri 3.4). The acceleration changes
   within `ramp`, and the velocity rises or falls within `rise`. */
static plan seven_pieces(double v, double a, double j)
{
    double ramp = a / j, rise = ramp + v / a;
    if (v * j < a * a) { /* does not reach the acceleration limit */
        ramp = sqrt(v / j);
        rise = 2 * ramp;
    }
    double cruise = 1 / v - rise;
    if (cruise < 0) { /* does not reach the velocity limit */
        cruise = 0;
        ramp = a / j;
        rise = 0.5 * ramp + sqrt(0.25 * ramp * ramp + 1 / a);
        if (rise < 2 * ramp) { /* nor the acceleration limit */
            ramp = cbrt(0.5 / j);
            rise = 2 * ramp;
        }
    }
    const double hold = rise - 2 * ramp;
    return (plan){{ramp, hold, ramp, cruise, ramp, hold, ramp}, {j, 0, -j, 0, -j, 0, j}};
}

/* Writes pieces of nonzero duration as cubic polynomials, one after the other. */
static void lay_out(const plan *p, bool jerk, td_trajectory *t, const double *from,
                    const double *to)
{
    double s = 0, v = 0, a = 0;
    size_t piece = 0;
    for (int i = 0; i < PIECES; i++) {
        const double h = p->length[i], j = jerk ? p->value[i] : 0;
        if (!(h > 0))
            continue;
        a = jerk ? a : p->value[i];
        t->begin[piece + 1] = t->begin[piece] + h;
        for (size_t k = 0; k < t->n; k++) {
            const double way = to[k] - from[k];
            const double c[4] = {from[k] + way * s, way * v, way * a / 2, way * j / 6};
            memcpy(td_piece(t, piece, k), c, sizeof c);
        }
        s += h * (v + h * (a / 2 + h * j / 6));
        v += h * (a + h * j / 2);
        a += h * j;
        piece++;
    }
}

/* Returns the smallest limit along the path of length 1; infinite if nothing moves. */
static double along(size_t n, const double *from, const double *to, const double *limit)
{
    double least = INFINITY;
    for (size_t i = 0; i < n; i++)
        if (to[i] != from[i])
            least = fmin(least, limit[i] / fabs(to[i] - from[i]));
    return least;
}

static bool all_positive(size_t n, const double *x)
{
    for (size_t i = 0; i < n; i++)
        if (!(x[i] > 0) || !isfinite(x[i]))
            return false;
    return true;
}

td_status td_trajectory_limited(size_t n, const double *from, const double *to,
                                const double *velocity, const double *acceleration,
                                const double *jerk, td_trajectory **trajectory)
{
    if (trajectory)
        *trajectory = NULL;
    if (!trajectory || n == 0 || !from || !to || !velocity || !acceleration ||
        !all_positive(n, velocity) || !all_positive(n, acceleration) ||
        (jerk && !all_positive(n, jerk)))
        return TD_ERROR_ARGUMENT;
    if (!td_dense_finite(n, from) || !td_dense_finite(n, to))
        return TD_ERROR_NOT_FINITE;
    const double v = along(n, from, to, velocity), a = along(n, from, to, acceleration);
    plan p = {{0}, {0}};
    if (isfinite(v))
        p = jerk ? seven_pieces(v, a, along(n, from, to, jerk)) : trapezoid(v, a);
    size_t pieces = 0;
    for (int i = 0; i < PIECES; i++)
        pieces += p.length[i] > 0;
    td_trajectory *t = td_trajectory_new(n, pieces > 0 ? pieces : 1, 3);
    if (!t)
        return TD_ERROR_MEMORY;
    t->straight = true;
    for (size_t i = 0; i < n; i++)
        td_piece(t, 0, i)[0] = from[i];
    lay_out(&p, jerk != NULL, t, from, to);
    *trajectory = t;
    return TD_OK;
}
