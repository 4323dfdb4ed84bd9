/* SPDX-License-Identifier: MIT */
/*
 * Kinematics: poses of links, centre of mass. y is the vector of independent coordinates (ny); the
 * td_tree_ functions take the spanning tree's q (nq) instead.
 */
#ifndef TANDEM_KINEMATICS_H
#define TANDEM_KINEMATICS_H

#include "tandem/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Pose of every link in the world, in the order of the links: poses is links × 12, each a row-major
   3 × 4 matrix [R p] with x_world = R x_link + p. O(joints + links). Fails only on a NULL
   argument, and then nothing is written. */
TD_API td_status td_link_poses(const td_model *model, td_workspace *workspace, const double *y,
                               double *poses);
TD_API td_status td_tree_link_poses(const td_model *model, td_workspace *workspace, const double *q,
                                    double *poses);

/* Splits a 3 × 4 pose into position and quaternion (x, y, z, w; w ≥ 0). */
TD_API void td_pose_split(const double pose[12], double position[3], double xyzw[4]);

/* Centre of mass of all links, the root included, in the world (m). NaN for a model without mass.
 */
TD_API td_status td_center_of_mass(const td_model *model, td_workspace *workspace, const double *y,
                                   double com[3]);
TD_API td_status td_tree_center_of_mass(const td_model *model, td_workspace *workspace,
                                        const double *q, double com[3]);

/* A configuration to start from: y (ny) zero, quaternions identity. */
TD_API void td_neutral(const td_model *model, double *y);
TD_API void td_tree_neutral(const td_model *model, double *q);

#ifdef __cplusplus
}
#endif
#endif
