/* SPDX-License-Identifier: MIT */
/*
 * Moves the coordinates of a group: dependent ones by steps, independent ones along the straight
 * path from the start to y.
 */
#ifndef TD_MOVE_H
#define TD_MOVE_H

#include "kernel/loops/problem.h"
#include "kernel/real/quaternion.h"

/* Returns whether a joint with a quaternion is dependent as a whole. */
TD_INLINE bool is_dependent(const td_loop_group *g, const td_loop_quaternion *f)
{
    return f->part < 0 && f->slot < g->dependents;
}

/* Returns whether a joint with a quaternion is independent as a whole. */
TD_INLINE bool is_independent(const td_loop_group *g, const td_loop_quaternion *f)
{
    return f->part < 0 && f->slot >= g->dependents;
}

/* Moves positions by velocities in body axes, to first order, in the lanes of the mask: the
   position by R v, the quaternion by (ω / 2, 1), normalized. */
static void quaternion_move(const td_loop_quaternion *f, real mask, const real *positions,
                            const real *velocities, real *out)
{
    const real *turn = positions + f->before;
    const real increment[4] = {0.5 * velocities[0], 0.5 * velocities[1], 0.5 * velocities[2],
                               splat(1)};
    real moved[TD_FLOATING_POSITIONS], *turned = moved + f->before;
    if (f->before) {
        const mat3 R = quaternion_transposed(turn);
        const vec3 v = rotate_transposed(&R, (vec3){velocities[3], velocities[4], velocities[5]});
        moved[0] = positions[0] + v.x;
        moved[1] = positions[1] + v.y;
        moved[2] = positions[2] + v.z;
    }
    quaternion_product(turn, increment, turned);
    quaternion_scale(1.0 / real_sqrt(quaternion_dot(turned, turned)), turned);
    for (int k = 0; k < td_loop_quaternion_positions(f); k++)
        out[k] = select_lt(splat(0.5), mask, moved[k], out[k]);
}

/* Returns the index of the i-th quaternion joint's positions in arrays of kept positions. */
TD_INLINE size_t kept_pose(const td_loop_group *g, int i)
{
    return (size_t)(g->dependents + TD_FLOATING_POSITIONS * i);
}

/* Copies the positions of the dependents to kept, in the lanes of the mask. */
static void keep_positions(const loop_problem *p, real mask, real *kept)
{
    const td_loop_group *g = p->g;
    const real *w = p->s->w, half = splat(0.5);
    for (int i = 0; i < g->dependents; i++) {
        const real *x = coordinate_of(p, i);
        if (x)
            kept[i] = select_lt(half, mask, *x, kept[i]);
    }
    for (int i = 0; i < g->quaternions; i++)
        for (int k = 0; is_dependent(g, &g->quaternion[i]) &&
                        k < td_loop_quaternion_positions(&g->quaternion[i]);
             k++) {
            real *entry = kept + kept_pose(g, i) + k;
            *entry = select_lt(half, mask, w[g->quaternion[i].w + k], *entry);
        }
}

/* Sets the dependents to base plus a step per slot, in the lanes of the mask. */
static void move_from(const loop_problem *p, real mask, const real *base, const real *step)
{
    const td_loop_group *g = p->g;
    real *w = p->s->w;
    for (int i = 0; i < g->dependents; i++) {
        real *x = coordinate_of(p, i);
        if (x)
            *x = select_lt(splat(0.5), mask, base[i] + step[i], *x);
    }
    for (int i = 0; i < g->quaternions; i++) {
        const td_loop_quaternion *f = &g->quaternion[i];
        if (is_dependent(g, f))
            quaternion_move(f, mask, base + kept_pose(g, i), step + f->slot, w + f->w);
    }
}

/* Moves the dependents by a step per slot, in the lanes of the mask. */
static void move_on(const loop_problem *p, real mask, const real *step)
{
    const td_loop_group *g = p->g;
    real *w = p->s->w;
    for (int i = 0; i < g->dependents; i++) {
        real *x = coordinate_of(p, i);
        if (x)
            *x = select_lt(splat(0.5), mask, *x + step[i], *x);
    }
    for (int i = 0; i < g->quaternions; i++) {
        const td_loop_quaternion *f = &g->quaternion[i];
        if (is_dependent(g, f))
            quaternion_move(f, mask, w + f->w, step + f->slot, w + f->w);
    }
}

/* Sets an independent quaternion joint to the fraction t of its path from the start to y, and its
   part of dy to y'. The position follows a straight line, the quaternion the shorter great circle:
   u = (1 − t) a + t b, p = u / |u|. */
static void advance_quaternion(const loop_problem *p, const td_loop_quaternion *f, real t)
{
    real *w = (real *)p->s->w + f->w, *twist = p->r.dy + (f->slot - p->g->dependents);
    const double *start = p->start + f->w;
    const real *y = p->y + f->y;
    const int n = f->before;
    const real none = splat(0), unity = splat(1);
    real rate[4], back[4], turning[4], along = none, cosine = none;
    for (int k = 0; k < n; k++)
        w[k] = y[k] - (unity - t) * (y[k] - splat(start[k]));
    for (int k = 0; k < 4; k++)
        cosine += start[n + k] * y[n + k];
    real side = select_lt(cosine, none, -unity, unity);
    for (int k = 0; k < 4; k++) {
        rate[k] = side * y[n + k] - splat(start[n + k]); /* u' */
        w[n + k] = side * y[n + k] - (unity - t) * rate[k];
    }
    real inverse = 1.0 / real_sqrt(quaternion_dot(w + n, w + n));
    quaternion_scale(inverse, w + n);
    for (int k = 0; k < 4; k++)
        along += w[n + k] * rate[k];
    for (int k = 0; k < 4; k++) { /* p' = (u' − p (p · u')) / |u|, ω = 2 p* p' */
        rate[k] = inverse * (rate[k] - along * w[n + k]);
        back[k] = k < 3 ? -w[n + k] : w[n + k];
    }
    quaternion_product(back, rate, turning);
    for (int k = 0; k < 3; k++)
        twist[k] = 2.0 * turning[k];
    if (n == 0)
        return;
    mat3 R = quaternion_transposed(w + n);
    vec3 v =
        rotate(&R, (vec3){y[0] - splat(start[0]), y[1] - splat(start[1]), y[2] - splat(start[2])});
    twist[3] = v.x, twist[4] = v.y, twist[5] = v.z;
}

/* Sets the independents to the fraction t of the path, and to exactly y at t = 1. */
static void loop_advance(const loop_problem *p, real t)
{
    const td_loop_group *g = p->g;
    for (int k = 0; k < g->independents; k++) {
        real *x = coordinate_of(p, g->dependents + k);
        if (x)
            *x = (g->y[k] >= 0 ? p->y[g->y[k]] : splat(0)) - (1.0 - t) * p->r.dy[k];
    }
    for (int i = 0; i < g->quaternions; i++)
        if (is_independent(g, &g->quaternion[i]))
            advance_quaternion(p, &g->quaternion[i], t);
}

#endif
