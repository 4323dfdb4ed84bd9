/* SPDX-License-Identifier: MIT */
/*
 * Derivatives of the velocity and acceleration of a point of a link with respect to the coordinates
 * of the tree. Only joints that support the link have nonzero columns. In axes that move with a
 * coordinate they follow from column_motion.h. For other frames, the motion relative to these axes
 * is added.
 */
#include "kernel/real/arrays.h"
#include "kernel/tree/column_motion.h"
#include "kernel/tree/link_state.h"

/* changes with one coordinate, and with its rate */
typedef struct motion_change {
    spatial velocity, velocity_rate, acceleration, acceleration_rate;
} motion_change;

/* spatial velocity v and acceleration a, about the origin of a frame, as a fixed point */
typedef struct motion_there {
    pose link;
    vec3 origin;
    spatial v, a;
    vec3 classical; /* the linear part of the classical acceleration */
} motion_there;

TD_INLINE motion_there motion_of(const link_state *at, int frame)
{
    const vec3 origin = frame == TD_AT_WORLD ? spatial_zero().angular : at->pose.p;
    const body_motion m =
        frame == TD_AT_WORLD ? motion_at(&at->motion, negative(at->pose.p)) : at->motion;
    motion_there there = {at->pose, origin, m.velocity, m.acceleration, m.acceleration.linear};
    there.a.linear = sub(there.a.linear, cross(m.velocity.angular, m.velocity.linear));
    return there;
}

/* Rotates the axes of both parts of x by α. */
TD_INLINE spatial turned(vec3 alpha, spatial x)
{
    return (spatial){cross(alpha, x.angular), cross(alpha, x.linear)};
}

/* Returns the change of ω × v. */
TD_INLINE vec3 classical_change(spatial v, spatial change)
{
    return add_cross(cross(change.angular, v.linear), v.angular, change.linear);
}

TD_INLINE motion_change motion_change_of(const motion_there *at, const joint_column_change *column,
                                         vec3 away, int frame, int classical)
{
    const spatial S = motion_shift(column->S, away), P = motion_shift(column->P, away);
    const spatial Q = motion_shift(column->Q, away), R = motion_shift(column->R, away);
    motion_change c = {P, S, spatial_sub(R, motion_cross(at->v, P)),
                       spatial_sub(Q, motion_cross(at->v, S))};
    if (frame == TD_AT_WORLD) {
        c.velocity = spatial_add(c.velocity, motion_cross(S, at->v));
        c.acceleration = spatial_add(c.acceleration, motion_cross(S, at->a));
    }
    if (classical) {
        c.acceleration.linear = add(c.acceleration.linear, classical_change(at->v, c.velocity));
        c.acceleration_rate.linear =
            add(c.acceleration_rate.linear, classical_change(at->v, c.velocity_rate));
    }
    if (frame == TD_AT_WORLD_ALIGNED) {
        const spatial a = {at->a.angular, classical ? at->classical : at->a.linear};
        c.velocity = spatial_add(c.velocity, turned(S.angular, at->v));
        c.acceleration = spatial_add(c.acceleration, turned(S.angular, a));
    }
    if (frame == TD_AT_BODY) {
        c.velocity = rotate_transposed_spatial(&at->link.R, c.velocity);
        c.velocity_rate = rotate_transposed_spatial(&at->link.R, c.velocity_rate);
        c.acceleration = rotate_transposed_spatial(&at->link.R, c.acceleration);
        c.acceleration_rate = rotate_transposed_spatial(&at->link.R, c.acceleration_rate);
    }
    return c;
}

static void link_motion_derivatives(const td_tree *tree, const td_scratch *s,
                                    const td_link_point *of, int classical,
                                    const td_motion_inputs *in, td_reals *const outputs[4])
{
    const link_state at = point_state(tree, s, of->link, of->point);
    const motion_there there = motion_of(&at, of->frame);
    real *const out[] = {outputs[0], outputs[1], outputs[2], outputs[3]};
    for (int i = 0; i < 4; i++)
        if (out[i])
            clear(out[i], 6 * tree->nv);
    for (int b = tree->link[of->link].body; b >= 0; b = tree->body[b].parent) {
        const td_body *body = &tree->body[b];
        const vec3 away = sub(there.origin, origin_in((const axes *)s->pose + b));
        joint_column_change own[MOST_JOINT_VELOCITIES];
        joint_column_changes(tree, s, (size_t)b, in->qd, in->qdd, spatial_zero(), own);
        for (int j = 0; j < body->nv; j++) {
            const motion_change c = motion_change_of(&there, &own[j], away, of->frame, classical);
            const spatial *const by[] = {&c.velocity, &c.velocity_rate, &c.acceleration,
                                         &c.acceleration_rate};
            for (int i = 0; i < 4; i++)
                if (out[i])
                    put_spatial_part(out[i] + body->qd + j, tree->nv, *by[i]);
        }
    }
}
