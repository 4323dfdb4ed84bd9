/* SPDX-License-Identifier: MIT */
/*
 * Joints in the axes of the poses that they are given, those of the world for most kernels: the
 * columns of a body's motion subspace, referred to the body's origin, and the joint's own motion.
 */
#ifndef TD_MOTION_SUBSPACE_H
#define TD_MOTION_SUBSPACE_H

#include "kernel/tree/pose.h"

typedef struct body_motion {
    spatial velocity;     /* ω, v of the body's origin */
    spatial acceleration; /* α, classical acceleration of the body's origin */
} body_motion;

/* gravity, as an acceleration −g of the world */
TD_INLINE spatial world_acceleration(const td_tree *tree)
{
    spatial world = spatial_zero();
    world.linear = vec3_splat((td_vec3){-tree->gravity.x, -tree->gravity.y, -tree->gravity.z});
    return world;
}

/* the joint's axis: z of the body */
TD_INLINE vec3 axis_of(const pose *p)
{
    return (vec3){p->R.xz, p->R.yz, p->R.zz};
}

/* column k of a joint with several coordinates */
TD_INLINE spatial multi_dof_column(const td_body *body, const td_scratch *s, const pose *p, int k)
{
    spatial column = spatial_zero();
    const vec3 x = {p->R.xx, p->R.yx, p->R.zx}, y = {p->R.xy, p->R.yy, p->R.zy};
    if (body->motion == TD_MOTION_PLANAR) {
        /* the directions of x and y stay with the parent: they are turned back by the angle */
        real sine = ((const real *)s->sine)[body->angle];
        real cosine = ((const real *)s->cosine)[body->angle];
        if (k == 0)
            column.linear = sub(scale_by(cosine, x), scale_by(sine, y));
        else if (k == 1)
            column.linear = add(scale_by(sine, x), scale_by(cosine, y));
        else
            column.angular = axis_of(p);
        return column;
    }
    vec3 direction = k % 3 == 0 ? x : k % 3 == 1 ? y : axis_of(p);
    if (k < 3)
        column.angular = direction;
    else
        column.linear = direction;
    return column;
}

/* the column of a joint with one coordinate */
TD_INLINE spatial one_dof_column(const td_body *body, vec3 axis)
{
    spatial column = spatial_zero();
    if (body->motion == TD_MOTION_REVOLUTE)
        column.angular = axis;
    else
        column.linear = axis;
    return column;
}

/* column k of any joint */
TD_INLINE spatial column_of(const td_body *body, const td_scratch *s, const pose *p, int k)
{
    return body->nv > 1 ? multi_dof_column(body, s, p, k) : one_dof_column(body, axis_of(p));
}

/* Σ column · rate: the joint's own velocity, or what accelerations add */
TD_INLINE spatial joint_rate(const td_body *body, const td_scratch *s, const pose *p,
                             const real *rate)
{
    spatial sum = spatial_scale(rate[0], column_of(body, s, p, 0));
    for (int k = 1; k < body->nv; k++)
        sum = spatial_add(sum, spatial_scale(rate[k], column_of(body, s, p, k)));
    return sum;
}

/* column k of any joint, from the axes of the body: most joints need z alone */
TD_INLINE spatial column_at(const td_body *body, const td_scratch *s, const axes *P, int k)
{
    if (body->nv == 1)
        return one_dof_column(body, axis_in(P));
    const pose p = pose_at(P);
    return multi_dof_column(body, s, &p, k);
}

TD_INLINE spatial joint_rate_at(const td_body *body, const td_scratch *s, const axes *P,
                                const real *rate)
{
    if (body->nv == 1)
        return spatial_scale(rate[0], one_dof_column(body, axis_in(P)));
    const pose p = pose_at(P);
    return joint_rate(body, s, &p, rate);
}

/* What the velocities alone give the classical acceleration of a body beyond that of its parent, r
   being the arm between their origins and v the joint's own velocity. */
TD_INLINE spatial joint_bias(const td_body *body, vec3 w_parent, vec3 r, spatial v)
{
    spatial c = {cross(w_parent, v.angular), cross(w_parent, cross(w_parent, r))};
    switch (body->motion) {
    case TD_MOTION_REVOLUTE:
        break;
    case TD_MOTION_FLOATING: /* its velocity is in axes that turn with the body */
        c.linear = add(c.linear, cross(v.angular, v.linear));
        c.linear = add(c.linear, scale(2, cross(w_parent, v.linear)));
        break;
    default:
        c.linear = add(c.linear, scale(2, cross(w_parent, v.linear)));
        break;
    }
    return c;
}

#endif
