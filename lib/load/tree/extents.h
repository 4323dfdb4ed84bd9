/* SPDX-License-Identifier: MIT */
/*
 * How large a robot and its links are, as far as the records say: what magnitudes are held against.
 */
#ifndef TD_EXTENTS_H
#define TD_EXTENTS_H

#include "base/arena.h"
#include "model/model.h"

/* Of a link: the box, in its frame, of the frame's origin, the origins of the joints and loops that
   stand on it, and its shapes but for meshes, of which the records have no more than names. */
typedef struct td_extent {
    double low[3], high[3];
    bool is_point; /* there is nothing but the frame's origin */
    double size;   /* diagonal of the box, m */
    double above;  /* length of the way from the root to the link along the origins of joints */
    double below;  /* from the link's frame to the farthest point of it and of what it carries */
} td_extent;

/* Per link of a model whose joints are in order, in the arena; NULL without memory. *size becomes
   that of the robot: the longest way from the root, or the largest link. Linear in links and
   joints. */
const td_extent *td_extents_make(td_arena *arena, const td_model *model, double *size);

/* How far a point of the link's frame is outside of the box; 0 within. */
double td_extent_outside(const td_extent *extent, const double point[3]);

#endif
