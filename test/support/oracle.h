/* SPDX-License-Identifier: MIT */
/*
 * An independent formulation of kinematics and inverse dynamics for comparison. It works in world
 * coordinates, link by link as in the records: no fixed joint is merged, and no frame reoriented.
 * It computes in long double and uses only the public interface.
 */
#ifndef TD_ORACLE_H
#define TD_ORACLE_H

#include "tandem/tandem.h"

/* poses: links × 12, as td_link_poses; tau: nv; reactions: joints × 6, in the world frame, as
   td_joint_reactions. `forces` supplies wrenches and switches springs between links on; passive
   forces in joints are not included. qd, qdd, forces and the outputs may be NULL. */
void oracle_inverse_dynamics(const td_model *model, const double *q, const double *qd,
                             const double *qdd, const td_forces *forces, double *poses, double *tau,
                             double *reactions);

#endif
