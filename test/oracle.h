/* SPDX-License-Identifier: MIT */
/*
 * An independent formulation of kinematics and inverse dynamics, for comparison: in world
 * coordinates, link by link as the records have them (no fixed joint folded, no frame turned), in
 * long double, and by the public interface alone.
 */
#ifndef TD_ORACLE_H
#define TD_ORACLE_H

#include "tandem/tandem.h"

/* poses: links × 12, as td_tree_link_poses; tau: nv. qd, qdd and wrenches (links × 6, in the frame
   given) may be NULL. poses and tau may be NULL. */
void oracle_inverse_dynamics(const td_model *model, const double *q, const double *qd,
                             const double *qdd, const double *wrenches, td_frame frame,
                             double *poses, double *tau);

#endif
