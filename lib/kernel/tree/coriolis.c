/* SPDX-License-Identifier: MIT */
/*
 * The Coriolis matrix C(q, q̇): C q̇ is the velocity part of the bias force, and Ḣ − 2C is
 * skew-symmetric (Echeandia and Wensing 2021). B = ½ ([v]×* I − I [v]× + [I v]×̄) of each body is
 * summed over subtrees. Ṡ is the rate of a column. For an ancestor j of i
 *
 *   C(j, i) = S_jᵀ (I Ṡ_i + B S_i),   C(i, j) = Ṡ_jᵀ I S_i + S_jᵀ Bᵀ S_i
 *
 * with everything referred to one point. Here this point moves from body to body.
 */
#include "kernel/tree/coriolis.h"
#include "kernel/real/arrays.h"
#include "kernel/tree/motion_subspace.h"

/* Returns Ṡ of column k, which is fixed in the body or in its parent. */
TD_INLINE spatial column_rate(const td_body *body, const td_scratch *s, size_t b, int k,
                              spatial column)
{
    const body_motion *m = s->motion;
    spatial carrier = m[b].velocity;
    if (joint_column_is_parents(body, k))
        carrier = body->parent < 0 ? spatial_zero() : m[body->parent].velocity;
    return (spatial){
        cross(carrier.angular, column.angular),
        add(cross(carrier.angular, column.linear), cross(carrier.linear, column.angular))};
}

/* The three forces of a column of body b. Their reference point moves from body to body. */
typedef struct column_forces {
    spatial ahead; /* I Ṡ + B S */
    spatial own;   /* I S */
    vec3 behind;   /* Bᵀ S: a pure moment, independent of the reference point */
} column_forces;

TD_INLINE void coriolis_entries(const td_tree *tree, const td_scratch *s, int j, size_t i,
                                const column_forces *f, real *C)
{
    const td_body *body = &tree->body[j];
    const axes *p = (const axes *)s->pose + j;
    size_t nv = tree->nv;
    for (int m = 0; m < body->nv; m++) {
        size_t jm = (size_t)(body->qd + m);
        spatial column = column_at(body, s, p, m);
        spatial rate = column_rate(body, s, (size_t)j, m, column);
        C[jm * nv + i] = spatial_dot(column, f->ahead);
        if (jm != i)
            C[i * nv + jm] = spatial_dot(rate, f->own) + dot(column.angular, f->behind);
    }
}

TD_INLINE column_forces forces_of(const td_tree *tree, const td_scratch *s, size_t b, int k)
{
    const td_body *body = &tree->body[b];
    const inertia total = composite_at(s, b);
    const product *B = (const product *)s->product + b;
    spatial column = column_at(body, s, (const axes *)s->pose + b, k);
    spatial rate = column_rate(body, s, b, k, column);
    return (column_forces){
        spatial_add(momentum_of(body->subtree, &total, rate), product_apply(B, column.angular)),
        momentum_of(body->subtree, &total, column),
        product_apply_transposed(B, column),
    };
}

static void coriolis(const td_tree *tree, const td_scratch *s, td_reals *out)
{
    const body_motion *m = s->motion;
    const inertia *own = s->inertia;
    const packed3 *arm = s->arm;
    product *B = s->product;
    real *C = out;
    clear(C, tree->nv * tree->nv);
    for (size_t b = 0; b < tree->bodies; b++)
        B[b] = product_of(tree->body[b].mass, &own[b], m[b].velocity);
    for (size_t b = tree->bodies; b-- > 0;) {
        const td_body *body = &tree->body[b];
        for (int k = 0; k < body->nv; k++) {
            column_forces f = forces_of(tree, s, b, k);
            coriolis_entries(tree, s, (int)b, (size_t)(body->qd + k), &f, C);
            for (int j = (int)b; tree->body[j].parent >= 0; j = tree->body[j].parent) {
                f.ahead = force_shift(f.ahead, packed3_vec3(arm[j]));
                f.own = force_shift(f.own, packed3_vec3(arm[j]));
                coriolis_entries(tree, s, tree->body[j].parent, (size_t)(body->qd + k), &f, C);
            }
        }
        if (body->parent >= 0) {
            const product up = product_shift(&B[b], packed3_vec3(arm[b]));
            B[body->parent] = product_sum(&B[body->parent], &up);
        }
    }
}
