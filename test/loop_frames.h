/* SPDX-License-Identifier: MIT */
/*
 * Frames of loop joints: what each type holds, poses in which it is closed, and random bodies to
 * put them between.
 */
#ifndef TD_LOOP_FRAMES_H
#define TD_LOOP_FRAMES_H

#include "td_test.h"

td_pose pose_times(td_pose a, td_pose b);
td_pose pose_inverse(td_pose a);
td_pose pose_random(td_random *random);
/* of a link, among those that td_link_poses gives */
td_pose pose_of_link(const double *poses, const td_model *model, const char *link);

/* The directions that a type holds, as bits of a mask: turns about the axes x, y and z of the
   frames, then slides along them. The axis of a type with one is z, the second one of a universal
   joint x of the successor's frame. A distance holds none of them. */
unsigned held_by(td_loop_type type, unsigned mask);
int held_rotations(unsigned bits);
/* somewhere where a loop is closed that holds these: the successor's frame in the predecessor's */
td_pose held_pose(td_random *random, unsigned bits);

/* a link of 1 kg and its joint on the base, at random; one of several coordinates with nothing said
   of whether it is independent, others independent */
void add_free_body(td_builder *builder, td_random *random, td_joint_type type, const char *joint,
                   const char *link);

#endif
