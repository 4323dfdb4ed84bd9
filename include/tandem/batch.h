/* SPDX-License-Identifier: MIT */
/*
 * Batches: many states of one robot in one call. The states are computed in parallel in the SIMD
 * lanes of the processor (td_lanes) and on the threads of the workspace. td_batch_x computes for n
 * states what td_x computes for one; the comment of td_x describes it.
 *
 * Arrays are row-major with one state per row, as in NumPy: y is n × ny, tau_y is n × nyd, and so
 * on. With TD_COORDINATES_TREE the sizes are nq and nv. NULL yd or ydd means zero for all states.
 * Arguments that do not belong to a state (link, point, axes, weight, given, frame, scope, forces)
 * are the same for all states. Wrenches may differ (td_forces.wrenches_per_state), and so may
 * payloads (td_set_payload_rows).
 *
 * statuses (n entries, may be NULL) receives the status of each state: TD_OK, TD_ERROR_NOT_FINITE
 * if an input or a result of this state is not finite, TD_ERROR_QUATERNION, TD_ERROR_SINGULAR, or
 * the status of its loops. Rows of states that fail are filled with NaN, and the other rows are
 * valid. The call returns TD_OK if all states succeed, otherwise the status of the first state that
 * fails. TD_ERROR_ARGUMENT concerns the whole call: in this case nothing is written, not even
 * statuses.
 *
 * Threads. A workspace with several threads (td_workspace_options) divides the states among them;
 * small calls use fewer. The results are the same, bit for bit, for any number of threads. The
 * calling thread works like the others and takes over states that another thread has not started,
 * so busy processors cost little. It waits for states that another thread is computing. That takes
 * a few microseconds, or longer if the system preempts that thread. Such a call does not allocate
 * or lock, but makes system calls to wake threads and to wait for them. Use a workspace with one
 * thread in real-time loops. Denormal numbers slow down batches too; dynamics.h describes the
 * remedy.
 */
#ifndef TANDEM_BATCH_H
#define TANDEM_BATCH_H

#include "tandem/actuation.h"
#include "tandem/closure.h"
#include "tandem/derivatives.h"
#include "tandem/dynamics.h"
#include "tandem/kinematics.h"
#include "tandem/model.h"
#include "tandem/workspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Closure (closure.h): q is n × nq, and so on. NULL outputs are not computed. */

TD_API td_status td_batch_closure(const td_model *model, td_workspace *workspace, size_t n,
                                  const double *y, const double *yd, const double *ydd, double *q,
                                  double *qd, double *qdd, td_status *statuses);

/* Derivatives (derivatives.h): n times the shapes there. NULL outputs are not computed. */

TD_API td_status td_batch_inverse_dynamics_derivatives(
    const td_model *model, td_workspace *workspace, size_t n, const double *y, const double *yd,
    const double *ydd, const td_forces *forces, double *tau_y, double *dtau_y_dy,
    double *dtau_y_dyd, double *H, td_status *statuses);

TD_API td_status td_batch_mass_matrix_product_derivatives(const td_model *model,
                                                          td_workspace *workspace, size_t n,
                                                          const double *y, const double *b,
                                                          double *dHb_dy, td_status *statuses);

TD_API td_status td_batch_forward_dynamics_derivatives(
    const td_model *model, td_workspace *workspace, size_t n, const double *y, const double *yd,
    const double *tau_y, const td_forces *forces, double *ydd, double *dydd_dy, double *dydd_dyd,
    double *dydd_dtau_y, td_status *statuses);

TD_API td_status td_batch_inverse_dynamics_tangent(const td_model *model, td_workspace *workspace,
                                                   size_t n, const double *y, const double *yd,
                                                   const double *ydd, const td_forces *forces,
                                                   const double *dy, const double *dyd,
                                                   const double *dydd, double *dtau_y,
                                                   td_status *statuses);

TD_API td_status td_batch_inverse_dynamics_adjoint(const td_model *model, td_workspace *workspace,
                                                   size_t n, const double *y, const double *yd,
                                                   const double *ydd, const td_forces *forces,
                                                   const double *covector, double *by_y,
                                                   double *by_yd, double *by_ydd,
                                                   td_status *statuses);

TD_API td_status td_batch_forward_dynamics_tangent(const td_model *model, td_workspace *workspace,
                                                   size_t n, const double *y, const double *yd,
                                                   const double *tau_y, const td_forces *forces,
                                                   const double *dy, const double *dyd,
                                                   const double *dtau_y, double *ydd, double *dydd,
                                                   td_status *statuses);

TD_API td_status td_batch_forward_dynamics_adjoint(const td_model *model, td_workspace *workspace,
                                                   size_t n, const double *y, const double *yd,
                                                   const double *tau_y, const td_forces *forces,
                                                   const double *covector, double *ydd,
                                                   double *by_y, double *by_yd, double *by_tau,
                                                   td_status *statuses);

TD_API td_status td_batch_closure_derivatives(const td_model *model, td_workspace *workspace,
                                              size_t n, const double *y, const double *yd,
                                              const double *ydd, const double *tau, double *dqd_dy,
                                              double *dqdd_dy, double *dqdd_dyd, double *dtau_y_dy,
                                              td_status *statuses);

TD_API td_status td_batch_link_velocity_derivatives(const td_model *model, td_workspace *workspace,
                                                    size_t n, size_t link, const double point[3],
                                                    const double *y, const double *yd,
                                                    td_frame frame, double *velocity, double *dv_dy,
                                                    double *dv_dyd, td_status *statuses);

TD_API td_status td_batch_link_jacobian_rate(const td_model *model, td_workspace *workspace,
                                             size_t n, size_t link, const double point[3],
                                             const double *y, const double *yd, td_frame frame,
                                             double *Jd, td_status *statuses);

TD_API td_status td_batch_link_spatial_acceleration_derivatives(
    const td_model *model, td_workspace *workspace, size_t n, size_t link, const double point[3],
    const double *y, const double *yd, const double *ydd, td_frame frame, double *acceleration,
    double *da_dy, double *da_dyd, td_status *statuses);

TD_API td_status td_batch_link_classical_acceleration_derivatives(
    const td_model *model, td_workspace *workspace, size_t n, size_t link, const double point[3],
    const double *y, const double *yd, const double *ydd, td_frame frame, double *acceleration,
    double *da_dy, double *da_dyd, td_status *statuses);

TD_API td_status td_batch_center_of_mass_derivatives(const td_model *model, td_workspace *workspace,
                                                     size_t n, const double *y, const double *yd,
                                                     const double *ydd, td_scope scope,
                                                     double *motion, double *dv_dy, double *da_dy,
                                                     double *da_dyd, td_status *statuses);

TD_API td_status td_batch_centroidal_momentum_derivatives(
    const td_model *model, td_workspace *workspace, size_t n, const double *y, const double *yd,
    const double *ydd, td_scope scope, double *momentum, double *rate, double *dh_dy,
    double *dh_dyd, double *drate_dy, double *drate_dyd, td_status *statuses);

TD_API td_status td_batch_energy_derivatives(const td_model *model, td_workspace *workspace,
                                             size_t n, const double *y, const double *yd,
                                             td_scope scope, double *energy, double *dT_dy,
                                             double *dT_dyd, double *dV_dy, td_status *statuses);

TD_API td_status td_batch_forces_to_actuators_derivatives(
    const td_model *model, td_workspace *workspace, size_t n, const double *y, const double *tau_y,
    const double *weight, double *u, double *du_dy, double *du_dtau_y, td_status *statuses);

TD_API td_status td_batch_forces_from_actuators_derivatives(const td_model *model,
                                                            td_workspace *workspace, size_t n,
                                                            const double *y, const double *u,
                                                            double *tau_y, double *dtau_y_dy,
                                                            td_status *statuses);

/* Kinematics (kinematics.h): poses are n × links × 12, velocities and accelerations n × links × 6,
   Jacobians n × 6 × nyd, columns n × 6 × nv. */

TD_API td_status td_batch_link_poses(const td_model *model, td_workspace *workspace, size_t n,
                                     const double *y, double *poses, td_status *statuses);

TD_API td_status td_batch_moving_link_poses(const td_model *model, td_workspace *workspace,
                                            size_t n, const double *y, double *poses,
                                            td_status *statuses);

TD_API td_status td_batch_link_pose(const td_model *model, td_workspace *workspace, size_t n,
                                    size_t link, const double *y, double *pose,
                                    td_status *statuses);

TD_API td_status td_batch_link_velocities(const td_model *model, td_workspace *workspace, size_t n,
                                          const double *y, const double *yd, td_frame frame,
                                          double *velocities, td_status *statuses);

TD_API td_status td_batch_link_velocity(const td_model *model, td_workspace *workspace, size_t n,
                                        size_t link, const double point[3], const double *y,
                                        const double *yd, td_frame frame, double *velocity,
                                        td_status *statuses);

TD_API td_status td_batch_link_spatial_accelerations(const td_model *model, td_workspace *workspace,
                                                     size_t n, const double *y, const double *yd,
                                                     const double *ydd, td_frame frame,
                                                     double *accelerations, td_status *statuses);

TD_API td_status td_batch_link_classical_accelerations(const td_model *model,
                                                       td_workspace *workspace, size_t n,
                                                       const double *y, const double *yd,
                                                       const double *ydd, td_frame frame,
                                                       double *accelerations, td_status *statuses);

TD_API td_status td_batch_point_motion(const td_model *model, td_workspace *workspace, size_t n,
                                       size_t link, const double point[3], const double *y,
                                       const double *yd, const double *ydd, double *motion,
                                       td_status *statuses);

TD_API td_status td_batch_link_jacobian(const td_model *model, td_workspace *workspace, size_t n,
                                        size_t link, const double point[3], const double *y,
                                        td_frame frame, double *J, td_status *statuses);

TD_API td_status td_batch_link_bias_acceleration(const td_model *model, td_workspace *workspace,
                                                 size_t n, size_t link, const double point[3],
                                                 const double *y, const double *yd, td_frame frame,
                                                 double *rate, td_status *statuses);

TD_API td_status td_batch_motion_subspaces(const td_model *model, td_workspace *workspace, size_t n,
                                           const double *y, td_frame frame, double *columns,
                                           double *poses, td_status *statuses);

TD_API td_status td_batch_center_of_mass(const td_model *model, td_workspace *workspace, size_t n,
                                         const double *y, td_scope scope, double *com,
                                         td_status *statuses);

TD_API td_status td_batch_center_of_mass_motion(const td_model *model, td_workspace *workspace,
                                                size_t n, const double *y, const double *yd,
                                                const double *ydd, td_scope scope, double *motion,
                                                td_status *statuses);

TD_API td_status td_batch_center_of_mass_jacobian(const td_model *model, td_workspace *workspace,
                                                  size_t n, const double *y, td_scope scope,
                                                  double *J, td_status *statuses);

TD_API td_status td_batch_centroidal_momentum_matrix(const td_model *model, td_workspace *workspace,
                                                     size_t n, const double *y, td_scope scope,
                                                     double *A, td_status *statuses);

TD_API td_status td_batch_centroidal_momentum(const td_model *model, td_workspace *workspace,
                                              size_t n, const double *y, const double *yd,
                                              td_scope scope, double *momentum,
                                              td_status *statuses);

TD_API td_status td_batch_centroidal_momentum_bias(const td_model *model, td_workspace *workspace,
                                                   size_t n, const double *y, const double *yd,
                                                   td_scope scope, double *bias,
                                                   td_status *statuses);

TD_API td_status td_batch_energy(const td_model *model, td_workspace *workspace, size_t n,
                                 const double *y, const double *yd, td_scope scope, double *energy,
                                 td_status *statuses);

TD_API td_status td_batch_spring_energy(const td_model *model, td_workspace *workspace, size_t n,
                                        const double *y, double *energy, td_status *statuses);

/* Dynamics (dynamics.h): vectors are n × nyd, matrices n × nyd × nyd. */

TD_API td_status td_batch_inverse_dynamics(const td_model *model, td_workspace *workspace, size_t n,
                                           const double *y, const double *yd, const double *ydd,
                                           const td_forces *forces, double *tau_y,
                                           td_status *statuses);

TD_API td_status td_batch_forward_dynamics(const td_model *model, td_workspace *workspace, size_t n,
                                           const double *y, const double *yd, const double *tau_y,
                                           const td_forces *forces, double *ydd,
                                           td_status *statuses);

TD_API td_status td_batch_hybrid_dynamics(const td_model *model, td_workspace *workspace, size_t n,
                                          const double *y, const double *yd,
                                          const unsigned char *given, const td_forces *forces,
                                          double *ydd, double *tau_y, td_status *statuses);

TD_API td_status td_batch_mass_matrix(const td_model *model, td_workspace *workspace, size_t n,
                                      const double *y, const td_forces *forces, double *H,
                                      td_status *statuses);

TD_API td_status td_batch_mass_matrix_inverse(const td_model *model, td_workspace *workspace,
                                              size_t n, const double *y, const td_forces *forces,
                                              double *inverse, td_status *statuses);

TD_API td_status td_batch_operational_inertia(const td_model *model, td_workspace *workspace,
                                              size_t n, size_t link, const double point[3],
                                              const unsigned char *axes, const double *y,
                                              const td_forces *forces, td_frame frame,
                                              double *mobility, double *inertia, double *J_inverse,
                                              td_status *statuses);

TD_API td_status td_batch_mass_matrix_factors(const td_model *model, td_workspace *workspace,
                                              size_t n, const double *y, const td_forces *forces,
                                              double *factors, td_status *statuses);

TD_API td_status td_batch_bias_force(const td_model *model, td_workspace *workspace, size_t n,
                                     const double *y, const double *yd, const td_forces *forces,
                                     double *C, td_status *statuses);

TD_API td_status td_batch_gravity_force(const td_model *model, td_workspace *workspace, size_t n,
                                        const double *y, double *tau_y, td_status *statuses);

TD_API td_status td_batch_coriolis_matrix(const td_model *model, td_workspace *workspace, size_t n,
                                          const double *y, const double *yd, double *C,
                                          td_status *statuses);

TD_API td_status td_batch_dynamics_terms(const td_model *model, td_workspace *workspace, size_t n,
                                         const double *y, const double *yd, const td_forces *forces,
                                         const td_terms *terms, td_status *statuses);

TD_API td_status td_batch_joint_reactions(const td_model *model, td_workspace *workspace, size_t n,
                                          const double *y, const double *yd, const double *ydd,
                                          const td_forces *forces, td_frame frame,
                                          double *reactions, td_status *statuses);

TD_API td_status td_batch_loop_reactions(const td_model *model, td_workspace *workspace, size_t n,
                                         const double *y, const double *yd, const double *ydd,
                                         const td_forces *forces, td_frame frame, double *joints,
                                         double *loops, double *joint_ambiguity,
                                         double *loop_ambiguity, td_status *statuses);

TD_API td_status td_batch_residual_wrench(const td_model *model, td_workspace *workspace, size_t n,
                                          const double *y, const double *yd, const double *ydd,
                                          const td_forces *forces, td_frame frame, double *wrench,
                                          td_status *statuses);

/* Motor forces (actuation.h): u is n × nu, rest is n × nyd. weight is the same for all states. */

TD_API td_status td_batch_forces_to_actuators(const td_model *model, td_workspace *workspace,
                                              size_t n, const double *y, const double *tau_y,
                                              const double *weight, double *u, double *rest,
                                              td_status *statuses);

#ifdef __cplusplus
}
#endif
#endif
