/* SPDX-License-Identifier: MIT */
/*
 * The articulated-body algorithm of aba.c in body coordinates. The joint's axis is z, so U is a row
 * of the articulated inertia, and this row is zero after the joint has been eliminated. Body
 * inertias are constants, and poses are not needed. Lanes and the reals of tests always use it,
 * because it takes fewer operations. Single states use it where accuracy requires it
 * (load/tree/axes.c).
 */
#include "kernel/tree/body_axes_lanes.h"
#include "kernel/tree/body_axes_rows.h"

/* ---- inward pass ---------------------------------------------------------------------------- */

TD_INLINE void add_to_parent(const td_body *body, const td_scratch *s, const articulated *share)
{
    articulated *A = (articulated *)s->articulated + body->parent;
    *A = body->last ? *share : articulated_sum(A, share);
}

TD_INLINE void body_axes_inwards_of(const td_tree *tree, const td_scratch *s, int loaded,
                                    const real *tau, real *bad, size_t i,
                                    td_permutation permutation)
{
    const td_body *body = &tree->body[i];
    const articulated A = body_axes_total(tree, s, i, loaded);
    const released left =
        release(body, &A, tau[body->qd], (joint_projection *)s->joint_projection + i, bad);
    if (body->parent < 0)
        return;
    const articulated share = released_outer(tree, s, i, &left, permutation);
    add_to_parent(body, s, &share);
}

/* Adds the articulated inertia of body i, with its joint eliminated, to the parent. */
TD_INLINE void hand_over(const td_tree *tree, const td_scratch *s, size_t i,
                         const articulated *seen, td_permutation permutation)
{
    const articulated share = articulated_outer(tree, s, i, seen, permutation);
    add_to_parent(&tree->body[i], s, &share);
}

/* Handles joints that are general or prismatic, have rotors, or have given accelerations. */
static __attribute__((noinline)) void body_axes_inwards_rare(const td_tree *tree,
                                                             const td_scratch *s, size_t i,
                                                             bool loaded, const joint_drive *drive,
                                                             real *bad)
{
    const td_body *body = &tree->body[i];
    const axes own = axes_splat(&own_axes);
    const articulated A = body_axes_total(tree, s, i, loaded);
    articulated seen = A;
    if (drive->given) {
        ((articulated *)s->articulated)[i] = A; /* read by accelerate_joint */
    } else if (joint_is_general(body)) {
        through_general_joint(tree, body, s, &own, &seen, drive, bad);
    } else {
        const bool turns = joint_only_turns(body);
        const projection U = project_on_z(&A, turns, drive->tau[0]);
        const vec3 along = turns ? projection_angular(&U) : projection_linear(&U);
        const real D = along.z + (drive->rotors ? tree->passive[body->qd].rotor : 0);
        const real scale = turns ? articulated_angular_trace(&A) : articulated_linear_trace(&A);
        *bad = first_bad(*bad, SMALLEST_JOINT_INERTIA * scale, D, (size_t)body->qd);
        joint_projection *joint = (joint_projection *)s->joint_projection + i;
        *joint = (joint_projection){U, 1.0 / D};
        const projection V = projection_scale(joint->inverse, U);
        articulated_subtract(&seen, &U, &V);
    }
    if (body->parent >= 0)
        by_permutation(body->frame_permutation, hand_over, tree, s, i, &seen);
}

/* ---- outward pass --------------------------------------------------------------------------- */

/* Returns the parent's acceleration in body i, relative to the motion without q̈. */
TD_INLINE screw body_axes_outer(const td_tree *tree, const td_scratch *s, size_t i,
                                const screw *parent, td_permutation permutation)
{
    if (tree->body[i].parent < 0)
        return screw_of(spatial_zero());
    const joint_transform h = joint_transform_again(tree, s, i, permutation);
    const screw moved = screw_shift(*parent, joint_transform_origin(&h));
    return (screw){to_body(&h, &moved.angular), to_body(&h, &moved.linear)};
}

/* Computes the acceleration of body i from its parent's. */
TD_INLINE void body_axes_outwards_of(const td_tree *tree, const td_scratch *s, real *qdd, size_t i,
                                     screw *last, td_permutation permutation)
{
    const joint_projection *joint = (const joint_projection *)s->joint_projection + i;
    screw now = body_axes_outer(tree, s, i, last, permutation);
    const real rate = joint->inverse * projection_residual(&joint->U, &now);
    qdd[tree->body[i].qd] = rate;
    now.angular = packed3_add_z(now.angular, rate);
    *last = now;
}

static __attribute__((noinline)) void body_axes_outwards_rare(const td_tree *tree,
                                                              const td_scratch *s, size_t i,
                                                              const joint_drive *drive, screw *last)
{
    const axes own = axes_splat(&own_axes);
    screw now = body_axes_outer(tree, s, i, last, tree->body[i].permutation);
    const screw outer = now;
    accelerate_joint(tree, s, i, &own, &outer, &now, drive);
    *last = now;
}

/* ---- driver --------------------------------------------------------------------------------- */

/* Returns the body at an index of the outward order, in which parents precede children. Single
   states alternate between limbs; lanes have enough parallel work in each body. */
TD_INLINE size_t body_at(const td_tree *tree, size_t place)
{
    return TD_LANE_COUNT == 1 && tree->by_depth ? (size_t)tree->by_depth[place] : place;
}

static void body_axes_inwards(const td_tree *tree, const td_scratch *s, const td_motion_inputs *in,
                              const unsigned char *given, real *tau)
{
    const bool loaded = in->loaded, rotors = in->rotors;
    real *bad = s->singular;
    *bad = splat(-1);
    for (size_t place = tree->bodies; place-- > 0;) {
        const size_t i = body_at(tree, place);
        const td_body *body = &tree->body[i];
        const bool is_given = given && given[body->qd];
        if (is_given || !joint_only_turns(body) || (rotors && tree->passive[body->qd].rotor != 0)) {
            const joint_drive drive = {rotors, is_given, tau + body->qd, NULL};
            body_axes_inwards_rare(tree, s, i, loaded, &drive, bad);
        } else {
            by_permutation(body->permutation, body_axes_inwards_of, tree, s, loaded, tau, bad, i);
        }
    }
}

static void body_axes_outwards(const td_tree *tree, const td_scratch *s, bool rotors,
                               const unsigned char *given, real *tau, real *qdd)
{
    screw *acceleration = s->acceleration, last = screw_of(spatial_zero());
    size_t before = 0;
    for (size_t place = 0; place < tree->bodies; place++) {
        const size_t i = body_at(tree, place);
        const td_body *body = &tree->body[i];
        const bool is_given = given && given[body->qd];
        if (body->parent >= 0 && (size_t)body->parent != before)
            last = acceleration[body->parent];
        before = i;
        if (is_given || !joint_only_turns(body)) {
            acceleration[i] = last; /* its address is taken, so that last can stay in registers */
            const joint_drive drive = {rotors, is_given, tau + body->qd, qdd + body->qd};
            body_axes_outwards_rare(tree, s, i, &drive, &acceleration[i]);
            last = acceleration[i];
        } else {
            by_permutation(body->permutation, body_axes_outwards_of, tree, s, qdd, i, &last);
            acceleration[i] = last;
        }
    }
}

/* Computes placements for single states with vectors of two, which rotate rows by them and need
   them nowhere else. */
static void place_all(const td_tree *tree, const td_scratch *s, const real *q)
{
#if defined(TD_REAL_DOUBLE) && !defined(TD_PACKED3_VECTOR)
    for (size_t i = 0; i < tree->bodies; i++)
        joint_place(tree, s, q, i);
#else
    (void)tree, (void)s, (void)q;
#endif
}

static void body_axes_aba(const td_tree *tree, const td_scratch *s, const td_motion_inputs *in,
                          const unsigned char *given, td_reals *tau, td_reals *qdd)
{
    real *found = qdd;
    td_motion_inputs known = *in;
    known.qdd = given ? found : s->zeros;
    if (!in->posed)
        find_sines(tree, s, in->q);
    place_all(tree, s, in->q);
    for (size_t j = 0; given && j < tree->nv; j++)
        found[j] = given[j] ? found[j] : splat(0);
    rnea_outwards(tree, s, &known);
    body_axes_inwards(tree, s, in, given, tau);
    body_axes_outwards(tree, s, in->rotors, given, tau, found);
}
