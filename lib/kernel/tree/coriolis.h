/* SPDX-License-Identifier: MIT */
/*
 * What velocities make of inertias, for the Coriolis matrix: see coriolis.c.
 */
#ifndef TD_CORIOLIS_H
#define TD_CORIOLIS_H

#include "kernel/tree/inertia.h"

/* B takes (ω, v) to the moment A ω and the force ω × p; with p the momentum, its other blocks
 * vanish. */
typedef struct product {
    mat3 A;
    vec3 p;
} product;

TD_INLINE mat3 skew(vec3 a)
{
    const real none = splat(0);
    return (mat3){none, -a.z, a.y, a.z, none, -a.x, -a.y, a.x, none};
}

TD_INLINE mat3 mat_sub(mat3 a, mat3 b)
{
    return (mat3){a.xx - b.xx, a.xy - b.xy, a.xz - b.xz, a.yx - b.yx, a.yy - b.yy,
                  a.yz - b.yz, a.zx - b.zx, a.zy - b.zy, a.zz - b.zz};
}

TD_INLINE mat3 mat_scale(double f, mat3 a)
{
    return (mat3){f * a.xx, f * a.xy, f * a.xz, f * a.yx, f * a.yy,
                  f * a.yz, f * a.zx, f * a.zy, f * a.zz};
}

/* The Coriolis factor of one body about its origin: A = ½ ([ω] I − I [ω] − [v][h] − [h][v] − [l]),
 * l the angular momentum */
TD_INLINE product product_of(double mass, const inertia *b, spatial velocity)
{
    vec3 w = velocity.angular, v = velocity.linear;
    spatial momentum = momentum_of(mass, b, velocity);
    const mat3 I = {b->I.xx, b->I.xy, b->I.xz, b->I.xy, b->I.yy,
                    b->I.yz, b->I.xz, b->I.yz, b->I.zz};
    mat3 h = skew(b->h);
    mat3 turning = mat_sub(cross_mat(w, &I), mat_cross(&I, w));
    mat3 moving = mat_add(cross_mat(v, &h), mat_cross(&h, v));
    mat3 twice = mat_sub(mat_sub(turning, moving), skew(momentum.angular));
    return (product){mat_scale(0.5, twice), momentum.linear};
}

/* referred to a point r farther back: A − [r][p] */
TD_INLINE product product_shift(const product *B, vec3 r)
{
    mat3 p = skew(B->p);
    return (product){mat_sub(B->A, cross_mat(r, &p)), B->p};
}

TD_INLINE spatial product_apply(const product *B, spatial x)
{
    return (spatial){rotate(&B->A, x.angular), cross(x.angular, B->p)};
}

/* a moment: the force is 0 */
TD_INLINE vec3 product_apply_transposed(const product *B, spatial x)
{
    return add(rotate_transposed(&B->A, x.angular), cross(B->p, x.linear));
}

#endif
