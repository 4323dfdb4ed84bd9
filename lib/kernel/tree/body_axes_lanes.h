/* SPDX-License-Identifier: MIT */
/*
 * The inward pass of aba_body.c for lanes and the reals of tests. After a revolute joint has been
 * eliminated, the z rows of I and H are zero and are not stored. The rest is rotated in the joint's
 * plane, shifted by a constant arm, and added with permuted axes. Oblique axes take the full
 * rotation.
 */
#ifndef TD_BODY_AXES_LANES_H
#define TD_BODY_AXES_LANES_H

#include "kernel/tree/articulated_joint.h"
#include "kernel/tree/newton_euler.h"

#if !defined(TD_REAL_DOUBLE)

/* Returns the articulated inertia of a body. If it has children, their sum is in the scratch. */
TD_INLINE articulated body_axes_total(const td_tree *tree, const td_scratch *s, size_t i,
                                      int loaded)
{
    const td_body *body = &tree->body[i];
    const td_inertia *J = &tree->body_inertia[i];
    const td_vec3 h = body->moment;
    const double m = body->mass;
    const spin_motion *motion = (const spin_motion *)s->spin_motion + i;
    spatial bias = {spin_moment(J, &motion->spin, motion->a),
                    spin_force(J, &motion->spin, motion->a)};
    if (loaded)
        bias = spatial_sub(bias, ((const spatial *)s->wrench)[i]);
    if (body->leaf) {
        const real none = splat(0), mass = splat(m);
        return (articulated){sym3_splat(&body->inertia),
                             {none, splat(-h.z), splat(h.y), splat(h.z), none, splat(-h.x),
                              splat(-h.y), splat(h.x), none},
                             {mass, none, none, mass, none, mass},
                             bias};
    }
    const articulated *A = (const articulated *)s->articulated + i;
    const sym3 *M = &A->M;
    const mat3 *H = &A->H;
    return (articulated){sym_add_k(A->I, &body->inertia),
                         {H->xx, H->xy - h.z, H->xz + h.y, H->yx + h.z, H->yy, H->yz - h.x,
                          H->zx - h.y, H->zy + h.x, H->zz},
                         {M->xx + m, M->xy, M->xz, M->yy + m, M->yz, M->zz + m},
                         spatial_add(A->bias, bias)};
}

/* An articulated inertia without the z rows of I and H. */
typedef struct released {
    real xx, xy, yy;
    vec3 Hx, Hy;
    sym3 M;
    spatial bias;
} released;

/* Eliminates a revolute joint about z from A. Returns the inertia to be added to the parent. */
TD_INLINE released release(const td_body *body, const articulated *A, real tau,
                           joint_projection *joint, real *bad)
{
    const vec3 n = {A->I.xz, A->I.yz, A->I.zz}, f = {A->H.zx, A->H.zy, A->H.zz};
    const real inverse = 1.0 / A->I.zz, u = tau - A->bias.angular.z;
    *bad = first_bad(*bad, SMALLEST_JOINT_INERTIA * articulated_angular_trace(A), A->I.zz,
                     (size_t)body->qd);
    *joint = (joint_projection){{{n, f}, u}, inverse};
    const real x = inverse * n.x, y = inverse * n.y, rate = inverse * u;
    const vec3 g = scale_by(inverse, f);
    const mat3 *H = &A->H;
    const sym3 *M = &A->M;
    const spatial *bias = &A->bias;
    return (released){
        A->I.xx - x * n.x,
        A->I.xy - x * n.y,
        A->I.yy - y * n.y,
        {H->xx - x * f.x, H->xy - x * f.y, H->xz - x * f.z},
        {H->yx - y * f.x, H->yy - y * f.y, H->yz - y * f.z},
        {M->xx - g.x * f.x, M->xy - g.x * f.y, M->xz - g.x * f.z, M->yy - g.y * f.y,
         M->yz - g.y * f.z, M->zz - g.z * f.z},
        {{bias->angular.x + rate * n.x, bias->angular.y + rate * n.y, tau},
         add(bias->linear, scale_by(rate, f))},
    };
}

/* Rotates an eliminated inertia to the parent, except for the permutation of axes. */
TD_INLINE released released_rotate(const joint_transform *h, const released *A)
{
    const real s = h->sine, c = h->cosine;
    const sym2 I = rotate_transposed_square(h, (sym2){A->xx, A->xy, A->yy});
    const vec3 x = rotate_transposed_in_plane(h, A->Hx), y = rotate_transposed_in_plane(h, A->Hy);
    return (released){
        I.xx,
        I.xy,
        I.yy,
        {c * x.x - s * y.x, c * x.y - s * y.y, c * x.z - s * y.z},
        {s * x.x + c * y.x, s * x.y + c * y.y, s * x.z + c * y.z},
        rotate_transposed_sym(h, &A->M),
        {rotate_transposed_in_plane(h, A->bias.angular),
         rotate_transposed_in_plane(h, A->bias.linear)},
    };
}

/* Moves the reference point by −r; see articulated_shift. */
TD_INLINE articulated released_shift(const released *A, td_vec3 r)
{
    const sym3 *M = &A->M;
    const vec3 *x = &A->Hx, *y = &A->Hy;
    const mat3 W = {
        x->x + r.y * M->xz - r.z * M->xy, x->y + r.y * M->yz - r.z * M->yy,
        x->z + r.y * M->zz - r.z * M->yz, y->x + r.z * M->xx - r.x * M->xz,
        y->y + r.z * M->xy - r.x * M->yz, y->z + r.z * M->xz - r.x * M->zz,
        r.x * M->xy - r.y * M->xx,        r.x * M->yy - r.y * M->xy,
        r.x * M->yz - r.y * M->xz,
    };
    return (articulated){
        {A->xx + r.y * (x->z + W.xz) - r.z * (x->y + W.xy),
         A->xy + r.y * y->z - r.z * y->y + r.z * W.xx - r.x * W.xz, r.x * W.xy - r.y * W.xx,
         A->yy + r.z * (y->x + W.yx) - r.x * (y->z + W.yz), r.x * W.yy - r.y * W.yx,
         r.x * W.zy - r.y * W.zx},
        W,
        *M,
        force_shift(A->bias, vec3_splat(r)),
    };
}

/* Rotates a complete articulated inertia in its x-y plane. */
TD_INLINE articulated articulated_rotate_in_plane(const joint_transform *h, const articulated *A)
{
    const released rest = released_rotate(h, &(released){A->I.xx,
                                                         A->I.xy,
                                                         A->I.yy,
                                                         {A->H.xx, A->H.xy, A->H.xz},
                                                         {A->H.yx, A->H.yy, A->H.yz},
                                                         A->M,
                                                         A->bias});
    const vec3 z = rotate_transposed_in_plane(h, (vec3){A->I.xz, A->I.yz, A->I.zz});
    const vec3 Hz = rotate_transposed_in_plane(h, (vec3){A->H.zx, A->H.zy, A->H.zz});
    return (articulated){
        {rest.xx, rest.xy, z.x, rest.yy, z.y, z.z},
        {rest.Hx.x, rest.Hx.y, rest.Hx.z, rest.Hy.x, rest.Hy.y, rest.Hy.z, Hz.x, Hz.y, Hz.z},
        rest.M,
        rest.bias};
}

TD_INLINE real mat_get(const mat3 *A, int i, int j)
{
    const real entry[3][3] = {{A->xx, A->xy, A->xz}, {A->yx, A->yy, A->yz}, {A->zx, A->zy, A->zz}};
    return entry[i][j];
}

/* Permutes the axes of A to the parent's axes. */
TD_INLINE articulated articulated_permute(const articulated *A, const axis_permutation *perm)
{
    const int x = permuted_axis(perm, 0), y = permuted_axis(perm, 1), z = permuted_axis(perm, 2);
    const double sign[3] = {1, 1, perm->sign};
    const mat3 *H = &A->H;
    const double xy = sign[x] * sign[y], xz = sign[x] * sign[z], yz = sign[y] * sign[z];
    return (articulated){
        permute_sym(perm, &A->I),
        {mat_get(H, x, x), xy * mat_get(H, x, y), xz * mat_get(H, x, z), xy * mat_get(H, y, x),
         mat_get(H, y, y), yz * mat_get(H, y, z), xz * mat_get(H, z, x), yz * mat_get(H, z, y),
         mat_get(H, z, z)},
        permute_sym(perm, &A->M),
        {permute_vec3(perm, A->bias.angular), permute_vec3(perm, A->bias.linear)},
    };
}

/* Returns R A Rᵀ: an articulated inertia in the axes of the parent. */
TD_INLINE articulated articulated_rotate(const mat3 *R, const articulated *A)
{
    const mat3 half = mul_transposed(&A->H, R);
    const vec3 x = rotate(R, (vec3){half.xx, half.yx, half.zx});
    const vec3 y = rotate(R, (vec3){half.xy, half.yy, half.zy});
    const vec3 z = rotate(R, (vec3){half.xz, half.yz, half.zz});
    return (articulated){rotate_sym(R, &A->I),
                         {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z},
                         rotate_sym(R, &A->M),
                         {rotate(R, A->bias.angular), rotate(R, A->bias.linear)}};
}

TD_INLINE articulated released_rotate_by(const mat3 *R, const released *A)
{
    const vec3 x = {R->xx, R->yx, R->zx}, y = {R->xy, R->yy, R->zy}; /* columns */
    const vec3 Ix = add(scale_by(A->xx, x), scale_by(A->xy, y));
    const vec3 Iy = add(scale_by(A->xy, x), scale_by(A->yy, y));
    const vec3 Hx = rotate(R, A->Hx), Hy = rotate(R, A->Hy);
    return (articulated){
        {x.x * Ix.x + y.x * Iy.x, x.x * Ix.y + y.x * Iy.y, x.x * Ix.z + y.x * Iy.z,
         x.y * Ix.y + y.y * Iy.y, x.y * Ix.z + y.y * Iy.z, x.z * Ix.z + y.z * Iy.z},
        {x.x * Hx.x + y.x * Hy.x, x.x * Hx.y + y.x * Hy.y, x.x * Hx.z + y.x * Hy.z,
         x.y * Hx.x + y.y * Hy.x, x.y * Hx.y + y.y * Hy.y, x.y * Hx.z + y.y * Hy.z,
         x.z * Hx.x + y.z * Hy.x, x.z * Hx.y + y.z * Hy.y, x.z * Hx.z + y.z * Hy.z},
        rotate_sym(R, &A->M),
        {rotate(R, A->bias.angular), rotate(R, A->bias.linear)},
    };
}

/* Returns an eliminated inertia in the axes of the parent, about the parent's origin. */
TD_INLINE articulated released_outer(const td_tree *tree, const td_scratch *s, size_t i,
                                     const released *left, td_permutation permutation)
{
    const td_body *body = &tree->body[i];
    const joint_transform h = joint_transform_again(tree, s, i, permutation);
    articulated share;
    if (permutation == TD_PERMUTATION_OTHER) {
        const mat3 R = placement_rotation(h.at);
        share = released_rotate_by(&R, left);
        return articulated_shift(&share, h.origin);
    }
    const axis_permutation *perm = &axis_permutations[permutation];
    const double r[3] = {body->position.x, body->position.y, body->position.z};
    const released turned = released_rotate(&h, left);
    share = released_shift(&turned, (td_vec3){r[perm->x], r[perm->y], perm->sign * r[perm->z]});
    return articulated_permute(&share, perm);
}

/* Returns an articulated inertia in the axes of the parent, about the parent's origin. permutation
   is frame_permutation of the body: a prismatic joint has one, too, and a placement. */
TD_INLINE articulated articulated_outer(const td_tree *tree, const td_scratch *s, size_t i,
                                        const articulated *A, td_permutation permutation)
{
    const bool turns = joint_only_turns(&tree->body[i]);
    const joint_transform h =
        joint_transform_again(tree, s, i, turns ? permutation : TD_PERMUTATION_OTHER);
    articulated share = *A;
    if (permutation == TD_PERMUTATION_OTHER) {
        const mat3 R = placement_rotation(h.at);
        share = articulated_rotate(&R, &share);
    } else {
        if (turns)
            share = articulated_rotate_in_plane(&h, &share);
        share = articulated_permute(&share, &axis_permutations[permutation]);
    }
    return articulated_shift(&share, h.origin);
}

/* Projects on a revolute joint about z, or a prismatic joint along z. */
TD_INLINE projection project_on_z(const articulated *A, bool turns, real tau)
{
    const vec3 n = {A->I.xz, A->I.yz, A->I.zz}, row = {A->H.zx, A->H.zy, A->H.zz};
    const vec3 f = {A->M.xz, A->M.yz, A->M.zz}, column = {A->H.xz, A->H.yz, A->H.zz};
    return (projection){turns ? (spatial){n, row} : (spatial){column, f},
                        tau - (turns ? A->bias.angular.z : A->bias.linear.z)};
}

#endif

#endif
