/* SPDX-License-Identifier: MIT */
/*
 * The mass matrix by the composite-rigid-body algorithm (Featherstone, table 6.2). Let the joint of
 * body i have a unit acceleration, while all bodies beyond it move as one rigid body. Column i of H
 * is the force for this motion, projected on the joint and on its ancestors.
 */
#include <stdlib.h>

#include "kernel/reference/joint_model.h"

static void textbook_crba(const td_tree *tree, const void *positions, void *matrix)
{
    joint_model *joint = joints_at(tree, positions, NULL);
    matrix6 *I_c = malloc((tree->bodies + 1) * sizeof *I_c);
    real *H = matrix;

    for (size_t i = 0; i < tree->nv * tree->nv; i++)
        H[i] = splat(0);
    for (size_t i = 0; i < tree->bodies; i++)
        I_c[i] = inertia_of(&tree->body[i]); /* I_c = I */

    for (size_t i = tree->bodies; i-- > 0;) {
        const td_body *body = &tree->body[i];
        if (body->parent >= 0) { /* I_c,p += Xᵀ I_c X */
            const matrix6 at_parent = congruent(&joint[i].X, &I_c[i]);
            add_matrix(&I_c[body->parent], &at_parent);
        }
        for (int k = 0; k < joint[i].columns; k++) {
            const size_t column = (size_t)(body->qd + k);
            vector6 F = product(&I_c[i], joint[i].S[k]); /* F = I_c S */
            for (int j = (int)i; j >= 0; j = tree->body[j].parent) {
                for (int l = 0; l < joint[j].columns; l++) {
                    const size_t row = (size_t)(tree->body[j].qd + l);
                    H[row * tree->nv + column] = dot6(joint[j].S[l], F); /* H_ji = S_jᵀ F */
                    H[column * tree->nv + row] = H[row * tree->nv + column];
                }
                F = transposed_product(&joint[j].X, F); /* F = Xᵀ F: at the parent */
            }
        }
    }
    free(I_c), free(joint);
}
