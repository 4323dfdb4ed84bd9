/* SPDX-License-Identifier: MIT */
/*
 * The arguments of each operation, and what the sources of this folder define for those in
 * entries/: the operations over reals, td_op_; and where a call is set up by hand, td_run_. Members
 * have the names that arguments have in the public headers. Inputs that are left out are NULL, and
 * outputs that are not wanted; given_ is what an output holds on entry. Made by generate.py of the
 * rows in operations.py; change those.
 */
#ifndef TD_OPERATIONS_H
#define TD_OPERATIONS_H

#include "dynamics/call.h"
#include "tandem/actuation.h"
#include "tandem/kinematics.h"

/* closure.h */
typedef struct td_closure_arguments {
    const td_reals *y, *yd, *ydd;
    td_reals *q, *qd, *qdd;
} td_closure_arguments;
void td_op_closure(const td_eval *eval, const td_closure_arguments *a);

typedef struct td_project_force_arguments {
    const td_reals *y, *tau;
    td_reals *tau_y;
} td_project_force_arguments;
void td_op_project_force(const td_eval *eval, const td_project_force_arguments *a);

typedef struct td_closure_jacobian_arguments {
    const td_reals *y;
    td_reals *G;
} td_closure_jacobian_arguments;
void td_op_closure_jacobian(const td_eval *eval, const td_closure_jacobian_arguments *a);

/* dynamics.h */
typedef struct td_inverse_dynamics_arguments {
    const td_reals *y, *yd, *ydd;
    const td_forces *forces;
    td_reals *tau_y;
} td_inverse_dynamics_arguments;
void td_op_inverse_dynamics(const td_eval *eval, const td_inverse_dynamics_arguments *a);

typedef struct td_forward_dynamics_arguments {
    const td_reals *y, *yd, *tau_y;
    const td_forces *forces;
    td_reals *ydd;
} td_forward_dynamics_arguments;
void td_op_forward_dynamics(const td_eval *eval, const td_forward_dynamics_arguments *a);

typedef struct td_hybrid_dynamics_arguments {
    const td_reals *y, *yd;
    const unsigned char *given;
    const td_forces *forces;
    const td_reals *given_ydd;
    td_reals *ydd;
    const td_reals *given_tau_y;
    td_reals *tau_y;
} td_hybrid_dynamics_arguments;
void td_op_hybrid_dynamics(const td_eval *eval, const td_hybrid_dynamics_arguments *a);

typedef struct td_mass_matrix_arguments {
    const td_reals *y;
    const td_forces *forces;
    td_reals *H;
} td_mass_matrix_arguments;
void td_op_mass_matrix(const td_eval *eval, const td_mass_matrix_arguments *a);

typedef struct td_mass_matrix_inverse_arguments {
    const td_reals *y;
    const td_forces *forces;
    td_reals *inverse;
} td_mass_matrix_inverse_arguments;
void td_op_mass_matrix_inverse(const td_eval *eval, const td_mass_matrix_inverse_arguments *a);

typedef struct td_operational_inertia_arguments {
    size_t link;
    const double *point;
    const unsigned char *axes;
    const td_reals *y;
    const td_forces *forces;
    td_frame frame;
    td_reals *mobility, *inertia, *J_inverse;
} td_operational_inertia_arguments;
void td_op_operational_inertia(const td_eval *eval, const td_operational_inertia_arguments *a);

typedef struct td_mass_matrix_factors_arguments {
    const td_reals *y;
    const td_forces *forces;
    td_reals *factors;
} td_mass_matrix_factors_arguments;
void td_op_mass_matrix_factors(const td_eval *eval, const td_mass_matrix_factors_arguments *a);

td_status td_run_factors_solve(const td_site *site, const double *factors, size_t columns,
                               const double *B, double *X);
typedef struct td_bias_force_arguments {
    const td_reals *y, *yd;
    const td_forces *forces;
    td_reals *C;
} td_bias_force_arguments;
void td_op_bias_force(const td_eval *eval, const td_bias_force_arguments *a);

typedef struct td_gravity_force_arguments {
    const td_reals *y;
    td_reals *tau_y;
} td_gravity_force_arguments;
void td_op_gravity_force(const td_eval *eval, const td_gravity_force_arguments *a);

typedef struct td_coriolis_matrix_arguments {
    const td_reals *y, *yd;
    td_reals *C;
} td_coriolis_matrix_arguments;
void td_op_coriolis_matrix(const td_eval *eval, const td_coriolis_matrix_arguments *a);

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
typedef struct td_inverse_dynamics_derivatives_arguments {
    const td_reals *y, *yd, *ydd;
    const td_forces *forces;
    td_reals *tau_y, *dtau_y_dy, *dtau_y_dyd, *H;
} td_inverse_dynamics_derivatives_arguments;
void td_op_inverse_dynamics_derivatives(const td_eval *eval,
                                        const td_inverse_dynamics_derivatives_arguments *a);

typedef struct td_mass_matrix_derivatives_arguments {
    const td_reals *y;
    td_reals *dH_dy;
} td_mass_matrix_derivatives_arguments;
void td_op_mass_matrix_derivatives(const td_eval *eval,
                                   const td_mass_matrix_derivatives_arguments *a);

typedef struct td_mass_matrix_product_derivatives_arguments {
    const td_reals *y, *b;
    td_reals *dHb_dy;
} td_mass_matrix_product_derivatives_arguments;
void td_op_mass_matrix_product_derivatives(const td_eval *eval,
                                           const td_mass_matrix_product_derivatives_arguments *a);

typedef struct td_forward_dynamics_derivatives_arguments {
    const td_reals *y, *yd, *tau_y;
    const td_forces *forces;
    td_reals *ydd, *dydd_dy, *dydd_dyd, *dydd_dtau_y;
} td_forward_dynamics_derivatives_arguments;
void td_op_forward_dynamics_derivatives(const td_eval *eval,
                                        const td_forward_dynamics_derivatives_arguments *a);

typedef struct td_inverse_dynamics_tangent_arguments {
    const td_reals *y, *yd, *ydd;
    const td_forces *forces;
    const td_reals *dy, *dyd, *dydd;
    td_reals *dtau_y;
} td_inverse_dynamics_tangent_arguments;
void td_op_inverse_dynamics_tangent(const td_eval *eval,
                                    const td_inverse_dynamics_tangent_arguments *a);

typedef struct td_inverse_dynamics_adjoint_arguments {
    const td_reals *y, *yd, *ydd;
    const td_forces *forces;
    const td_reals *covector;
    td_reals *by_y, *by_yd, *by_ydd;
} td_inverse_dynamics_adjoint_arguments;
void td_op_inverse_dynamics_adjoint(const td_eval *eval,
                                    const td_inverse_dynamics_adjoint_arguments *a);

typedef struct td_forward_dynamics_tangent_arguments {
    const td_reals *y, *yd, *tau_y;
    const td_forces *forces;
    const td_reals *dy, *dyd, *dtau_y;
    td_reals *ydd, *dydd;
} td_forward_dynamics_tangent_arguments;
void td_op_forward_dynamics_tangent(const td_eval *eval,
                                    const td_forward_dynamics_tangent_arguments *a);

typedef struct td_forward_dynamics_adjoint_arguments {
    const td_reals *y, *yd, *tau_y;
    const td_forces *forces;
    const td_reals *covector;
    td_reals *ydd, *by_y, *by_yd, *by_tau;
} td_forward_dynamics_adjoint_arguments;
void td_op_forward_dynamics_adjoint(const td_eval *eval,
                                    const td_forward_dynamics_adjoint_arguments *a);

typedef struct td_closure_derivatives_arguments {
    const td_reals *y, *yd, *ydd, *tau;
    td_reals *dqd_dy, *dqdd_dy, *dqdd_dyd, *dtau_y_dy;
} td_closure_derivatives_arguments;
void td_op_closure_derivatives(const td_eval *eval, const td_closure_derivatives_arguments *a);

typedef struct td_link_velocity_derivatives_arguments {
    size_t link;
    const double *point;
    const td_reals *y, *yd;
    td_frame frame;
    td_reals *velocity, *dv_dy, *dv_dyd;
} td_link_velocity_derivatives_arguments;
void td_op_link_velocity_derivatives(const td_eval *eval,
                                     const td_link_velocity_derivatives_arguments *a);

typedef struct td_link_jacobian_rate_arguments {
    size_t link;
    const double *point;
    const td_reals *y, *yd;
    td_frame frame;
    td_reals *Jd;
} td_link_jacobian_rate_arguments;
void td_op_link_jacobian_rate(const td_eval *eval, const td_link_jacobian_rate_arguments *a);

typedef struct td_link_spatial_acceleration_derivatives_arguments {
    size_t link;
    const double *point;
    const td_reals *y, *yd, *ydd;
    td_frame frame;
    td_reals *acceleration, *da_dy, *da_dyd;
} td_link_spatial_acceleration_derivatives_arguments;
void td_op_link_spatial_acceleration_derivatives(
    const td_eval *eval, const td_link_spatial_acceleration_derivatives_arguments *a);

void td_op_link_classical_acceleration_derivatives(
    const td_eval *eval, const td_link_spatial_acceleration_derivatives_arguments *a);

typedef struct td_center_of_mass_derivatives_arguments {
    const td_reals *y, *yd, *ydd;
    td_scope scope;
    td_reals *motion, *dv_dy, *da_dy, *da_dyd;
} td_center_of_mass_derivatives_arguments;
void td_op_center_of_mass_derivatives(const td_eval *eval,
                                      const td_center_of_mass_derivatives_arguments *a);

typedef struct td_centroidal_momentum_derivatives_arguments {
    const td_reals *y, *yd, *ydd;
    td_scope scope;
    td_reals *momentum, *rate, *dh_dy, *dh_dyd, *drate_dy, *drate_dyd;
} td_centroidal_momentum_derivatives_arguments;
void td_op_centroidal_momentum_derivatives(const td_eval *eval,
                                           const td_centroidal_momentum_derivatives_arguments *a);

typedef struct td_energy_derivatives_arguments {
    const td_reals *y, *yd;
    td_scope scope;
    td_reals *energy, *dT_dy, *dT_dyd, *dV_dy;
} td_energy_derivatives_arguments;
void td_op_energy_derivatives(const td_eval *eval, const td_energy_derivatives_arguments *a);

typedef struct td_spring_state_derivatives_arguments {
    size_t spring;
    const td_reals *y, *yd;
    td_reals *motion, *dmotion_dy, *dmotion_dyd;
} td_spring_state_derivatives_arguments;
void td_op_spring_state_derivatives(const td_eval *eval,
                                    const td_spring_state_derivatives_arguments *a);

typedef struct td_forces_to_actuators_derivatives_arguments {
    const td_reals *y, *tau_y;
    const double *weight;
    td_reals *u, *du_dy, *du_dtau_y;
} td_forces_to_actuators_derivatives_arguments;
void td_op_forces_to_actuators_derivatives(const td_eval *eval,
                                           const td_forces_to_actuators_derivatives_arguments *a);

typedef struct td_forces_from_actuators_derivatives_arguments {
    const td_reals *y, *u;
    td_reals *tau_y, *dtau_y_dy;
} td_forces_from_actuators_derivatives_arguments;
void td_op_forces_from_actuators_derivatives(
    const td_eval *eval, const td_forces_from_actuators_derivatives_arguments *a);

/* kinematics.h */
typedef struct td_link_poses_arguments {
    const td_reals *y;
    td_reals *poses;
} td_link_poses_arguments;
void td_op_link_poses(const td_eval *eval, const td_link_poses_arguments *a);

typedef struct td_moving_link_poses_arguments {
    const td_reals *y;
    td_reals *poses;
} td_moving_link_poses_arguments;
void td_op_moving_link_poses(const td_eval *eval, const td_moving_link_poses_arguments *a);

typedef struct td_link_pose_arguments {
    size_t link;
    const td_reals *y;
    td_reals *pose;
} td_link_pose_arguments;
void td_op_link_pose(const td_eval *eval, const td_link_pose_arguments *a);

typedef struct td_link_velocities_arguments {
    const td_reals *y, *yd;
    td_frame frame;
    td_reals *velocities;
} td_link_velocities_arguments;
void td_op_link_velocities(const td_eval *eval, const td_link_velocities_arguments *a);

typedef struct td_link_velocity_arguments {
    size_t link;
    const double *point;
    const td_reals *y, *yd;
    td_frame frame;
    td_reals *velocity;
} td_link_velocity_arguments;
void td_op_link_velocity(const td_eval *eval, const td_link_velocity_arguments *a);

typedef struct td_link_spatial_accelerations_arguments {
    const td_reals *y, *yd, *ydd;
    td_frame frame;
    td_reals *accelerations;
} td_link_spatial_accelerations_arguments;
void td_op_link_spatial_accelerations(const td_eval *eval,
                                      const td_link_spatial_accelerations_arguments *a);

void td_op_link_classical_accelerations(const td_eval *eval,
                                        const td_link_spatial_accelerations_arguments *a);

typedef struct td_point_motion_arguments {
    size_t link;
    const double *point;
    const td_reals *y, *yd, *ydd;
    td_reals *motion;
} td_point_motion_arguments;
void td_op_point_motion(const td_eval *eval, const td_point_motion_arguments *a);

typedef struct td_link_jacobian_arguments {
    size_t link;
    const double *point;
    const td_reals *y;
    td_frame frame;
    td_reals *J;
} td_link_jacobian_arguments;
void td_op_link_jacobian(const td_eval *eval, const td_link_jacobian_arguments *a);

typedef struct td_link_bias_acceleration_arguments {
    size_t link;
    const double *point;
    const td_reals *y, *yd;
    td_frame frame;
    td_reals *rate;
} td_link_bias_acceleration_arguments;
void td_op_link_bias_acceleration(const td_eval *eval,
                                  const td_link_bias_acceleration_arguments *a);

typedef struct td_motion_subspaces_arguments {
    const td_reals *y;
    td_frame frame;
    td_reals *columns, *poses;
} td_motion_subspaces_arguments;
void td_op_motion_subspaces(const td_eval *eval, const td_motion_subspaces_arguments *a);

typedef struct td_center_of_mass_arguments {
    const td_reals *y;
    td_scope scope;
    td_reals *com;
} td_center_of_mass_arguments;
void td_op_center_of_mass(const td_eval *eval, const td_center_of_mass_arguments *a);

typedef struct td_center_of_mass_motion_arguments {
    const td_reals *y, *yd, *ydd;
    td_scope scope;
    td_reals *motion;
} td_center_of_mass_motion_arguments;
void td_op_center_of_mass_motion(const td_eval *eval, const td_center_of_mass_motion_arguments *a);

typedef struct td_center_of_mass_jacobian_arguments {
    const td_reals *y;
    td_scope scope;
    td_reals *J;
} td_center_of_mass_jacobian_arguments;
void td_op_center_of_mass_jacobian(const td_eval *eval,
                                   const td_center_of_mass_jacobian_arguments *a);

typedef struct td_centroidal_momentum_matrix_arguments {
    const td_reals *y;
    td_scope scope;
    td_reals *A;
} td_centroidal_momentum_matrix_arguments;
void td_op_centroidal_momentum_matrix(const td_eval *eval,
                                      const td_centroidal_momentum_matrix_arguments *a);

typedef struct td_centroidal_momentum_arguments {
    const td_reals *y, *yd;
    td_scope scope;
    td_reals *momentum;
} td_centroidal_momentum_arguments;
void td_op_centroidal_momentum(const td_eval *eval, const td_centroidal_momentum_arguments *a);

typedef struct td_centroidal_momentum_bias_arguments {
    const td_reals *y, *yd;
    td_scope scope;
    td_reals *bias;
} td_centroidal_momentum_bias_arguments;
void td_op_centroidal_momentum_bias(const td_eval *eval,
                                    const td_centroidal_momentum_bias_arguments *a);

typedef struct td_energy_arguments {
    const td_reals *y, *yd;
    td_scope scope;
    td_reals *energy;
} td_energy_arguments;
void td_op_energy(const td_eval *eval, const td_energy_arguments *a);

typedef struct td_spring_energy_arguments {
    const td_reals *y;
    td_reals *energy;
} td_spring_energy_arguments;
void td_op_spring_energy(const td_eval *eval, const td_spring_energy_arguments *a);

typedef struct td_spring_state_arguments {
    size_t spring;
    const td_reals *y, *yd;
    td_reals *motion;
} td_spring_state_arguments;
void td_op_spring_state(const td_eval *eval, const td_spring_state_arguments *a);

/* constraint.h */
typedef struct td_constraint_jacobian_arguments {
    const td_reals *q;
    td_reals *K;
} td_constraint_jacobian_arguments;
void td_op_constraint_jacobian(const td_eval *eval, const td_constraint_jacobian_arguments *a);

typedef struct td_constraint_residual_arguments {
    const td_reals *q;
    td_reals *phi;
} td_constraint_residual_arguments;
void td_op_constraint_residual(const td_eval *eval, const td_constraint_residual_arguments *a);

typedef struct td_constraint_drift_arguments {
    const td_reals *q, *qd;
    td_reals *k;
} td_constraint_drift_arguments;
void td_op_constraint_drift(const td_eval *eval, const td_constraint_drift_arguments *a);

typedef struct td_project_velocity_arguments {
    const td_reals *q, *qd;
    td_reals *projected, *impulse;
} td_project_velocity_arguments;
void td_op_project_velocity(const td_eval *eval, const td_project_velocity_arguments *a);

typedef struct td_loop_force_arguments {
    const td_reals *q, *qd, *f;
    const td_forces *forces;
    td_reals *tau_a;
} td_loop_force_arguments;
void td_op_loop_force(const td_eval *eval, const td_loop_force_arguments *a);

typedef struct td_loop_motion_arguments {
    size_t loop;
    const td_reals *y, *yd, *ydd;
    td_reals *motion;
} td_loop_motion_arguments;
void td_op_loop_motion(const td_eval *eval, const td_loop_motion_arguments *a);

typedef struct td_constraint_force_arguments {
    const td_reals *y, *yd, *ydd, *tau;
    const td_forces *forces;
    td_reals *tau_c;
} td_constraint_force_arguments;
void td_op_constraint_force(const td_eval *eval, const td_constraint_force_arguments *a);

/* actuation.h */
typedef struct td_actuation_matrix_arguments {
    const td_reals *y;
    td_reals *M_u;
} td_actuation_matrix_arguments;
void td_op_actuation_matrix(const td_eval *eval, const td_actuation_matrix_arguments *a);

typedef struct td_forces_to_actuators_arguments {
    const td_reals *y, *tau_y;
    const double *weight;
    td_reals *u, *rest;
} td_forces_to_actuators_arguments;
void td_op_forces_to_actuators(const td_eval *eval, const td_forces_to_actuators_arguments *a);

typedef struct td_forces_from_actuators_arguments {
    const td_reals *y, *u;
    td_reals *tau_y;
} td_forces_from_actuators_arguments;
void td_op_forces_from_actuators(const td_eval *eval, const td_forces_from_actuators_arguments *a);

typedef struct td_motion_to_actuators_arguments {
    const td_reals *y, *yd, *ydd;
    td_reals *position, *velocity, *acceleration;
} td_motion_to_actuators_arguments;
void td_op_motion_to_actuators(const td_eval *eval, const td_motion_to_actuators_arguments *a);

#endif
