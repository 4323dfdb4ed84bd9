/* SPDX-License-Identifier: MIT */
/*
 * Poses as a floating joint has them (x, y, z and a unit quaternion x, y, z, w), moved along a
 * constant twist (ω, v) in the axes of the body.
 */
#ifndef TD_POSE_MOTION_H
#define TD_POSE_MOTION_H

/* the pose x after moving along the twist for a unit of time; result may not be x */
void td_pose_move(const double x[7], const double twist[6], double result[7]);

/* the twist that moves one pose into the other */
void td_pose_twist(const double start[7], const double end[7], double twist[6]);

/* the same of unit quaternions x, y, z, w along a constant angular velocity in the axes of the body
 */
void td_orientation_move(const double x[4], const double omega[3], double result[4]);
void td_orientation_twist(const double start[4], const double end[4], double omega[3]);

#endif
