/* SPDX-License-Identifier: MIT */
/*
 * Forward dynamics by the articulated-body algorithm (Featherstone 1983), in world axes with the
 * reference point at each body's origin. Articulated inertias are shifted and added, never rotated,
 * and the axis of a revolute joint has no linear part. With the classical acceleration (α, a) of
 * the body's origin and the body's articulated inertia
 *
 *   n = I α + H a + bias,   f = Hᵀ α + M a + bias
 *
 * The passes are outward (velocities, bias), inward (inertias) and outward (accelerations). Gravity
 * is an acceleration −g of the world. Accelerations are relative to those that velocities and
 * gravity alone would cause. Hence the bias is the force for the motion without q̈, and the
 * inertias multiply only the part due to q̈. A joint with a given acceleration (hybrid dynamics)
 * adds it to the motion without q̈, and passes its inertia to the parent unreduced.
 *
 * Reals other than double use body axes, and so do trees for which this algorithm would be
 * inaccurate: see kernel/tree/aba_body.c. Both share the code for joints with several coordinates
 * (articulated_joint.h).
 */
#include "kernel/tree/articulated_bias.h"
#include "kernel/tree/articulated_joint.h"

/* The included headers are used for all reals, for clusters and for kernel/tree/aba_body.c. The
   functions below exist only for double. */
#if defined(TD_REAL_DOUBLE)

/* Handles joints with several coordinates or given accelerations. It is a separate function so that
   the numbers of one-coordinate joints stay in registers. */
static __attribute__((noinline)) void aba_inwards_rare(const td_tree *tree, const td_scratch *s,
                                                       size_t i, const joint_drive *drive,
                                                       real *bad)
{
    const td_body *body = &tree->body[i];
    articulated seen = ((const articulated *)s->articulated)[i];
    if (!drive->given)
        through_general_joint(tree, body, s, (const axes *)s->pose + i, &seen, drive, bad);
    if (body->parent < 0)
        return;
    seen = articulated_shift(&seen, packed3_vec3(((const packed3 *)s->arm)[i]));
    articulated *A = (articulated *)s->articulated + body->parent;
    const articulated before = body->last ? own_articulated(tree, s, (size_t)body->parent) : *A;
    *A = articulated_sum(&before, &seen);
}

static void aba_inwards(const td_tree *tree, const td_scratch *s, bool rotors,
                        const unsigned char *given, real *tau)
{
    const axes *p = s->pose;
    const packed3 *arm = s->arm;
    articulated *A = s->articulated;
    joint_projection *joint = s->joint_projection;
    real *bad = s->singular;

    *bad = splat(-1);
    for (size_t i = tree->bodies; i-- > 0;) {
        const td_body *body = &tree->body[i];
        if (body->leaf)
            A[i] = own_articulated(tree, s, i);
        bool is_given = given && given[body->qd];
        if (is_given || joint_is_general(body)) {
            const joint_drive drive = {rotors, is_given, tau + body->qd, NULL};
            aba_inwards_rare(tree, s, i, &drive, bad);
            continue;
        }
        const double rotor = rotors ? tree->passive[body->qd].rotor : 0;
        project_joint(body, &A[i], joint_line_at(&p[i], arm[i]), tau[body->qd], rotor, &joint[i],
                      bad);
        if (body->last) { /* this order visits the last child of a parent first */
            const articulated own = own_articulated(tree, s, (size_t)body->parent);
            A[body->parent] = articulated_add_through(&own, &A[i], packed3_vec3(arm[i]),
                                                      &joint[i].U, joint[i].inverse);
        } else if (body->parent >= 0) {
            A[body->parent] = articulated_add_through(&A[body->parent], &A[i], packed3_vec3(arm[i]),
                                                      &joint[i].U, joint[i].inverse);
        }
    }
}

static void aba_outwards(const td_tree *tree, const td_scratch *s, bool rotors,
                         const unsigned char *given, real *tau, real *qdd)
{
    const axes *p = s->pose;
    const packed3 *arm = s->arm;
    const screw none = screw_of(spatial_zero());
    screw *a = s->acceleration;

    for (size_t i = 0; i < tree->bodies; i++) {
        const td_body *body = &tree->body[i];
        const screw outer = body->parent < 0 ? none : a[body->parent];
        screw now = screw_shift(outer, arm[i]);
        const joint_drive drive = {rotors, given && given[body->qd], tau + body->qd,
                                   qdd + body->qd};
        accelerate_joint(tree, s, i, &p[i], &outer, &now, &drive);
        a[i] = now;
    }
}

static void world_axes_aba(const td_tree *tree, const td_scratch *s, const td_motion_inputs *in,
                           const unsigned char *given, td_reals *tau, td_reals *qdd)
{
    if (!in->posed)
        poses(tree, s, in->q, TD_EVERY_LINK, true);
    inertias(tree, s);
    aba_bias(tree, s, in->qd, given ? qdd : NULL, given, in->loaded);
    aba_inwards(tree, s, in->rotors, given, tau);
    aba_outwards(tree, s, in->rotors, given, tau, qdd);
}

#endif
