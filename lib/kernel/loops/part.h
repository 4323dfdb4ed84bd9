/* SPDX-License-Identifier: MIT */
/*
 * Poses that loops determine in part (td_loop_quaternion.part). y contains a whole pose, with
 * quaternion Q and position p. γ describes the closed pose near it by six coordinates (a, x):
 *
 *   Q(a) = Q ⊗ (2 b, 1 − b · b) / (1 + b · b),   p(x) = p + R(Q) x,   b = a / 4,
 *
 * where b are modified Rodrigues parameters (Schaub and Junkins 1996), which are regular up to a
 * full turn. A ball joint has no x. On the path from the start to y, the independent ones of these
 * coordinates go straight from their values at the start to 0. The dependent ones also arrive at 0
 * if the pose in y is closed, so that γ of this pose is the pose itself. Velocities in the axes of
 * the child are
 *
 *   ω = ((1 − b · b) ȧ − 2 b × ȧ + 2 b (b · ȧ)) / (1 + b · b)²,   v = R(a)ᵀ ẋ.
 */
#ifndef TD_PART_H
#define TD_PART_H

#include "kernel/loops/residual.h"
#include "kernel/real/quaternion.h"

TD_INLINE vec3 part_vector(const real *a)
{
    return (vec3){a[0], a[1], a[2]};
}

/* Computes the unit quaternion of a, relative to the pose in y. */
TD_INLINE void part_quaternion(const real *a, real out[4])
{
    const vec3 b = scale(0.25, part_vector(a));
    const real square = dot(b, b), inverse = 1.0 / (1.0 + square);
    out[0] = 2.0 * inverse * b.x;
    out[1] = 2.0 * inverse * b.y;
    out[2] = 2.0 * inverse * b.z;
    out[3] = inverse * (1.0 - square);
}

TD_INLINE void part_unit_quaternion(const real *quaternion, real out[4])
{
    for (int k = 0; k < 4; k++)
        out[k] = quaternion[k];
    quaternion_scale(1.0 / real_sqrt(quaternion_dot(out, out)), out);
}

/* Computes the coordinates of the start's poses. */
static void parts_start(const td_loop_group *g, const double *start, const real *y, real *part)
{
    for (int i = 0; i < g->quaternions; i++) {
        const td_loop_quaternion *f = &g->quaternion[i];
        if (f->part < 0)
            continue;
        const int n = f->before;
        const real *given = y + f->y;
        real *a = part + f->part, Q[4], turn[4], there[4];
        part_unit_quaternion(given + n, Q);
        for (int k = 0; k < 4; k++)
            there[k] = splat(start[f->w + n + k]);
        const real back[4] = {-Q[0], -Q[1], -Q[2], Q[3]};
        quaternion_product(back, there, turn);
        const real side = select_lt(turn[3], splat(0), splat(-1), splat(1));
        const real factor = 4.0 * side / (1.0 + side * turn[3]);
        for (int k = 0; k < 3; k++)
            a[k] = factor * turn[k];
        if (n == 0)
            continue;
        const mat3 R = quaternion_transposed(Q);
        const vec3 x =
            rotate(&R, (vec3){splat(start[f->w]) - given[0], splat(start[f->w + 1]) - given[1],
                              splat(start[f->w + 2]) - given[2]});
        a[3] = x.x, a[4] = x.y, a[5] = x.z;
    }
}

/* Computes the poses with these coordinates into w. */
static void parts_place(const td_loop_group *g, const real *part, const real *y, real *w)
{
    for (int i = 0; i < g->quaternions; i++) {
        const td_loop_quaternion *f = &g->quaternion[i];
        if (f->part < 0)
            continue;
        const real *given = y + f->y, *a = part + f->part;
        real *out = w + f->w, Q[4], turn[4];
        part_unit_quaternion(given + f->before, Q);
        part_quaternion(a, turn);
        quaternion_product(Q, turn, out + f->before);
        if (f->before == 0)
            continue;
        const mat3 R = quaternion_transposed(Q);
        const vec3 x = rotate_transposed(&R, part_vector(a + 3));
        out[0] = given[0] + x.x;
        out[1] = given[1] + x.y;
        out[2] = given[2] + x.z;
    }
}

/* Transforms J from the velocities of poses to these coordinates. */
static void parts_turn(const td_loops *loops, const td_loop_group *g, const real *part,
                       real *dependent, real *independent)
{
    const size_t m = (size_t)g->rows;
    for (int i = 0; i < g->quaternions; i++) {
        const td_loop_quaternion *f = &g->quaternion[i];
        if (f->part < 0)
            continue;
        real *column[TD_PART_COORDINATES] = {0}, turn[4];
        for (int k = 0; k < (f->before ? 6 : 3); k++) {
            const int slot = loops->slot[f->velocity + k];
            column[k] = slot < g->dependents ? dependent + (size_t)slot * m
                                             : independent + (size_t)(slot - g->dependents) * m;
        }
        const real *a = part + f->part;
        const vec3 b = scale(0.25, part_vector(a));
        const real square = dot(b, b), inverse = 1.0 / (1.0 + square);
        part_quaternion(a, turn);
        const mat3 R = quaternion_transposed(turn);
        for (size_t row = 0; row < m; row++) {
            const vec3 w = {column[0][row], column[1][row], column[2][row]}, twice = scale(2, b);
            const vec3 sum =
                add(scale_by(1.0 - square, w), add(cross(twice, w), scale_by(dot(b, w), twice)));
            column[0][row] = inverse * inverse * sum.x;
            column[1][row] = inverse * inverse * sum.y;
            column[2][row] = inverse * inverse * sum.z;
            if (f->before == 0)
                continue;
            const vec3 v =
                rotate_transposed(&R, (vec3){column[3][row], column[4][row], column[5][row]});
            column[3][row] = v.x;
            column[4][row] = v.y;
            column[5][row] = v.z;
        }
    }
}

#endif
