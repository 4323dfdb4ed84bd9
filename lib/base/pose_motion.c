/* SPDX-License-Identifier: MIT */
/*
 * The exponential maps of SE(3) and SO(3) and their inverses, for poses stored as position and
 * quaternion.
 */
#include "base/pose_motion.h"

#include <math.h>

#include "base/frame.h"
#include "base/vector.h"

typedef struct quaternion {
    double x, y, z, w;
} quaternion;

static quaternion product(quaternion a, quaternion b)
{
    return (quaternion){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
                        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

/* Returns v rotated by the quaternion. */
static td_vec3 rotate(quaternion p, td_vec3 v)
{
    td_vec3 axis = {p.x, p.y, p.z}, t = td_vec3_cross(axis, v);
    t = (td_vec3){2 * t.x, 2 * t.y, 2 * t.z};
    td_vec3 u = td_vec3_cross(axis, t);
    return (td_vec3){v.x + p.w * t.x + u.x, v.y + p.w * t.y + u.y, v.z + p.w * t.z + u.z};
}

/* Computes (1 − cos a) / a² and (a − sin a) / a³, by their series where they cancel. */
static void turning_factors(double a, double *first, double *second)
{
    double square = a * a;
    if (a < 0.1) {
        *first = 0.5 - square / 24 * (1 - square / 30 * (1 - square / 56 * (1 - square / 90)));
        *second = (1 - square / 20 * (1 - square / 42 * (1 - square / 72))) / 6;
        return;
    }
    double half = sin(0.5 * a);
    *first = 2 * half * half / square;
    *second = (a - sin(a)) / (square * a);
}

/* Rotates p by the rotation vector w in body axes; `angle` is the length of w. */
static void turn(quaternion p, td_vec3 w, double angle, double result[4])
{
    double k = angle > 1e-8 ? sin(0.5 * angle) / angle : 0.5;
    p = product(p, (quaternion){k * w.x, k * w.y, k * w.z, cos(0.5 * angle)});
    double norm = sqrt(p.x * p.x + p.y * p.y + p.z * p.z + p.w * p.w);
    result[0] = p.x / norm, result[1] = p.y / norm, result[2] = p.z / norm, result[3] = p.w / norm;
}

/* Returns the shorter rotation from one orientation to another, as a rotation vector in the axes
   of the first. `back` is the conjugate of the first; *angle receives the angle. */
static td_vec3 turn_between(quaternion back, const double end[4], double *angle)
{
    quaternion p = product(back, (quaternion){end[0], end[1], end[2], end[3]});
    if (p.w < 0)
        p = (quaternion){-p.x, -p.y, -p.z, -p.w};
    double s = sqrt(p.x * p.x + p.y * p.y + p.z * p.z);
    *angle = 2 * atan2(s, p.w);
    double k = s > 1e-8 ? *angle / s : 2 / p.w;
    return (td_vec3){k * p.x, k * p.y, k * p.z};
}

void td_pose_move(const double x[7], const double twist[6], double result[7])
{
    const td_vec3 w = {twist[0], twist[1], twist[2]}, v = {twist[3], twist[4], twist[5]};
    double angle = sqrt(w.x * w.x + w.y * w.y + w.z * w.z), first, second;
    turning_factors(angle, &first, &second);
    td_vec3 wv = td_vec3_cross(w, v),
            wwv = td_vec3_cross(w, wv); /* V v = v + first w × v + second w × (w × v) */
    td_vec3 displacement = {v.x + first * wv.x + second * wwv.x,
                            v.y + first * wv.y + second * wwv.y,
                            v.z + first * wv.z + second * wwv.z};
    quaternion p = {x[3], x[4], x[5], x[6]};
    displacement = rotate(p, displacement);
    result[0] = x[0] + displacement.x, result[1] = x[1] + displacement.y,
    result[2] = x[2] + displacement.z;
    turn(p, w, angle, result + 3);
}

void td_pose_twist(const double start[7], const double end[7], double twist[6])
{
    quaternion back = {-start[3], -start[4], -start[5], start[6]};
    double angle;
    td_vec3 w = turn_between(back, end + 3, &angle);
    td_vec3 displacement =
        rotate(back, (td_vec3){end[0] - start[0], end[1] - start[1], end[2] - start[2]});
    /* V⁻¹ = 1 − ½ [w] + (1 − a/2 cot a/2) / a² [w]² */
    double square = angle * angle;
    double c = angle < 0.1 ? (1 + square / 60 * (1 + square / 42 * (1 + square / 40))) / 12
                           : (1 - 0.5 * angle / tan(0.5 * angle)) / square;
    td_vec3 wp = td_vec3_cross(w, displacement), wwp = td_vec3_cross(w, wp);
    twist[0] = w.x, twist[1] = w.y, twist[2] = w.z;
    twist[3] = displacement.x - 0.5 * wp.x + c * wwp.x;
    twist[4] = displacement.y - 0.5 * wp.y + c * wwp.y;
    twist[5] = displacement.z - 0.5 * wp.z + c * wwp.z;
}

void td_orientation_move(const double x[4], const double omega[3], double result[4])
{
    const td_vec3 w = {omega[0], omega[1], omega[2]};
    turn((quaternion){x[0], x[1], x[2], x[3]}, w, sqrt(w.x * w.x + w.y * w.y + w.z * w.z), result);
}

void td_orientation_twist(const double start[4], const double end[4], double omega[3])
{
    double angle;
    const td_vec3 w =
        turn_between((quaternion){-start[0], -start[1], -start[2], start[3]}, end, &angle);
    omega[0] = w.x, omega[1] = w.y, omega[2] = w.z;
}

/* ---- rates of the numbers -------------------------------------------------------------------- */

static quaternion read_quaternion(const double p[4])
{
    return (quaternion){p[0], p[1], p[2], p[3]};
}

static quaternion scaled(double factor, quaternion p)
{
    return (quaternion){factor * p.x, factor * p.y, factor * p.z, factor * p.w};
}

/* Returns p⁻¹ = p* / |p|². */
static quaternion inverse(quaternion p)
{
    const double square = p.x * p.x + p.y * p.y + p.z * p.z + p.w * p.w;
    return (quaternion){-p.x / square, -p.y / square, -p.z / square, p.w / square};
}

static quaternion unit(const double p[4])
{
    const double norm = hypot(hypot(p[0], p[1]), hypot(p[2], p[3]));
    return scaled(1 / norm, read_quaternion(p));
}

static void write_vec3(td_vec3 v, double out[3])
{
    out[0] = v.x, out[1] = v.y, out[2] = v.z;
}

static void write_quaternion(quaternion p, double out[4])
{
    out[0] = p.x, out[1] = p.y, out[2] = p.z, out[3] = p.w;
}

/* With s = p⁻¹ ṗ = (½ ω, ṅ/n) and n = |p|: ṡ = p⁻¹ p̈ − s², so ½ α = Im(p⁻¹ p̈) − 2 (ṅ/n) ½ ω. */
void td_orientation_velocity(const double p[4], const double rate[4], const double second[4],
                             double omega[3], double alpha[3])
{
    const quaternion back = inverse(read_quaternion(p));
    const quaternion s = product(back, read_quaternion(rate));
    write_vec3((td_vec3){2 * s.x, 2 * s.y, 2 * s.z}, omega);
    if (alpha) {
        const quaternion a = product(back, read_quaternion(second));
        write_vec3(
            (td_vec3){2 * a.x - 4 * s.w * s.x, 2 * a.y - 4 * s.w * s.y, 2 * a.z - 4 * s.w * s.z},
            alpha);
    }
}

/* ṗ = ½ p ⊗ (ω, 0) and p̈ = ½ p ⊗ (α, −½ |ω|²). */
void td_orientation_rate(const double p[4], const double w[3], const double alpha[3],
                         double rate[4], double second[4])
{
    const quaternion half = scaled(0.5, read_quaternion(p));
    write_quaternion(product(half, (quaternion){w[0], w[1], w[2], 0}), rate);
    if (second) {
        const double square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
        write_quaternion(product(half, (quaternion){alpha[0], alpha[1], alpha[2], -0.5 * square}),
                         second);
    }
}

/* v = Rᵀ ẋ and v̇ = Rᵀ ẍ − ω × v. */
void td_pose_velocity(const double x[7], const double rate[7], const double second[7],
                      double twist[6], double change[6])
{
    quaternion back = unit(x + 3);
    back = (quaternion){-back.x, -back.y, -back.z, back.w};
    td_orientation_velocity(x + 3, rate + 3, second ? second + 3 : NULL, twist, change);
    const td_vec3 w = {twist[0], twist[1], twist[2]};
    const td_vec3 v = rotate(back, (td_vec3){rate[0], rate[1], rate[2]});
    write_vec3(v, twist + 3);
    if (change) {
        const td_vec3 a = rotate(back, (td_vec3){second[0], second[1], second[2]});
        const td_vec3 wv = td_vec3_cross(w, v);
        write_vec3((td_vec3){a.x - wv.x, a.y - wv.y, a.z - wv.z}, change + 3);
    }
}

/* ẋ = R v and ẍ = R (v̇ + ω × v). */
void td_pose_rate(const double x[7], const double twist[6], const double change[6], double rate[7],
                  double second[7])
{
    const quaternion p = unit(x + 3);
    const td_vec3 w = {twist[0], twist[1], twist[2]}, v = {twist[3], twist[4], twist[5]};
    td_orientation_rate(x + 3, twist, change, rate + 3, second ? second + 3 : NULL);
    write_vec3(rotate(p, v), rate);
    if (second) {
        const td_vec3 wv = td_vec3_cross(w, v);
        write_vec3(rotate(p, (td_vec3){change[3] + wv.x, change[4] + wv.y, change[5] + wv.z}),
                   second);
    }
}
