/* SPDX-License-Identifier: MIT */
/*
 * Computes the mass and the first moment of the robot.
 */
#ifndef TD_SCOPE_H
#define TD_SCOPE_H

#include "kernel/tree/pose.h"

/* Returns Σ m over all links, or over the moving bodies only. */
TD_INLINE double scope_mass(const td_tree *tree, int moving_only)
{
    double mass = moving_only ? 0 : tree->world_mass;
    for (size_t i = 0; i < tree->bodies; i++)
        mass += tree->body[i].mass;
    return mass;
}

/* Returns Σ m c over the same bodies. */
TD_INLINE vec3 scope_moment(const td_tree *tree, const td_scratch *s, int moving_only)
{
    const axes *p = s->pose;
    vec3 sum = vec3_splat(moving_only ? (td_vec3){0, 0, 0} : tree->world_moment);
    for (size_t i = 0; i < tree->bodies; i++) {
        const mat3 R = rotation_in(&p[i]);
        sum = add(sum, add(scale(tree->body[i].mass, origin_in(&p[i])),
                           rotate_k(&R, tree->body[i].moment)));
    }
    return sum;
}

#endif
