/* SPDX-License-Identifier: MIT */
/*
 * Joint columns and their rates of change, on which derivatives with respect to q are built.
 */
#ifndef TD_COLUMN_MOTION_H
#define TD_COLUMN_MOTION_H

#include "kernel/tree/motion_subspace.h"

/* Returns v × m of motions. */
TD_INLINE spatial motion_cross(spatial v, spatial m)
{
    return (spatial){cross(v.angular, m.angular),
                     add_cross(cross(v.linear, m.angular), v.angular, m.linear)};
}

/* Returns v ×* f of a motion and a force. */
TD_INLINE spatial force_cross(spatial v, spatial f)
{
    return (spatial){add_cross(cross(v.linear, f.linear), v.angular, f.angular),
                     cross(v.angular, f.linear)};
}

/* Returns a + f b. */
TD_INLINE spatial spatial_add_scaled(spatial a, real f, spatial b)
{
    return spatial_add(a, spatial_scale(f, b));
}

/* Return the motion of the parent at the origin of body i: velocity, and spatial (not classical)
   acceleration relative to the world's acceleration world. */
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

/* A column S of the body's joint, about the body's origin, the velocity v before it, and P = v × S.
   For joints whose coordinates act in sequence, v includes the coordinates before this one. For
   others it is the parent's velocity. */
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

/* The change of the motion of a body and its subtree with a coordinate of the body's joint. It is
   about the body's origin, in axes that move with the coordinate. Per unit of the coordinate,
   velocities change by P and accelerations by R − v × P, where v is the velocity of each body. Per
   unit of its rate, they change by S and Q − v × S. With the parent's v and a, a joint with one
   coordinate has P = v × S, Q = 2 P and R = a × S + v × P. These are Ψ̇, Ψ̇ + Ṡ and Ψ̈ of Singh,
   Russell and Wensing (2022). */
typedef struct joint_column_change {
    spatial S, P, Q, R;
} joint_column_change;

/* Computes the changes for all coordinates of body i. world: the spatial acceleration of the
   world. */
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
