/* SPDX-License-Identifier: MIT */
/*
 * Computes the pose of a point of a link.
 */
#ifndef TOOL_POINT_POSE_H
#define TOOL_POINT_POSE_H

#include <stddef.h>

#include "tandem/tandem.h"

/* Writes the position (m) of a point given in link coordinates, and the quaternion x, y, z, w of
   the link with this pose. */
static inline void point_pose(const double pose[12], const double point[3], double value[7])
{
    td_pose_split(pose, value, value + 3);
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 3; k++) {
            value[i] += pose[4 * i + k] * point[k];
        }
    }
}

#endif
