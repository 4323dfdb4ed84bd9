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

/* R = Rz(yaw) Ry(pitch) Rx(roll): of a pitch of ±90° the yaw is 0, unless rounding tells it */
static void angles(const double R[9], double rpy[3])
{
    const double level = hypot(R[0], R[3]);
    const bool upright = level < 1e-15;
    rpy[0] = upright ? atan2(-R[5], R[4]) : atan2(R[7], R[8]);
    rpy[1] = atan2(-R[6], level);
    rpy[2] = upright ? 0 : atan2(R[3], R[0]);
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

/* The nearest of what angles rounded to any number of digits, and their neighbours, give. */
static double nearest(const double R[9], double rpy[3])
{
    double plain[3], best = INFINITY;
    angles(R, plain);
    memcpy(rpy, plain, sizeof plain);
    for (int digits = 1; digits <= 17; digits++) {
        const double some[3] = {rounded(plain[0], digits), rounded(plain[1], digits),
                                rounded(plain[2], digits)};
        const double error = distance(R, some);
        if (error < best) {
            best = error;
            memcpy(rpy, some, sizeof some);
        }
        if (best == 0)
            return 0;
    }
    for (int n = 0; n < 125; n++) {
        const int steps[3] = {n % 5 - 2, n / 5 % 5 - 2, n / 25 - 2};
        double some[3];
        for (int k = 0; k < 3; k++) {
            some[k] = plain[k];
            for (int s = 0; s < abs(steps[k]); s++)
                some[k] = nextafter(some[k], steps[k] < 0 ? -INFINITY : INFINITY);
        }
        const double error = distance(R, some);
        if (error < best) {
            best = error;
            memcpy(rpy, some, sizeof some);
        }
        if (best == 0)
            return 0;
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
