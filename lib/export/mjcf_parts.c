/* SPDX-License-Identifier: MIT */
/*
 * MJCF: shared functions of its writers.
 */
#include <stdio.h>
#include <string.h>

#include "export/mjcf.h"

void td_mjcf_reference(const td_mjcf *m, int joint, double q[TD_MOST_POSITIONS])
{
    const td_place *place = &m->model->place[joint];
    const int quaternion =
        td_index_in(td_joint_row_of(m->model->records.joint.at[joint].type)->kind.quaternion);
    memset(q, 0, TD_MOST_POSITIONS * sizeof *q);
    if (quaternion >= 0)
        q[quaternion + 3] = 1;
    if (place->q >= 0)
        memcpy(q, td_reference(m->model, TD_COORDINATES_TREE) + place->q,
               (size_t)place->nq * sizeof *q);
}

double td_mjcf_zero(const td_mjcf *m, int joint)
{
    double q[TD_MOST_POSITIONS];
    td_mjcf_reference(m, joint, q);
    return q[0];
}

void td_mjcf_indent(td_mjcf *m, int depth)
{
    for (int i = 0; i < depth; i++)
        td_put_text(&m->w->sink, "  ");
}

void td_mjcf_pose(td_mjcf *m, const td_frame3 *frame)
{
    const td_mat3 *R = &frame->rotation;
    const double p[3] = {frame->position.x, frame->position.y, frame->position.z};
    const double rows[9] = {R->xx, R->xy, R->xz, R->yx, R->yy, R->yz, R->zx, R->zy, R->zz};
    double xyzw[4];
    if (p[0] != 0 || p[1] != 0 || p[2] != 0)
        td_put_numbers(m->w, "pos", p, 3);
    td_quaternion_from_rotation(rows, xyzw);
    const double wxyz[4] = {xyzw[3], xyzw[0] + 0.0, xyzw[1] + 0.0, xyzw[2] + 0.0};
    if (wxyz[1] != 0 || wxyz[2] != 0 || wxyz[3] != 0)
        td_put_numbers(m->w, "quat", wxyz, 4);
}

void td_mjcf_name(td_mjcf *m, const char *attribute, const char *name, const char *kind, size_t i)
{
    char text[64];
    const bool named = name && *name;
    if (named)
        snprintf(text, sizeof text, "%s:", kind);
    else
        snprintf(text, sizeof text, "%s %zu", kind, i + 1);
    td_put_joined(m->w, attribute, text, named ? name : NULL, kind, TD_NOWHERE);
}
