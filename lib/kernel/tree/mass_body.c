/* SPDX-License-Identifier: MIT */
/*
 * The mass matrix by the composite-rigid-body algorithm in body coordinates, for lanes and the
 * reals of tests; see kernel/tree/aba_body.c. The composite inertia has its z axis along the joint,
 * so the force for a unit acceleration of the joint is one of its rows. This force moves to the
 * root: it is rotated in a plane and shifted by a constant arm. Its z component at every ancestor
 * is an entry of H. Poses are not needed, and body inertias are constants. This takes 170
 * operations per joint less than kernel/tree/mass.c, but twice as many per entry. It is for trees
 * whose bodies have few ancestors.
 */
#include "kernel/tree/mass_rows.h"

#if !defined(TD_REAL_DOUBLE)

/* ---- composites ------------------------------------------------------------------------------ */

/* Returns the inertia of a body and its subtree, about the body's origin. The sum of its children
   is in the scratch. */
TD_INLINE inertia body_axes_composite(const td_tree *tree, const td_scratch *s, size_t i)
{
    const td_body *body = &tree->body[i];
    if (body->leaf)
        return (inertia){vec3_splat(body->moment), sym3_splat(&body->inertia)};
    const inertia *sum = (const inertia *)s->composite + i;
    return (inertia){add_k(sum->h, body->moment), sym_add_k(sum->I, &body->inertia)};
}

/* Rotates an inertia to the axes of the parent, about the same point. */
TD_INLINE inertia inertia_to_parent(const joint_transform *h, const inertia *b)
{
    const sym3 *I = &b->I;
    if (h->permutation == TD_PERMUTATION_OTHER) {
        const mat3 R = placement_rotation(h->at);
        return (inertia){rotate(&R, b->h), rotate_sym(&R, I)};
    }
    const sym3 turned = rotate_transposed_sym(h, I);
    return (inertia){to_parent(h, &b->h), permute_sym(&axis_permutations[h->permutation], &turned)};
}

/* Shifts an inertia by −r; see composite_add_shifted. */
TD_INLINE inertia inertia_shift(const inertia *b, double mass, vec3 r)
{
    const vec3 k = add(b->h, scale(0.5 * mass, r)), twice = scale(2, r);
    const sym3 *I = &b->I;
    return (inertia){add(b->h, scale(mass, r)),
                     {I->xx + twice.y * k.y + twice.z * k.z, I->xy - r.x * k.y - r.y * k.x,
                      I->xz - r.x * k.z - r.z * k.x, I->yy + twice.x * k.x + twice.z * k.z,
                      I->yz - r.y * k.z - r.z * k.y, I->zz + twice.x * k.x + twice.y * k.y}};
}

TD_INLINE void composite_to_parent(const td_tree *tree, const td_scratch *s, const inertia *total,
                                   size_t i, td_permutation permutation)
{
    const td_body *body = &tree->body[i];
    const joint_transform h = joint_transform_again(tree, s, i, permutation);
    const inertia turned = inertia_to_parent(&h, total);
    const inertia share = inertia_shift(&turned, body->subtree, h.origin);
    inertia *sum = (inertia *)s->composite + body->parent;
    *sum = body->last ? share : (inertia){add(sum->h, share.h), sym_add(sum->I, share.I)};
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* A row in progress: its force on the current body, and its entries. */
typedef struct travelling_row {
    spatial F;
    real *row;
} travelling_row;

/* Transforms forces on body i to forces on its parent. */
TD_INLINE void row_to_parent(const td_tree *tree, const td_scratch *s, travelling_row *c, int count,
                             size_t i, td_permutation permutation)
{
    const joint_transform h = joint_transform_again(tree, s, i, permutation);
    for (int k = 0; k < count; k++) {
        const vec3 f = to_parent(&h, &c[k].F.linear), n = to_parent(&h, &c[k].F.angular);
        c[k].F = (spatial){add_cross(n, h.origin, f), f}; /* f_p = Eᵀ f, n_p = Eᵀ n + ρ × f_p */
    }
}

/* Computes entries of rows at a body: projects their forces on its joint. */
TD_INLINE void put_entries(const td_tree *tree, const td_scratch *s, const td_body *body,
                           const travelling_row *c, int count)
{
    const int depth = tree->pattern.depth[body->qd];
    if (joint_only_turns(body)) {
        for (int k = 0; k < count; k++)
            c[k].row[depth] = c[k].F.angular.z; /* H_ij = z · n */
        return;
    }
    const axes own = axes_splat(&own_axes);
    for (int j = 0; j < body->nv; j++)
        for (int k = 0; k < count; k++)
            c[k].row[depth + j] = spatial_dot(column_at(body, s, &own, j), c[k].F);
}

/* Moves rows from body i to its parent, and returns the parent. */
TD_INLINE int rows_to_parent(const td_tree *tree, const td_scratch *s, travelling_row *c, int count,
                             int i)
{
    const td_body *body = &tree->body[i];
    by_permutation(body->permutation, row_to_parent, tree, s, c, count, (size_t)i);
    put_entries(tree, s, &tree->body[body->parent], c, count);
    return body->parent;
}

/* Moves one or two rows from body i to the root. */
TD_INLINE void rows_to_root(const td_tree *tree, const td_scratch *s, travelling_row *c, int count,
                            int i)
{
    travelling_row at[2];
    for (int k = 0; k < count; k++)
        at[k] = c[k];
    while (tree->body[i].parent >= 0)
        i = rows_to_parent(tree, s, at, count, i);
}

static __attribute__((noinline)) void body_axes_rows_rare(const td_tree *tree, const td_scratch *s,
                                                          size_t i, const inertia *total)
{
    const td_body *body = &tree->body[i];
    const axes own = axes_splat(&own_axes);
    for (int k = 0; k < body->nv; k++) {
        const spatial S = column_at(body, s, &own, k);
        const spatial F = momentum_of(body->subtree, total, S);
        const int j = body->qd + k;
        real *row = (real *)s->mass + tree->pattern.row[j];
        rows_to_root(tree, s, &(travelling_row){F, row}, 1, (int)i);
        for (int l = 0; l <= k; l++)
            row[tree->pattern.depth[body->qd] + l] = spatial_dot(column_at(body, s, &own, l), F);
        if (joint_turns(body, k))
            row[tree->pattern.depth[j]] =
                but_rounding(row[tree->pattern.depth[j]], sym_trace(&total->I));
    }
}

static void body_axes_mass(const td_tree *tree, const td_scratch *s, const td_reals *q, int placed,
                           int with_rotors)
{
    real *H = s->mass;
    travelling_row c[2]; /* the second row waits at its parent for the first */
    int waiting = -1;
    if (!placed) {
        find_sines(tree, s, q);
        for (size_t i = 0; i < tree->bodies; i++)
            if (tree->body[i].permutation == TD_PERMUTATION_OTHER)
                joint_place(tree, s, q, i);
    }
    for (size_t i = tree->bodies; i-- > 0;) {
        const td_body *body = &tree->body[i];
        const inertia total = body_axes_composite(tree, s, i);
        if (joint_only_turns(body)) {
            /* F = I^c S with S = (z, 0): n = I z, f = z × h; H_ii = n_z */
            const vec3 n = {total.I.xz, total.I.yz, total.I.zz};
            const vec3 f = {-total.h.y, total.h.x, splat(0)};
            real *row = H + tree->pattern.row[body->qd];
            row[tree->pattern.depth[body->qd]] = but_rounding(n.z, sym_trace(&total.I));
            c[0] = (travelling_row){{n, f}, row};
            if (waiting == (int)i) {
                rows_to_root(tree, s, c, 2, (int)i);
                waiting = -1;
            } else if (body->parent + 1 == (int)i && i > 0 &&
                       joint_only_turns(&tree->body[body->parent])) {
                c[1] = c[0];
                waiting = rows_to_parent(tree, s, c + 1, 1, (int)i);
            } else {
                rows_to_root(tree, s, c, 1, (int)i);
            }
        } else {
            body_axes_rows_rare(tree, s, i, &total);
        }
        if (body->parent >= 0)
            by_permutation(body->permutation, composite_to_parent, tree, s, &total, i);
    }
    if (with_rotors)
        add_rotors(tree, H);
}

#endif
