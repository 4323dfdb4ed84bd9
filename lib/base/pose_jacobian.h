/* SPDX-License-Identifier: MIT */
/*
 * Derivatives of the moves and twists of pose_motion.h, by twists (ω, v) in the axes of the body,
 * or by angular velocities: what the end turns and moves by as the start is displaced or the twist
 * changes. Row-major; a displacement δ of a pose x is that of td_pose_move(x, δ).
 */
#ifndef TD_POSE_JACOBIAN_H
#define TD_POSE_JACOBIAN_H

/* of td_pose_move: they do not depend on the pose */
void td_pose_move_jacobian(const double twist[6], double by_start[36], double by_twist[36]);

/* of td_pose_twist, of which twist comes: finite up to half a turn */
void td_pose_twist_jacobian(const double twist[6], double by_start[36], double by_end[36]);

void td_orientation_move_jacobian(const double omega[3], double by_start[9], double by_omega[9]);
void td_orientation_twist_jacobian(const double omega[3], double by_start[9], double by_end[9]);

#endif
