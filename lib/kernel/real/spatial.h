/* SPDX-License-Identifier: MIT */
/*
 * Spatial vectors over `real`: motions and forces, angular part first.
 */
#ifndef TD_SPATIAL_H
#define TD_SPATIAL_H

#include "kernel/real/vec3.h"

/* A motion (angular velocity or acceleration, and the linear one of a point) or a force (moment
   about a point, and force). */
typedef struct spatial {
    vec3 angular, linear;
} spatial;

TD_INLINE spatial spatial_add(spatial a, spatial b)
{
    return (spatial){add(a.angular, b.angular), add(a.linear, b.linear)};
}

TD_INLINE spatial spatial_sub(spatial a, spatial b)
{
    return (spatial){sub(a.angular, b.angular), sub(a.linear, b.linear)};
}

TD_INLINE spatial spatial_scale(real s, spatial a)
{
    return (spatial){scale_by(s, a.angular), scale_by(s, a.linear)};
}

/* Returns the power of a force along a motion. */
TD_INLINE real spatial_dot(spatial a, spatial b)
{
    return dot(a.angular, b.angular) + dot(a.linear, b.linear);
}

TD_INLINE spatial spatial_zero(void)
{
    const vec3 none = {splat(0), splat(0), splat(0)};
    return (spatial){none, none};
}

/* Moves the reference point of a force by −r: (n + r × f, f). */
TD_INLINE spatial force_shift(spatial f, vec3 r)
{
    return (spatial){add_cross(f.angular, r, f.linear), f.linear};
}

/* Moves the reference point of a motion by r: (ω, v + ω × r). */
TD_INLINE spatial motion_shift(spatial v, vec3 r)
{
    return (spatial){v.angular, add_cross(v.linear, v.angular, r)};
}

/* Returns [α]× + [ω]×[ω]×, which maps a point's position to its acceleration relative to the
   origin. */
TD_INLINE mat3 acceleration_matrix(vec3 w, vec3 alpha)
{
    real xx = -(w.x * w.x), yy = -(w.y * w.y), zz = -(w.z * w.z);
    real xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
    return (mat3){yy + zz,      xy - alpha.z, xz + alpha.y, xy + alpha.z, xx + zz,
                  yz - alpha.x, xz - alpha.y, yz + alpha.x, xx + yy};
}

#endif
