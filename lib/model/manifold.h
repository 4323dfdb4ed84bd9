/* SPDX-License-Identifier: MIT */
/*
 * Positions of a joint as points of its manifold: neutral element, integration and difference.
 */
#ifndef TD_MANIFOLD_H
#define TD_MANIFOLD_H

#include "model/joint_kind.h"

/* Sets q to zero, with the identity as quaternion. */
void td_joint_neutral(const td_joint_row *row, double *q);

/* Computes q moved along v for one unit of time. With a quaternion, v is constant in the child's
   axes. result must not be q. */
void td_joint_move(const td_joint_row *row, const double *q, const double *v, double *result);

/* Computes the v that moves start to end, along the shorter way if there is a quaternion. */
void td_joint_difference(const td_joint_row *row, const double *start, const double *end,
                         double *v);

/* Compute Jacobians of both functions, nv × nv, row-major. The first gives the derivatives of the
   moved position with respect to a displacement of its start and with respect to v. The second
   gives the derivatives of the difference v with respect to displacements of start and end.
   Displacements are along the velocities. */
void td_joint_move_jacobian(const td_joint_row *row, const double *v, double *by_start,
                            double *by_v);
void td_joint_difference_jacobian(const td_joint_row *row, const double *v, double *by_start,
                                  double *by_end);

#endif
