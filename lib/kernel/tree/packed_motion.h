/* SPDX-License-Identifier: MIT */
/*
 * The motion of a body and the force on it in body axes, for the recursive Newton-Euler algorithm;
 * see rnea.c.
 */
#ifndef TD_PACKED_MOTION_H
#define TD_PACKED_MOTION_H

#include "kernel/real/packed3.h"

typedef struct packed_force {
    packed3 moment, force;
} packed_force;

TD_INLINE packed_force packed_force_add(packed_force a, packed_force b)
{
    return (packed_force){packed3_add(a.moment, b.moment), packed3_add(a.force, b.force)};
}

TD_INLINE packed_force packed_force_sub(packed_force a, const spatial *b)
{
    return (packed_force){packed3_sub(a.moment, packed3_of(b->angular)),
                          packed3_sub(a.force, packed3_of(b->linear))};
}

typedef struct spin_motion {
    spin spin; /* ω, α and B */
    packed3 a;
} spin_motion;

#endif
