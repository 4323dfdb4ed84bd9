/* SPDX-License-Identifier: MIT */
/*
 * Candidates for idle spins (load/tree/spins.c): motions that keep the center of mass of every body
 * in place, at one configuration. load/tree/spin_check.c decides which of them are spins.
 */
#ifndef TD_SPINS_H
#define TD_SPINS_H

#include "load/build.h"

/* The inertia of a body with all links fixed to it: at its center of mass, in the world's axes. */
typedef struct td_spin_inertia {
    double mass;
    td_vec3 com;
    td_sym3 inertia;
} td_spin_inertia;

/* Spatial velocity at the world's origin. */
typedef struct td_spin_twist {
    td_vec3 angular, linear;
} td_spin_twist;

/* One motion of the robot at one configuration. */
typedef struct td_spin_motion {
    const td_model *model;
    const char *in_loops;        /* per velocity of the tree: whether it moves bodies of loops */
    const td_vec3 *origin;       /* per body */
    const td_spin_inertia *body; /* per body */
    double size;                 /* of the robot */
    double *rate;                /* q̇ */
    td_spin_twist *twist;        /* per body */
    char *moves;                 /* per body */
    int *set, *ends, *neighbor;  /* scratch, per body */
} td_spin_motion;

/* smaller velocities, relative to the largest, are rounding errors of the robot's file */
#define TD_SPIN_ROUNDED 1e-5

/* Returns whether passive forces or a rotor act on a velocity, which is then in no idle spin. */
static inline bool td_velocity_resists(const td_passive *p)
{
    return p->damping != 0 || p->friction != 0 || p->stiffness != 0 || p->rotor != 0;
}

/* Adds a column of the motion subspaces (6 rows of nv) times rate to a twist. */
void td_spin_add(td_spin_twist *t, const double *column, size_t nv, double rate);

/* Computes the twists of all bodies at rate. J: 6 × nv motion subspaces in the world's frame. */
void td_spin_twists(td_spin_motion *m, const double *J);

/* Scales the motion to the angular velocity 1, and marks the bodies that move. Returns whether they
   are rods that spin about the lines of their ends. */
bool td_is_spin(td_spin_motion *m);

/* Completes the model's spins that were found at all of several configurations, and drops others
   (load/tree/spin_choice.c). */
void td_spins_finish(td_model *model, int samples);

#endif
