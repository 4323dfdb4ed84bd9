/* SPDX-License-Identifier: MIT */
/*
 * The columns of a joint and how they move: what derivatives along configurations begin with.
 */
#ifndef TD_COLUMN_MOTION_H
#define TD_COLUMN_MOTION_H

#include "kernel/tree/motion_subspace.h"

/* v × m, of motions */
TD_INLINE spatial motion_cross(spatial v, spatial m)
{
    return (spatial){cross(v.angular, m.angular),
                     add_cross(cross(v.linear, m.angular), v.angular, m.linear)};
}

/* v ×* f, of a force */
TD_INLINE spatial force_cross(spatial v, spatial f)
{
    return (spatial){add_cross(cross(v.linear, f.linear), v.angular, f.angular),
                     cross(v.angular, f.linear)};
}

/* a + f b */
TD_INLINE spatial spatial_add_scaled(spatial a, real f, spatial b)
{
    return spatial_add(a, spatial_scale(f, b));
}

/* The motion of what a body's joint is fixed to, about the body's origin: velocity, and spatial
   (not classical) acceleration, given that of the world. */
TD_INLINE spatial velocity_before(const td_tree *tree, const td_scratch *s, size_t i)
{
    const int parent = tree->body[i].parent;
    if (parent < 0)
        return spatial_zero();
    return motion_shift(((const body_motion *)s->motion)[parent].velocity,
                        packed3_vec3(((const packed3 *)s->arm)[i]));
}
TD_INLINE spatial acceleration_before(const td_tree *tree, const td_scratch *s, size_t i,
                                      spatial world)
{
    const int parent = tree->body[i].parent;
    if (parent < 0)
        return world;
    const body_motion *before = (const body_motion *)s->motion + parent;
    spatial a = spatial_add(
        world, motion_shift(before->acceleration, packed3_vec3(((const packed3 *)s->arm)[i])));
    a.linear = sub(a.linear, cross(before->velocity.angular, before->velocity.linear));
    return a;
}

/* A column of a body's own joint, about the body's origin: S, the velocity v of what it is fixed
   to, and P = v × S. Coordinates of a joint that follow on one another move as those of joints of
   their own do; the others move from the body before all together. */
typedef struct joint_column_motion {
    spatial S, v, P;
} joint_column_motion;

enum { MOST_JOINT_VELOCITIES = 6 };

TD_INLINE void joint_column_motions(const td_tree *tree, const td_scratch *s, size_t i,
                                    const real *qd, joint_column_motion *out)
{
    const td_body *body = &tree->body[i];
    const axes *p = (const axes *)s->pose + i;
    spatial v = velocity_before(tree, s, i);
    for (int k = 0; k < body->nv; k++) {
        const spatial S = column_at(body, s, p, k);
        out[k] = (joint_column_motion){S, v, motion_cross(v, S)};
        if (joint_is_sequence(body))
            v = spatial_add_scaled(v, qd[body->qd + k], S);
    }
}

/* What a body and all beyond it change by with a coordinate of its joint, at the body's origin and
   in axes that move along: their velocities by P, and their accelerations by R − v × P, v being
   that of each; with the rate of the coordinate by S, and by Q − v × S. With v and a of the body
   before, a joint of one coordinate has P = v × S, Q = 2 P and R = a × S + v × P (Ψ̇, Ψ̇ + Ṡ and Ψ̈ of
   Singh, Russell and Wensing 2022). */
typedef struct joint_column_change {
    spatial S, P, Q, R;
} joint_column_change;

/* world: the acceleration of the world, spatial as all here */
TD_INLINE void joint_column_changes(const td_tree *tree, const td_scratch *s, size_t i,
                                    const real *qd, const real *qdd, spatial world,
                                    joint_column_change *out)
{
    const td_body *body = &tree->body[i];
    const body_motion *m = s->motion;
    const bool in_sequence = joint_is_sequence(body);
    joint_column_motion own[MOST_JOINT_VELOCITIES];
    joint_column_motions(tree, s, i, qd, own);
    spatial a = acceleration_before(tree, s, i, world);
    for (int k = 0; k < body->nv; k++) {
        const spatial S = own[k].S, P = own[k].P;
        const spatial rate = body->nv == 1 || in_sequence ? P : motion_cross(m[i].velocity, S);
        out[k] = (joint_column_change){S, P, spatial_add(P, rate),
                                       spatial_add(motion_cross(a, S), motion_cross(own[k].v, P))};
        if (in_sequence)
            a = spatial_add_scaled(spatial_add_scaled(a, qdd[body->qd + k], S), qd[body->qd + k],
                                   P);
    }
}

#endif
