/* SPDX-License-Identifier: MIT */
/*
 * Passive forces of joints with one coordinate: viscous damping d q̇, Coulomb friction f, springs k
 * (q − q₀), and the inertia of rotors that a gear connects to the joint, n² J q̈. The springs
 * follow Carvalho and Suleman, equation 31, with one spring for each joint. Friction is smoothed: f
 * q̇ / √(q̇² + v₀²), which is 71 % of f at q̇ = v₀.
 */
#ifndef TD_PASSIVE_H
#define TD_PASSIVE_H

#include "kernel/real/real.h"
#include "model/tree.h"
#include <stdbool.h>

/* Returns whether there is damping, friction or a spring. */
TD_INLINE bool passive_acts(const td_passive *p)
{
    return p->damping != 0 || p->friction != 0 || p->stiffness != 0;
}

/* Returns the passive force of one coordinate. */
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

/* Returns its derivative with respect to the rate: d + f v₀² / (q̇² + v₀²)^(3/2). */
TD_INLINE real passive_resistance(const td_passive *p, real rate, double friction_velocity)
{
    const real small = splat(friction_velocity * friction_velocity);
    const real square = rate * rate + small;
    if (p->friction == 0)
        return splat(p->damping);
    return p->damping + p->friction * (small / (square * real_sqrt(square)));
}

#endif
