/* SPDX-License-Identifier: MIT */
/*
 * Computes frames of links with all joints at zero, from the records of a builder. Formats without
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
    size_t steps;      /* remaining number of joints that searches may visit */
} td_zero;

/* Prepares the search in records that contain all joints. Returns false if memory is short. */
bool td_zero_make(td_zero *zero, td_arena *arena, const td_records *records);

/* Computes the frame of a link in its root. Returns the root's name, or NULL for links in a cycle
   or if the search takes too long. */
const char *td_zero_frame(td_zero *zero, const char *link, td_frame3 *frame);

/* Returns the joint above a link, or −1 for a root. */
int td_zero_joint_above(const td_zero *zero, const char *link);

/* Computes the pose of a frame on one link relative to another link. Returns false and writes
   nothing if the links are in different trees or the search takes too long. */
bool td_zero_between(td_zero *zero, const char *parent, const td_pose *origin, const char *child,
                     td_pose *pose);

#endif
