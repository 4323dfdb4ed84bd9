/* SPDX-License-Identifier: MIT */
/*
 * What a coordinate does to bodies and to the forces that they take, to first order: the columns
 * and rows of which kernel/tree/rnea_derivatives.c makes its matrices. All of it is referred to one
 * point, in world axes, as spatial vectors of that point at rest.
 */
#ifndef TD_COLUMN_TANGENT_H
#define TD_COLUMN_TANGENT_H

#include "kernel/real/arrays.h"
#include "kernel/tree/coriolis.h"
#include "kernel/tree/motion_subspace.h"

/* A body moved by a coordinate: what its velocity changes by with ẏ, S, and its velocity and
   acceleration with y. With v and a of the body before, a joint of one coordinate has P = v × S,
   Q = 2 P and R = a × S + v × P (Ψ̇, Ψ̇ + Ṡ and Ψ̈ of Singh, Russell and Wensing 2022). */
typedef struct column_tangent {
    spatial S;
    vec3 P; /* the angular part: of the other one no force depends */
    spatial Q, R;
} column_tangent;

/* The forces of a coordinate's motion on all that it moves. Rows that act on columns of the bodies
   before: t = I S on R, Q and S, b = 2 Bᵀ S (a moment) on P and on angular parts of S, and w, which
   wrenches have that do not turn with their links, on S. Forces that the columns of the bodies
   before feel: of a change of the coordinate, and of its rate. */
typedef struct row_tangent {
    spatial t, w, by_position, by_rate;
    vec3 b;
} row_tangent;

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
    spatial v = spatial_zero();
    if (body->parent >= 0)
        v = motion_shift(((const body_motion *)s->motion)[body->parent].velocity,
                         packed3_vec3(((const packed3 *)s->arm)[i]));
    for (int k = 0; k < body->nv; k++) {
        const spatial S = column_at(body, s, p, k);
        out[k] = (joint_column_motion){S, v, motion_cross(v, S)};
        if (joint_is_sequence(body))
            v = spatial_add_scaled(v, qd[body->qd + k], S);
    }
}

/* the same, referred to a point that is r farther on */
TD_INLINE void column_shift(column_tangent *c, vec3 r)
{
    c->S = motion_shift(c->S, r);
    c->Q = motion_shift(c->Q, r);
    c->R = motion_shift(c->R, r);
}

/* the same, referred to a point that is r farther back */
TD_INLINE void row_shift(row_tangent *row, vec3 r)
{
    row->t = force_shift(row->t, r);
    row->w = force_shift(row->w, r);
    row->by_position = force_shift(row->by_position, r);
    row->by_rate = force_shift(row->by_rate, r);
}

/* What a body carries: the force of its motion and of all below it, and how far wrenches among it
   keep their directions where the body turns: δ = (A α + v × g, α × p) for a motion (α, v) of all
   of them. */
typedef struct carried_force {
    spatial force;
    product turning; /* A, p */
    vec3 g;
} carried_force;

#endif
