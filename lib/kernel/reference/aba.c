/* SPDX-License-Identifier: MIT */
/*
 * Forward dynamics by the articulated-body algorithm (Featherstone, table 7.1). The force that a
 * body needs for an acceleration a, while all joints beyond it are free, is f = I_A a + p_A. I_A is
 * the articulated-body inertia, p_A the bias force.
 */
#include <stdlib.h>

#include "kernel/reference/joint_model.h"

typedef struct pass {
    joint_model joint;
    vector6 v, c, a; /* velocity; velocity-product acceleration; acceleration */
    matrix6 I_A;
    vector6 p_A;
    vector6 U[6]; /* I_A S */
    real D[6][6]; /* Sᵀ U, then its inverse */
    real u[6];    /* tau − Sᵀ p_A */
} pass;

/* Inverts a symmetric positive definite matrix in place, by Gauss-Jordan elimination. */
static void invert(int n, real D[6][6])
{
    for (int k = 0; k < n; k++) {
        const real pivot = 1.0 / D[k][k];
        D[k][k] = splat(1);
        for (int j = 0; j < n; j++)
            D[k][j] *= pivot;
        for (int i = 0; i < n; i++) {
            if (i == k)
                continue;
            const real factor = D[i][k];
            D[i][k] = splat(0);
            for (int j = 0; j < n; j++)
                D[i][j] -= factor * D[k][j];
        }
    }
}

/* Inward pass: adds the articulated inertia and bias force of body i to its parent. */
static void hand_on(pass *b, const real *tau, pass *parent)
{
    const int n = b->joint.columns;
    for (int k = 0; k < n; k++) {
        b->U[k] = product(&b->I_A, b->joint.S[k]);      /* U = I_A S */
        b->u[k] = tau[k] - dot6(b->joint.S[k], b->p_A); /* u = tau − Sᵀ p_A */
        for (int l = 0; l <= k; l++)
            b->D[k][l] = b->D[l][k] = dot6(b->joint.S[l], b->U[k]); /* D = Sᵀ U */
    }
    invert(n, b->D);
    if (!parent)
        return;
    matrix6 I_a = b->I_A;
    vector6 p_a = b->p_A;
    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++)
            add_dyad(&I_a, -b->D[k][l], b->U[k], b->U[l]); /* I_a = I_A − U D⁻¹ Uᵀ */
    p_a = sum(p_a, product(&I_a, b->c));                   /* p_a = p_A + I_a c */
    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++) /*       + U D⁻¹ u */
            p_a = sum(p_a, times(b->D[k][l] * b->u[l], b->U[k]));
    const matrix6 at_parent = congruent(&b->joint.X, &I_a);
    add_matrix(&parent->I_A, &at_parent);                                 /* I_A,p += Xᵀ I_a X */
    parent->p_A = sum(parent->p_A, transposed_product(&b->joint.X, p_a)); /* p_A,p += Xᵀ p_a */
}

/* Outward pass: computes the accelerations of the joint and of its body. */
static void accelerate(pass *b, vector6 a_p, real *qdd)
{
    const int n = b->joint.columns;
    const vector6 a = sum(product(&b->joint.X, a_p), b->c); /* a' = X a_p + c */
    b->a = a;
    for (int k = 0; k < n; k++) {
        qdd[k] = splat(0);
        for (int l = 0; l < n; l++) /* qdd = D⁻¹ (u − Uᵀ a') */
            qdd[k] += b->D[k][l] * (b->u[l] - dot6(b->U[l], a));
        b->a = sum(b->a, times(qdd[k], b->joint.S[k])); /* a = a' + S qdd */
    }
}

static void textbook_aba(const td_tree *tree, const void *positions, const void *velocities,
                         const void *forces, const void *external, void *accelerations)
{
    const real *qd = velocities, *tau = forces;
    const vector6 *f_ext = external;
    real *qdd = accelerations;
    joint_model *joint = joints_at(tree, positions, qd);
    pass *b = malloc((tree->bodies + 1) * sizeof *b);

    for (size_t i = 0; i < tree->bodies; i++) {
        const int p = tree->body[i].parent;
        b[i].joint = joint[i];
        b[i].v = sum(product(&joint[i].X, p < 0 ? zero6() : b[p].v), joint[i].v);
        b[i].c = sum(joint[i].c, cross_motion(b[i].v, joint[i].v)); /* c = S° qd + v × S qd */
        b[i].I_A = inertia_of(&tree->body[i]);                      /* I_A = I */
        b[i].p_A = cross_force(b[i].v, product(&b[i].I_A, b[i].v)); /* p_A = v ×* I v − f_ext */
        if (f_ext)
            b[i].p_A = difference(b[i].p_A, f_ext[i]);
    }
    for (size_t i = tree->bodies; i-- > 0;) {
        const td_body *body = &tree->body[i];
        hand_on(&b[i], tau + body->qd, body->parent < 0 ? NULL : &b[body->parent]);
    }
    for (size_t i = 0; i < tree->bodies; i++) {
        const td_body *body = &tree->body[i];
        accelerate(&b[i], body->parent < 0 ? upwards(tree) : b[body->parent].a, qdd + body->qd);
    }
    free(b), free(joint);
}
