/* SPDX-License-Identifier: MIT */
/*
 * The inward pass of aba_body.c for single states: articulated inertias by rows. R A Rᵀ is computed
 * as two products with R from the left, with a transposition between them. After a revolute joint
 * has been eliminated, the z rows of I and H are zero, and the z column of I is not read.
 */
#ifndef TD_BODY_AXES_ROWS_H
#define TD_BODY_AXES_ROWS_H

#include "kernel/tree/articulated_joint.h"
#include "kernel/tree/newton_euler.h"

#if defined(TD_REAL_DOUBLE)

/* Returns the articulated inertia of a body. If it has children, their sum is in the scratch. */
TD_INLINE articulated body_axes_total(const td_tree *tree, const td_scratch *s, size_t i,
                                      int loaded)
{
    const td_body *body = &tree->body[i];
    const td_inertia *J = &tree->body_inertia[i];
    const spin_motion *motion = (const spin_motion *)s->spin_motion + i;
    screw bias = {spin_moment(J, &motion->spin, motion->a),
                  spin_force(J, &motion->spin, motion->a)};
    if (loaded)
        bias = screw_add(bias, screw_of(spatial_scale(-1, ((const spatial *)s->wrench)[i])));
    const td_vec3 h = body->moment;
    const double m = body->mass;
    const vec3 n = packed3_vec3(bias.angular), f = packed3_vec3(bias.linear);
    /* (x, 0) as a product: a zero would come from an instruction that valgrind does not model */
    const row4 first = row_of(1, 0, 0, 0);
    articulated A = {
        .H = {row_of(0, -h.z, h.y, n.x), row_add(row_scale(h.z, first), row_of(0, 0, -h.x, n.y)),
              row_of(-h.y, h.x, 0, n.z)},
        .M = {row_add(row_scale(m, first), row_last(f.x)), row_of(0, m, 0, f.y),
              row_of(0, 0, m, f.z)},
    };
    sym_rows_k(&body->inertia, A.I);
    return body->leaf ? A : articulated_sum((const articulated *)s->articulated + i, &A);
}

/* An articulated inertia after elimination: the z row of I is not read, and the z row of H contains
   only the bias moment. */
typedef struct released {
    articulated A;
} released;

/* Eliminates a revolute joint about z from A. Returns the inertia to be added to the parent. */
TD_INLINE released release(const td_body *body, const articulated *A, real tau,
                           joint_projection *joint, real *bad)
{
    const projection U = {A->I[2], row_sub(A->H[2], row_last(tau))};
    const real D = row_get(&A->I[2], 2), inverse = 1.0 / D;
    *bad =
        first_bad(*bad, SMALLEST_JOINT_INERTIA * articulated_angular_trace(A), D, (size_t)body->qd);
    *joint = (joint_projection){U, inverse};
    const projection V = projection_scale(inverse, U);
    released left = {*A};
    for (int i = 0; i < 3; i++) {
        const row4 n = row_spread(U.angular, i), f = row_spread(U.linear, i);
        if (i < 2) {
            left.A.I[i] = row_sub(A->I[i], row_mul(n, V.angular));
            left.A.H[i] = row_sub(A->H[i], row_mul(n, V.linear));
        }
        left.A.M[i] = row_sub(A->M[i], row_mul(f, V.linear));
    }
    left.A.H[2] = row_last(tau);
    return left;
}

/* Computes R times the first rows of a. */
TD_INLINE void rows_rotate(const placement *P, const row4 a[3], int rows, row4 out[3])
{
    const row4 *R[3] = {&P->x, &P->y, &P->z};
    for (int i = 0; i < 3; i++) {
        row4 sum = row_add(row_scale(row_get(R[i], 0), a[0]), row_scale(row_get(R[i], 1), a[1]));
        out[i] = rows < 3 ? sum : row_add(sum, row_scale(row_get(R[i], 2), a[2]));
    }
}

/* Computes R S Rᵀ for a symmetric S whose first rows and columns are nonzero. Fourth entries are
   arbitrary. */
TD_INLINE void rows_rotate_both(const placement *P, const row4 S[3], int rows, row4 out[3])
{
    row4 half[3], turned[3];
    rows_rotate(P, S, rows, half);
    rows_transpose(half, turned);
    rows_rotate(P, turned, rows, out);
}

/* Shifts A as articulated_shift does. Ht: the rows of Hᵀ, which the caller has. */
TD_INLINE void shift_with(articulated *A, const row4 Ht[3], vec3 r)
{
    rows_add_cross(A->I, r, Ht);
    rows_add_cross(A->H, r, A->M);
    for (int i = 0; i < 3; i++)
        A->I[i] = row_add_cross(A->I[i], r, A->H[i]);
}

/* Returns A in the axes of the parent, about the parent's origin. rows: number of nonzero rows and
   columns of I. */
TD_INLINE articulated articulated_outer_of(const placement *P, const articulated *A, int rows)
{
    row4 half[3], turned[3], Ht[3];
    articulated out;
    rows_rotate_both(P, A->I, rows, out.I);
    rows_rotate(P, A->M, 3, half); /* its fourth entries are the bias force of the result */
    rows_transpose(half, turned);
    rows_rotate(P, turned, 3, out.M);
    for (int i = 0; i < 3; i++)
        out.M[i] = row_with_last(out.M[i], half[i]);
    rows_rotate(P, A->H, 3, half);
    rows_transpose(half, turned);
    rows_rotate(P, turned, 3, Ht);
    rows_transpose(Ht, out.H);
    for (int i = 0; i < 3; i++)
        out.H[i] = row_with_last(out.H[i], half[i]);
    shift_with(&out, Ht, packed3_vec3(packed3_origin(P)));
    return out;
}

/* Returns an eliminated inertia in the axes of the parent, about the parent's origin. */
TD_INLINE articulated released_outer(const td_tree *tree, const td_scratch *s, size_t i,
                                     const released *left, td_permutation permutation)
{
    (void)tree, (void)permutation;
    return articulated_outer_of((const placement *)s->placed + i, &left->A, 2);
}

/* Returns an articulated inertia in the axes of the parent, about the parent's origin. */
TD_INLINE articulated articulated_outer(const td_tree *tree, const td_scratch *s, size_t i,
                                        const articulated *A, td_permutation permutation)
{
    (void)tree, (void)permutation;
    return articulated_outer_of((const placement *)s->placed + i, A, 3);
}

/* Projects on a revolute joint about z, or a prismatic joint along z. */
TD_INLINE projection project_on_z(const articulated *A, bool turns, real tau)
{
    const vec3 z = {0, 0, 1};
    return turns ? projection_revolute(A, z, tau) : projection_prismatic(A, z, tau);
}

#endif

#endif
