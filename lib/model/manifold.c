/* SPDX-License-Identifier: MIT */
/*
 * Implements the manifolds of joints; see manifold.h.
 */
#include "model/manifold.h"

#include <string.h>

#include "base/pose_jacobian.h"
#include "base/pose_motion.h"

void td_joint_neutral(const td_joint_row *row, double *q)
{
    memset(q, 0, (size_t)row->kind.nq * sizeof *q);
    if (row->kind.quaternion != TD_NONE)
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

/* Writes scale times the identity (n × n). */
static void put_identity(int n, double scale, double *out)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[i * n + j] = i == j ? scale : 0;
}

void td_joint_move_jacobian(const td_joint_row *row, const double *v, double *by_start,
                            double *by_v)
{
    switch (row->manifold) {
    case TD_MANIFOLD_PLAIN:
        put_identity(row->kind.nv, 1, by_start);
        put_identity(row->kind.nv, 1, by_v);
        return;
    case TD_MANIFOLD_ORIENTATION:
        td_orientation_move_jacobian(v, by_start, by_v);
        return;
    case TD_MANIFOLD_POSE:
        td_pose_move_jacobian(v, by_start, by_v);
        return;
    }
}

void td_joint_difference_jacobian(const td_joint_row *row, const double *v, double *by_start,
                                  double *by_end)
{
    switch (row->manifold) {
    case TD_MANIFOLD_PLAIN:
        put_identity(row->kind.nv, -1, by_start);
        put_identity(row->kind.nv, 1, by_end);
        return;
    case TD_MANIFOLD_ORIENTATION:
        td_orientation_twist_jacobian(v, by_start, by_end);
        return;
    case TD_MANIFOLD_POSE:
        td_pose_twist_jacobian(v, by_start, by_end);
        return;
    }
}
