/* SPDX-License-Identifier: MIT */
/*
 * Motions of bodies from the root outwards, in body coordinates: see rnea.c.
 */
#ifndef TD_NEWTON_EULER_H
#define TD_NEWTON_EULER_H

#include "kernel/tree/joint_transform.h"

typedef struct packed_force {
    packed3 moment, force;
} packed_force;

TD_INLINE packed_force packed_force_add(packed_force a, packed_force b)
{
    return (packed_force){packed3_add(a.moment, b.moment), packed3_add(a.force, b.force)};
}

TD_INLINE packed_force packed_force_sub(packed_force a, const spatial *b)
{
    return (packed_force){packed3_sub(a.moment, packed3_of(b->angular)),
                          packed3_sub(a.force, packed3_of(b->linear))};
}

typedef struct spin_motion {
    spin spin; /* ω, α and B */
    packed3 a;
} spin_motion;

/* planar: the coordinates' directions stay with the parent, so they are turned into the body */
TD_INLINE vec3 planar_to_body(real x, real y, real sine, real cosine)
{
    return (vec3){cosine * x + sine * y, cosine * y - sine * x, splat(0)};
}

/* ω, α and a of the body from what they are with its joint at rest */
TD_INLINE void add_joint(const td_body *body, const td_scratch *s, const real *qd, const real *qdd,
                         spin_motion *t)
{
    packed3 *w = &t->spin.w, *alpha = &t->spin.alpha, *a = &t->a;
    switch (body->motion) {
    case TD_MOTION_REVOLUTE:
        *alpha = packed3_add(*alpha, packed3_rate_z(*w, qd[0], qdd[0]));
        *w = packed3_add_z(*w, qd[0]);
        break;
    case TD_MOTION_PRISMATIC:
        *a = packed3_add(*a, packed3_rate_z(*w, 2.0 * qd[0], qdd[0]));
        break;
    case TD_MOTION_PLANAR: {
        real sine = ((const real *)s->sine)[body->angle];
        real cosine = ((const real *)s->cosine)[body->angle];
        packed3 v_J = packed3_of(planar_to_body(qd[0], qd[1], sine, cosine));
        packed3 v_dot = packed3_of(planar_to_body(qdd[0], qdd[1], sine, cosine));
        *a = packed3_add(*a, packed3_add(packed3_scale(2, packed3_cross(*w, v_J)), v_dot));
        *alpha = packed3_add(*alpha, packed3_rate_z(*w, qd[2], qdd[2]));
        *w = packed3_add_z(*w, qd[2]);
        break;
    }
    case TD_MOTION_FLOATING: {
        packed3 w_J = packed3_of((vec3){qd[0], qd[1], qd[2]});
        packed3 w_dot = packed3_of((vec3){qdd[0], qdd[1], qdd[2]});
        packed3 v_J = packed3_of((vec3){qd[3], qd[4], qd[5]});
        packed3 v_dot =
            packed3_add(packed3_of((vec3){qdd[3], qdd[4], qdd[5]}), packed3_cross(w_J, v_J));
        *a = packed3_add(*a, packed3_add(packed3_scale(2, packed3_cross(*w, v_J)), v_dot));
        *alpha = packed3_add(*alpha, packed3_add(packed3_cross(*w, w_J), w_dot));
        *w = packed3_add(*w, w_J);
        break;
    }
    }
}

/* From the motion of the parent to that of the body, which stays in registers as far as they go:
   memory takes longer to give it back. Bodies are placed while it is waited for. */
TD_INLINE void move_body(const td_tree *tree, const td_scratch *s, const real *q, const real *qd,
                         const real *qdd, size_t i, spin_motion *last, td_permutation permutation)
{
    const td_body *body = &tree->body[i];
    spin_motion *motion = s->spin_motion, now;
    const joint_transform h = joint_transform_make(tree, s, q, i, permutation);
    if (body->parent < 0) {
        const packed3 none = packed3_of(vec3_splat((td_vec3){0, 0, 0}));
        const packed3 up =
            packed3_of(vec3_splat((td_vec3){-tree->gravity.x, -tree->gravity.y, -tree->gravity.z}));
        now.spin.w = now.spin.alpha = none;
        now.a = to_body(&h, &up);
    } else {
        const spin *parent = TD_LANE_COUNT < 8 ? &motion[body->parent].spin : &last->spin;
        now.spin.w = to_body(&h, &last->spin.w);
        now.spin.alpha = to_body(&h, &last->spin.alpha);
        packed3 a = packed3_add(spin_times(parent, joint_transform_origin(&h)), last->a);
        now.a = to_body(&h, &a);
    }
    add_joint(body, s, qd + body->qd, qdd + body->qd, &now);
    spin_set(&now.spin);
    motion[i] = *last = now;
}

static void rnea_outwards(const td_tree *tree, const td_scratch *s, const real *q, const real *qd,
                          const real *qdd)
{
    const spin_motion *motion = s->spin_motion;
    spin_motion last = {.a = packed3_of(vec3_splat((td_vec3){0, 0, 0}))};
    for (size_t i = 0; i < tree->bodies; i++) {
        const int parent = tree->body[i].parent;
        if (parent >= 0 && (size_t)parent + 1 != i)
            last = motion[parent];
        by_permutation(tree->body[i].permutation, move_body, tree, s, q, qd, qdd, i, &last);
    }
}

#endif
