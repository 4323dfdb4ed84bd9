/* SPDX-License-Identifier: MIT */
/*
 * Passive forces of the joints of the tree, and the inertia of rotors.
 */
#include "kernel/tree/passive.h"
#include "kernel/kernel.h"

static void passive(const td_tree *tree, const td_reals *coordinates, const td_reals *rates,
                    double friction_velocity, td_reals *out)
{
    const real *q = coordinates, *qd = rates;
    real *tau = out;
    for (size_t i = 0; i < tree->nv; i++) {
        const td_passive *p = &tree->passive[i];
        if (p->damping != 0 || p->friction != 0 || p->stiffness != 0)
            tau[i] += passive_force(p, q[tree->velocity_q[i]], qd[i], friction_velocity);
    }
}

static void rotors(const td_tree *tree, const td_reals *accelerations, td_reals *out)
{
    const real *qdd = accelerations;
    real *tau = out;
    for (size_t i = 0; i < tree->nv; i++)
        if (tree->passive[i].rotor != 0)
            tau[i] += tree->passive[i].rotor * qdd[i];
}
