/* SPDX-License-Identifier: MIT */
/*
 * Computes roll, pitch and yaw of a rotation matrix. If the matrix was computed from a file's
 * angles, the result equals these angles. Otherwise the result is a fixed point: reading and
 * writing it again changes nothing.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/writer.h"

enum { MOST_BASES = 8 };

static double snapped(double x)
{
    return fabs(x) < 1e-15 ? 0 : x;
}

/* Returns the angle half a turn away that is nearer to zero. */
static double opposite(double x)
{
    return snapped(x > 0 ? x - M_PI : x + M_PI);
}

/* Computes the same rotation with the pitch on the other side of ±90°. */
static void turn_over(const double rpy[3], double over[3])
{
    over[0] = opposite(rpy[0]);
    over[1] = rpy[1] > 0 ? M_PI - rpy[1] : -M_PI - rpy[1];
    over[2] = opposite(rpy[2]);
}

/* Computes angles of R = Rz(yaw) Ry(pitch) Rx(roll). Lists the solution with a pitch within ±90°
   and the one beyond. For a rotation about one axis, it adds both angles that are one turn away.
   For a pitch of exactly ±90° the yaw is 0. Near ±90°, yaw and roll come from small entries, whose
   errors are amplified by 1/cos(pitch); their sum is accurate. So it also lists the roll that is
   consistent with the yaw:

     sin(roll) = sin(yaw) R₂ − cos(yaw) R₅,  cos(roll) = cos(yaw) R₄ − sin(yaw) R₁. */
static int angles(const double R[9], double rpy[MOST_BASES][3])
{
    const double level = hypot(R[0], R[3]);
    const bool upright = level < 1e-15, steep = level < 1e-2;
    int count = 2;
    rpy[0][0] = snapped(upright ? atan2(-R[5], R[4]) : atan2(R[7], R[8]));
    rpy[0][1] = snapped(atan2(-R[6], level));
    rpy[0][2] = snapped(upright ? 0 : atan2(R[3], R[0]));
    if (steep) {
        const double s = sin(rpy[0][2]), c = cos(rpy[0][2]);
        memcpy(rpy[count], rpy[0], sizeof rpy[0]);
        rpy[count++][0] = snapped(atan2(s * R[2] - c * R[5], c * R[4] - s * R[1]));
        turn_over(rpy[2], rpy[count++]);
    }
    turn_over(rpy[0], rpy[1]);
    for (int n = 0; n < 2; n++) {
        int turned = 0, axis = 0;
        for (int k = 0; k < 3; k++)
            if (rpy[n][k] != 0)
                turned++, axis = k;
        for (int side = -1; side <= 1 && turned == 1; side += 2) {
            memcpy(rpy[count], rpy[n], sizeof rpy[n]);
            rpy[count++][axis] += side * 2 * M_PI;
        }
    }
    return count;
}

static double distance(const double R[9], const double rpy[3])
{
    double made[9], most = 0;
    td_rotation_from_rpy(rpy[0], rpy[1], rpy[2], made);
    for (int i = 0; i < 9; i++)
        most = fmax(most, fabs(made[i] - R[i]));
    return most;
}

static double rounded(double x, int digits)
{
    char text[40];
    snprintf(text, sizeof text, "%.*g", digits, x);
    return strtod(text, NULL) + 0.0;
}

/* Keeps `some` if it is closer to R. Returns whether the best one reproduces R exactly. */
static bool try(const double R[9], const double some[3], double rpy[3], double *best)
{
    const double error = distance(R, some);
    if (error < *best) {
        *best = error;
        memcpy(rpy, some, 3 * sizeof *rpy);
    }
    return *best == 0;
}

enum { MOST_CANDIDATES = 12 };

/* Lists candidates near an angle: the shortest decimal that equals it within the matrix's rounding,
   the angle itself, and two neighboring numbers on each side. */
static int close_by(double x, double *list)
{
    const double rounding = 4e-16 * fmax(1, fabs(x));
    int count = 0, digits = 1;
    while (digits < 15 && fabs(rounded(x, digits) - x) > rounding)
        digits++;
    if (digits < 15)
        list[count++] = rounded(x, digits);
    list[count++] = x;
    for (int side = -1; side <= 1; side += 2) {
        double step = x;
        for (int n = 0; n < 2; n++)
            list[count++] = step = nextafter(step, (double)side * INFINITY);
    }
    return count;
}

/* Lists candidates for the original angle. Near half a turn it may have been on the other side. */
static int candidates(double x, double list[MOST_CANDIDATES])
{
    list[0] = 0;
    if (x == 0)
        return 1;
    const int count = close_by(x, list);
    if (fabs(x) < M_PI - 1e-3)
        return count;
    return count + close_by(x > 0 ? x - 2 * M_PI : x + 2 * M_PI, list + count);
}

/* Finds the candidates that come closest to R. Returns their error. */
static double nearest(const double R[9], double rpy[3])
{
    double base[MOST_BASES][3], list[3][MOST_CANDIDATES], best = INFINITY;
    const int bases = angles(R, base);
    for (int b = 0; b < bases; b++) {
        int count[3];
        for (int k = 0; k < 3; k++)
            count[k] = candidates(base[b][k], list[k]);
        for (int n = 0; n < count[0] * count[1] * count[2]; n++) {
            const double some[3] = {list[0][n % count[0]], list[1][n / count[0] % count[1]],
                                    list[2][n / count[0] / count[1]]};
            if (try(R, some, rpy, &best))
                return 0;
        }
    }
    return best;
}

bool td_rpy_from_rotation(const double rotation[9], double rpy[3])
{
    double R[9];
    const double first = nearest(rotation, rpy);
    /* replace the angles by the angles of their matrix until they do not change */
    for (int n = 0; n < 20; n++) {
        double again[3];
        td_rotation_from_rpy(rpy[0], rpy[1], rpy[2], R);
        nearest(R, again);
        if (memcmp(again, rpy, sizeof again) == 0)
            break;
        memcpy(rpy, again, sizeof again);
    }
    return first < 1e-12;
}
