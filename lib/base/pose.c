/* SPDX-License-Identifier: MIT */
/*
 * Public functions of poses.
 */
#include "tandem/pose.h"

#include <math.h>
#include <string.h>

#include "base/frame.h"
#include "base/pose_motion.h"

static td_frame3 frame_of(const double pose[12])
{
    return (td_frame3){
        {pose[0], pose[1], pose[2], pose[4], pose[5], pose[6], pose[8], pose[9], pose[10]},
        {pose[3], pose[7], pose[11]}};
}

static void write_frame(td_frame3 frame, double pose[12])
{
    const td_mat3 R = frame.rotation;
    const td_vec3 p = frame.position;
    const double rows[12] = {R.xx, R.xy, R.xz, p.x, R.yx, R.yy, R.yz, p.y, R.zx, R.zy, R.zz, p.z};
    memcpy(pose, rows, sizeof rows);
}

void td_pose_compose(const double outer[12], const double inner[12], double result[12])
{
    write_frame(td_frame3_compose(frame_of(outer), frame_of(inner)), result);
}

static td_frame3 inverse(td_frame3 frame)
{
    const td_mat3 R = td_mat3_transpose(frame.rotation);
    const td_vec3 p = td_mat3_apply(R, frame.position);
    return (td_frame3){R, {-p.x, -p.y, -p.z}};
}

void td_pose_inverse(const double pose[12], double result[12])
{
    write_frame(inverse(frame_of(pose)), result);
}

/* the identity pose, as position and quaternion */
static const double origin[7] = {0, 0, 0, 0, 0, 0, 1};

void td_pose_exp(const double twist[6], double pose[12])
{
    double x[7];
    td_pose_move(origin, twist, x);
    if (!td_pose_join(x, x + 3, pose)) /* the twist is not finite */
        for (int i = 0; i < 12; i++)
            pose[i] = NAN;
}

void td_pose_log(const double pose[12], double twist[6])
{
    double x[7];
    td_pose_split(pose, x, x + 3);
    td_pose_twist(origin, x, twist);
}

/* Computes start ∘ exp(part · log(start⁻¹ ∘ end)). */
void td_pose_interpolate(const double start[12], const double end[12], double part,
                         double result[12])
{
    const td_frame3 from = frame_of(start);
    double way[12], twist[6];
    write_frame(td_frame3_compose(inverse(from), frame_of(end)), way);
    td_pose_log(way, twist);
    for (int i = 0; i < 6; i++)
        twist[i] *= part;
    td_pose_exp(twist, way);
    write_frame(td_frame3_compose(from, frame_of(way)), result);
}

void td_pose_split(const double pose[12], double position[3], double xyzw[4])
{
    const double rotation[9] = {pose[0], pose[1], pose[2], pose[4], pose[5],
                                pose[6], pose[8], pose[9], pose[10]};
    for (int i = 0; i < 3; i++)
        position[i] = pose[4 * i + 3];
    td_quaternion_from_rotation(rotation, xyzw);
}

bool td_pose_join(const double position[3], const double xyzw[4], double pose[12])
{
    double R[9];
    if (!td_rotation_from_quaternion(xyzw, R))
        return false;
    write_frame((td_frame3){{R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]},
                            {position[0], position[1], position[2]}},
                pose);
    return true;
}
