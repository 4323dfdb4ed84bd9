/* SPDX-License-Identifier: MIT */
/*
 * Where a point of a link is, and how the link is turned there.
 */
#ifndef TOOL_POINT_POSE_H
#define TOOL_POINT_POSE_H

#include <stddef.h>

#include "tandem/tandem.h"

/* Position of the point (link coordinates, m) of a link with that pose, and its quaternion x, y, z,
   w. */
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
