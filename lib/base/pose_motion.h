/* SPDX-License-Identifier: MIT */
/*
 * Poses in the coordinates of floating joints (x, y, z and a unit quaternion x, y, z, w), moved
 * along a constant twist (ω, v) in body axes.
 */
#ifndef TD_POSE_MOTION_H
#define TD_POSE_MOTION_H

/* Moves the pose x along the twist for a unit of time. result must not alias x. */
void td_pose_move(const double x[7], const double twist[6], double result[7]);

/* Computes the twist that moves one pose to the other. */
void td_pose_twist(const double start[7], const double end[7], double twist[6]);

/* Do the same for unit quaternions x, y, z, w and a constant angular velocity in body axes. */
void td_orientation_move(const double x[4], const double omega[3], double result[4]);
void td_orientation_twist(const double start[4], const double end[4], double omega[3]);

#endif
