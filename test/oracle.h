/* SPDX-License-Identifier: MIT */
/*
 * An independent formulation of kinematics and inverse dynamics, for comparison: in world
 * coordinates, link by link as the records have them (no fixed joint folded, no frame turned), in
 * long double, and by the public interface alone.
 */
#ifndef TD_ORACLE_H
#define TD_ORACLE_H

#include "tandem/tandem.h"

/* poses: links × 12, as td_tree_link_poses; tau: nv; reactions: joints × 6, in the world's frame,
   as td_tree_joint_reactions. qd, qdd and wrenches (links × 6, in the frame given) may be NULL, and
   so may the outputs. */
void oracle_inverse_dynamics(const td_model *model, const double *q, const double *qd,
                             const double *qdd, const double *wrenches, td_frame frame,
                             double *poses, double *tau, double *reactions);

#endif
