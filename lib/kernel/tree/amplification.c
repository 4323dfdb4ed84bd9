/* SPDX-License-Identifier: MIT */
/*
 * Whether forward dynamics may have lost the digits of a joint's inertia, from what the recursion
 * leaves. Let joint k accelerate by 1 and those behind it be free, by x. Then D_k is the energy of
 * that motion, and it has digits where it is not small against Σ A_jj x_j² (kernel/algebra/ltdl.c).
 * Of y_j = √(A_jj / D_k) |x_j|, y_k = √(A_kk / D_k), and j behind k is where all others are least
 * against it: D_j x_j² is the energy that letting go of j takes away, of which there is no more
 * than
 *
 *   what j carries when it is locked, in the motion of its parent, whose own energy is at most D_k:
 *     c_j² D_k;
 *   (Σ √A_ii |x_i|)² of the joints i from k to j, since what j carries is part of what these do.
 *
 * So y_j ≤ √(A_jj / D_j) max(1, min(c_j, Σ y_i)), the sum being over all joints that carry j, and
 * Σ y_j² bounds all Σ A_jj x_j² / D_k at once. A and c do not depend on the configuration
 * (load/tree/axes.c); D does. Where the bound is no better than the truth must be, pivots are
 * examined.
 */
#include "kernel/kernel.h"
#include "kernel/real/arrays.h"
#include "kernel/tree/articulated_joint.h"

/* after aba, no acceleration being given: Σ y² */
static void amplification(const td_tree *tree, const td_scratch *s, int rotors, td_reals *sum)
{
    real all = splat(0), *total = s->bias; /* per body, in the place of its first velocity: Σ y of
                                              its joint and those that carry it */
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
            bound = above; /* the next coordinate is carried by this one */
        }
        total[body->qd] = above;
    }
    *(real *)sum = all;
}
