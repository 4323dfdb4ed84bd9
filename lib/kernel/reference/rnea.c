/* SPDX-License-Identifier: MIT */
/*
 * Inverse dynamics by the recursive Newton-Euler algorithm (Featherstone, table 5.1). An outward
 * pass computes velocities and accelerations, an inward pass forces.
 */
#include <stdlib.h>

#include "kernel/reference/joint_model.h"

static void textbook_rnea(const td_tree *tree, const void *positions, const void *velocities,
                          const void *accelerations, const void *external, void *forces)
{
    const real *q = positions, *qd = velocities, *qdd = accelerations;
    const vector6 *f_ext = external;
    real *tau = forces;
    joint_model *joint = joints_at(tree, q, qd);
    vector6 *v = malloc((tree->bodies + 1) * sizeof *v);
    vector6 *a = malloc((tree->bodies + 1) * sizeof *a);
    vector6 *f = malloc((tree->bodies + 1) * sizeof *f);

    for (size_t i = 0; i < tree->bodies; i++) {
        const td_body *body = &tree->body[i];
        const joint_model *J = &joint[i];
        const matrix6 I = inertia_of(body);
        const vector6 v_p = body->parent < 0 ? zero6() : v[body->parent];
        const vector6 a_p = body->parent < 0 ? upwards(tree) : a[body->parent];

        v[i] = sum(product(&J->X, v_p), J->v); /* v = X v_p + S qd */
        a[i] = product(&J->X, a_p);            /* a = X a_p */
        for (int k = 0; k < J->columns; k++)   /*     + S qdd */
            a[i] = sum(a[i], times(qdd[body->qd + k], J->S[k]));
        a[i] = sum(a[i], J->c);                     /*     + S° qd */
        a[i] = sum(a[i], cross_motion(v[i], J->v)); /*     + v × S qd */

        f[i] = product(&I, a[i]);                               /* f = I a */
        f[i] = sum(f[i], cross_force(v[i], product(&I, v[i]))); /* + v ×* I v */
        if (f_ext)
            f[i] = difference(f[i], f_ext[i]); /*     − f_ext */
    }

    for (size_t i = tree->bodies; i-- > 0;) {
        const td_body *body = &tree->body[i];
        const joint_model *J = &joint[i];
        for (int k = 0; k < J->columns; k++) /* tau = Sᵀ f */
            tau[body->qd + k] = dot6(J->S[k], f[i]);
        if (body->parent >= 0) /* f_p += Xᵀ f */
            f[body->parent] = sum(f[body->parent], transposed_product(&J->X, f[i]));
    }
    free(f), free(a), free(v), free(joint);
}
