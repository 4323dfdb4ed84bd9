/* SPDX-License-Identifier: MIT */
/*
 * What joints of one coordinate meet beside the bodies: viscous damping d q̇, Coulomb friction f,
 * springs k (q − q₀) (equation 31 of the articulated-body paper with one spring a joint), and the
 * inertia of rotors behind a gear, n² J q̈. Friction is smoothed: f q̇ / √(q̇² + v₀²), 71 % of f at q̇
 * = v₀.
 */

/* of one coordinate */
TD_INLINE real passive_force(const td_passive *p, real x, real rate, double friction_velocity)
{
    const real small = splat(friction_velocity * friction_velocity);
    real force = splat(0);
    if (p->damping != 0)
        force += p->damping * rate;
    if (p->friction != 0)
        force += p->friction * rate / real_sqrt(rate * rate + small);
    if (p->stiffness != 0)
        force += p->stiffness * (x - p->reference);
    return force;
}

static void passive(const td_tree *tree, const void *coordinates, const void *rates,
                    double friction_velocity, void *out)
{
    const real *q = coordinates, *qd = rates;
    real *tau = out;
    for (size_t i = 0; i < tree->nv; i++) {
        const td_passive *p = &tree->passive[i];
        if (p->damping != 0 || p->friction != 0 || p->stiffness != 0)
            tau[i] += passive_force(p, q[tree->velocity_q[i]], qd[i], friction_velocity);
    }
}

static void rotors(const td_tree *tree, const void *accelerations, void *out)
{
    const real *qdd = accelerations;
    real *tau = out;
    for (size_t i = 0; i < tree->nv; i++)
        if (tree->passive[i].rotor != 0)
            tau[i] += tree->passive[i].rotor * qdd[i];
}
