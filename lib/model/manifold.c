/* SPDX-License-Identifier: MIT */
/*
 * The manifolds of joints, see manifold.h.
 */
#include "model/manifold.h"

#include <string.h>

#include "base/pose_motion.h"

void td_joint_neutral(const td_joint_row *row, double *q)
{
    memset(q, 0, (size_t)row->kind.nq * sizeof *q);
    if (row->kind.quaternion >= 0)
        q[row->kind.quaternion + 3] = 1;
}

void td_joint_move(const td_joint_row *row, const double *q, const double *v, double *result)
{
    switch (row->manifold) {
    case TD_MANIFOLD_PLAIN:
        for (int k = 0; k < row->kind.nq; k++)
            result[k] = q[k] + v[k];
        return;
    case TD_MANIFOLD_ORIENTATION:
        td_orientation_move(q, v, result);
        return;
    case TD_MANIFOLD_POSE:
        td_pose_move(q, v, result);
        return;
    }
}

void td_joint_difference(const td_joint_row *row, const double *start, const double *end, double *v)
{
    switch (row->manifold) {
    case TD_MANIFOLD_PLAIN:
        for (int k = 0; k < row->kind.nq; k++)
            v[k] = end[k] - start[k];
        return;
    case TD_MANIFOLD_ORIENTATION:
        td_orientation_twist(start, end, v);
        return;
    case TD_MANIFOLD_POSE:
        td_pose_twist(start, end, v);
        return;
    }
}
