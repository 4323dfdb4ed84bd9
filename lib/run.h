/* SPDX-License-Identifier: MIT */
/*
 * Algorithms as sequences of kernels, over any real: what the functions for one state, for batches
 * and the tests' oracles have in common. Coordinates and results are arrays of reals.
 */
#ifndef TD_RUN_H
#define TD_RUN_H

#include "model.h"
#include "tandem/dynamics.h"

/* Which coordinates a call speaks. */
typedef enum td_space { TD_SPACE_INDEPENDENT, TD_SPACE_TREE } td_space;

typedef struct td_run {
    const td_model *model;
    const td_kernels *kernels;
    const td_scratch *scratch;
    td_space space;
} td_run;

/* number of positions and velocities in a space */
size_t td_space_positions(const td_model *model, td_space space);
size_t td_space_velocities(const td_model *model, td_space space);

/* the tree's coordinates; in tree coordinates, or without couplings, those given. NULL gives zeros
 */
const void *td_run_position(const td_run *run, const void *y);
const void *td_run_velocity(const td_run *run, const void *yd, void *room);

void td_run_link_poses(const td_run *run, const void *y, void *poses);
void td_run_center_of_mass(const td_run *run, const void *y, void *com);
void td_run_inverse_dynamics(const td_run *run, const void *y, const void *yd, const void *ydd,
                             const td_forces *forces, void *tau);

/* TD_OK, or TD_ERROR_ARGUMENT for a size or frame that is none; NULL is fine */
td_status td_check_forces(const td_forces *forces);

#endif
