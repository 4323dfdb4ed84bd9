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

#endif
