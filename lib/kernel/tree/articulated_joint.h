/* SPDX-License-Identifier: MIT */
/*
 * The steps of the articulated-body algorithm at a joint: elimination in the inward pass,
 * accelerations in the outward pass.
 */
#ifndef TD_ARTICULATED_JOINT_H
#define TD_ARTICULATED_JOINT_H

#include "kernel/algebra/ldlt.h"
#include "kernel/tree/articulated.h"
#include "kernel/tree/motion_subspace.h"
#include <stdbool.h>

/* A pivot below this fraction of the trace of its inertia is rounding error. */
#define SMALLEST_JOINT_INERTIA 1e-13

/* results of the inward pass for the outward pass, for a joint with one coordinate */
typedef struct joint_projection {
    projection U; /* of the joint's axis, about the parent's origin, so that the outward pass does
                     not wait for the arm's part of the acceleration. In kernel/tree/aba_body.c,
                     about the body's origin. */
    real inverse; /* of the joint-space inertia D */
} joint_projection;

/* results of the inward pass for the outward pass, for a joint with several coordinates */
typedef struct general_projection {
    spatial S[6];
    projection U[6];
    real D[36]; /* 6 × 6, factored: kernel/algebra/ldlt.h */
} general_projection;

/* The inputs and outputs of a joint: if given is set, qdd is an input and tau is computed; else tau
   is an input. */
typedef struct joint_drive {
    bool rotors, given;
    real *tau, *qdd;
} joint_drive;

/* a joint's axis, and the arm from the parent's origin to the body's */
typedef struct joint_line {
    vec3 axis, arm;
} joint_line;

TD_INLINE joint_line joint_line_at(const axes *p, packed3 arm)
{
    return (joint_line){axis_in(p), packed3_vec3(arm)};
}

/* Projects A on a joint of one coordinate with the force tau. */
TD_INLINE void project_joint(const td_body *body, const articulated *A, joint_line line, real tau,
                             double rotor, joint_projection *joint, real *bad)
{
    const vec3 axis = line.axis;
    const bool turns = joint_only_turns(body);
    const projection U =
        turns ? projection_revolute(A, axis, tau) : projection_prismatic(A, axis, tau);
    const vec3 along = turns ? projection_angular(&U) : projection_linear(&U);
    real D = rotor + axis.x * along.x + axis.y * along.y + axis.z * along.z;
    real scale = turns ? articulated_angular_trace(A) : articulated_linear_trace(A);
    *bad = first_bad(*bad, SMALLEST_JOINT_INERTIA * scale, D, (size_t)body->qd);
    joint->U = projection_shift(&U, line.arm);
    joint->inverse = 1.0 / D;
}

/* Factors a joint's inertia D in its lower triangle. */
TD_INLINE void factor_general(const td_body *body, real *D, real *bad)
{
    const size_t n = (size_t)body->nv;
    real diagonal[6];
    for (size_t k = 0; k < n; k++)
        diagonal[k] = D[7 * k];
    for (size_t k = 0; k < n; k++) {
        *bad =
            first_bad(*bad, SMALLEST_JOINT_INERTIA * diagonal[k], D[7 * k], (size_t)body->qd + k);
        ldlt_eliminate(n, 6, D, k, 1.0 / D[7 * k]);
    }
}

/* Eliminates a joint of several coordinates from A. A does not change if the body has no parent. */
TD_INLINE void through_general_joint(const td_tree *tree, const td_body *body, const td_scratch *s,
                                     const axes *p, articulated *A, const joint_drive *drive,
                                     real *bad)
{
    general_projection *joint = (general_projection *)s->general + body->general;
    int n = body->nv;
    const pose at = pose_at(p);
    const spatial bias = articulated_bias(A);
    for (int k = 0; k < n; k++) {
        joint->S[k] = general_column(body, s, &at, k);
        spatial U = articulated_apply(A, joint->S[k]);
        joint->U[k] = projection_of(U, drive->tau[k] - spatial_dot(joint->S[k], bias));
        for (int j = 0; j <= k; j++)
            joint->D[6 * k + j] = spatial_dot(joint->S[j], U);
        if (drive->rotors)
            joint->D[7 * k] += splat(tree->passive[body->qd + k].rotor);
    }
    factor_general(body, joint->D, bad);

    /* A − U D⁻¹ Uᵀ = A − Σ w_k w_kᵀ / d_k with W = L⁻¹ U, one coordinate at a time. The entries of
       D⁻¹ may be far larger than the difference, so the product with D⁻¹ would be inaccurate. */
    projection W[6];
    for (int k = 0; body->parent >= 0 && k < n; k++) {
        W[k] = joint->U[k];
        for (int j = 0; j < k; j++)
            W[k] = projection_add(W[k], projection_scale(-joint->D[6 * k + j], W[j]));
        const projection V = projection_scale(joint->D[7 * k], W[k]);
        articulated_subtract(A, &W[k], &V);
    }
}

/* Returns the articulated inertia of body i without its children. */
TD_INLINE articulated own_articulated(const td_tree *tree, const td_scratch *s, size_t i)
{
    return articulated_own(tree->body[i].mass, (const inertia *)s->inertia + i,
                           (const articulated *)s->articulated + i);
}

/* Computes qdd from the acceleration that the body would have without it, or tau if qdd is
   given. */
TD_INLINE void accelerate_joint(const td_tree *tree, const td_scratch *s, size_t i, const axes *p,
                                const screw *outer, screw *a, const joint_drive *drive)
{
    const td_body *body = &tree->body[i];
    const articulated *A = (const articulated *)s->articulated + i;
    real *tau = drive->tau, *qdd = drive->qdd;
    if (drive->given) {
        spatial f = spatial_add(articulated_apply(A, screw_spatial(*a)), articulated_bias(A));
        for (int k = 0; k < body->nv; k++) {
            tau[k] = spatial_dot(column_at(body, s, p, k), f);
            if (drive->rotors)
                tau[k] += tree->passive[body->qd + k].rotor * qdd[k];
        }
    } else if (!joint_is_general(body)) {
        const joint_projection *joint = (const joint_projection *)s->joint_projection + i;
        qdd[0] = joint->inverse * projection_residual(&joint->U, outer);
        packed3 part = packed3_scale_by(qdd[0], packed3_col(&p->z));
        if (joint_only_turns(body))
            a->angular = packed3_add(a->angular, part);
        else
            a->linear = packed3_add(a->linear, part);
    } else {
        general_projection *joint = (general_projection *)s->general + body->general;
        for (int k = 0; k < body->nv; k++)
            qdd[k] = projection_residual(&joint->U[k], a);
        ldlt_solve((size_t)body->nv, 6, joint->D, qdd);
        for (int k = 0; k < body->nv; k++)
            *a = screw_add(*a, screw_of(spatial_scale(qdd[k], joint->S[k])));
    }
}

#endif
