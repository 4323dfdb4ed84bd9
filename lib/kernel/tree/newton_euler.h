/* SPDX-License-Identifier: MIT */
/*
 * The outward pass over the motions of bodies, in body coordinates; see rnea.c.
 */
#ifndef TD_NEWTON_EULER_H
#define TD_NEWTON_EULER_H

#include "kernel/joint/body_axes.h"
#include "kernel/kernel.h"
#include "kernel/tree/joint_transform.h"

/* Computes the motion of a body from its parent's. The latest motion stays in registers as far as
   possible, because to load it again takes longer. Placements are computed during this latency. */
TD_INLINE void move_body(const td_tree *tree, const td_scratch *s, const td_motion_inputs *in,
                         size_t i, spin_motion *last, td_permutation permutation)
{
    const td_body *body = &tree->body[i];
    const real *qd = in->qd, *qdd = in->qdd;
    spin_motion *motion = s->spin_motion, now;
    const joint_transform h = joint_transform_make(tree, s, in->q, i, permutation);
    if (body->parent < 0) {
        const packed3 none = packed3_of(vec3_splat((td_vec3){0, 0, 0}));
        const packed3 up =
            packed3_of(vec3_splat((td_vec3){-tree->gravity.x, -tree->gravity.y, -tree->gravity.z}));
        now.spin.w = now.spin.alpha = none; /* ω_p = α_p = 0 */
        now.a = to_body(&h, &up);           /* a = E a_p, a_p = −g */
    } else {
        const spin *parent = TD_LANE_COUNT < 8 ? &motion[body->parent].spin : &last->spin;
        now.spin.w = to_body(&h, &last->spin.w);         /* ω = E ω_p */
        now.spin.alpha = to_body(&h, &last->spin.alpha); /* α = E α_p */
        /* a = E (a_p + B_p ρ) */
        packed3 a = packed3_add(spin_times(parent, joint_transform_origin(&h)), last->a);
        now.a = to_body(&h, &a);
    }
    /* ω += ω_J,  α += E ω_p × ω_J + ω̇_J,  a += 2 E ω_p × v_J + v̇_J + ω_J × v_J */
    joint_add_motion(body, s, qd + body->qd, qdd + body->qd, &now);
    spin_set(&now.spin); /* B = [α]× + [ω]×[ω]× */
    motion[i] = *last = now;
}

TD_INLINE void move_bodies(const td_tree *tree, const td_scratch *s, const td_motion_inputs *in)
{
    const spin_motion *motion = s->spin_motion;
    spin_motion last = {.a = packed3_of(vec3_splat((td_vec3){0, 0, 0}))};
    for (size_t i = 0; i < tree->bodies; i++) {
        const int parent = tree->body[i].parent;
        if (parent >= 0 && (size_t)parent + 1 != i)
            last = motion[parent];
        by_permutation(tree->body[i].permutation, move_body, tree, s, in, i, &last);
    }
}

static void rnea_outwards(const td_tree *tree, const td_scratch *s, const td_motion_inputs *in)
{
    move_bodies(tree, s, in);
}

#endif
