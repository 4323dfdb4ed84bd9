/* SPDX-License-Identifier: MIT */
/*
 * The coordinates of a group on their way: dependent ones by steps, independent ones along the
 * straight path from the start to y.
 */
#ifndef TD_MOVE_H
#define TD_MOVE_H

#include "kernel/loops/problem.h"
#include "kernel/real/quaternion.h"

TD_INLINE bool is_dependent(const td_loop_group *g, const td_loop_floating *f)
{
    return f->slot < g->dependents;
}

/* A pose moved by a twist (ω, v) of its own axes, to first order, in the lanes of the mask: the
   position by R v, the quaternion by (ω / 2, 1). */
static void pose_move(real mask, const real pose_of[7], const real twist[6], real out[7])
{
    mat3 R = quaternion_transposed(pose_of + 3);
    vec3 v = rotate_transposed(&R, (vec3){twist[3], twist[4], twist[5]});
    real increment[4] = {0.5 * twist[0], 0.5 * twist[1], 0.5 * twist[2], splat(1)}, p[7];
    p[0] = pose_of[0] + v.x, p[1] = pose_of[1] + v.y, p[2] = pose_of[2] + v.z;
    quaternion_product(pose_of + 3, increment, p + 3);
    quaternion_scale(1.0 / real_sqrt(quaternion_dot(p + 3, p + 3)), p + 3);
    for (int k = 0; k < 7; k++)
        out[k] = select_lt(splat(0.5), mask, p[k], out[k]);
}

/* where the positions of the i-th floating joint are in arrays of positions */
TD_INLINE size_t kept_pose(const td_loop_group *g, int i)
{
    return (size_t)(g->dependents + TD_FLOATING_POSITIONS * i);
}

/* kept = the positions of the dependents, in the lanes of the mask */
static void keep_positions(const loop_problem *p, real mask, real *kept)
{
    const td_loop_group *g = p->g;
    const real *w = p->s->w, half = splat(0.5);
    for (int i = 0; i < g->dependents; i++)
        if (g->coordinate[i] >= 0)
            kept[i] = select_lt(half, mask, w[g->coordinate[i]], kept[i]);
    for (int i = 0; i < g->floatings; i++)
        for (int k = 0; is_dependent(g, &g->floating[i]) && k < TD_FLOATING_POSITIONS; k++) {
            real *entry = kept + kept_pose(g, i) + k;
            *entry = select_lt(half, mask, w[g->floating[i].w + k], *entry);
        }
}

/* The dependents go to where base has them, moved by a step per slot; in the lanes of the mask. */
static void move_from(const loop_problem *p, real mask, const real *base, const real *step)
{
    const td_loop_group *g = p->g;
    real *w = p->s->w;
    for (int i = 0; i < g->dependents; i++) {
        int c = g->coordinate[i];
        if (c >= 0)
            w[c] = select_lt(splat(0.5), mask, base[i] + step[i], w[c]);
    }
    for (int i = 0; i < g->floatings; i++) {
        const td_loop_floating *f = &g->floating[i];
        if (is_dependent(g, f))
            pose_move(mask, base + kept_pose(g, i), step + f->slot, w + f->w);
    }
}

/* the dependents move by a step per slot */
static void move_on(const loop_problem *p, real mask, const real *step)
{
    const td_loop_group *g = p->g;
    real *w = p->s->w;
    for (int i = 0; i < g->dependents; i++) {
        int c = g->coordinate[i];
        if (c >= 0)
            w[c] = select_lt(splat(0.5), mask, w[c] + step[i], w[c]);
    }
    for (int i = 0; i < g->floatings; i++) {
        const td_loop_floating *f = &g->floating[i];
        if (is_dependent(g, f))
            pose_move(mask, w + f->w, step + f->slot, w + f->w);
    }
}

/* The independents go to where start has them (as the first point of the path) or the part t of the
   way from there; y' is there in dy. A floating joint's position goes straight, and its quaternion
   the shorter way along the great circle: u = (1 − t) a + t b, p = u / |u|. */
static void advance_pose(const loop_problem *p, const td_loop_floating *f, real t)
{
    real *w = (real *)p->s->w + f->w, *twist = p->r.dy + (f->slot - p->g->dependents);
    const double *start = p->start + f->w;
    const real *y = p->y + f->y;
    const real none = splat(0), unity = splat(1);
    real rate[4], back[4], turning[4], along = none, cosine = none;
    for (int k = 0; k < 3; k++)
        w[k] = y[k] - (unity - t) * (y[k] - splat(start[k]));
    for (int k = 3; k < 7; k++)
        cosine += start[k] * y[k];
    real side = select_lt(cosine, none, -unity, unity);
    for (int k = 0; k < 4; k++) {
        rate[k] = side * y[3 + k] - splat(start[3 + k]); /* u' */
        w[3 + k] = side * y[3 + k] - (unity - t) * rate[k];
    }
    real inverse = 1.0 / real_sqrt(quaternion_dot(w + 3, w + 3));
    quaternion_scale(inverse, w + 3);
    for (int k = 0; k < 4; k++)
        along += w[3 + k] * rate[k];
    for (int k = 0; k < 4; k++) { /* p' = (u' − p (p · u')) / |u|, ω = 2 p* p' */
        rate[k] = inverse * (rate[k] - along * w[3 + k]);
        back[k] = k < 3 ? -w[3 + k] : w[3 + k];
    }
    quaternion_product(back, rate, turning);
    mat3 R = quaternion_transposed(w + 3);
    vec3 v =
        rotate(&R, (vec3){y[0] - splat(start[0]), y[1] - splat(start[1]), y[2] - splat(start[2])});
    for (int k = 0; k < 3; k++)
        twist[k] = 2.0 * turning[k];
    twist[3] = v.x, twist[4] = v.y, twist[5] = v.z;
}

/* the independents at the part t of the way; exactly y at its end */
static void loop_advance(const loop_problem *p, real t)
{
    const td_loop_group *g = p->g;
    for (int k = 0; k < g->independents; k++)
        if (g->y[k] >= 0)
            coordinates_of(p)[g->coordinate[g->dependents + k]] =
                p->y[g->y[k]] - (1.0 - t) * p->r.dy[k];
    for (int i = 0; i < g->floatings; i++)
        if (!is_dependent(g, &g->floating[i]))
            advance_pose(p, &g->floating[i], t);
}

#endif
