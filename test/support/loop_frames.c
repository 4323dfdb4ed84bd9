/* SPDX-License-Identifier: MIT */
/*
 * Frames of closed loops for random robots.
 */
#include "loop_frames.h"

#include <string.h>

td_pose pose_times(td_pose a, td_pose b)
{
    td_pose c = a;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c.rotation[3 * i + j] = 0;
            for (int k = 0; k < 3; k++)
                c.rotation[3 * i + j] += a.rotation[3 * i + k] * b.rotation[3 * k + j];
        }
        for (int k = 0; k < 3; k++)
            c.position[i] += a.rotation[3 * i + k] * b.position[k];
    }
    return c;
}

td_pose pose_inverse(td_pose a)
{
    td_pose c;
    for (int i = 0; i < 3; i++) {
        c.position[i] = 0;
        for (int j = 0; j < 3; j++) {
            c.rotation[3 * i + j] = a.rotation[3 * j + i];
            c.position[i] -= a.rotation[3 * j + i] * a.position[j];
        }
    }
    return c;
}

td_pose pose_random(td_random *random)
{
    td_pose pose;
    td_random_rotation(random, pose.rotation);
    td_random_fill(random, 3, pose.position);
    return pose;
}

static td_pose turn_about(int axis, double angle)
{
    td_pose pose = TD_POSE_IDENTITY;
    td_rotation_from_rpy(axis == 0 ? angle : 0, axis == 1 ? angle : 0, axis == 2 ? angle : 0,
                         pose.rotation);
    return pose;
}

/* Bits are as in loop masks, for the axes of the frames. The axis of one-axis types is z; the
   second axis of a universal joint is x of the successor's frame. */
unsigned held_by(td_loop_type type, unsigned mask)
{
    switch (type) {
    case TD_LOOP_REVOLUTE:
        return 0x3b;
    case TD_LOOP_PRISMATIC:
        return 0x1f;
    case TD_LOOP_CYLINDRICAL:
        return 0x1b;
    case TD_LOOP_PLANAR:
        return 0x23;
    case TD_LOOP_UNIVERSAL: /* z and x stay at right angles, so no rotation about y */
        return 0x3a;
    case TD_LOOP_SPHERICAL:
        return 0x38;
    case TD_LOOP_FIXED:
        return 0x3f;
    case TD_LOOP_DISTANCE:
        return 0;
    case TD_LOOP_MASK:
        break;
    }
    return mask;
}

int held_rotations(unsigned bits)
{
    return (int)((bits & 1) + (bits >> 1 & 1) + (bits >> 2 & 1));
}

/* draws a pose in which the loop is closed: the successor's frame in the predecessor's frame */
td_pose held_pose(td_random *random, unsigned bits)
{
    td_pose pose = TD_POSE_IDENTITY;
    for (int k = 0; k < 3; k++) {
        pose.position[k] = bits >> (3 + k) & 1 ? 0 : 0.3 * td_random_number(random);
        if (held_rotations(bits) == 0 || (held_rotations(bits) == 2 && !(bits >> k & 1)))
            pose = pose_times(pose, turn_about(k, td_random_number(random)));
    }
    return pose;
}

void add_free_body(td_builder *builder, td_random *random, td_joint_type type, const char *joint,
                   const char *link)
{
    td_link record = td_solid_link(link, 1, 0.1);
    assert_ok(td_builder_add_link(builder, &record));
    td_joint record_of_joint = td_joint_default(joint, type, "base", link);
    record_of_joint.origin = pose_random(random);
    record_of_joint.independent = type == TD_JOINT_FLOATING ? -1 : 1;
    assert_ok(td_builder_add_joint(builder, &record_of_joint));
}

td_pose pose_of_link(const double *poses, const td_model *model, const char *link)
{
    const double *p = poses + 12 * td_link_index(model, link);
    td_pose pose;
    for (int i = 0; i < 3; i++) {
        memcpy(pose.rotation + 3 * i, p + 4 * i, 3 * sizeof *p);
        pose.position[i] = p[4 * i + 3];
    }
    return pose;
}
