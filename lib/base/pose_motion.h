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

/* Converts rates to velocities. p(t) is a curve of four numbers, not 0, that stands for the unit
   quaternion p/|p|; rate and second are its first and second derivative. Computes omega and its
   derivative alpha, in body axes. second and alpha may both be NULL. */
void td_orientation_velocity(const double p[4], const double rate[4], const double second[4],
                             double omega[3], double alpha[3]);
/* Converts velocities to rates, for the same curve with |p| constant. */
void td_orientation_rate(const double p[4], const double omega[3], const double alpha[3],
                         double rate[4], double second[4]);

/* Do the same for the poses x and the twist with its derivative, component by component. */
void td_pose_velocity(const double x[7], const double rate[7], const double second[7],
                      double twist[6], double change[6]);
void td_pose_rate(const double x[7], const double twist[6], const double change[6], double rate[7],
                  double second[7]);

#endif
