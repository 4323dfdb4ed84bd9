/* SPDX-License-Identifier: MIT */
/*
 * The first outward pass of the articulated-body algorithm in world axes: see aba.c.
 */
#ifndef TD_ARTICULATED_BIAS_H
#define TD_ARTICULATED_BIAS_H

#include "kernel/tree/articulated.h"
#include "kernel/tree/motion_subspace.h"

/* Adds the joint's velocity to ω of the parent, and its velocity-dependent part to the acceleration
   a. */
TD_INLINE void add_joint_velocity(const td_body *body, const td_scratch *s, const axes *p,
                                  const real *qd, packed3 w_parent, packed3 *w, screw *a)
{
    const packed3 axis = packed3_col(&p->z);
    *w = w_parent;
    if (joint_only_turns(body)) {
        packed3 v = packed3_scale_by(qd[0], axis);
        a->angular = packed3_add(a->angular, packed3_cross(w_parent, v));
        *w = packed3_add(w_parent, v);
    } else if (!joint_is_general(body)) {
        a->linear =
            packed3_add(a->linear, packed3_cross(w_parent, packed3_scale_by(2.0 * qd[0], axis)));
    } else {
        spatial v = joint_rate_at(body, s, p, qd);
        *a = screw_add(
            *a, screw_of(joint_bias(body, packed3_vec3(w_parent), spatial_zero().linear, v)));
        *w = packed3_add(w_parent, packed3_of(v.angular));
    }
}

/* Computes the motion without the unknown accelerations, and the force that it requires: the bias.
   known contains the known accelerations (NULL: none) of the joints marked in given (NULL: all). */
static void aba_bias(const td_tree *tree, const td_scratch *s, const real *qd, const real *known,
                     const unsigned char *given, int loaded)
{
    const axes *p = s->pose;
    const packed3 *arm = s->arm;
    const inertia *own = s->inertia;
    const spatial *external = s->wrench;
    const screw world = screw_of(world_acceleration(tree));
    const packed3 none = packed3_of(spatial_zero().linear);
    packed3 *w = s->velocity;
    screw *a = s->acceleration;
    articulated *A = s->articulated;

    for (size_t i = 0; i < tree->bodies; i++) {
        const td_body *body = &tree->body[i];
        packed3 w_parent = none;
        screw now = world;
        if (body->parent >= 0) {
            const packed3 r = arm[i];
            w_parent = w[body->parent];
            now = a[body->parent];
            now.linear = packed3_add(
                now.linear, packed3_crosses(now.angular, r, w_parent, packed3_cross(w_parent, r)));
        }
        add_joint_velocity(body, s, &p[i], qd + body->qd, w_parent, &w[i], &now);
        if (known && (!given || given[body->qd]))
            now = screw_add(now, screw_of(joint_rate_at(body, s, &p[i], known + body->qd)));
        a[i] = now;
        screw bias = inertial_force(body->mass, &own[i], w[i], &now);
        if (loaded) {
            const mat3 R = rotation_in(&p[i]);
            const vec3 n = rotate(&R, external[i].angular), f = rotate(&R, external[i].linear);
            bias = screw_add(bias, screw_of((spatial){scale(-1, n), scale(-1, f)}));
        }
        articulated_start(&A[i], bias);
    }
}

#endif
