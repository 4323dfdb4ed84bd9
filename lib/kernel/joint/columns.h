/* SPDX-License-Identifier: MIT */
/*
 * Columns of joint motion subspaces, about the body's origin, and joint velocities. They are
 * expressed in the axes of the given pose: world axes in most kernels.
 */
#ifndef TD_JOINT_COLUMNS_H
#define TD_JOINT_COLUMNS_H

#include "kernel/tree/pose.h"

/* Returns the joint's axis: z of the body. */
TD_INLINE vec3 axis_of(const pose *p)
{
    return (vec3){p->R.xz, p->R.yz, p->R.zz};
}

/* Returns x, y or z of the body. */
TD_INLINE vec3 axis_of_body(const pose *p, int k)
{
    return k == 0   ? (vec3){p->R.xx, p->R.yx, p->R.zx}
           : k == 1 ? (vec3){p->R.xy, p->R.yy, p->R.zy}
                    : axis_of(p);
}

/* Returns column k of a general joint. */
TD_INLINE spatial general_column(const td_body *body, const td_scratch *s, const pose *p, int k)
{
    spatial column = spatial_zero();
    switch (body->motion) {
    case TD_MOTION_REVOLUTE: /* simple joints are handled by simple_column */
    case TD_MOTION_PRISMATIC:
        break;
    case TD_MOTION_SCREW:
        column.angular = axis_of(p);
        column.linear = scale(body->pitch, axis_of(p));
        break;
    case TD_MOTION_PLANAR:
        if (k == 2) {
            column.angular = axis_of(p);
        } else { /* x and y are fixed to the parent: rotate back by the angle */
            const real sine = ((const real *)s->sine)[body->angle];
            const real cosine = ((const real *)s->cosine)[body->angle];
            const vec3 x = axis_of_body(p, 0), y = axis_of_body(p, 1);
            column.linear = k == 0 ? sub(scale_by(cosine, x), scale_by(sine, y))
                                   : add(scale_by(sine, x), scale_by(cosine, y));
        }
        break;
    case TD_MOTION_BALL:
        column.angular = axis_of_body(p, k);
        break;
    case TD_MOTION_FLOATING:
        if (k < 3)
            column.angular = axis_of_body(p, k);
        else
            column.linear = axis_of_body(p, k - 3);
        break;
    }
    return column;
}

/* Returns the column of a simple joint. */
TD_INLINE spatial simple_column(const td_body *body, vec3 axis)
{
    spatial column = spatial_zero();
    if (joint_only_turns(body))
        column.angular = axis;
    else
        column.linear = axis;
    return column;
}

/* Returns column k of any joint. */
TD_INLINE spatial column_of(const td_body *body, const td_scratch *s, const pose *p, int k)
{
    return joint_is_general(body) ? general_column(body, s, p, k) : simple_column(body, axis_of(p));
}

/* Returns Σ column · rate: the joint's velocity for q̇, or the part of its acceleration due to
   q̈. */
TD_INLINE spatial joint_rate(const td_body *body, const td_scratch *s, const pose *p,
                             const real *rate)
{
    spatial sum = spatial_scale(rate[0], column_of(body, s, p, 0));
    for (int k = 1; k < body->nv; k++)
        sum = spatial_add(sum, spatial_scale(rate[k], column_of(body, s, p, k)));
    return sum;
}

/* Returns column k of any joint, from the body's axes. Most joints need only z. */
TD_INLINE spatial column_at(const td_body *body, const td_scratch *s, const axes *P, int k)
{
    if (!joint_is_general(body))
        return simple_column(body, axis_in(P));
    const pose p = pose_at(P);
    return general_column(body, s, &p, k);
}

TD_INLINE spatial joint_rate_at(const td_body *body, const td_scratch *s, const axes *P,
                                const real *rate)
{
    if (!joint_is_general(body))
        return spatial_scale(rate[0], simple_column(body, axis_in(P)));
    const pose p = pose_at(P);
    return joint_rate(body, s, &p, rate);
}

/* Returns the velocity-dependent part of a body's classical acceleration relative to its parent. r
   is the arm from the parent's origin to the body's, v the joint's velocity. */
TD_INLINE spatial joint_bias(const td_body *body, vec3 w_parent, vec3 r, spatial v)
{
    spatial c = {cross(w_parent, v.angular), cross(w_parent, cross(w_parent, r))};
    switch (body->motion) {
    case TD_MOTION_REVOLUTE:
    case TD_MOTION_BALL:
        break;
    case TD_MOTION_FLOATING: /* v is expressed in axes that rotate with the body */
        c.linear = add(c.linear, cross(v.angular, v.linear));
        c.linear = add(c.linear, scale(2, cross(w_parent, v.linear)));
        break;
    case TD_MOTION_PRISMATIC:
    case TD_MOTION_SCREW:
    case TD_MOTION_PLANAR:
        c.linear = add(c.linear, scale(2, cross(w_parent, v.linear)));
        break;
    }
    return c;
}

#endif
