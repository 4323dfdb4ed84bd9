/* SPDX-License-Identifier: MIT */
/*
 * Motions of bodies about the body's origin, in the axes of the given pose: world axes in most
 * kernels. The columns of joints are in kernel/joint/columns.h.
 */
#ifndef TD_MOTION_SUBSPACE_H
#define TD_MOTION_SUBSPACE_H

#include "kernel/joint/columns.h"

typedef struct body_motion {
    spatial velocity;     /* ω, v of the body's origin */
    spatial acceleration; /* α, classical acceleration of the body's origin */
} body_motion;

/* Returns gravity as an acceleration −g of the world. */
TD_INLINE spatial world_acceleration(const td_tree *tree)
{
    spatial world = spatial_zero();
    world.linear = vec3_splat((td_vec3){-tree->gravity.x, -tree->gravity.y, -tree->gravity.z});
    return world;
}

#endif
