/* SPDX-License-Identifier: MIT */
/*
 * Sizes of a robot and its links, as far as the records give them. Checks compare magnitudes with
 * them.
 */
#ifndef TD_EXTENTS_H
#define TD_EXTENTS_H

#include "base/arena.h"
#include "model/model.h"

/* Extent of a link: the box, in its frame, around the frame's origin, the origins of joints and
   loops attached to it, and its shapes. Meshes are ignored, because the records only name their
   files. */
typedef struct td_extent {
    double low[3], high[3];
    bool is_point; /* only the frame's origin is known */
    double size;   /* diagonal of the box, m */
    double above;  /* length of the path from the root to the link through the origins of joints */
    double below;  /* distance from the link's frame to the farthest point of the link and its
                      subtree */
} td_extent;

/* Computes the extent of each link of a model with ordered joints, in the arena; NULL if memory
   runs out. *size: the robot's size, which is the longest path from the root or the largest link.
   O(links + joints). */
const td_extent *td_extents_make(td_arena *arena, const td_model *model, double *size);

/* Returns the distance of a point of the link's frame from the box; 0 inside. */
double td_extent_outside(const td_extent *extent, const double point[3]);

#endif
