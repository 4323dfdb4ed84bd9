/* SPDX-License-Identifier: MIT */
/*
 * The operations of the library as lists. The including file defines the macro X and these:
 *
 *   TAKES(NAME)        an input of the operation
 *   SOLVES             factors a mass matrix; can return TD_ERROR_SINGULAR
 *   MATRICES           always needs a workspace with matrices
 *   MAY_LACK_OUTPUTS   outputs may be NULL and are then not computed
 *   IN(name), OUT(k)   an input argument, and the k-th output
 *
 * Sizes are for one state, in terms of n (nyd, or nv in the tree's coordinates), entries, nv,
 * links, movable (joints), joints, loops.
 *
 * Made by generate.py of the rows in operations.py;
 * change those.
 */
#ifndef TD_OPERATION_LIST_H
#define TD_OPERATION_LIST_H

/* X(name, its inputs, its arguments, the sizes of its outputs), for operations in the coordinates
 * of the workspace: td_name and td_batch_name */
#define TD_OPERATIONS(X)                                                                           \
    X(inverse_dynamics, TAKES(Y) | TAKES(YD) | TAKES(YDD) | TAKES(FORCES),                         \
      (IN(y), IN(yd), IN(ydd), IN(forces), OUT(0)), (n))                                           \
    X(forward_dynamics, TAKES(Y) | TAKES(YD) | TAKES(TAU_Y) | TAKES(FORCES) | SOLVES,              \
      (IN(y), IN(yd), IN(tau_y), IN(forces), OUT(0)), (n))                                         \
    X(hybrid_dynamics,                                                                             \
      TAKES(Y) | TAKES(YD) | TAKES(GIVEN) | TAKES(FORCES) | TAKES(YDD) | TAKES(TAU_Y) | SOLVES,    \
      (IN(y), IN(yd), IN(given), IN(forces), OUT(0), OUT(1)), (n, n))                              \
    X(mass_matrix, TAKES(Y) | TAKES(FORCES) | MATRICES, (IN(y), IN(forces), OUT(0)), (n * n))      \
    X(mass_matrix_inverse, TAKES(Y) | TAKES(FORCES) | SOLVES | MATRICES,                           \
      (IN(y), IN(forces), OUT(0)), (n * n))                                                        \
    X(operational_inertia,                                                                         \
      TAKES(LINK) | TAKES(POINT) | TAKES(AXES) | TAKES(Y) | TAKES(FORCES) | TAKES(FRAME) |         \
          SOLVES | MATRICES | MAY_LACK_OUTPUTS,                                                    \
      (IN(link), IN(point), IN(axes), IN(y), IN(forces), IN(frame), OUT(0), OUT(1), OUT(2)),       \
      (36, 36, 6 * n))                                                                             \
    X(mass_matrix_factors, TAKES(Y) | TAKES(FORCES) | SOLVES | MATRICES,                           \
      (IN(y), IN(forces), OUT(0)), (entries))                                                      \
    X(bias_force, TAKES(Y) | TAKES(YD) | TAKES(FORCES), (IN(y), IN(yd), IN(forces), OUT(0)), (n))  \
    X(gravity_force, TAKES(Y), (IN(y), OUT(0)), (n))                                               \
    X(coriolis_matrix, TAKES(Y) | TAKES(YD) | MATRICES, (IN(y), IN(yd), OUT(0)), (n * n))          \
    X(dynamics_terms,                                                                              \
      TAKES(Y) | TAKES(YD) | TAKES(FORCES) | TAKES(TERMS) | TAKES(FRAME) | MAY_LACK_OUTPUTS,       \
      (IN(y), IN(yd), IN(forces), IN(terms)),                                                      \
      (n * n, n, n, 12 * links, 6 * links, 6 * links, 9, 6 * n, 2))                                \
    X(joint_reactions, TAKES(Y) | TAKES(YD) | TAKES(YDD) | TAKES(FORCES) | TAKES(FRAME),           \
      (IN(y), IN(yd), IN(ydd), IN(forces), IN(frame), OUT(0)), (6 * joints))                       \
    X(loop_reactions,                                                                              \
      TAKES(Y) | TAKES(YD) | TAKES(YDD) | TAKES(FORCES) | TAKES(FRAME) | MAY_LACK_OUTPUTS,         \
      (IN(y), IN(yd), IN(ydd), IN(forces), IN(frame), OUT(0), OUT(1), OUT(2), OUT(3)),             \
      (6 * joints, 6 * loops, 6 * joints, 6 * loops))                                              \
    X(inverse_dynamics_derivatives,                                                                \
      TAKES(Y) | TAKES(YD) | TAKES(YDD) | TAKES(FORCES) | MATRICES | MAY_LACK_OUTPUTS,             \
      (IN(y), IN(yd), IN(ydd), IN(forces), OUT(0), OUT(1), OUT(2), OUT(3)),                        \
      (n, n * n, n * n, n * n))                                                                    \
    X(mass_matrix_product_derivatives, TAKES(Y) | TAKES(B) | MATRICES, (IN(y), IN(b), OUT(0)),     \
      (n * n))                                                                                     \
    X(forward_dynamics_derivatives,                                                                \
      TAKES(Y) | TAKES(YD) | TAKES(TAU_Y) | TAKES(FORCES) | SOLVES | MATRICES | MAY_LACK_OUTPUTS,  \
      (IN(y), IN(yd), IN(tau_y), IN(forces), OUT(0), OUT(1), OUT(2), OUT(3)),                      \
      (n, n * n, n * n, n * n))                                                                    \
    X(inverse_dynamics_tangent,                                                                    \
      TAKES(Y) | TAKES(YD) | TAKES(YDD) | TAKES(FORCES) | TAKES(DY) | TAKES(DYD) | TAKES(DYDD),    \
      (IN(y), IN(yd), IN(ydd), IN(forces), IN(dy), IN(dyd), IN(dydd), OUT(0)), (n))                \
    X(inverse_dynamics_adjoint,                                                                    \
      TAKES(Y) | TAKES(YD) | TAKES(YDD) | TAKES(FORCES) | TAKES(COVECTOR) | MAY_LACK_OUTPUTS,      \
      (IN(y), IN(yd), IN(ydd), IN(forces), IN(covector), OUT(0), OUT(1), OUT(2)), (n, n, n))       \
    X(forward_dynamics_tangent,                                                                    \
      TAKES(Y) | TAKES(YD) | TAKES(TAU_Y) | TAKES(FORCES) | TAKES(DY) | TAKES(DYD) |               \
          TAKES(DTAU_Y) | SOLVES | MAY_LACK_OUTPUTS,                                               \
      (IN(y), IN(yd), IN(tau_y), IN(forces), IN(dy), IN(dyd), IN(dtau_y), OUT(0), OUT(1)), (n, n)) \
    X(forward_dynamics_adjoint,                                                                    \
      TAKES(Y) | TAKES(YD) | TAKES(TAU_Y) | TAKES(FORCES) | TAKES(COVECTOR) | SOLVES |             \
          MAY_LACK_OUTPUTS,                                                                        \
      (IN(y), IN(yd), IN(tau_y), IN(forces), IN(covector), OUT(0), OUT(1), OUT(2), OUT(3)),        \
      (n, n, n, n))                                                                                \
    X(link_velocity_derivatives,                                                                   \
      TAKES(LINK) | TAKES(POINT) | TAKES(Y) | TAKES(YD) | TAKES(FRAME) | MATRICES |                \
          MAY_LACK_OUTPUTS,                                                                        \
      (IN(link), IN(point), IN(y), IN(yd), IN(frame), OUT(0), OUT(1), OUT(2)), (6, 6 * n, 6 * n))  \
    X(link_jacobian_rate,                                                                          \
      TAKES(LINK) | TAKES(POINT) | TAKES(Y) | TAKES(YD) | TAKES(FRAME) | MATRICES,                 \
      (IN(link), IN(point), IN(y), IN(yd), IN(frame), OUT(0)), (6 * n))                            \
    X(link_spatial_acceleration_derivatives,                                                       \
      TAKES(LINK) | TAKES(POINT) | TAKES(Y) | TAKES(YD) | TAKES(YDD) | TAKES(FRAME) | MATRICES |   \
          MAY_LACK_OUTPUTS,                                                                        \
      (IN(link), IN(point), IN(y), IN(yd), IN(ydd), IN(frame), OUT(0), OUT(1), OUT(2)),            \
      (6, 6 * n, 6 * n))                                                                           \
    X(link_classical_acceleration_derivatives,                                                     \
      TAKES(LINK) | TAKES(POINT) | TAKES(Y) | TAKES(YD) | TAKES(YDD) | TAKES(FRAME) | MATRICES |   \
          MAY_LACK_OUTPUTS,                                                                        \
      (IN(link), IN(point), IN(y), IN(yd), IN(ydd), IN(frame), OUT(0), OUT(1), OUT(2)),            \
      (6, 6 * n, 6 * n))                                                                           \
    X(center_of_mass_derivatives,                                                                  \
      TAKES(Y) | TAKES(YD) | TAKES(YDD) | TAKES(SCOPE) | MATRICES | MAY_LACK_OUTPUTS,              \
      (IN(y), IN(yd), IN(ydd), IN(scope), OUT(0), OUT(1), OUT(2), OUT(3)),                         \
      (9, 3 * n, 3 * n, 3 * n))                                                                    \
    X(centroidal_momentum_derivatives,                                                             \
      TAKES(Y) | TAKES(YD) | TAKES(YDD) | TAKES(SCOPE) | MATRICES | MAY_LACK_OUTPUTS,              \
      (IN(y), IN(yd), IN(ydd), IN(scope), OUT(0), OUT(1), OUT(2), OUT(3), OUT(4), OUT(5)),         \
      (6, 6, 6 * n, 6 * n, 6 * n, 6 * n))                                                          \
    X(energy_derivatives, TAKES(Y) | TAKES(YD) | TAKES(SCOPE) | MATRICES | MAY_LACK_OUTPUTS,       \
      (IN(y), IN(yd), IN(scope), OUT(0), OUT(1), OUT(2), OUT(3)), (2, n, n, n))                    \
    X(link_poses, TAKES(Y), (IN(y), OUT(0)), (12 * links))                                         \
    X(moving_link_poses, TAKES(Y), (IN(y), OUT(0)), (12 * movable))                                \
    X(link_pose, TAKES(LINK) | TAKES(Y), (IN(link), IN(y), OUT(0)), (12))                          \
    X(link_velocities, TAKES(Y) | TAKES(YD) | TAKES(FRAME), (IN(y), IN(yd), IN(frame), OUT(0)),    \
      (6 * links))                                                                                 \
    X(link_velocity, TAKES(LINK) | TAKES(POINT) | TAKES(Y) | TAKES(YD) | TAKES(FRAME),             \
      (IN(link), IN(point), IN(y), IN(yd), IN(frame), OUT(0)), (6))                                \
    X(link_spatial_accelerations, TAKES(Y) | TAKES(YD) | TAKES(YDD) | TAKES(FRAME),                \
      (IN(y), IN(yd), IN(ydd), IN(frame), OUT(0)), (6 * links))                                    \
    X(link_classical_accelerations, TAKES(Y) | TAKES(YD) | TAKES(YDD) | TAKES(FRAME),              \
      (IN(y), IN(yd), IN(ydd), IN(frame), OUT(0)), (6 * links))                                    \
    X(point_motion, TAKES(LINK) | TAKES(POINT) | TAKES(Y) | TAKES(YD) | TAKES(YDD),                \
      (IN(link), IN(point), IN(y), IN(yd), IN(ydd), OUT(0)), (9))                                  \
    X(link_jacobian, TAKES(LINK) | TAKES(POINT) | TAKES(Y) | TAKES(FRAME),                         \
      (IN(link), IN(point), IN(y), IN(frame), OUT(0)), (6 * n))                                    \
    X(link_bias_acceleration, TAKES(LINK) | TAKES(POINT) | TAKES(Y) | TAKES(YD) | TAKES(FRAME),    \
      (IN(link), IN(point), IN(y), IN(yd), IN(frame), OUT(0)), (6))                                \
    X(motion_subspaces, TAKES(Y) | TAKES(FRAME) | MAY_LACK_OUTPUTS,                                \
      (IN(y), IN(frame), OUT(0), OUT(1)), (6 * nv, 12 * links))                                    \
    X(center_of_mass, TAKES(Y) | TAKES(SCOPE), (IN(y), IN(scope), OUT(0)), (3))                    \
    X(center_of_mass_motion, TAKES(Y) | TAKES(YD) | TAKES(YDD) | TAKES(SCOPE),                     \
      (IN(y), IN(yd), IN(ydd), IN(scope), OUT(0)), (9))                                            \
    X(center_of_mass_jacobian, TAKES(Y) | TAKES(SCOPE), (IN(y), IN(scope), OUT(0)), (3 * n))       \
    X(centroidal_momentum_matrix, TAKES(Y) | TAKES(SCOPE), (IN(y), IN(scope), OUT(0)), (6 * n))    \
    X(centroidal_momentum, TAKES(Y) | TAKES(YD) | TAKES(SCOPE),                                    \
      (IN(y), IN(yd), IN(scope), OUT(0)), (6))                                                     \
    X(centroidal_momentum_bias, TAKES(Y) | TAKES(YD) | TAKES(SCOPE),                               \
      (IN(y), IN(yd), IN(scope), OUT(0)), (6))                                                     \
    X(energy, TAKES(Y) | TAKES(YD) | TAKES(SCOPE), (IN(y), IN(yd), IN(scope), OUT(0)), (2))        \
    X(spring_energy, TAKES(Y), (IN(y), OUT(0)), (1))

/* X(row, name, coordinates of the workspace, its configuration (y, q or none), its arguments), for
 * the other operations: td_name */
#define TD_OTHER_OPERATIONS(X)                                                                     \
    X(closure, closure, INDEPENDENT, y, (IN(y), IN(yd), IN(ydd), OUT(0), OUT(1), OUT(2)))          \
    X(batch_closure, batch_closure, INDEPENDENT, y,                                                \
      (IN(n), IN(y), IN(yd), IN(ydd), OUT(0), OUT(1), OUT(2), IN(statuses)))                       \
    X(project_force, project_force, INDEPENDENT, y, (IN(y), IN(tau), OUT(0)))                      \
    X(closure_jacobian, closure_jacobian, INDEPENDENT, y, (IN(y), OUT(0)))                         \
    X(factors_solve, factors_solve, INDEPENDENT, none, (IN(factors), IN(columns), IN(B), OUT(0)))  \
    X(tree_factors_solve, factors_solve, TREE, none, (IN(factors), IN(columns), IN(B), OUT(0)))    \
    X(mass_matrix_derivatives, mass_matrix_derivatives, INDEPENDENT, y, (IN(y), OUT(0)))           \
    X(tree_mass_matrix_derivatives, mass_matrix_derivatives, TREE, q, (IN(q), OUT(0)))             \
    X(closure_derivatives, closure_derivatives, INDEPENDENT, y,                                    \
      (IN(y), IN(yd), IN(ydd), IN(tau), OUT(0), OUT(1), OUT(2), OUT(3)))                           \
    X(batch_closure_derivatives, batch_closure_derivatives, INDEPENDENT, y,                        \
      (IN(n), IN(y), IN(yd), IN(ydd), IN(tau), OUT(0), OUT(1), OUT(2), OUT(3), IN(statuses)))      \
    X(spring_state_derivatives, spring_state_derivatives, INDEPENDENT, y,                          \
      (IN(spring), IN(y), IN(yd), OUT(0), OUT(1), OUT(2)))                                         \
    X(tree_spring_state_derivatives, spring_state_derivatives, TREE, q,                            \
      (IN(spring), IN(q), IN(qd), OUT(0), OUT(1), OUT(2)))                                         \
    X(forces_to_actuators_derivatives, forces_to_actuators_derivatives, INDEPENDENT, y,            \
      (IN(y), IN(tau_y), IN(weight), OUT(0), OUT(1), OUT(2)))                                      \
    X(batch_forces_to_actuators_derivatives, batch_forces_to_actuators_derivatives, INDEPENDENT,   \
      y, (IN(n), IN(y), IN(tau_y), IN(weight), OUT(0), OUT(1), OUT(2), IN(statuses)))              \
    X(forces_from_actuators_derivatives, forces_from_actuators_derivatives, INDEPENDENT, y,        \
      (IN(y), IN(u), OUT(0), OUT(1)))                                                              \
    X(batch_forces_from_actuators_derivatives, batch_forces_from_actuators_derivatives,            \
      INDEPENDENT, y, (IN(n), IN(y), IN(u), OUT(0), OUT(1), IN(statuses)))                         \
    X(spring_state, spring_state, INDEPENDENT, y, (IN(spring), IN(y), IN(yd), OUT(0)))             \
    X(tree_spring_state, spring_state, TREE, q, (IN(spring), IN(q), IN(qd), OUT(0)))               \
    X(constraint_jacobian, constraint_jacobian, INDEPENDENT, q, (IN(q), OUT(0)))                   \
    X(constraint_residual, constraint_residual, INDEPENDENT, q, (IN(q), OUT(0)))                   \
    X(constraint_drift, constraint_drift, INDEPENDENT, q, (IN(q), IN(qd), OUT(0)))                 \
    X(project_velocity, project_velocity, INDEPENDENT, q, (IN(q), IN(qd), OUT(0), OUT(1)))         \
    X(loop_force, loop_force, INDEPENDENT, q, (IN(q), IN(qd), IN(f), IN(forces), OUT(0)))          \
    X(loop_motion, loop_motion, INDEPENDENT, y, (IN(loop), IN(y), IN(yd), IN(ydd), OUT(0)))        \
    X(tree_loop_motion, loop_motion, TREE, q, (IN(loop), IN(q), IN(qd), IN(qdd), OUT(0)))          \
    X(constraint_force, constraint_force, INDEPENDENT, y,                                          \
      (IN(y), IN(yd), IN(ydd), IN(tau), IN(forces), OUT(0)))                                       \
    X(actuation_matrix, actuation_matrix, INDEPENDENT, y, (IN(y), OUT(0)))                         \
    X(forces_to_actuators, forces_to_actuators, INDEPENDENT, y,                                    \
      (IN(y), IN(tau_y), IN(weight), OUT(0), OUT(1)))                                              \
    X(batch_forces_to_actuators, batch_forces_to_actuators, INDEPENDENT, y,                        \
      (IN(n), IN(y), IN(tau_y), IN(weight), OUT(0), OUT(1), IN(statuses)))                         \
    X(forces_from_actuators, forces_from_actuators, INDEPENDENT, y, (IN(y), IN(u), OUT(0)))        \
    X(motion_to_actuators, motion_to_actuators, INDEPENDENT, y,                                    \
      (IN(y), IN(yd), IN(ydd), OUT(0), OUT(1), OUT(2)))

#endif
