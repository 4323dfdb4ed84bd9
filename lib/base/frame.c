/* SPDX-License-Identifier: MIT */
/*
 * Frames and rotations in double precision, and the public conversions of rotations.
 */
#include "base/frame.h"

#include <math.h>

td_mat3 td_mat3_from(const double r[9])
{
    return (td_mat3){r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]};
}

td_vec3 td_vec3_from(const double v[3])
{
    return (td_vec3){v[0], v[1], v[2]};
}

td_vec3 td_vec3_add(td_vec3 a, td_vec3 b)
{
    return (td_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

double td_vec3_dot(td_vec3 a, td_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

double td_vec3_length(td_vec3 a)
{
    return sqrt(td_vec3_dot(a, a));
}

td_vec3 td_vec3_cross(td_vec3 a, td_vec3 b)
{
    return (td_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

td_vec3 td_vec3_along(td_vec3 a, double times, td_vec3 b)
{
    return (td_vec3){a.x + times * b.x, a.y + times * b.y, a.z + times * b.z};
}

td_vec3 td_mat3_apply(td_mat3 a, td_vec3 v)
{
    return (td_vec3){a.xx * v.x + a.xy * v.y + a.xz * v.z, a.yx * v.x + a.yy * v.y + a.yz * v.z,
                     a.zx * v.x + a.zy * v.y + a.zz * v.z};
}

td_mat3 td_mat3_transpose(td_mat3 a)
{
    return (td_mat3){a.xx, a.yx, a.zx, a.xy, a.yy, a.zy, a.xz, a.yz, a.zz};
}

td_mat3 td_mat3_mul(td_mat3 a, td_mat3 b)
{
    td_vec3 x = td_mat3_apply(a, (td_vec3){b.xx, b.yx, b.zx});
    td_vec3 y = td_mat3_apply(a, (td_vec3){b.xy, b.yy, b.zy});
    td_vec3 z = td_mat3_apply(a, (td_vec3){b.xz, b.yz, b.zz});
    return (td_mat3){x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
}

td_frame3 td_frame3_from(const td_pose *pose)
{
    return (td_frame3){td_mat3_from(pose->rotation), td_vec3_from(pose->position)};
}

td_frame3 td_frame3_compose(td_frame3 outer, td_frame3 inner)
{
    return (td_frame3){
        td_mat3_mul(outer.rotation, inner.rotation),
        td_vec3_add(outer.position, td_mat3_apply(outer.rotation, inner.position)),
    };
}

td_mat3 td_rotation_to_axis(td_vec3 a)
{
    double across = a.x * a.x + a.y * a.y;
    if (across < 1e-40 && a.z < 0) /* −z to rounding; the quotient below would overflow */
        return (td_mat3){1, 0, 0, 0, -1, 0, 0, 0, -1};
    /* 1 + v× + v×² / (1 + cos) with v = z × a; this quotient avoids cancellation near −z */
    double k = a.z < 0 ? (1 - a.z) / across : 1 / (1 + a.z);
    return (td_mat3){1 - k * a.x * a.x,
                     -k * a.x * a.y,
                     a.x,
                     -k * a.x * a.y,
                     1 - k * a.y * a.y,
                     a.y,
                     -a.x,
                     -a.y,
                     a.z};
}

td_mat3 td_frame_along(td_vec3 a)
{
    if (a.x == 1 && a.y == 0 && a.z == 0)
        return (td_mat3){0, 0, 1, 1, 0, 0, 0, 1, 0};
    if (a.x == 0 && a.y == 1 && a.z == 0)
        return (td_mat3){0, 1, 0, 0, 0, 1, 1, 0, 0};
    return td_rotation_to_axis(a);
}

bool td_renames_axes(td_mat3 M, int axis[3], double sign[3])
{
    const double R[3][3] = {{M.xx, M.xy, M.xz}, {M.yx, M.yy, M.yz}, {M.zx, M.zy, M.zz}};
    int found = 0;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            if (fabs(R[i][j]) == 1 && R[(i + 1) % 3][j] == 0 && R[(i + 2) % 3][j] == 0) {
                axis[j] = i;
                sign[j] = R[i][j];
                found++;
            }
    return found == 3;
}

td_mat3 td_rotation_rounded(td_mat3 R)
{
    /* quarter turns from rpy are off by cos(π / 2) = 6e-17 */
    const double least = 1e-15;
    td_mat3 rounded = {round(R.xx) + 0.0, round(R.xy) + 0.0, round(R.xz) + 0.0,
                       round(R.yx) + 0.0, round(R.yy) + 0.0, round(R.yz) + 0.0,
                       round(R.zx) + 0.0, round(R.zy) + 0.0, round(R.zz) + 0.0}; /* no −0 */
    const double off[] = {R.xx - rounded.xx, R.xy - rounded.xy, R.xz - rounded.xz,
                          R.yx - rounded.yx, R.yy - rounded.yy, R.yz - rounded.yz,
                          R.zx - rounded.zx, R.zy - rounded.zy, R.zz - rounded.zz};
    for (int k = 0; k < 9; k++)
        if (!(fabs(off[k]) <= least))
            return R;
    return rounded;
}

bool td_is_rotation(const double rotation[9])
{
    td_mat3 R = td_mat3_from(rotation);
    td_mat3 product = td_mat3_mul(td_mat3_transpose(R), R);
    double error = fabs(product.xx - 1) + fabs(product.yy - 1) + fabs(product.zz - 1) +
                   fabs(product.xy) + fabs(product.xz) + fabs(product.yz);
    double det = R.xx * (R.yy * R.zz - R.yz * R.zy) - R.xy * (R.yx * R.zz - R.yz * R.zx) +
                 R.xz * (R.yx * R.zy - R.yy * R.zx);
    return error < 1e-6 && det > 0;
}

td_sym3 td_sym3_from(const double I[6])
{
    return (td_sym3){I[0], I[1], I[2], I[3], I[4], I[5]};
}

td_sym3 td_sym3_rotate(td_mat3 R, td_sym3 I)
{
    td_mat3 full = {I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz};
    td_mat3 t = td_mat3_mul(td_mat3_mul(R, full), td_mat3_transpose(R));
    return (td_sym3){t.xx, t.xy, t.xz, t.yy, t.yz, t.zz};
}

td_sym3 td_sym3_shift(td_sym3 I, double m, td_vec3 c)
{
    return (td_sym3){I.xx + m * (c.y * c.y + c.z * c.z),
                     I.xy - m * c.x * c.y,
                     I.xz - m * c.x * c.z,
                     I.yy + m * (c.x * c.x + c.z * c.z),
                     I.yz - m * c.y * c.z,
                     I.zz + m * (c.x * c.x + c.y * c.y)};
}

td_sym3 td_sym3_add(td_sym3 a, td_sym3 b)
{
    return (td_sym3){a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
}

void td_rotation_from_rpy(double roll, double pitch, double yaw, double R[9])
{
    double cr = cos(roll), sr = sin(roll);
    double cp = cos(pitch), sp = sin(pitch);
    double cy = cos(yaw), sy = sin(yaw);
    R[0] = cy * cp, R[1] = cy * sp * sr - sy * cr, R[2] = cy * sp * cr + sy * sr;
    R[3] = sy * cp, R[4] = sy * sp * sr + cy * cr, R[5] = sy * sp * cr - cy * sr;
    R[6] = -sp, R[7] = cp * sr, R[8] = cp * cr;
}

bool td_rotation_from_quaternion(const double xyzw[4], double R[9])
{
    double norm = hypot(hypot(xyzw[0], xyzw[1]), hypot(xyzw[2], xyzw[3]));
    if (!(norm > 0) || !isfinite(norm))
        return false;
    double x = xyzw[0] / norm, y = xyzw[1] / norm, z = xyzw[2] / norm, w = xyzw[3] / norm;
    R[0] = 1 - 2 * (y * y + z * z), R[1] = 2 * (x * y - z * w), R[2] = 2 * (x * z + y * w);
    R[3] = 2 * (x * y + z * w), R[4] = 1 - 2 * (x * x + z * z), R[5] = 2 * (y * z - x * w);
    R[6] = 2 * (x * z - y * w), R[7] = 2 * (y * z + x * w), R[8] = 1 - 2 * (x * x + y * y);
    return true;
}

void td_quaternion_from_rotation(const double R[9], double xyzw[4])
{
    /* four times the square of each component; dividing by the largest is safe */
    double square[4] = {1 + R[0] - R[4] - R[8], 1 - R[0] + R[4] - R[8], 1 - R[0] - R[4] + R[8],
                        1 + R[0] + R[4] + R[8]};
    double x_y = R[1] + R[3], x_z = R[2] + R[6], y_z = R[5] + R[7];
    double x_w = R[7] - R[5], y_w = R[2] - R[6], z_w = R[3] - R[1];
    int largest = 3;
    for (int i = 0; i < 3; i++)
        if (square[i] > square[largest])
            largest = i;
    const double products[4][4] = {{square[0], x_y, x_z, x_w},
                                   {x_y, square[1], y_z, y_w},
                                   {x_z, y_z, square[2], z_w},
                                   {x_w, y_w, z_w, square[3]}};
    double factor = 0.5 / sqrt(square[largest]);
    if (products[largest][3] < 0)
        factor = -factor;
    for (int i = 0; i < 4; i++)
        xyzw[i] = factor * products[largest][i];
}

td_mat3 td_rotation_about(td_vec3 a, double angle)
{
    double c = cos(angle), s = sin(angle);
    return (td_mat3){a.x * a.x + c * (1 - a.x * a.x), a.x * a.y * (1 - c) - s * a.z,
                     a.x * a.z * (1 - c) + s * a.y,   a.x * a.y * (1 - c) + s * a.z,
                     a.y * a.y + c * (1 - a.y * a.y), a.y * a.z * (1 - c) - s * a.x,
                     a.x * a.z * (1 - c) - s * a.y,   a.y * a.z * (1 - c) + s * a.x,
                     a.z * a.z + c * (1 - a.z * a.z)};
}
