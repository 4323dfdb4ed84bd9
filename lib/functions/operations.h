/* SPDX-License-Identifier: MIT */
/*
 * What the sources of this folder define and those in entries/ call: operations over reals, td_op_,
 * whose inputs and outputs have the order of the arguments; and where a call is set up by hand,
 * td_run_. Made by generate.py of the rows in operations.py; change those.
 */
#ifndef TD_OPERATIONS_H
#define TD_OPERATIONS_H

#include "call/call.h"
#include "tandem/kinematics.h"

/* closure.h */
void td_op_closure(const td_eval *eval, const void *const *in, void *const *out,
                   const void *context);
void td_op_project_force(const td_eval *eval, const void *const *in, void *const *out,
                         const void *context);
void td_op_closure_jacobian(const td_eval *eval, const void *const *in, void *const *out,
                            const void *context);

/* dynamics.h */
void td_op_inverse_dynamics(const td_eval *eval, const void *const *in, void *const *out,
                            const void *context);
void td_op_forward_dynamics(const td_eval *eval, const void *const *in, void *const *out,
                            const void *context);
void td_op_hybrid_dynamics(const td_eval *eval, const void *const *in, void *const *out,
                           const void *context);
void td_op_mass_matrix(const td_eval *eval, const void *const *in, void *const *out,
                       const void *context);
void td_op_mass_matrix_inverse(const td_eval *eval, const void *const *in, void *const *out,
                               const void *context);
void td_op_operational_inertia(const td_eval *eval, const void *const *in, void *const *out,
                               const void *context);
void td_op_mass_matrix_factors(const td_eval *eval, const void *const *in, void *const *out,
                               const void *context);
td_status td_run_factors_solve(const td_site *site, const double *factors, size_t columns,
                               const double *B, double *X);
void td_op_bias_force(const td_eval *eval, const void *const *in, void *const *out,
                      const void *context);
void td_op_gravity_force(const td_eval *eval, const void *const *in, void *const *out,
                         const void *context);
void td_op_coriolis_matrix(const td_eval *eval, const void *const *in, void *const *out,
                           const void *context);
td_status td_run_dynamics_terms(const td_site *site, const double *y, const double *yd,
                                const td_forces *forces, const td_terms *terms);
td_status td_run_joint_reactions(const td_site *site, const double *y, const double *yd,
                                 const double *ydd, const td_forces *forces, td_frame frame,
                                 double *reactions);
td_status td_run_loop_reactions(const td_site *site, const double *y, const double *yd,
                                const double *ydd, const td_forces *forces, td_frame frame,
                                double *joints, double *loops, double *joint_ambiguity,
                                double *loop_ambiguity);

/* derivatives.h */
void td_op_inverse_dynamics_derivatives(const td_eval *eval, const void *const *in,
                                        void *const *out, const void *context);
void td_op_mass_matrix_derivatives(const td_eval *eval, const void *const *in, void *const *out,
                                   const void *context);
void td_op_mass_matrix_product_derivatives(const td_eval *eval, const void *const *in,
                                           void *const *out, const void *context);
void td_op_forward_dynamics_derivatives(const td_eval *eval, const void *const *in,
                                        void *const *out, const void *context);
void td_op_inverse_dynamics_tangent(const td_eval *eval, const void *const *in, void *const *out,
                                    const void *context);
void td_op_inverse_dynamics_adjoint(const td_eval *eval, const void *const *in, void *const *out,
                                    const void *context);
void td_op_forward_dynamics_tangent(const td_eval *eval, const void *const *in, void *const *out,
                                    const void *context);
void td_op_forward_dynamics_adjoint(const td_eval *eval, const void *const *in, void *const *out,
                                    const void *context);
void td_op_closure_derivatives(const td_eval *eval, const void *const *in, void *const *out,
                               const void *context);
void td_op_link_velocity_derivatives(const td_eval *eval, const void *const *in, void *const *out,
                                     const void *context);
void td_op_link_jacobian_rate(const td_eval *eval, const void *const *in, void *const *out,
                              const void *context);
void td_op_link_spatial_acceleration_derivatives(const td_eval *eval, const void *const *in,
                                                 void *const *out, const void *context);
void td_op_link_classical_acceleration_derivatives(const td_eval *eval, const void *const *in,
                                                   void *const *out, const void *context);
void td_op_center_of_mass_derivatives(const td_eval *eval, const void *const *in, void *const *out,
                                      const void *context);
void td_op_centroidal_momentum_derivatives(const td_eval *eval, const void *const *in,
                                           void *const *out, const void *context);
void td_op_energy_derivatives(const td_eval *eval, const void *const *in, void *const *out,
                              const void *context);
void td_op_spring_state_derivatives(const td_eval *eval, const void *const *in, void *const *out,
                                    const void *context);
void td_op_forces_to_actuators_derivatives(const td_eval *eval, const void *const *in,
                                           void *const *out, const void *context);
void td_op_forces_from_actuators_derivatives(const td_eval *eval, const void *const *in,
                                             void *const *out, const void *context);

/* kinematics.h */
void td_op_link_poses(const td_eval *eval, const void *const *in, void *const *out,
                      const void *context);
void td_op_moving_link_poses(const td_eval *eval, const void *const *in, void *const *out,
                             const void *context);
void td_op_link_pose(const td_eval *eval, const void *const *in, void *const *out,
                     const void *context);
void td_op_link_velocities(const td_eval *eval, const void *const *in, void *const *out,
                           const void *context);
void td_op_link_velocity(const td_eval *eval, const void *const *in, void *const *out,
                         const void *context);
void td_op_link_spatial_accelerations(const td_eval *eval, const void *const *in, void *const *out,
                                      const void *context);
void td_op_link_classical_accelerations(const td_eval *eval, const void *const *in,
                                        void *const *out, const void *context);
void td_op_point_motion(const td_eval *eval, const void *const *in, void *const *out,
                        const void *context);
void td_op_link_jacobian(const td_eval *eval, const void *const *in, void *const *out,
                         const void *context);
void td_op_link_bias_acceleration(const td_eval *eval, const void *const *in, void *const *out,
                                  const void *context);
void td_op_motion_subspaces(const td_eval *eval, const void *const *in, void *const *out,
                            const void *context);
void td_op_center_of_mass(const td_eval *eval, const void *const *in, void *const *out,
                          const void *context);
void td_op_center_of_mass_motion(const td_eval *eval, const void *const *in, void *const *out,
                                 const void *context);
void td_op_center_of_mass_jacobian(const td_eval *eval, const void *const *in, void *const *out,
                                   const void *context);
void td_op_centroidal_momentum_matrix(const td_eval *eval, const void *const *in, void *const *out,
                                      const void *context);
void td_op_centroidal_momentum(const td_eval *eval, const void *const *in, void *const *out,
                               const void *context);
void td_op_centroidal_momentum_bias(const td_eval *eval, const void *const *in, void *const *out,
                                    const void *context);
void td_op_energy(const td_eval *eval, const void *const *in, void *const *out,
                  const void *context);
void td_op_spring_energy(const td_eval *eval, const void *const *in, void *const *out,
                         const void *context);
void td_op_spring_state(const td_eval *eval, const void *const *in, void *const *out,
                        const void *context);

/* constraint.h */
void td_op_constraint_jacobian(const td_eval *eval, const void *const *in, void *const *out,
                               const void *context);
void td_op_constraint_residual(const td_eval *eval, const void *const *in, void *const *out,
                               const void *context);
void td_op_constraint_drift(const td_eval *eval, const void *const *in, void *const *out,
                            const void *context);
void td_op_project_velocity(const td_eval *eval, const void *const *in, void *const *out,
                            const void *context);
void td_op_loop_force(const td_eval *eval, const void *const *in, void *const *out,
                      const void *context);
void td_op_loop_motion(const td_eval *eval, const void *const *in, void *const *out,
                       const void *context);
void td_op_constraint_force(const td_eval *eval, const void *const *in, void *const *out,
                            const void *context);

/* actuation.h */
void td_op_actuation_matrix(const td_eval *eval, const void *const *in, void *const *out,
                            const void *context);
void td_op_forces_to_actuators(const td_eval *eval, const void *const *in, void *const *out,
                               const void *context);
void td_op_forces_from_actuators(const td_eval *eval, const void *const *in, void *const *out,
                                 const void *context);
void td_op_motion_to_actuators(const td_eval *eval, const void *const *in, void *const *out,
                               const void *context);

#endif
