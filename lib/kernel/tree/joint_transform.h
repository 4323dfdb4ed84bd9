/* SPDX-License-Identifier: MIT */
/*
 * The transform between a body and its parent: by the body's placement (kernel/joint/place.h), or
 * in lanes by the permutation and rotation that suffice for most joints.
 */
#ifndef TD_JOINT_TRANSFORM_H
#define TD_JOINT_TRANSFORM_H

#include "kernel/joint/place.h"
#include "kernel/kernel.h"
#include "kernel/real/packed3.h"
#include "kernel/real/sincos.h"

TD_INLINE void find_sines(const td_tree *tree, const td_scratch *s, const real *q)
{
    real_sincos_array(tree->angles, q, tree->angle_q, s->sine, s->cosine);
}

/* The body axes in body coordinates, and the world axes in world coordinates. */
static const td_placement own_axes = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};

/* ---- from a body to its parent and back ------------------------------------------------------ */

/* For x, y and z: the index of the axis in the other frame (0, 1, 2). Then the sign of z. */
#define TD_PERMUTATIONS(X)                                                                         \
    X(TD_PERMUTATION_XYZ, 0, 1, 2, 1)                                                              \
    X(TD_PERMUTATION_YZX, 1, 2, 0, 1)                                                              \
    X(TD_PERMUTATION_ZXY, 2, 0, 1, 1)                                                              \
    X(TD_PERMUTATION_YXN, 1, 0, 2, -1)                                                             \
    X(TD_PERMUTATION_ZYN, 2, 1, 0, -1)                                                             \
    X(TD_PERMUTATION_XZN, 0, 2, 1, -1)

#if defined(TD_PACKED3_VECTOR)

/* Single states with vectors of four: the placement transforms packed vectors in both
   directions. */
typedef struct joint_transform {
    const placement *at;
} joint_transform;

TD_INLINE joint_transform joint_transform_again(const td_tree *tree, const td_scratch *s, size_t i,
                                                td_permutation permutation)
{
    (void)tree, (void)permutation;
    return (joint_transform){(const placement *)s->placed + i};
}

TD_INLINE joint_transform joint_transform_make(const td_tree *tree, const td_scratch *s,
                                               const real *q, size_t i, td_permutation permutation)
{
    joint_place(tree, s, q, i);
    return joint_transform_again(tree, s, i, permutation);
}

/* Returns E v. */
TD_INLINE packed3 to_body(const joint_transform *h, const packed3 *v)
{
    return packed3_rotate_transposed(h->at, v);
}

/* Returns Eᵀ v. */
TD_INLINE packed3 to_parent(const joint_transform *h, const packed3 *v)
{
    return packed3_rotate(h->at, v);
}

/* Returns ρ. */
TD_INLINE packed3 joint_transform_origin(const joint_transform *h)
{
    return packed3_origin(h->at);
}

#define by_permutation(permutation, what, ...) what(__VA_ARGS__, TD_PERMUTATION_OTHER)

#else

typedef struct axis_permutation {
    unsigned char x, y, z;
    double sign;
} axis_permutation;

#define TD_PERMUTATION_ENTRY(permutation, x, y, z, sign) [permutation] = {x, y, z, sign},
static const axis_permutation axis_permutations[] = {TD_PERMUTATIONS(TD_PERMUTATION_ENTRY)};
#undef TD_PERMUTATION_ENTRY

/* Other reals permute axes and rotate about z where possible. This takes fewer operations than nine
   products and needs no storage. */
typedef struct joint_transform {
    td_permutation permutation;
    real sine, cosine;
    const placement *at; /* for TD_PERMUTATION_OTHER */
    packed3 origin;
} joint_transform;

TD_INLINE joint_transform joint_transform_again(const td_tree *tree, const td_scratch *s, size_t i,
                                                td_permutation permutation)
{
    const td_body *body = &tree->body[i];
    joint_transform h = {.permutation = permutation};
    if (permutation == TD_PERMUTATION_OTHER) {
        h.at = (const placement *)s->placed + i;
        h.origin = packed3_origin(h.at);
    } else {
        h.sine = ((const real *)s->sine)[body->angle];
        h.cosine = ((const real *)s->cosine)[body->angle];
        h.origin = vec3_splat(body->position);
    }
    return h;
}

TD_INLINE joint_transform joint_transform_make(const td_tree *tree, const td_scratch *s,
                                               const real *q, size_t i, td_permutation permutation)
{
    if (permutation == TD_PERMUTATION_OTHER)
        joint_place(tree, s, q, i);
    return joint_transform_again(tree, s, i, permutation);
}

/* Returns the body axis that is axis k of the parent. */
TD_INLINE int permuted_axis(const axis_permutation *perm, int k)
{
    return perm->x == k ? 0 : perm->y == k ? 1 : 2;
}

/* Rotate by (c x + s y, c y − s x, z), and back. */
TD_INLINE vec3 rotate_in_plane(const joint_transform *h, vec3 v)
{
    return (vec3){h->cosine * v.x + h->sine * v.y, h->cosine * v.y - h->sine * v.x, v.z};
}
TD_INLINE vec3 rotate_transposed_in_plane(const joint_transform *h, vec3 v)
{
    return (vec3){h->cosine * v.x - h->sine * v.y, h->cosine * v.y + h->sine * v.x, v.z};
}

/* The x-y block of a symmetric matrix, and its rotation back. */
typedef struct sym2 {
    real xx, xy, yy;
} sym2;
TD_INLINE sym2 rotate_transposed_square(const joint_transform *h, sym2 a)
{
    const real s = h->sine, c = h->cosine;
    const real x = c * a.xx - s * a.xy, y = c * a.xy - s * a.yy, xx = c * x - s * y;
    return (sym2){xx, s * x + c * y, (a.xx + a.yy) - xx};
}

/* Rotate a symmetric matrix back, and permute one to the parent's axes. */
TD_INLINE sym3 rotate_transposed_sym(const joint_transform *h, const sym3 *S)
{
    const sym2 square = rotate_transposed_square(h, (sym2){S->xx, S->xy, S->yy});
    const vec3 z = rotate_transposed_in_plane(h, (vec3){S->xz, S->yz, S->zz});
    return (sym3){square.xx, square.xy, z.x, square.yy, z.y, z.z};
}
TD_INLINE sym3 permute_sym(const axis_permutation *perm, const sym3 *S)
{
    const real entry[3][3] = {{S->xx, S->xy, S->xz}, {S->xy, S->yy, S->yz}, {S->xz, S->yz, S->zz}};
    const int x = permuted_axis(perm, 0), y = permuted_axis(perm, 1), z = permuted_axis(perm, 2);
    const double sign[3] = {1, 1, perm->sign};
    return (sym3){entry[x][x], sign[x] * sign[y] * entry[x][y], sign[x] * sign[z] * entry[x][z],
                  entry[y][y], sign[y] * sign[z] * entry[y][z], entry[z][z]};
}

TD_INLINE vec3 permute_vec3(const axis_permutation *perm, vec3 v)
{
    const real entry[3] = {v.x, v.y, perm->sign * v.z};
    return (vec3){entry[permuted_axis(perm, 0)], entry[permuted_axis(perm, 1)],
                  entry[permuted_axis(perm, 2)]};
}

TD_INLINE packed3 to_body(const joint_transform *h, const packed3 *v)
{
    if (h->permutation == TD_PERMUTATION_OTHER)
        return packed3_rotate_transposed(h->at, v);
    const axis_permutation *perm = &axis_permutations[h->permutation];
    return rotate_in_plane(
        h, (vec3){vec3_get(v, perm->x), vec3_get(v, perm->y), perm->sign * vec3_get(v, perm->z)});
}

TD_INLINE packed3 to_parent(const joint_transform *h, const packed3 *v)
{
    if (h->permutation == TD_PERMUTATION_OTHER)
        return packed3_rotate(h->at, v);
    return permute_vec3(&axis_permutations[h->permutation], rotate_transposed_in_plane(h, *v));
}

TD_INLINE packed3 joint_transform_origin(const joint_transform *h)
{
    return h->origin;
}

/* Calls function(..., permutation), with a permutation that is a compile-time constant. */
#define by_permutation(permutation, what, ...)                                                     \
    do {                                                                                           \
        switch (permutation) {                                                                     \
        case TD_PERMUTATION_XYZ:                                                                   \
            what(__VA_ARGS__, TD_PERMUTATION_XYZ);                                                 \
            break;                                                                                 \
        case TD_PERMUTATION_YZX:                                                                   \
            what(__VA_ARGS__, TD_PERMUTATION_YZX);                                                 \
            break;                                                                                 \
        case TD_PERMUTATION_ZXY:                                                                   \
            what(__VA_ARGS__, TD_PERMUTATION_ZXY);                                                 \
            break;                                                                                 \
        case TD_PERMUTATION_YXN:                                                                   \
            what(__VA_ARGS__, TD_PERMUTATION_YXN);                                                 \
            break;                                                                                 \
        case TD_PERMUTATION_ZYN:                                                                   \
            what(__VA_ARGS__, TD_PERMUTATION_ZYN);                                                 \
            break;                                                                                 \
        case TD_PERMUTATION_XZN:                                                                   \
            what(__VA_ARGS__, TD_PERMUTATION_XZN);                                                 \
            break;                                                                                 \
        case TD_PERMUTATION_OTHER:                                                                 \
            what(__VA_ARGS__, TD_PERMUTATION_OTHER);                                               \
            break;                                                                                 \
        }                                                                                          \
    } while (0)

#endif

#endif
