/* SPDX-License-Identifier: MIT */
/*
 * Computes Jacobians of the exponential maps of SE(3) and SO(3) and of their inverses.
 *
 *   exp(ξ + δ) = exp(ξ) exp(J_r(ξ) δ),   exp(δ) exp(ξ) = exp(ξ) exp(Ad(exp(−ξ)) δ)
 *
 * J_r of a rotation vector ω is A(ω) = 1 − a [ω]× + b [ω]×², a = (1 − cos θ)/θ², b = (θ − sin
 * θ)/θ³. A twist (ω, v) translates by p = A(−ω) v, so J_r of a twist has A on its diagonal and
 * Rᵀ ∂p/∂ω below.
 */
#include "base/pose_jacobian.h"

#include <math.h>
#include <string.h>

#include "base/frame.h"

/* a and b of the angle, and their derivatives divided by the angle. */
typedef struct factors {
    double a, b, a_slope, b_slope;
} factors;

/* Uses the series Σ (−θ²)ᵏ / (2k + 2)! and / (2k + 3)! where the formulas cancel. */
static factors factors_at(double angle)
{
    const double square = angle * angle;
    if (angle >= 0.5) {
        const double half = sin(0.5 * angle), s = sin(angle);
        const double a = 2 * half * half / square, b = (angle - s) / (square * angle);
        return (factors){a, b, (s / angle - 2 * a) / square, (a - 3 * b) / square};
    }
    factors f = {0};
    double term = 0.5; /* (−θ²)ᵏ / (2k + 2)! */
    for (int k = 0; k < 8; k++) {
        const double next = term / (2 * k + 3);
        f.a += term, f.b += next;
        /* the derivative of (−θ²)ᵏ⁺¹ is −2 (k + 1) (−θ²)ᵏ θ */
        f.a_slope -= 2 * (k + 1) * term / ((2 * k + 3) * (2 * k + 4));
        f.b_slope -= 2 * (k + 1) * next / ((2 * k + 4) * (2 * k + 5));
        term *= -square / ((2 * k + 3) * (2 * k + 4));
    }
    return f;
}

static td_mat3 crossing(td_vec3 w)
{
    return (td_mat3){0, -w.z, w.y, w.z, 0, -w.x, -w.y, w.x, 0};
}

/* Returns x A + y B. */
static td_mat3 sum(double x, td_mat3 A, double y, td_mat3 B)
{
    return (td_mat3){x * A.xx + y * B.xx, x * A.xy + y * B.xy, x * A.xz + y * B.xz,
                     x * A.yx + y * B.yx, x * A.yy + y * B.yy, x * A.yz + y * B.yz,
                     x * A.zx + y * B.zx, x * A.zy + y * B.zy, x * A.zz + y * B.zz};
}

/* Returns a bᵀ. */
static td_mat3 outer(td_vec3 a, td_vec3 b)
{
    return (td_mat3){a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y,
                     a.y * b.z, a.z * b.x, a.z * b.y, a.z * b.z};
}

static const td_mat3 identity = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* Returns 1 + x [w]× + y [w]×². */
static td_mat3 polynomial(td_vec3 w, double x, double y)
{
    const td_mat3 W = crossing(w);
    return sum(1, identity, 1, sum(x, W, y, td_mat3_mul(W, W)));
}

/* Returns the inverse rotation, exp(−[ω]×). */
static td_mat3 turned_back(td_vec3 w)
{
    const double angle = td_vec3_length(w), half = 0.5 * angle;
    const double s = angle > 1e-8 ? sin(half) / half : 1;
    return polynomial(w, -s * cos(half), 0.5 * s * s);
}

/* Return A of a rotation vector, and its inverse 1 + ½ [w]× + (1 − θ/2 cot θ/2)/θ² [w]×². */
static td_mat3 turn_jacobian(td_vec3 w)
{
    const factors f = factors_at(td_vec3_length(w));
    return polynomial(w, -f.a, f.b);
}

static td_mat3 turn_inverse(td_vec3 w)
{
    const double angle = td_vec3_length(w), square = angle * angle;
    const double c = angle < 0.1 ? (1 + square / 60 * (1 + square / 42 * (1 + square / 40))) / 12
                                 : (1 - 0.5 * angle / tan(0.5 * angle)) / square;
    return polynomial(w, 0.5, c);
}

/* Returns Rᵀ ∂p/∂ω with p = v + a ω × v + b ω × (ω × v). */
static td_mat3 slide_by_turn(td_vec3 w, td_vec3 v)
{
    const factors f = factors_at(td_vec3_length(w));
    const td_vec3 wv = td_vec3_cross(w, v), wwv = td_vec3_cross(w, wv);
    const td_vec3 none = {0, 0, 0};
    const td_vec3 radial = td_vec3_along(td_vec3_along(none, f.a_slope, wv), f.b_slope, wwv);
    /* ∂(ω × (ω × v))/∂ω = ω vᵀ + ω · v − 2 v ωᵀ */
    td_mat3 D = sum(1, outer(w, v), td_vec3_dot(w, v), identity);
    D = sum(f.b, sum(1, D, -2, outer(v, w)), -f.a, crossing(v));
    return td_mat3_mul(turned_back(w), sum(1, D, 1, outer(radial, w)));
}

static void put(td_mat3 A, double sign, size_t row, size_t column, size_t size, double *out)
{
    const double at[9] = {A.xx, A.xy, A.xz, A.yx, A.yy, A.yz, A.zx, A.zy, A.zz};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            out[(row + i) * size + column + j] = sign * at[3 * i + j];
}

/* Writes the block matrix [A 0; B A]. */
static void put_blocks(td_mat3 A, td_mat3 B, double sign, double out[36])
{
    memset(out, 0, 36 * sizeof *out);
    put(A, sign, 0, 0, 6, out);
    put(B, sign, 3, 0, 6, out);
    put(A, sign, 3, 3, 6, out);
}

/* Writes J_r⁻¹ of a twist: A⁻¹ on the diagonal, −A⁻¹ B A⁻¹ below. */
static void put_inverse(td_vec3 w, td_vec3 v, double sign, double out[36])
{
    const td_mat3 A = turn_inverse(w), B = td_mat3_mul(A, td_mat3_mul(slide_by_turn(w, v), A));
    put_blocks(A, sum(-1, B, 0, B), sign, out);
}

void td_pose_move_jacobian(const double twist[6], double by_start[36], double by_twist[36])
{
    const td_vec3 w = td_vec3_from(twist), v = td_vec3_from(twist + 3);
    const td_mat3 back = turned_back(w);
    const factors f = factors_at(td_vec3_length(w));
    const td_vec3 wv = td_vec3_cross(w, v);
    const td_vec3 p = td_vec3_along(td_vec3_along(v, f.a, wv), f.b, td_vec3_cross(w, wv));
    put_blocks(back, td_mat3_mul(back, sum(-1, crossing(p), 0, identity)), 1, by_start);
    put_blocks(turn_jacobian(w), slide_by_turn(w, v), 1, by_twist);
}

void td_pose_twist_jacobian(const double twist[6], double by_start[36], double by_end[36])
{
    const td_vec3 w = td_vec3_from(twist), v = td_vec3_from(twist + 3);
    put_inverse((td_vec3){-w.x, -w.y, -w.z}, (td_vec3){-v.x, -v.y, -v.z}, -1, by_start);
    put_inverse(w, v, 1, by_end);
}

void td_orientation_move_jacobian(const double omega[3], double by_start[9], double by_omega[9])
{
    put(turned_back(td_vec3_from(omega)), 1, 0, 0, 3, by_start);
    put(turn_jacobian(td_vec3_from(omega)), 1, 0, 0, 3, by_omega);
}

void td_orientation_twist_jacobian(const double omega[3], double by_start[9], double by_end[9])
{
    const td_vec3 w = td_vec3_from(omega);
    put(turn_inverse((td_vec3){-w.x, -w.y, -w.z}), -1, 0, 0, 3, by_start);
    put(turn_inverse(w), 1, 0, 0, 3, by_end);
}
