/* SPDX-License-Identifier: MIT */
/*
 * Quaternions (x, y, z, w) over `real`.
 */
#ifndef TD_QUATERNION_H
#define TD_QUATERNION_H

#include "kernel/real/vec3.h"

/* Returns the transposed rotation matrix of a unit quaternion (x, y, z, w). */
TD_INLINE mat3 quaternion_transposed(const real *p)
{
    real x2 = p[0] + p[0], y2 = p[1] + p[1], z2 = p[2] + p[2];
    real xx = x2 * p[0], xy = x2 * p[1], xz = x2 * p[2], xw = x2 * p[3];
    real yy = y2 * p[1], yz = y2 * p[2], yw = y2 * p[3];
    real zz = z2 * p[2], zw = z2 * p[3];
    return (mat3){1.0 - (yy + zz), xy + zw, xz - yw, xy - zw,        1.0 - (xx + zz),
                  yz + xw,         xz + yw, yz - xw, 1.0 - (xx + yy)};
}

/* Computes the quaternion product a b. */
TD_INLINE void quaternion_product(const real a[4], const real b[4], real out[4])
{
    out[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    out[1] = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
    out[2] = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
    out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

TD_INLINE void quaternion_scale(real factor, real p[4])
{
    for (int k = 0; k < 4; k++)
        p[k] *= factor;
}

TD_INLINE real quaternion_dot(const real a[4], const real b[4])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

#endif
