/* SPDX-License-Identifier: MIT */
/*
 * Frames of links where all joints are at zero, from the records of a builder: formats that give no
 * frames for a loop close it there.
 */
#ifndef TD_ZERO_FRAME_H
#define TD_ZERO_FRAME_H

#include "base/frame.h"
#include "base/names.h"
#include "model/records.h"

typedef struct td_zero {
    const td_records *records;
    td_names children; /* joints by their child link */
    size_t steps;      /* joints that may still be passed on the way to a root */
} td_zero;

/* For records whose joints are all there; false without memory. */
bool td_zero_make(td_zero *zero, td_arena *arena, const td_records *records);

/* The frame of a link in its root; the root's name, NULL for links in a circle and where the search
   has taken too long. */
const char *td_zero_frame(td_zero *zero, const char *link, td_frame3 *frame);

/* The joint that carries a link, −1 for a root. */
int td_zero_joint_above(const td_zero *zero, const char *link);

/* The pose of a frame on one link, relative to another link; false, and nothing written, where the
   two are not in one tree or the search has taken too long. */
bool td_zero_between(td_zero *zero, const char *parent, const td_pose *origin, const char *child,
                     td_pose *pose);

#endif
