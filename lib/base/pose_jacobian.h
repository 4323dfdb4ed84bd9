/* SPDX-License-Identifier: MIT */
/*
 * Derivatives of the functions of pose_motion.h, row-major. Displacements are twists (ω, v) in
 * body axes, or rotation vectors. A displacement δ of a pose x is td_pose_move(x, δ). The
 * matrices give the displacement of the result per displacement of the start or change of the
 * twist.
 */
#ifndef TD_POSE_JACOBIAN_H
#define TD_POSE_JACOBIAN_H

/* Computes the derivatives of td_pose_move, which do not depend on the pose. */
void td_pose_move_jacobian(const double twist[6], double by_start[36], double by_twist[36]);

/* Computes the derivatives of td_pose_twist from its result. Finite up to half a turn. */
void td_pose_twist_jacobian(const double twist[6], double by_start[36], double by_end[36]);

void td_orientation_move_jacobian(const double omega[3], double by_start[9], double by_omega[9]);
void td_orientation_twist_jacobian(const double omega[3], double by_start[9], double by_end[9]);

#endif
