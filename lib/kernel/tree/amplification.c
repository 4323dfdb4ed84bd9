/* SPDX-License-Identifier: MIT */
/*
 * Estimates whether forward dynamics may have lost the significant digits of a joint's inertia,
 * from the results of the recursion. Let joint k accelerate by 1, and let its descendants j be
 * free, with accelerations x_j. Then D_k is the energy of this motion, without the factor ½. It is
 * accurate unless it is small compared to Σ A_jj x_j² (kernel/algebra/ltdl.c).
 *
 * Let y_j = √(A_jj / D_k) |x_j|, so y_k = √(A_kk / D_k). A free joint j moves so that the energy is
 * least. To release it reduces the energy by D_j x_j², which is at most
 *
 *   c_j² D_k: the energy of the bodies that j carries if j is locked and they follow its parent,
 *     whose energy is at most D_k;
 *   (Σ √A_ii |x_i|)² over the joints i from k to j, which move these bodies.
 *
 * So y_j ≤ √(A_jj / D_j) max(1, min(c_j, Σ y_i)), where the sum is over all joints that carry j. Σ
 * y_j² bounds Σ A_jj x_j² / D_k for all k at once. A and c do not depend on the configuration
 * (load/tree/axes.c); D does. If the bound exceeds the limit for accurate inertias, the pivots are
 * examined.
 */
#include "kernel/kernel.h"
#include "kernel/real/arrays.h"
#include "kernel/tree/articulated_joint.h"

/* Computes Σ y², after aba without given accelerations. */
static void amplification(const td_tree *tree, const td_scratch *s, int rotors, td_reals *sum)
{
    real all = splat(0), *total = s->bias; /* per body, at its first velocity: Σ y of its joint and
                                              the joints that carry it */
    for (size_t i = 0; i < tree->bodies; i++) {
        const td_body *body = &tree->body[i];
        real above = body->parent < 0 ? splat(0) : total[tree->body[body->parent].qd];
        const real carried = splat(tree->carried[i]);
        real bound = select_lt(above, carried, above, carried);
        for (int n = 0; n < body->nv; n++) {
            const real inverse =
                joint_is_general(body)
                    ? ((const general_projection *)s->general)[body->general].D[7 * n]
                    : ((const joint_projection *)s->joint_projection)[i].inverse;
            const int k = body->qd + n;
            const double A = tree->largest[k] + (rotors ? tree->passive[k].rotor : 0);
            const real y = real_sqrt(A * inverse) * select_lt(splat(1), bound, bound, splat(1));
            all += y * y;
            above += y;
            bound = above; /* this coordinate carries the next one */
        }
        total[body->qd] = above;
    }
    *(real *)sum = all;
}
