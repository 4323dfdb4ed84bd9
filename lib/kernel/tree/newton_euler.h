/* SPDX-License-Identifier: MIT */
/*
 * Motions of bodies from the root outwards, in body coordinates: see rnea.c.
 */
#ifndef TD_NEWTON_EULER_H
#define TD_NEWTON_EULER_H

#include "kernel/tree/joint_transform.h"

typedef struct effort {
    arrow moment, force;
} effort;

TD_INLINE effort effort_add(effort a, effort b)
{
    return (effort){arrow_add(a.moment, b.moment), arrow_add(a.force, b.force)};
}

TD_INLINE effort effort_sub(effort a, const spatial *b)
{
    return (effort){arrow_sub(a.moment, arrow_of(b->angular)),
                    arrow_sub(a.force, arrow_of(b->linear))};
}

typedef struct movement {
    spin turn; /* ω, α and B */
    arrow a;
} movement;

/* planar: the coordinates' directions stay with the parent, so they are turned into the body */
TD_INLINE vec3 planar_to_body(real x, real y, real sine, real cosine)
{
    return (vec3){cosine * x + sine * y, cosine * y - sine * x, splat(0)};
}

/* ω, α and a of the body from what they are with its joint at rest */
TD_INLINE void add_joint(const td_body *body, const td_scratch *s, const real *qd, const real *qdd,
                         movement *t)
{
    arrow *w = &t->turn.w, *alpha = &t->turn.alpha, *a = &t->a;
    switch (body->motion) {
    case TD_MOTION_REVOLUTE:
        *alpha = arrow_add(*alpha, arrow_rate_z(*w, qd[0], qdd[0]));
        *w = arrow_add_z(*w, qd[0]);
        break;
    case TD_MOTION_PRISMATIC:
        *a = arrow_add(*a, arrow_rate_z(*w, 2.0 * qd[0], qdd[0]));
        break;
    case TD_MOTION_PLANAR: {
        real sine = ((const real *)s->sine)[body->angle];
        real cosine = ((const real *)s->cosine)[body->angle];
        arrow v_J = arrow_of(planar_to_body(qd[0], qd[1], sine, cosine));
        arrow v_dot = arrow_of(planar_to_body(qdd[0], qdd[1], sine, cosine));
        *a = arrow_add(*a, arrow_add(arrow_scale(2, arrow_cross(*w, v_J)), v_dot));
        *alpha = arrow_add(*alpha, arrow_rate_z(*w, qd[2], qdd[2]));
        *w = arrow_add_z(*w, qd[2]);
        break;
    }
    case TD_MOTION_FLOATING: {
        arrow w_J = arrow_of((vec3){qd[0], qd[1], qd[2]});
        arrow w_dot = arrow_of((vec3){qdd[0], qdd[1], qdd[2]});
        arrow v_J = arrow_of((vec3){qd[3], qd[4], qd[5]});
        arrow v_dot = arrow_add(arrow_of((vec3){qdd[3], qdd[4], qdd[5]}), arrow_cross(w_J, v_J));
        *a = arrow_add(*a, arrow_add(arrow_scale(2, arrow_cross(*w, v_J)), v_dot));
        *alpha = arrow_add(*alpha, arrow_add(arrow_cross(*w, w_J), w_dot));
        *w = arrow_add(*w, w_J);
        break;
    }
    }
}

/* From the motion of the parent to that of the body, which stays in registers as far as they go:
   memory takes longer to give it back. Bodies are placed while it is waited for. */
TD_INLINE void move_body(const td_tree *tree, const td_scratch *s, const real *q, const real *qd,
                         const real *qdd, size_t i, movement *last, td_manner manner)
{
    const td_body *body = &tree->body[i];
    movement *of = s->movement, now;
    const joint_transform h = joint_transform_make(tree, s, q, i, manner);
    if (body->parent < 0) {
        const arrow none = arrow_of(vec3_splat((td_vec3){0, 0, 0}));
        const arrow up =
            arrow_of(vec3_splat((td_vec3){-tree->gravity.x, -tree->gravity.y, -tree->gravity.z}));
        now.turn.w = now.turn.alpha = none;
        now.a = to_body(&h, &up);
    } else {
        const spin *parent = TD_LANE_COUNT < 8 ? &of[body->parent].turn : &last->turn;
        now.turn.w = to_body(&h, &last->turn.w);
        now.turn.alpha = to_body(&h, &last->turn.alpha);
        arrow a = arrow_add(spin_times(parent, joint_transform_origin(&h)), last->a);
        now.a = to_body(&h, &a);
    }
    add_joint(body, s, qd + body->qd, qdd + body->qd, &now);
    spin_set(&now.turn);
    of[i] = *last = now;
}

static void rnea_outwards(const td_tree *tree, const td_scratch *s, const real *q, const real *qd,
                          const real *qdd)
{
    const movement *of = s->movement;
    movement last = {.a = arrow_of(vec3_splat((td_vec3){0, 0, 0}))};
    for (size_t i = 0; i < tree->bodies; i++) {
        const int parent = tree->body[i].parent;
        if (parent >= 0 && (size_t)parent + 1 != i)
            last = of[parent];
        by_manner(tree->body[i].manner, move_body, tree, s, q, qd, qdd, i, &last);
    }
}

#endif
