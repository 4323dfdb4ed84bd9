/* SPDX-License-Identifier: MIT */
/*
 * Poses: rigid motions in space, SE(3). A pose is 12 numbers, the rows of [R p] (3 × 4: rotation
 * matrix and position in m), as in td_link_poses: x_parent = R x + p. A twist is 6 numbers, the
 * rotation vector ω (rad) and the translation v (m) per unit of time, in the axes of the moving
 * frame.
 *
 * Outputs may alias inputs. No function fails or allocates, except that td_pose_join returns false
 * for an invalid quaternion. Rotations are not checked: if R is not a rotation, neither is the
 * result. All functions cost O(1).
 */
#ifndef TANDEM_POSE_H
#define TANDEM_POSE_H

#include "tandem/records.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Composes two poses: result = outer · inner. outer is the pose of a frame, and inner is the pose
   of a second frame relative to it. result is the pose of the second frame in the frame in which
   outer is given. */
TD_API void td_pose_compose(const double outer[12], const double inner[12], double result[12]);

/* Inverts a pose: result is the pose of the parent frame in the child frame. */
TD_API void td_pose_inverse(const double pose[12], double result[12]);

/* Computes the pose of a frame after one unit of time with a constant twist: the exponential map
   (Murray, Li and Sastry 1994, equation 2.36). */
TD_API void td_pose_exp(const double twist[6], double pose[12]);

/* Computes the twist with td_pose_exp(twist) = pose whose rotation is smallest, at most π: the
   logarithm. */
TD_API void td_pose_log(const double pose[12], double twist[6]);

/* Interpolates along the constant twist from start to end: result is start at part = 0 and end at
   part = 1. */
TD_API void td_pose_interpolate(const double start[12], const double end[12], double part,
                                double result[12]);

/* td_pose_split splits a pose into position (m) and quaternion (x, y, z, w; w ≥ 0); td_pose_join
   does the reverse. td_pose_join accepts a quaternion of any length except zero. For a quaternion
   without a direction it returns false and writes nothing. */
TD_API void td_pose_split(const double pose[12], double position[3], double xyzw[4]);
TD_API bool td_pose_join(const double position[3], const double xyzw[4], double pose[12]);

#ifdef __cplusplus
}
#endif
#endif
