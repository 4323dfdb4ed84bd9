/* SPDX-License-Identifier: MIT */
/*
 * Inverse dynamics by the recursive Newton-Euler algorithm, in body coordinates and with the
 * classical acceleration of each body's origin. This is the form of Luh, Walker and Paul, which
 * needs no linear velocity. Let ρ be the body's origin in its parent p, and ω_J, v_J the joint's
 * velocity. The outward pass is
 *
 *   ω = E ω_p + ω_J
 *   α = E α_p + (E ω_p) × ω_J + ω̇_J
 *   a = E (a_p + B_p ρ) + 2 (E ω_p) × v_J + v̇_J + ω_J × v_J,     B = [α]× + [ω]×[ω]×
 *
 * and the inward pass, starting with the body's own force,
 *
 *   f = m a + B h − f_ext,   n = I α + ω × I ω + h × a − n_ext
 *   tau = the part of (n, f) along the joint,   f_p += Eᵀ f,   n_p += Eᵀ n + ρ × Eᵀ f
 *
 * Gravity is an acceleration −g of the world. m, h and I are regrouped (find_inertias in
 * load/tree/tree.c). So only the components of n and f along the joint equal the joint wrench.
 */
#include "kernel/tree/newton_euler.h"

/* Returns the force that moves a body, without the part that regrouping moves to its parent. */
TD_INLINE packed_force own_force(const td_tree *tree, const spin_motion *motion, size_t i)
{
    const td_inertia *J = &tree->regrouped[i];
    /* n = I α + ω × I ω + h × a, f = m a + B h; a revolute joint's m and h_z belong to its
       parent */
    if (joint_only_turns(&tree->body[i]))
        return (packed_force){spin_moment_about_z(J, &motion->spin, motion->a),
                              spin_force_about_z(J, &motion->spin)};
    return (packed_force){spin_moment(J, &motion->spin, motion->a),
                          spin_force(J, &motion->spin, motion->a)};
}

/* Transforms a force on body i to its parent. */
TD_INLINE void hand_back(const td_tree *tree, const td_scratch *s, size_t i, const packed_force *f,
                         packed_force *back, td_permutation permutation)
{
    const joint_transform h = joint_transform_again(tree, s, i, permutation);
    /* f_p += Eᵀ f,  n_p += Eᵀ n + ρ × Eᵀ f */
    const packed3 force = to_parent(&h, &f->force), moment = to_parent(&h, &f->moment);
    *back = (packed_force){packed3_add_cross(moment, joint_transform_origin(&h), force), force};
}

/* Computes the forces, from the leaves to the root. The force on body i − 1 stays in registers;
   sums for other parents are in the scratch. */
static void rnea_inwards(const td_tree *tree, const td_scratch *s, int loaded, real *tau)
{
    const spin_motion *motion = s->spin_motion;
    const spatial *external = s->wrench;
    packed_force *share = s->packed_force;
    const packed3 none = packed3_of(vec3_splat((td_vec3){0, 0, 0}));

    packed_force back = {none, none};
    int receiver = -1; /* the body that back belongs to */
    for (int i = (int)tree->bodies; i-- > 0;) {
        const td_body *body = &tree->body[i];
        packed_force f = own_force(tree, &motion[i], (size_t)i);
        if (loaded)
            f = packed_force_sub(f, &external[i]); /* − f_ext */
        if (receiver == i)
            f = packed_force_add(f, back); /* + Σ of the children */
        if (body->branching)
            f = packed_force_add(f, share[i]);
        joint_project(body, s, &f, tau + body->qd); /* tau = Sᵀ f */

        receiver = body->parent;
        if (receiver < 0)
            continue;
        by_permutation(body->permutation, hand_back, tree, s, (size_t)i, &f, &back);
        if (receiver == i - 1)
            continue;
        share[receiver] = body->last ? back : packed_force_add(share[receiver], back);
    }
}

static void rnea(const td_tree *tree, const td_scratch *s, const td_motion_inputs *in,
                 td_reals *tau)
{
    if (!in->posed)
        find_sines(tree, s, in->q);
    if (TD_LANE_COUNT == 1) /* saves 3 % of the instructions; in lanes the function is long */
        move_bodies(tree, s, in);
    else
        rnea_outwards(tree, s, in);
    rnea_inwards(tree, s, in->loaded, tau);
}
