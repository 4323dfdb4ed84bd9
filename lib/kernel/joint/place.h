/* SPDX-License-Identifier: MIT */
/*
 * Forward kinematics of one joint: the rotation E and the offset ρ of a body relative to its
 * parent, from q. They are stored as the placement [Eᵀ ρ], or applied to the axes of a pose.
 * prepare writes the parts of placements that do not depend on q once: the third column of Eᵀ and ρ
 * of a revolute joint, all of E of a prismatic one.
 */
#ifndef TD_JOINT_PLACE_H
#define TD_JOINT_PLACE_H

#include "kernel/joint/kind.h"
#include "kernel/kernel.h"
#include "kernel/real/packed3.h"
#include "kernel/real/quaternion.h"

/* Writes the placement of body i. Needs the sines and cosines. */
TD_INLINE void joint_place(const td_tree *tree, const td_scratch *s, const real *q, size_t i)
{
    const td_body *body = &tree->body[i];
    const td_mat3 *K = &body->rotation;
    const real *qi = q + body->q;
    const real *sine = s->sine, *cosine = s->cosine;
    placement *placed = (placement *)s->placed + i;
    if (joint_only_turns(body)) { /* most joints */
        placement_rotate(placed, &tree->body_at_zero[i], sine[body->angle], cosine[body->angle]);
        return;
    }
    switch (body->motion) {
    case TD_MOTION_REVOLUTE:
        break;
    case TD_MOTION_PRISMATIC: /* ρ = r + Kᵀ z q */
        placement_move(placed,
                       add_k(scale_k(qi[0], (td_vec3){K->zx, K->zy, K->zz}), body->position));
        break;
    case TD_MOTION_SCREW: /* ρ = r + Kᵀ z pitch q */
        placement_rotate(placed, &tree->body_at_zero[i], sine[body->angle], cosine[body->angle]);
        placement_move(placed, add_k(scale_k(body->pitch * qi[0], (td_vec3){K->zx, K->zy, K->zz}),
                                     body->position));
        break;
    case TD_MOTION_PLANAR: /* ρ = r + Kᵀ (x, y, 0) */
        placement_rotate(placed, &tree->body_at_zero[i], sine[body->angle], cosine[body->angle]);
        placement_move(placed, add_k(rotate_transposed_by_k(K, (vec3){qi[0], qi[1], splat(0)}),
                                     body->position));
        break;
    case TD_MOTION_BALL: { /* E = R(quaternion)ᵀ K */
        mat3 R = quaternion_transposed(qi), E = mul_k(&R, K);
        *placed = placement_transposed(&E, vec3_splat(body->position));
        break;
    }
    case TD_MOTION_FLOATING: { /* E = R(quaternion)ᵀ K, ρ = r + Kᵀ (x, y, z) */
        mat3 R = quaternion_transposed(qi + 3), E = mul_k(&R, K);
        *placed = placement_transposed(
            &E, add_k(rotate_transposed_by_k(K, (vec3){qi[0], qi[1], qi[2]}), body->position));
        break;
    }
    }
}

/* Computes E and ρ from a given sine and cosine, for callers that use no scratch. */
TD_INLINE void joint_place_apart(const td_body *body, const real *qi, real sine, real cosine,
                                 mat3 *E, vec3 *offset)
{
    const td_mat3 *K = &body->rotation;
    const real none = splat(0);
    *E = mat3_splat(K);
    *offset = vec3_splat(body->position);
    if (body->angle >= 0)
        rotate_about_z(E, K, sine, cosine);
    switch (body->motion) {
    case TD_MOTION_REVOLUTE:
        break;
    case TD_MOTION_PRISMATIC:
        *offset = add_k(rotate_transposed_by_k(K, (vec3){none, none, qi[0]}), body->position);
        break;
    case TD_MOTION_SCREW:
        *offset = add_k(rotate_transposed_by_k(K, (vec3){none, none, body->pitch * qi[0]}),
                        body->position);
        break;
    case TD_MOTION_PLANAR:
        *offset = add_k(rotate_transposed_by_k(K, (vec3){qi[0], qi[1], none}), body->position);
        break;
    case TD_MOTION_BALL: {
        const mat3 R = quaternion_transposed(qi);
        *E = mul_k(&R, K);
        break;
    }
    case TD_MOTION_FLOATING: {
        const mat3 R = quaternion_transposed(qi + 3);
        *E = mul_k(&R, K);
        *offset = add_k(rotate_transposed_by_k(K, (vec3){qi[0], qi[1], qi[2]}), body->position);
        break;
    }
    }
}

/* Moves the axes of a body from q = 0 to q. Origins are relative to the parent's. joint_move_simply
   handles revolute and prismatic joints, joint_move all joints. */
TD_INLINE axes joint_move_simply(const td_body *body, const td_scratch *s, const real *q, axes A)
{
    const real *sine = s->sine, *cosine = s->cosine;
    if (joint_only_turns(body))
        return axes_rotate_about_z(A, sine[body->angle], cosine[body->angle]);
    A.p = col_add(A.p, col_scale(q[body->q], A.z));
    return A;
}

/* Rotates axes by a unit quaternion. The rows of E are the columns of the rotation. */
TD_INLINE axes axes_turn(axes A, const real *quaternion)
{
    const mat3 E = quaternion_transposed(quaternion);
    return (axes){axes_rotate(&A, E.xx, E.xy, E.xz), axes_rotate(&A, E.yx, E.yy, E.yz),
                  axes_rotate(&A, E.zx, E.zy, E.zz), A.p};
}

TD_INLINE axes joint_move(const td_body *body, const td_scratch *s, const real *q, axes A)
{
    const real *sine = s->sine, *cosine = s->cosine, *at = q + body->q;
    if (joint_only_turns(body)) /* most joints */
        return axes_rotate_about_z(A, sine[body->angle], cosine[body->angle]);
    switch (body->motion) {
    case TD_MOTION_REVOLUTE:
        break;
    case TD_MOTION_PRISMATIC:
        A.p = col_add(A.p, col_scale(at[0], A.z));
        break;
    case TD_MOTION_SCREW:
        A.p = col_add(A.p, col_scale(body->pitch * at[0], A.z));
        return axes_rotate_about_z(A, sine[body->angle], cosine[body->angle]);
    case TD_MOTION_PLANAR:
        A.p = col_add(A.p, col_add(col_scale(at[0], A.x), col_scale(at[1], A.y)));
        return axes_rotate_about_z(A, sine[body->angle], cosine[body->angle]);
    case TD_MOTION_BALL:
        return axes_turn(A, at);
    case TD_MOTION_FLOATING:
        A.p = col_add(A.p, axes_rotate(&A, at[0], at[1], at[2]));
        return axes_turn(A, at + 3);
    }
    return A;
}

#endif
