/* SPDX-License-Identifier: MIT */
/*
 * Positions of a joint as points of its manifold: how they begin, move and differ.
 */
#ifndef TD_MANIFOLD_H
#define TD_MANIFOLD_H

#include "model/joint_kind.h"

/* zero, with the identity as quaternion */
void td_joint_neutral(const td_joint_row *row, double *q);

/* q moved along v (constant in the axes of the child where there is a quaternion) for a unit of
   time; result is not q */
void td_joint_move(const td_joint_row *row, const double *q, const double *v, double *result);

/* the v that moves start to end: along the shorter way, where there is a quaternion */
void td_joint_difference(const td_joint_row *row, const double *start, const double *end,
                         double *v);

/* How these change, nv × nv, row-major: where v leads, as its start is displaced along its
   velocities and as v changes; and v, the difference, as its start and its end are displaced. */
void td_joint_move_jacobian(const td_joint_row *row, const double *v, double *by_start,
                            double *by_v);
void td_joint_difference_jacobian(const td_joint_row *row, const double *v, double *by_start,
                                  double *by_end);

#endif
