/* SPDX-License-Identifier: MIT */
/*
 * Poses: rigid motions of space, SE(3). A pose is 12 numbers, the rows of [R p] (3 × 4: rotation
 * matrix and position in m), as td_link_poses writes them: x_parent = R x + p. A twist is 6
 * numbers, the turn ω (rad) and the motion v (m) in a unit of time, in the axes of the moving
 * frame.
 *
 * Outputs may be inputs. Nothing here fails, allocates or looks at rotations: where R is none, the
 * result is none. O(1).
 */
#ifndef TANDEM_POSE_H
#define TANDEM_POSE_H

#include "tandem/records.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Multiplies two poses: result is the pose of the inner frame, which is given in the outer frame,
   where outer is. */
TD_API void td_pose_compose(const double outer[12], const double inner[12], double result[12]);

/* Inverts a pose: where the parent is in the frame. */
TD_API void td_pose_inverse(const double pose[12], double result[12]);

/* Computes the pose that a frame reaches when it moves for a unit of time with a constant twist:
   the exponential map (Murray, Li and Sastry 1994, equation 2.36). */
TD_API void td_pose_exp(const double twist[6], double pose[12]);

/* Computes the twist of the least turn, at most π, with td_pose_exp(twist) = pose: the logarithm.
 */
TD_API void td_pose_log(const double pose[12], double twist[6]);

/* Moves from start to end along the constant twist between them: result is start at part = 0 and
   end at part = 1. */
TD_API void td_pose_interpolate(const double start[12], const double end[12], double part,
                                double result[12]);

/* Splits a pose into position (m) and quaternion (x, y, z, w; w ≥ 0), and joins them. td_pose_join
   takes a quaternion of any length but zero; it returns false for one without a direction, and
   writes nothing. */
TD_API void td_pose_split(const double pose[12], double position[3], double xyzw[4]);
TD_API bool td_pose_join(const double position[3], const double xyzw[4], double pose[12]);

#ifdef __cplusplus
}
#endif
#endif
