/* SPDX-License-Identifier: MIT */
/*
 * Joints in body axes, for the recursive Newton-Euler algorithm: the joint's contribution to the
 * motion of its body, and the projection of a force on the joint.
 */
#ifndef TD_JOINT_BODY_AXES_H
#define TD_JOINT_BODY_AXES_H

#include "kernel/joint/kind.h"
#include "kernel/kernel.h"
#include "kernel/tree/packed_motion.h"

/* Rotates a planar joint's x-y vector from its parent-fixed axes into the body. */
TD_INLINE vec3 planar_to_body(real x, real y, real sine, real cosine)
{
    return (vec3){cosine * x + sine * y, cosine * y - sine * x, splat(0)};
}

/* Adds the joint's motion to ω, α and a of the body. On entry t contains E ω_p, E α_p and E (a_p +
   B_p ρ): the motion with the joint at rest. ω_J and v_J are the joint's angular and linear
   velocity.
        a += 2 (E ω_p) × v_J + v̇_J + ω_J × v_J,   α += (E ω_p) × ω_J + ω̇_J,   ω += ω_J */
TD_INLINE void joint_add_motion(const td_body *body, const td_scratch *s, const real *qd,
                                const real *qdd, spin_motion *t)
{
    packed3 *w = &t->spin.w, *alpha = &t->spin.alpha, *a = &t->a;
    if (joint_only_turns(body)) { /* most joints: ω_J = z q̇, ω̇_J = z q̈ */
        *alpha = packed3_add(*alpha, packed3_rate_z(*w, qd[0], qdd[0]));
        *w = packed3_add_z(*w, qd[0]);
        return;
    }
    switch (body->motion) {
    case TD_MOTION_REVOLUTE:
        break;
    case TD_MOTION_PRISMATIC: /* v_J = z q̇, v̇_J = z q̈ */
        *a = packed3_add(*a, packed3_rate_z(*w, 2.0 * qd[0], qdd[0]));
        break;
    case TD_MOTION_SCREW: /* ω_J = z q̇, v_J = z pitch q̇ */
        *a = packed3_add(*a, packed3_rate_z(*w, 2.0 * body->pitch * qd[0], body->pitch * qdd[0]));
        *alpha = packed3_add(*alpha, packed3_rate_z(*w, qd[0], qdd[0]));
        *w = packed3_add_z(*w, qd[0]);
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
    case TD_MOTION_BALL: {
        packed3 w_J = packed3_of((vec3){qd[0], qd[1], qd[2]});
        packed3 w_dot = packed3_of((vec3){qdd[0], qdd[1], qdd[2]});
        *alpha = packed3_add(*alpha, packed3_add(packed3_cross(*w, w_J), w_dot));
        *w = packed3_add(*w, w_J);
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

/* Projects a force on the joint: tau = Sᵀ f. */
TD_INLINE void joint_project(const td_body *body, const td_scratch *s, const packed_force *f,
                             real *tau)
{
    if (joint_only_turns(body)) { /* z · n */
        tau[0] = packed3_get(&f->moment, 2);
        return;
    }
    switch (body->motion) {
    case TD_MOTION_REVOLUTE:
        break;
    case TD_MOTION_PRISMATIC: /* z · f */
        tau[0] = packed3_get(&f->force, 2);
        break;
    case TD_MOTION_SCREW: /* z · n + pitch z · f */
        tau[0] = packed3_get(&f->moment, 2) + body->pitch * packed3_get(&f->force, 2);
        break;
    case TD_MOTION_PLANAR: {
        real sine = ((const real *)s->sine)[body->angle];
        real cosine = ((const real *)s->cosine)[body->angle];
        real x = packed3_get(&f->force, 0), y = packed3_get(&f->force, 1);
        tau[0] = cosine * x - sine * y;
        tau[1] = sine * x + cosine * y;
        tau[2] = packed3_get(&f->moment, 2);
        break;
    }
    case TD_MOTION_BALL:
        for (int k = 0; k < 3; k++)
            tau[k] = packed3_get(&f->moment, k);
        break;
    case TD_MOTION_FLOATING:
        for (int k = 0; k < 3; k++) {
            tau[k] = packed3_get(&f->moment, k);
            tau[3 + k] = packed3_get(&f->force, k);
        }
        break;
    }
}

#endif
