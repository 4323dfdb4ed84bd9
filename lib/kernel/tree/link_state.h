/* SPDX-License-Identifier: MIT */
/*
 * Poses and motions of links, and conversion of motions and forces to a requested frame.
 */
#ifndef TD_LINK_STATE_H
#define TD_LINK_STATE_H

#include "kernel/tree/motion_subspace.h"

/* pose and motion of a link at its origin, in world axes */
typedef struct link_state {
    pose pose;
    body_motion motion;
} link_state;

/* Returns the motion of the point at d from the point of m, on the same body. */
TD_INLINE body_motion motion_at(const body_motion *m, vec3 d)
{
    body_motion at = {motion_shift(m->velocity, d), motion_shift(m->acceleration, d)};
    vec3 w = m->velocity.angular;
    at.acceleration.linear = add(at.acceleration.linear, cross(w, cross(w, d)));
    return at;
}

TD_INLINE pose link_pose(const td_link_frame *link, const td_scratch *s)
{
    if (link->body < 0)
        return (pose){mat3_splat(&link->rotation), vec3_splat(link->position)};
    const pose b = pose_at((const axes *)s->pose + link->body);
    return (pose){mul_k(&b.R, &link->rotation), add(b.p, rotate_k(&b.R, link->position))};
}

TD_INLINE link_state link_state_of(const td_link_frame *link, const td_scratch *s)
{
    link_state state = {link_pose(link, s), {spatial_zero(), spatial_zero()}};
    if (link->body < 0)
        return state;
    const mat3 R = rotation_in((const axes *)s->pose + link->body);
    state.motion =
        motion_at((const body_motion *)s->motion + link->body, rotate_k(&R, link->position));
    return state;
}

/* Returns the state of a point of a link, as if the link's frame were there. */
TD_INLINE link_state point_state(const td_tree *tree, const td_scratch *s, int k,
                                 const double point[3])
{
    link_state link = link_state_of(&tree->link[k], s);
    vec3 d = rotate_k(&link.pose.R, (td_vec3){point[0], point[1], point[2]});
    link.pose.p = add(link.pose.p, d);
    link.motion = motion_at(&link.motion, d);
    return link;
}

TD_INLINE void write_spatial(real *row, spatial x)
{
    row[0] = x.angular.x, row[1] = x.angular.y, row[2] = x.angular.z;
    row[3] = x.linear.x, row[4] = x.linear.y, row[5] = x.linear.z;
}

/* Store entries with the stride apart, as in a column of a matrix. */
TD_INLINE void put_vec3_part(real *part, size_t apart, vec3 x)
{
    part[0] = x.x, part[apart] = x.y, part[2 * apart] = x.z;
}
TD_INLINE void put_spatial_part(real *part, size_t apart, spatial x)
{
    put_vec3_part(part, apart, x.angular);
    put_vec3_part(part + 3 * apart, apart, x.linear);
}

TD_INLINE spatial rotate_transposed_spatial(const mat3 *R, spatial x)
{
    return (spatial){rotate_transposed(R, x.angular), rotate_transposed(R, x.linear)};
}

/* Expresses a motion, given at the link's origin in world axes, in a frame. */
TD_INLINE spatial express_motion(const pose *link, spatial v, int frame)
{
    if (frame == TD_AT_WORLD)
        return motion_shift(v, negative(link->p));
    return frame == TD_AT_BODY ? rotate_transposed_spatial(&link->R, v) : v;
}

/* Expresses a force in a frame. */
TD_INLINE spatial express_force(const pose *link, spatial f, int frame)
{
    if (frame == TD_AT_WORLD)
        return force_shift(f, link->p);
    return frame == TD_AT_BODY ? rotate_transposed_spatial(&link->R, f) : f;
}

/* Expresses an acceleration of a link in a frame: classical, or spatial, which is smaller by ω ×
   v. */
TD_INLINE spatial express_acceleration(const pose *link, const body_motion *m, int frame,
                                       int classical)
{
    if (classical && frame == TD_AT_WORLD) /* of the point that is at the world's origin */
        return motion_at(m, negative(link->p)).acceleration;
    spatial a = m->acceleration;
    if (!classical)
        a.linear = sub(a.linear, cross(m->velocity.angular, m->velocity.linear));
    return express_motion(link, a, frame);
}

#endif
