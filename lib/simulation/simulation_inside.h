/* SPDX-License-Identifier: MIT */
/*
 * What the files of the simulation share. The integrator's state is
 *
 *   x = (y, ẏ, z, work)          of sizes ny, nyd, states, 1
 */
#ifndef TD_SIMULATION_INSIDE_H
#define TD_SIMULATION_INSIDE_H

#include "tandem/closure.h"
#include "tandem/configuration.h"
#include "tandem/constraint.h"
#include "tandem/kinematics.h"
#include "tandem/simulation.h"

/* a floating joint that is independent: where its 7 and 6 coordinates are */
typedef struct td_free_joint {
    size_t y, yd;
} td_free_joint;

/* what damps a joint of one coordinate, or one that closes a loop */
typedef struct td_damper {
    size_t at; /* entry in q̇, or index of the loop */
    double damping, friction;
} td_damper;

/* what stores energy: springs and rotors */
typedef struct td_store {
    size_t q, qd; /* entries in q and q̇; of a loop its index in both */
    double stiffness, reference, rotor;
} td_store;

struct td_simulation {
    const td_model *model;
    td_workspace *w;
    td_integrator *integrator;
    td_simulation_options options;
    td_forces forces;
    size_t ny, nyd, nq, nv, size;
    bool iterated; /* γ is not linear */
    bool started;

    td_free_joint *free_joints;
    size_t free_count;
    size_t *velocity_of; /* ny: entry in ẏ of what y[i] is the integral of; of the joints above
                            nothing */
    td_damper *dampers, *loop_dampers;
    size_t damper_count, loop_damper_count;
    td_store *stores, *loop_stores;
    size_t store_count, loop_store_count;
    unsigned char *given; /* NULL: none */

    double *y, *yd, *ydd, *tau_y, *q, *qd, *qdd; /* of the state that was looked at last */
    double *wrenches, *velocities;               /* links × 6; NULL without wrenches */
    double *x, *z_rate;                          /* size, states: room */
};

/* What lies in x. */
static inline const double *td_x_velocity(const td_simulation *s, const double *x)
{
    return x + s->ny;
}
static inline const double *td_x_states(const td_simulation *s, const double *x)
{
    return x + s->ny + s->nyd;
}
static inline double td_x_work(const td_simulation *s, const double *x)
{
    return x[s->size - 1];
}

/* The state x at t as s->y, s->yd, with quaternions of unit length and prescribed entries in their
   places. */
td_status td_simulation_look(td_simulation *s, double t, const double *x);

/* Forces and accelerations at the state that was looked at: s->tau_y, s->ydd. z_rate may be NULL.
 */
td_status td_simulation_accelerate(td_simulation *s, double t, const double *x, double *z_rate);

/* The power of all that is not conservative at the state that was looked at. */
td_status td_simulation_power(td_simulation *s, double *power);

/* The callbacks of the integrator. */
td_status td_simulation_rate(void *simulation, double t, const double *x, double *rate);
void td_simulation_project(void *simulation, double t, double *x);

/* Counts, or with room lists, the dampers and stores of the model. */
void td_simulation_list_passive(td_simulation *s);

#endif
