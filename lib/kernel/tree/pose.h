/* SPDX-License-Identifier: MIT */
/*
 * Forward kinematics: the poses in the world of all bodies, or of the bodies on the path to one.
 */
#ifndef TD_POSE_H
#define TD_POSE_H

#include "kernel/kernel.h"
#include "kernel/tree/joint_transform.h"

typedef struct pose {
    mat3 R; /* x_world = R x_body + p */
    vec3 p;
} pose;

TD_INLINE pose pose_at(const axes *P)
{
    return (pose){rotation_in(P), origin_in(P)};
}

/* The bodies from the root to a tip, and the packs of sines and cosines that contain their
   angles. */
typedef struct path {
    const int *body, *sines;
    size_t bodies, times;
} path;

/* Writes the path to a tip to the scratch, which keeps it for repeated calls with the same link. */
static void find_path(const td_tree *tree, int *kept, int tip)
{
    int *body = kept + TD_PATH_LISTS, *sines = body + tree->bodies, count = 0, times = 0;
    for (int b = tip; b >= 0; b = tree->body[b].parent)
        count++;
    kept[TD_PATH_TIP] = tip;
    kept[TD_PATH_BODIES] = count;
    for (int b = tip; b >= 0; b = tree->body[b].parent)
        body[--count] = b;
    for (int k = 0; k < kept[TD_PATH_BODIES]; k++) {
        const int angle = tree->body[body[k]].angle, start = angle / TD_SINES * TD_SINES;
        if (angle >= 0 && (times == 0 || sines[times - 1] != start))
            sines[times++] = start;
    }
    kept[TD_PATH_TIMES] = times;
}

TD_INLINE path path_to(const td_tree *tree, const td_scratch *s, int tip)
{
    int *kept = s->path, *body = kept + TD_PATH_LISTS;
    if (kept[TD_PATH_TIP] != tip)
        find_path(tree, kept, tip);
    return (path){body, body + tree->bodies, (size_t)kept[TD_PATH_BODIES],
                  (size_t)kept[TD_PATH_TIMES]};
}

/* Adds the parent's origin. arms: whether to store the vector from that origin to the body's. */
TD_INLINE axes from_parent(const td_scratch *s, size_t i, const axes *parent, bool arms, axes A)
{
    packed3 *arm = s->arm;
    if (arms)
        arm[i] = packed3_col(&A.p);
    A.p = col_add(A.p, parent->p);
    return A;
}

/* Returns the pose of body i. The constant transform comes first, because its factors are loaded
   from memory; the joint's motion is applied to the result. */
TD_INLINE axes pose_on(const td_tree *tree, const td_scratch *s, const real *q, size_t i,
                       const axes *parent, bool arms)
{
    return from_parent(
        s, i, parent, arms,
        joint_move(&tree->body[i], s, q, axes_times_k(parent, &tree->body_at_zero[i])));
}

#if defined(TD_REAL_LANES)

TD_INLINE col3 axes_get(const axes *P, int k)
{
    return k == 0 ? P->x : k == 1 ? P->y : P->z;
}

/* Computes the pose of body i in lanes, where the product with a constant transform takes many
   operations. In most bodies the transform only permutes the parent's axes. On entry last is the
   parent's pose, on return the body's. */
TD_INLINE void pose_by_permutation(const td_tree *tree, const td_scratch *s, const real *q,
                                   size_t i, bool arms, axes *last, td_permutation permutation)
{
    const td_body *body = &tree->body[i];
    const td_vec3 r = body->position;
    const axes parent = *last;
    if (permutation == TD_PERMUTATION_OTHER) {
        *last = pose_on(tree, s, q, i, &parent, arms);
        return;
    }
    const axis_permutation *perm = &axis_permutations[permutation];
    const axes at_zero = {axes_get(&parent, perm->x), axes_get(&parent, perm->y),
                          col_scale(splat(perm->sign), axes_get(&parent, perm->z)),
                          axes_rotate(&parent, splat(r.x), splat(r.y), splat(r.z))};
    *last = from_parent(s, i, &parent, arms, joint_move_simply(body, s, q, at_zero));
}

#endif

/* Computes the poses of all bodies, or of the bodies on a path. The latest pose stays in registers,
   because to load it again takes longer. The world has a pose like any body. */
TD_INLINE void chain_poses(const td_tree *tree, const td_scratch *s, const real *q,
                           const path *along, bool arms)
{
    const axes world = axes_splat(&own_axes);
    axes *body = s->pose, last = world;
    const size_t count = along ? along->bodies : tree->bodies;
    for (size_t k = 0; k < count; k++) {
        const size_t i = along ? (size_t)along->body[k] : k;
        const int parent = tree->body[i].parent;
        if (parent < 0)
            last = world;
        else if (!along && (size_t)parent + 1 != i)
            last = body[parent];
#if defined(TD_REAL_LANES)
        by_permutation(tree->body[i].frame_permutation, pose_by_permutation, tree, s, q, i, arms,
                       &last);
#else
        last = pose_on(tree, s, q, i, &last, arms);
#endif
        body[i] = last;
    }
}

static void poses(const td_tree *tree, const td_scratch *s, const td_reals *q, int link, int arms)
{
    path along = {.bodies = tree->bodies};
    if (link >= 0)
        along = path_to(tree, s, tree->link[link].body);
    if (along.bodies == tree->bodies) {
        find_sines(tree, s, q);
        if (arms)
            chain_poses(tree, s, q, NULL, true);
        else
            chain_poses(tree, s, q, NULL, false);
        return;
    }
    real_sincos_some(along.times, along.sines, q, tree->angle_q, s->sine, s->cosine);
    chain_poses(tree, s, q, &along, true);
}

#endif
