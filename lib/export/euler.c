/* SPDX-License-Identifier: MIT */
/*
 * Roll, pitch and yaw of a rotation matrix. A file's angles come back as they were written where
 * the matrix was made of them; else those that are found have a matrix of their own, whose angles
 * they are, so that writing and reading a second time changes nothing.
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

/* the angle nearest to zero that is half a turn away */
static double opposite(double x)
{
    return snapped(x > 0 ? x - M_PI : x + M_PI);
}

/* the same rotation by a pitch on the other side of ±90° */
static void turn_over(const double rpy[3], double over[3])
{
    over[0] = opposite(rpy[0]);
    over[1] = rpy[1] > 0 ? M_PI - rpy[1] : -M_PI - rpy[1];
    over[2] = opposite(rpy[2]);
}

/* Angles of R = Rz(yaw) Ry(pitch) Rx(roll): those with a pitch within ±90°, those beyond it, and of
   a turn about one axis alone also those a whole turn away. Of a pitch of ±90° the yaw is 0, unless
   rounding tells it. Near it yaw and roll are each of small entries, off by what these are off over
   cos(pitch), where their sum is not: another roll is that which belongs to the yaw,

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

/* keeps some where they are nearer to R; whether they are R itself */
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

/* The shortest decimal that rounding of the matrix cannot tell from an angle, and what is up to two
   steps of the last digit away. */
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

/* What an angle may have been; one of half a turn also a little more than that. */
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

/* The nearest of what candidates of angles give. */
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
    /* angles that are not those of their own matrix are replaced by those that are */
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
