/* SPDX-License-Identifier: MIT */
/*
 * Forces of links, in the scratch's force: about the links' origins, in world axes. Summed from the
 * leaves to the root, they give the forces in the joints.
 */
#ifndef TD_LINK_FORCES_H
#define TD_LINK_FORCES_H

#include "kernel/tree/link_state.h"

/* Adds the forces of all descendants to the force of each link. */
TD_INLINE void sum_link_forces(const td_tree *tree, const td_scratch *s)
{
    spatial *total = s->force;
    for (size_t n = tree->links; n-- > 0;) {
        int k = tree->link_order[n], parent = tree->link[k].parent;
        if (parent < 0)
            continue;
        vec3 r = sub(link_pose(&tree->link[k], s).p, link_pose(&tree->link[parent], s).p);
        total[parent] = spatial_add(total[parent], force_shift(total[k], r));
    }
}

/* Returns the force of a joint's child link, in the given frame of this link. */
TD_INLINE spatial joint_force(const td_tree *tree, const td_scratch *s, size_t joint, int frame)
{
    const int k = tree->joint_link[joint];
    const pose at = link_pose(&tree->link[k], s);
    return express_force(&at, ((const spatial *)s->force)[k], frame);
}

#endif
