/* SPDX-License-Identifier: MIT */
/*
 * An independent formulation of kinematics and inverse dynamics, for comparison: in world
 * coordinates, link by link as the records have them (no fixed joint folded, no frame turned), in
 * long double, and by the public interface alone.
 */
#ifndef TD_ORACLE_H
#define TD_ORACLE_H

#include "tandem/tandem.h"

/* poses: links × 12, as td_link_poses; tau: nv; reactions: joints × 6, in the world's frame,
   as td_joint_reactions. forces: wrenches and, of the passive forces, springs between links;
   what acts in joints is not there. qd, qdd, forces and the outputs may be NULL. */
void oracle_inverse_dynamics(const td_model *model, const double *q, const double *qd,
                             const double *qdd, const td_forces *forces, double *poses, double *tau,
                             double *reactions);

#endif
