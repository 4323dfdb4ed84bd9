/* SPDX-License-Identifier: MIT */
/*
 * The library's functions in one kind of coordinates: the independent ones, or all of the tree. A
 * subcommand with --tree calls c->call->inverse_dynamics(...) and need not ask which it is.
 */
#ifndef TOOL_CALLS_H
#define TOOL_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "tandem/tandem.h"

/* X(batch_ or nothing, name): td_name and td_tree_name have the same arguments */
#define CALL_TABLE(X)                                                                              \
    X(, random_configuration)                                                                      \
    X(, integrate)                                                                                 \
    X(, difference)                                                                                \
    X(, link_poses)                                                                                \
    X(, link_velocities)                                                                           \
    X(, link_spatial_accelerations)                                                                \
    X(, link_classical_accelerations)                                                              \
    X(, link_jacobian)                                                                             \
    X(, motion_subspaces)                                                                          \
    X(, link_bias_acceleration)                                                                    \
    X(, center_of_mass_motion)                                                                     \
    X(, centroidal_momentum_matrix)                                                                \
    X(, centroidal_momentum)                                                                       \
    X(, centroidal_momentum_bias)                                                                  \
    X(, energy)                                                                                    \
    X(, inverse_dynamics)                                                                          \
    X(, forward_dynamics)                                                                          \
    X(, hybrid_dynamics)                                                                           \
    X(, mass_matrix)                                                                               \
    X(, mass_matrix_inverse)                                                                       \
    X(, mass_matrix_solve)                                                                         \
    X(, bias_force)                                                                                \
    X(, gravity_force)                                                                             \
    X(, coriolis_matrix)                                                                           \
    X(, loop_reactions)                                                                            \
    X(, power)                                                                                     \
    X(batch_, link_poses)                                                                          \
    X(batch_, link_velocities)                                                                     \
    X(batch_, link_jacobian)                                                                       \
    X(batch_, motion_subspaces)                                                                    \
    X(batch_, inverse_dynamics)                                                                    \
    X(batch_, gravity_force)                                                                       \
    X(batch_, forward_dynamics)                                                                    \
    X(batch_, mass_matrix)                                                                         \
    X(batch_, mass_matrix_solve)                                                                   \
    X(batch_, coriolis_matrix)

typedef struct calls {
#define CALL_FIELD(batch, name) __typeof__(&td_##batch##name) batch##name;
    CALL_TABLE(CALL_FIELD)
#undef CALL_FIELD
} calls;

const calls *calls_of(bool tree);

/* A random configuration. Of the independent coordinates, where loops cannot be closed at it, one
   nearer to the configuration in which they were assembled. */
void calls_sample(const calls *call, const td_model *model, td_workspace *workspace, uint64_t *seed,
                  double *x);

#endif
