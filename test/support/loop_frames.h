/* SPDX-License-Identifier: MIT */
/*
 * Frames of loop joints: the directions that each type constrains, poses in which the loop is
 * closed, and random bodies to connect.
 */
#ifndef TD_LOOP_FRAMES_H
#define TD_LOOP_FRAMES_H

#include "td_test.h"

td_pose pose_times(td_pose a, td_pose b);
td_pose pose_inverse(td_pose a);
td_pose pose_random(td_random *random);
/* returns the pose of a link from the array of td_link_poses */
td_pose pose_of_link(const double *poses, const td_model *model, const char *link);

/* Returns the directions that a type constrains as bits of a mask: rotations about x, y and z of
   the frames, then translations. The axis of one-axis types is z; the second axis of a universal
   joint is x of the successor's frame. A distance constrains none of them. */
unsigned held_by(td_loop_type type, unsigned mask);
int held_rotations(unsigned bits);
/* Draws a pose in which a loop with these constraints is closed: the successor's frame in the
   predecessor's frame. */
td_pose held_pose(td_random *random, unsigned bits);

/* Adds a link of 1 kg and its joint on the base at a random pose. Floating joints leave open
   whether they are independent; others are declared independent. */
void add_free_body(td_builder *builder, td_random *random, td_joint_type type, const char *joint,
                   const char *link);

#endif
