/* SPDX-License-Identifier: MIT */
/*
 * The joint model (Featherstone, section 4.4). X transforms motions from parent to body
 * coordinates. The columns of the motion subspace S, the velocity S qd, and S° qd are in body
 * coordinates; S° is the rate of S in these coordinates. The joint's axis is the body's z
 * (model/tree.h). Inertias are in body coordinates, too.
 */
#ifndef TD_JOINT_MODEL_H
#define TD_JOINT_MODEL_H

#include <stdlib.h>

#include "kernel/real/sincos.h"
#include "kernel/reference/spatial_vectors.h"
#include "model/tree.h"

typedef struct joint_model {
    matrix6 X;
    int columns;
    vector6 S[6];
    vector6 v; /* S qd */
    vector6 c; /* S° qd */
} joint_model;

/* Writes the coordinate transform of a rotation about z: the transpose of the body's rotation
   matrix. */
static inline void turn_about_z(real sine, real cosine, real E[3][3])
{
    E[0][0] = E[1][1] = cosine;
    E[0][1] = sine;
    E[1][0] = -sine;
}

/* Writes the coordinate transform of a unit quaternion (x, y, z, w), likewise transposed. */
static inline void turn_by_quaternion(const real *quaternion, real E[3][3])
{
    const real x = quaternion[0], y = quaternion[1], z = quaternion[2], w = quaternion[3];
    const real R[3][3] = {
        {1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)},
        {2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)},
        {2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            E[i][j] = R[j][i];
}

/* Computes the rotation E_J and the translation r_J that q adds to the placement at q = 0, in the
   joint's frame at the parent. */
static inline void joint_displacement(const td_body *body, const real *q, real sine, real cosine,
                                      real E[3][3], real r[3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            E[i][j] = splat(i == j);
    r[0] = r[1] = r[2] = splat(0);
    switch (body->motion) {
    case TD_MOTION_REVOLUTE:
        turn_about_z(sine, cosine, E);
        break;
    case TD_MOTION_PRISMATIC:
        r[2] = q[0];
        break;
    case TD_MOTION_SCREW:
        turn_about_z(sine, cosine, E);
        r[2] = body->pitch * q[0];
        break;
    case TD_MOTION_PLANAR:
        turn_about_z(sine, cosine, E);
        r[0] = q[0], r[1] = q[1];
        break;
    case TD_MOTION_BALL:
        turn_by_quaternion(q, E);
        break;
    case TD_MOTION_FLOATING:
        turn_by_quaternion(q + 3, E);
        r[0] = q[0], r[1] = q[1], r[2] = q[2];
        break;
    }
}

static inline matrix6 joint_transform(const td_body *body, const real *q, real sine, real cosine)
{
    const td_mat3 *K = &body->rotation;
    const double at_zero[3][3] = {
        {K->xx, K->xy, K->xz}, {K->yx, K->yy, K->yz}, {K->zx, K->zy, K->zz}};
    real E_J[3][3], r_J[3], E[3][3],
        r[3] = {splat(body->position.x), splat(body->position.y), splat(body->position.z)};
    joint_displacement(body, q, sine, cosine, E_J, r_J);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) { /* E = E_J K,  r = r_T + Kᵀ r_J */
            E[i][j] = splat(0);
            for (int k = 0; k < 3; k++)
                E[i][j] += at_zero[k][j] * E_J[i][k];
        }
        for (int k = 0; k < 3; k++)
            r[i] += at_zero[k][i] * r_J[k];
    }
    return plucker(E, r);
}

/* Returns the joint model at q and qd (NULL: at rest). */
static inline joint_model joint_at(const td_body *body, const real *q, const real *qd, real sine,
                                   real cosine)
{
    joint_model joint = {.X = joint_transform(body, q, sine, cosine), .columns = body->nv};
    for (int k = 0; k < 6; k++)
        joint.S[k] = zero6();
    joint.v = joint.c = zero6();
    switch (body->motion) {
    case TD_MOTION_REVOLUTE:
        joint.S[0].x[2] = splat(1);
        break;
    case TD_MOTION_PRISMATIC:
        joint.S[0].x[5] = splat(1);
        break;
    case TD_MOTION_SCREW:
        joint.S[0].x[2] = splat(1);
        joint.S[0].x[5] = splat(body->pitch);
        break;
    case TD_MOTION_PLANAR: /* x and y are fixed in the parent, so they rotate in the body */
        joint.S[0].x[3] = cosine;
        joint.S[0].x[4] = -sine;
        joint.S[1].x[3] = sine;
        joint.S[1].x[4] = cosine;
        joint.S[2].x[2] = splat(1);
        if (qd) { /* S° = ∂S/∂θ θ̇ */
            joint.c.x[3] = qd[2] * (cosine * qd[1] - sine * qd[0]);
            joint.c.x[4] = -qd[2] * (cosine * qd[0] + sine * qd[1]);
        }
        break;
    case TD_MOTION_BALL:
        for (int k = 0; k < 3; k++)
            joint.S[k].x[k] = splat(1);
        break;
    case TD_MOTION_FLOATING:
        for (int k = 0; k < 6; k++)
            joint.S[k].x[k] = splat(1);
        break;
    }
    for (int k = 0; qd && k < joint.columns; k++)
        joint.v = sum(joint.v, times(qd[k], joint.S[k]));
    return joint;
}

/* Returns the spatial inertia [I h×; −h× m 1], with I about the body's origin and h = m c. */
static inline matrix6 inertia_of(const td_body *body)
{
    const td_sym3 *I = &body->inertia;
    const td_vec3 *h = &body->moment;
    const double rows[6][6] = {
        {I->xx, I->xy, I->xz, 0, -h->z, h->y}, {I->xy, I->yy, I->yz, h->z, 0, -h->x},
        {I->xz, I->yz, I->zz, -h->y, h->x, 0}, {0, h->z, -h->y, body->mass, 0, 0},
        {-h->z, 0, h->x, 0, body->mass, 0},    {h->y, -h->x, 0, 0, 0, body->mass},
    };
    matrix6 M;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            M.m[i][j] = splat(rows[i][j]);
    return M;
}

/* Allocates and returns the joint models of all bodies. */
static inline joint_model *joints_at(const td_tree *tree, const real *q, const real *qd)
{
    joint_model *joint = malloc((tree->bodies + 1) * sizeof *joint);
    real *sine = malloc(2 * (td_whole_vectors(tree->angles) + 8) * sizeof *sine);
    real *cosine = sine + td_whole_vectors(tree->angles) + 8;
    real_sincos_array(tree->angles, q, tree->angle_q, sine, cosine);
    for (size_t i = 0; i < tree->bodies; i++) {
        const td_body *body = &tree->body[i];
        const int angle = body->angle < 0 ? 0 : body->angle;
        joint[i] =
            joint_at(body, q + body->q, qd ? qd + body->qd : NULL, sine[angle], cosine[angle]);
    }
    free(sine);
    return joint;
}

/* Returns −a_g: gravity as an acceleration of the world. */
static inline vector6 upwards(const td_tree *tree)
{
    vector6 a = zero6();
    a.x[3] = splat(-tree->gravity.x);
    a.x[4] = splat(-tree->gravity.y);
    a.x[5] = splat(-tree->gravity.z);
    return a;
}

#endif
