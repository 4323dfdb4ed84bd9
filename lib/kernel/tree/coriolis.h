/* SPDX-License-Identifier: MIT */
/*
 * The factor B of body inertias for the Coriolis matrix; see coriolis.c.
 */
#ifndef TD_CORIOLIS_H
#define TD_CORIOLIS_H

#include "kernel/tree/inertia.h"

/* B maps (ω, v) to the moment A ω and the force ω × p. As p is the momentum, its other blocks
   vanish. */
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

/* α → r × (α × g) */
TD_INLINE mat3 cross_of_cross(vec3 r, vec3 g)
{
    const real along = dot(r, g);
    return (mat3){along - g.x * r.x, -(g.x * r.y),      -(g.x * r.z),
                  -(g.y * r.x),      along - g.y * r.y, -(g.y * r.z),
                  -(g.z * r.x),      -(g.z * r.y),      along - g.z * r.z};
}

/* Computes the factor B of one body about its origin: A α = h × (α × v) − ω × Σ α, where Σ = ½
   tr(I) − I is the sum of m x xᵀ over its points x. This equals ½ ([ω] I − I [ω] − [v][h] − [h][v]
   − [l]) with the angular momentum l. */
TD_INLINE product product_of(double mass, const inertia *b, spatial velocity)
{
    const vec3 w = velocity.angular, v = velocity.linear;
    const sym3 *I = &b->I;
    const real half = 0.5 * sym_trace(I);
    const mat3 spread = {half - I->xx, -I->xy, -I->xz, -I->xy,      half - I->yy,
                         -I->yz,       -I->xz, -I->yz, half - I->zz};
    return (product){mat_sub(cross_of_cross(b->h, v), cross_mat(w, &spread)),
                     add_cross(scale(mass, v), w, b->h)};
}

/* Moves the reference point by −r: A α + r × (α × p). */
TD_INLINE product product_shift(const product *B, vec3 r)
{
    return (product){mat_add(B->A, cross_of_cross(r, B->p)), B->p};
}

TD_INLINE product product_sum(const product *a, const product *b)
{
    return (product){mat_add(a->A, b->A), add(a->p, b->p)};
}

/* Returns B times a motion with this angular part. The linear part has no effect. */
TD_INLINE spatial product_apply(const product *B, vec3 angular)
{
    return (spatial){rotate(&B->A, angular), cross(angular, B->p)};
}

/* Returns Bᵀ x: a moment; the force is 0. */
TD_INLINE vec3 product_apply_transposed(const product *B, spatial x)
{
    return add(rotate_transposed(&B->A, x.angular), cross(B->p, x.linear));
}

#endif
