/* SPDX-License-Identifier: MIT */
/*
 * Forward dynamics by the articulated-body algorithm (Featherstone 1983), in world axes with the
 * reference point at each body's origin: articulated inertias are shifted and added, never turned,
 * and the axis of a revolute joint has no linear part. With the classical acceleration (α, a) of
 * the body's origin and its articulated inertia
 *
 *   n = I α + H a + bias,   f = Hᵀ α + M a + bias
 *
 * passes go outwards (velocities, bias), inwards (inertias), outwards (accelerations). Gravity is
 * an acceleration −g of the world, and accelerations are counted from those that velocities and
 * gravity alone would give: the bias is then what the motion without q̈ takes, and the inertias meet
 * only what q̈ adds. A joint whose acceleration is given (hybrid dynamics) adds it to the former,
 * and hands its inertia on undiminished.
 *
 * Other reals than one double go by the bodies' axes, as do trees whose digits ask for it: see
 * kernel/tree/aba_body.c, which takes joints of several coordinates from here.
 */
#include "kernel/tree/articulated_bias.h"
#include "kernel/tree/articulated_joint.h"

/* Other reals go by the bodies' axes, see kernel/tree/aba_body.c: what is above serves them in
 * clusters, and there. */
#if defined(TD_REAL_DOUBLE)

/* Joints of several coordinates and given ones, in a function of their own: the numbers of joints
   of one coordinate stay in registers. */
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
        if (body->last) { /* of the parent's children, the first to come */
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
