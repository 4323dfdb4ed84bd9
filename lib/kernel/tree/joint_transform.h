/* SPDX-License-Identifier: MIT */
/*
 * Placement: the rotation E and the offset ρ of every body against its parent, from q, as the
 * placement [Eᵀ ρ]. What does not depend on q (the third column of Eᵀ and ρ of a turning body, all
 * of E of a sliding one) is written once by prepare and stays.
 */
#ifndef TD_JOINT_TRANSFORM_H
#define TD_JOINT_TRANSFORM_H

#include "kernel/kernel.h"
#include "kernel/real/arrow.h"
#include "kernel/real/quaternion.h"

TD_INLINE void find_sines(const td_tree *tree, const td_scratch *s, const real *q)
{
    real_sincos_array(tree->angles, q, tree->angle_q, s->sine, s->cosine);
}

/* with the sines and cosines at hand */
TD_INLINE void place_body(const td_tree *tree, const td_scratch *s, const real *q, size_t i)
{
    const td_body *body = &tree->body[i];
    const td_mat3 *K = &body->rotation;
    const real *qi = q + body->q;
    const real *sine = s->sine, *cosine = s->cosine;
    placement *placed = (placement *)s->placed + i;
    switch (body->motion) {
    case TD_MOTION_REVOLUTE:
        placement_turn(placed, &tree->body_at_zero[i], sine[body->angle], cosine[body->angle]);
        break;
    case TD_MOTION_PRISMATIC: /* ρ = r + Kᵀ z q */
        placement_move(placed,
                       add_k(scale_k(qi[0], (td_vec3){K->zx, K->zy, K->zz}), body->position));
        break;
    case TD_MOTION_PLANAR: /* ρ = r + Kᵀ (x, y, 0) */
        placement_turn(placed, &tree->body_at_zero[i], sine[body->angle], cosine[body->angle]);
        placement_move(placed,
                       add_k(turn_back_by_k(K, (vec3){qi[0], qi[1], splat(0)}), body->position));
        break;
    case TD_MOTION_FLOATING: { /* E = R(quaternion)ᵀ K, ρ = r + Kᵀ (x, y, z) */
        mat3 R = quaternion_transposed(qi + 3), E = mul_k(&R, K);
        *placed = placement_transposed(
            &E, add_k(turn_back_by_k(K, (vec3){qi[0], qi[1], qi[2]}), body->position));
        break;
    }
    }
}

/* the axes of a body in its own coordinates, and those of the world */
static const td_placement own_axes = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};

/* ---- from a body to its parent and back ------------------------------------------------------ */

/* Which axes of the other frame (0, 1, 2) x, y and z are, and 1 or −1: whether z is backwards. */
#define TD_MANNERS(X)                                                                              \
    X(TD_MANNER_XYZ, 0, 1, 2, 1)                                                                   \
    X(TD_MANNER_YZX, 1, 2, 0, 1)                                                                   \
    X(TD_MANNER_ZXY, 2, 0, 1, 1)                                                                   \
    X(TD_MANNER_YXN, 1, 0, 2, -1)                                                                  \
    X(TD_MANNER_ZYN, 2, 1, 0, -1)                                                                  \
    X(TD_MANNER_XZN, 0, 2, 1, -1)

#if defined(TD_ARROW_WIDE)

/* One state, with vectors of four: the placement takes arrows there and back. */
typedef struct joint_transform {
    const placement *at;
} joint_transform;

TD_INLINE joint_transform joint_transform_again(const td_tree *tree, const td_scratch *s, size_t i,
                                                td_manner manner)
{
    (void)tree, (void)manner;
    return (joint_transform){(const placement *)s->placed + i};
}

TD_INLINE joint_transform joint_transform_make(const td_tree *tree, const td_scratch *s,
                                               const real *q, size_t i, td_manner manner)
{
    place_body(tree, s, q, i);
    return joint_transform_again(tree, s, i, manner);
}

/* E v */
TD_INLINE arrow to_body(const joint_transform *h, const arrow *v)
{
    return arrow_turn_back(h->at, v);
}

/* Eᵀ v */
TD_INLINE arrow to_parent(const joint_transform *h, const arrow *v)
{
    return arrow_turn(h->at, v);
}

/* ρ */
TD_INLINE arrow joint_transform_origin(const joint_transform *h)
{
    return arrow_origin(h->at);
}

#define by_manner(manner, what, ...) what(__VA_ARGS__, TD_MANNER_OTHER)

#else

typedef struct manner_names {
    unsigned char x, y, z;
    double sign;
} manner_names;

#define TD_NAMES(manner, x, y, z, sign) [manner] = {x, y, z, sign},
static const manner_names names_by[] = {TD_MANNERS(TD_NAMES)};
#undef TD_NAMES

/* Other reals give axes other names and turn them about z where that is all that a joint does:
   fewer operations than nine products, and nothing to keep. */
typedef struct joint_transform {
    td_manner manner;
    real sine, cosine;
    const placement *at; /* TD_MANNER_OTHER */
    arrow origin;
} joint_transform;

TD_INLINE joint_transform joint_transform_again(const td_tree *tree, const td_scratch *s, size_t i,
                                                td_manner manner)
{
    const td_body *body = &tree->body[i];
    joint_transform h = {.manner = manner};
    if (manner == TD_MANNER_OTHER) {
        h.at = (const placement *)s->placed + i;
        h.origin = arrow_origin(h.at);
    } else {
        h.sine = ((const real *)s->sine)[body->angle];
        h.cosine = ((const real *)s->cosine)[body->angle];
        h.origin = vec3_splat(body->position);
    }
    return h;
}

TD_INLINE joint_transform joint_transform_make(const td_tree *tree, const td_scratch *s,
                                               const real *q, size_t i, td_manner manner)
{
    if (manner == TD_MANNER_OTHER)
        place_body(tree, s, q, i);
    return joint_transform_again(tree, s, i, manner);
}

/* which of a body's axes is axis k of the parent */
TD_INLINE int named(const manner_names *as, int k)
{
    return as->x == k ? 0 : as->y == k ? 1 : 2;
}

/* (c x + s y, c y − s x, z), and back */
TD_INLINE vec3 turn_in_plane(const joint_transform *h, vec3 v)
{
    return (vec3){h->cosine * v.x + h->sine * v.y, h->cosine * v.y - h->sine * v.x, v.z};
}
TD_INLINE vec3 turn_back_in_plane(const joint_transform *h, vec3 v)
{
    return (vec3){h->cosine * v.x - h->sine * v.y, h->cosine * v.y + h->sine * v.x, v.z};
}

/* back, of the square of x and y in a symmetric matrix */
typedef struct sym2 {
    real xx, xy, yy;
} sym2;
TD_INLINE sym2 turn_back_square(const joint_transform *h, sym2 a)
{
    const real s = h->sine, c = h->cosine;
    const real x = c * a.xx - s * a.xy, y = c * a.xy - s * a.yy, xx = c * x - s * y;
    return (sym2){xx, s * x + c * y, (a.xx + a.yy) - xx};
}

/* a symmetric matrix likewise, and in the parent's names of axes */
TD_INLINE sym3 turn_back_sym(const joint_transform *h, const sym3 *S)
{
    const sym2 to = turn_back_square(h, (sym2){S->xx, S->xy, S->yy});
    const vec3 z = turn_back_in_plane(h, (vec3){S->xz, S->yz, S->zz});
    return (sym3){to.xx, to.xy, z.x, to.yy, z.y, z.z};
}
TD_INLINE sym3 rename_sym(const manner_names *as, const sym3 *S)
{
    const real entry[3][3] = {{S->xx, S->xy, S->xz}, {S->xy, S->yy, S->yz}, {S->xz, S->yz, S->zz}};
    const int x = named(as, 0), y = named(as, 1), z = named(as, 2);
    const double sign[3] = {1, 1, as->sign};
    return (sym3){entry[x][x], sign[x] * sign[y] * entry[x][y], sign[x] * sign[z] * entry[x][z],
                  entry[y][y], sign[y] * sign[z] * entry[y][z], entry[z][z]};
}

TD_INLINE vec3 rename_vec3(const manner_names *as, vec3 v)
{
    const real entry[3] = {v.x, v.y, as->sign * v.z};
    return (vec3){entry[named(as, 0)], entry[named(as, 1)], entry[named(as, 2)]};
}

TD_INLINE arrow to_body(const joint_transform *h, const arrow *v)
{
    if (h->manner == TD_MANNER_OTHER)
        return arrow_turn_back(h->at, v);
    const manner_names *as = &names_by[h->manner];
    return turn_in_plane(
        h, (vec3){vec3_get(v, as->x), vec3_get(v, as->y), as->sign * vec3_get(v, as->z)});
}

TD_INLINE arrow to_parent(const joint_transform *h, const arrow *v)
{
    if (h->manner == TD_MANNER_OTHER)
        return arrow_turn(h->at, v);
    return rename_vec3(&names_by[h->manner], turn_back_in_plane(h, *v));
}

TD_INLINE arrow joint_transform_origin(const joint_transform *h)
{
    return h->origin;
}

/* what(..., manner), the manner known to the compiler */
#define by_manner(manner, what, ...)                                                               \
    do {                                                                                           \
        switch (manner) {                                                                          \
        case TD_MANNER_XYZ:                                                                        \
            what(__VA_ARGS__, TD_MANNER_XYZ);                                                      \
            break;                                                                                 \
        case TD_MANNER_YZX:                                                                        \
            what(__VA_ARGS__, TD_MANNER_YZX);                                                      \
            break;                                                                                 \
        case TD_MANNER_ZXY:                                                                        \
            what(__VA_ARGS__, TD_MANNER_ZXY);                                                      \
            break;                                                                                 \
        case TD_MANNER_YXN:                                                                        \
            what(__VA_ARGS__, TD_MANNER_YXN);                                                      \
            break;                                                                                 \
        case TD_MANNER_ZYN:                                                                        \
            what(__VA_ARGS__, TD_MANNER_ZYN);                                                      \
            break;                                                                                 \
        case TD_MANNER_XZN:                                                                        \
            what(__VA_ARGS__, TD_MANNER_XZN);                                                      \
            break;                                                                                 \
        case TD_MANNER_OTHER:                                                                      \
            what(__VA_ARGS__, TD_MANNER_OTHER);                                                    \
            break;                                                                                 \
        }                                                                                          \
    } while (0)

#endif

#endif
