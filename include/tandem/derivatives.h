/* SPDX-License-Identifier: MIT */
/*
 * Analytical derivatives of the quantities in the other headers. They are exact up to rounding.
 * Only a td_closure_function without derivatives is differentiated by finite differences.
 *
 * Derivatives with respect to velocities, accelerations and forces are partial derivatives.
 * Derivatives with respect to a configuration are taken along its tangent space, which velocities
 * span: column a of ∂f/∂y is the derivative of
 *
 *   f(y ⊕ ε e_a)   with respect to ε, at ε = 0.
 *
 * ⊕ is td_integrate over one second, and e_a has 1 for the a-th velocity of ẏ and 0 for the others.
 * All other arguments stay constant. For joints without a quaternion this is the partial derivative
 * with respect to a position. Velocities of joints with a quaternion are in the axes of their
 * child. Rotations about them do not commute, so second derivatives along them are not symmetric.
 * In a workspace with TD_COORDINATES_TREE (workspace.h), y is q, ẏ is q̇, nyd is nv, and ⊕ is
 * td_integrate in these coordinates.
 *
 * If loops determine part of a pose (closure.h), y ⊕ ε e_a moves the pose along the velocities in
 * ẏ, and γ moves the rest. y must be closed, as td_independent_coordinates returns it. In a chart
 * (chart.h) all derivatives are with respect to u. If u has more positions than y, the tangent is
 * the motion G e_a of the tree.
 *
 * Matrices are dense and row-major: one row per entry of the differentiated quantity, one column
 * per entry of the variable. If a function has several outputs, each may be NULL and is then not
 * computed. NULL yd, ydd, tau_y or forces mean zero. Outputs must not alias inputs. Functions with
 * a workspace need one with matrices (TD_ERROR_MATRICES), except the products. No function
 * allocates. Batches are in batch.h.
 */
#ifndef TANDEM_DERIVATIVES_H
#define TANDEM_DERIVATIVES_H

#include "tandem/dynamics.h"
#include "tandem/kinematics.h"
#include "tandem/model.h"
#include "tandem/workspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- dynamics --------------------------------------------------------------------------------
 *
 * With q = γ(y), q̇ = G ẏ, q̈ = G ÿ + g and the forces τ of the tree,
 *
 *   ∂τ_y/∂ÿ = Gᵀ H G
 *   ∂τ_y/∂ẏ = Gᵀ (∂τ/∂q̇ G + H ∂g/∂ẏ)
 *   ∂τ_y/∂y = ∂(Gᵀτ)/∂y (τ fixed) + Gᵀ (∂τ/∂q G + ∂τ/∂q̇ ∂(Gẏ)/∂y + H ∂(Gÿ + g)/∂y)
 *
 * and for forward dynamics ∂ÿ = −(Gᵀ H G)⁻¹ ∂τ_y at the computed ÿ. NULL arguments, forces and
 * statuses are as in dynamics.h.
 */

/* Computes inverse dynamics and its derivatives. n is nyd, or nv with TD_COORDINATES_TREE.

     y, yd, ydd  state and accelerations
     forces      wrenches, springs, damping, smoothed friction and rotors; NULL: none. All outputs
                 include their effect
     tau_y       output, n: joint forces
     dtau_y_dy   output, n × n: ∂τ_y/∂y
     dtau_y_dyd  output, n × n: ∂τ_y/∂ẏ
     H           output, n × n: ∂τ_y/∂ÿ, the mass matrix

   Method: the recursion of Singh, Russell and Wensing (2022) over clusters of coupled bodies. Cost:
   O(coordinates · depth), plus n² entries that are written. */
TD_API td_status td_inverse_dynamics_derivatives(const td_model *model, td_workspace *workspace,
                                                 const double *y, const double *yd,
                                                 const double *ydd, const td_forces *forces,
                                                 double *tau_y, double *dtau_y_dy,
                                                 double *dtau_y_dyd, double *H);

/* td_mass_matrix_derivatives computes dH_dy (nyd × nyd × nyd) with ∂H_ij/∂y_k at [i][j][k].
   td_mass_matrix_product_derivatives computes ∂(H b)/∂y (nyd × nyd) for a constant b (nyd). Both
   use inverse dynamics without gravity at ẏ = 0, ÿ = b, whose derivative with respect to y is
   ∂(H b)/∂y. Cost of the product: as td_inverse_dynamics_derivatives. Cost of dH_dy: nyd times as
   much. */
TD_API td_status td_mass_matrix_derivatives(const td_model *model, td_workspace *workspace,
                                            const double *y, double *dH_dy);
TD_API td_status td_mass_matrix_product_derivatives(const td_model *model, td_workspace *workspace,
                                                    const double *y, const double *b,
                                                    double *dHb_dy);

/* Computes forward dynamics and its derivatives, from the factors of H. n is nyd, or nv with
   TD_COORDINATES_TREE.

     y, yd        state
     tau_y        n joint forces, constant along y and ẏ; NULL: zero
     forces       wrenches and passive forces; NULL: none
     ydd          output, n: accelerations
     dydd_dy      output, n × n: ∂ÿ/∂y
     dydd_dyd     output, n × n: ∂ÿ/∂ẏ
     dydd_dtau_y  output, n × n: ∂ÿ/∂τ = H⁻¹

   TD_ERROR_SINGULAR as in td_forward_dynamics; then all outputs are NaN. Cost: O(coordinates² ·
   depth). */
TD_API td_status td_forward_dynamics_derivatives(const td_model *model, td_workspace *workspace,
                                                 const double *y, const double *yd,
                                                 const double *tau_y, const td_forces *forces,
                                                 double *ydd, double *dydd_dy, double *dydd_dyd,
                                                 double *dydd_dtau_y);

/* ---- products --------------------------------------------------------------------------------
 *
 * These functions multiply the same derivatives by a direction (tangent), or a covector by them
 * (adjoint), without forming a matrix. Time and memory are O(joints) if clusters of loops have
 * bounded size. They also work in workspaces without matrices. NULL directions are zero, and NULL
 * outputs are not computed. Near dead points of y the call returns the status of td_closure. A call
 * takes about three times as many operations as td_inverse_dynamics or td_forward_dynamics. Loops
 * are differentiated as in td_closure_derivatives.
 */

/* Computes the tangent of inverse dynamics: dtau_y = ∂τ/∂y dy + ∂τ/∂ẏ dẏ + H dÿ, the first-order
   change of tau_y of td_inverse_dynamics.

     y, yd, ydd  state and accelerations
     forces      as in td_inverse_dynamics; NULL: none
     dy          nyd, direction along the tangent of y; NULL: zero
     dyd         nyd, direction of ẏ; NULL: zero
     dydd        nyd, direction of ÿ; NULL: zero
     dtau_y      output, nyd */
TD_API td_status td_inverse_dynamics_tangent(const td_model *model, td_workspace *workspace,
                                             const double *y, const double *yd, const double *ydd,
                                             const td_forces *forces, const double *dy,
                                             const double *dyd, const double *dydd, double *dtau_y);

/* Computes the adjoint of inverse dynamics, the gradient of wᵀ τ for a covector w.

     y, yd, ydd  state and accelerations
     forces      as in td_inverse_dynamics; NULL: none
     covector    nyd: w
     by_y        output, nyd: wᵀ ∂τ/∂y
     by_yd       output, nyd: wᵀ ∂τ/∂ẏ
     by_ydd      output, nyd: wᵀ H

   The cost does not depend on which outputs are wanted, with one exception: by_y of a robot with
   loops needs the geometric stiffness of their forces. */
TD_API td_status td_inverse_dynamics_adjoint(const td_model *model, td_workspace *workspace,
                                             const double *y, const double *yd, const double *ydd,
                                             const td_forces *forces, const double *covector,
                                             double *by_y, double *by_yd, double *by_ydd);

/* Computes forward dynamics and its tangent, ∂ÿ/∂y dy + ∂ÿ/∂ẏ dẏ + H⁻¹ dτ.

     y, yd    state
     tau_y    nyd joint forces; NULL: zero
     forces   as in td_forward_dynamics; NULL: none
     dy       nyd, direction along the tangent of y; NULL: zero
     dyd      nyd, direction of ẏ; NULL: zero
     dtau_y   nyd, direction of τ; NULL: zero
     ydd      output, nyd: as td_forward_dynamics
     dydd     output, nyd

   Method: dydd = H⁻¹ (dτ − ∂τ), with the tangent ∂τ of inverse dynamics at this ÿ. Multiplying by
   H⁻¹ takes a second pass of forward dynamics, so the cost is O(joints) whenever
   td_forward_dynamics is O(joints). TD_ERROR_SINGULAR and TD_ERROR_MATRICES as in
   td_forward_dynamics. */
TD_API td_status td_forward_dynamics_tangent(const td_model *model, td_workspace *workspace,
                                             const double *y, const double *yd, const double *tau_y,
                                             const td_forces *forces, const double *dy,
                                             const double *dyd, const double *dtau_y, double *ydd,
                                             double *dydd);

/* Computes forward dynamics and its adjoint, the gradient of wᵀ ÿ for a covector w.

     y, yd     state
     tau_y     nyd joint forces; NULL: zero
     forces    as in td_forward_dynamics; NULL: none
     covector  nyd: w
     ydd       output, nyd: as td_forward_dynamics
     by_y      output, nyd: wᵀ ∂ÿ/∂y
     by_yd     output, nyd: wᵀ ∂ÿ/∂ẏ
     by_tau    output, nyd: wᵀ ∂ÿ/∂τ = H⁻¹ w

   Errors and cost as in td_forward_dynamics_tangent. */
TD_API td_status td_forward_dynamics_adjoint(const td_model *model, td_workspace *workspace,
                                             const double *y, const double *yd, const double *tau_y,
                                             const td_forces *forces, const double *covector,
                                             double *ydd, double *by_y, double *by_yd,
                                             double *by_tau);

/* ---- the closure ------------------------------------------------------------------------------
 */

/* Computes the derivatives of the closure along y.

     y          ny positions
     yd         nyd velocities; NULL: zero
     ydd        nyd accelerations; NULL: zero
     tau        nv forces of the tree; NULL: zero
     dqd_dy     output, nv × nyd: ∂(G ẏ)/∂y
     dqdd_dy    output, nv × nyd: ∂(G ÿ + g)/∂y
     dqdd_dyd   output, nv × nyd: ∂g/∂ẏ = ∂(G ẏ)/∂y + Ġ; this is 2 ∂(G ẏ)/∂y if no loop has a joint
                with a quaternion
     dtau_y_dy  output, nyd × nyd: ∂(Gᵀ tau)/∂y at fixed tau, the geometric stiffness of forces

   All outputs are zero, except for loops that are iterated, have a formula or have a
   td_closure_function, and for followers by curves (curve.h).

   Method. The constraints of the loops, K G = 0 and K q̈ + K̇ q̇ = 0, are differentiated along y, with
   the factors of K from which G was computed. ∂(Gᵀ tau)/∂y is − Σ λ_m φ_m''[G, G]. λ are the
   multipliers with which loops balance tau at the dependent joints. Cost: once y is closed,
   O(independent · (bodies + rows · rank)) for each cluster of loops.

   Near singular positions (td_closure_start) the call returns the status of td_closure. Elsewhere,
   relative errors are a few times larger than in G. TD_ERROR_ASSEMBLY is also returned if a
   td_closure_function returns no derivatives or has no value within its difference step.
   TD_ERROR_MATRICES: the workspace has no matrices. */
TD_API td_status td_closure_derivatives(const td_model *model, td_workspace *workspace,
                                        const double *y, const double *yd, const double *ydd,
                                        const double *tau, double *dqd_dy, double *dqdd_dy,
                                        double *dqdd_dyd, double *dtau_y_dy);

/* ---- motion ----------------------------------------------------------------------------------
 *
 * Quantities of kinematics.h and their derivatives. Arguments, frames and scopes are the same. The
 * derivative of a velocity ẋ with respect to ẏ is its Jacobian, and so is the derivative of an
 * acceleration with respect to ÿ. With ÿ = 0 the acceleration is J̇ ẏ. This is the classical
 * acceleration in TD_FRAME_ALIGNED, and the spatial acceleration in other frames. All derivatives
 * are along the closure:
 *
 *   ∂x/∂y = ∂x/∂q G + ∂x/∂q̇ ∂(Gẏ)/∂y + ∂x/∂q̈ ∂(Gÿ + g)/∂y,   ∂x/∂ẏ = ∂x/∂q̇ G + ∂x/∂q̈ ∂g/∂ẏ
 *
 * Method: closed form, by the columns of Singh, Russell and Wensing (2022). TD_ERROR_MATRICES: the
 * workspace has no matrices.
 */

/* Computes the velocity of a link at a point and its derivatives.

     link      index of the link
     point     3: reference point in link coordinates, m; NULL: the link's origin
     y, yd     state
     frame     TD_FRAME_BODY: derivatives of the components. TD_FRAME_ALIGNED: the reference point
               moves with the link
     velocity  output, 6: as td_link_velocity
     dv_dy     output, 6 × nyd: ∂v/∂y
     dv_dyd    output, 6 × nyd: ∂v/∂ẏ

   Cost: O(depth), plus G. */
TD_API td_status td_link_velocity_derivatives(const td_model *model, td_workspace *workspace,
                                              size_t link, const double point[3], const double *y,
                                              const double *yd, td_frame frame, double *velocity,
                                              double *dv_dy, double *dv_dyd);

/* Computes the rate of a Jacobian, J̇: the time derivative of its entries along ẏ. J̇ ẏ is
   td_link_bias_acceleration.

     link   index of the link
     point  3: reference point in link coordinates, m; NULL: the link's origin
     y, yd  state
     frame  frame of the Jacobian
     Jd     output, 6 × nyd: J̇

   Method: J̇ = ∂a/∂ẏ − ∂v/∂y. This is true for every joint, because v = J ẏ is linear and a = J ÿ +
   J̇ ẏ is quadratic in ẏ. Cost: O(depth), plus G. */
TD_API td_status td_link_jacobian_rate(const td_model *model, td_workspace *workspace, size_t link,
                                       const double point[3], const double *y, const double *yd,
                                       td_frame frame, double *Jd);

/* Compute the spatial and the classical acceleration of a link at a point, and their derivatives.

     link          index of the link
     point         3: reference point in link coordinates, m; NULL: the link's origin
     y, yd, ydd    state and accelerations
     frame         frame of the acceleration
     acceleration  output, 6
     da_dy         output, 6 × nyd: ∂a/∂y
     da_dyd        output, 6 × nyd: ∂a/∂ẏ

   Accelerations exclude gravity. For the reading of an accelerometer, add −∂(Rᵀ g)/∂y to ∂a/∂y.
   Cost: O(depth), plus G. */
TD_API td_status td_link_spatial_acceleration_derivatives(const td_model *model,
                                                          td_workspace *workspace, size_t link,
                                                          const double point[3], const double *y,
                                                          const double *yd, const double *ydd,
                                                          td_frame frame, double *acceleration,
                                                          double *da_dy, double *da_dyd);
TD_API td_status td_link_classical_acceleration_derivatives(const td_model *model,
                                                            td_workspace *workspace, size_t link,
                                                            const double point[3], const double *y,
                                                            const double *yd, const double *ydd,
                                                            td_frame frame, double *acceleration,
                                                            double *da_dy, double *da_dyd);

/* Computes the motion of the center of mass and its derivatives.

     y, yd, ydd  state and accelerations
     scope       which links count
     motion      output, 9: position, velocity and acceleration (m, m/s, m/s²)
     dv_dy       output, 3 × nyd: ∂v/∂y
     da_dy       output, 3 × nyd: ∂a/∂y
     da_dyd      output, 3 × nyd: ∂a/∂ẏ

   ∂v/∂ẏ = ∂a/∂ÿ is td_center_of_mass_jacobian. Outputs are NaN if the mass is zero. Cost:
   O(bodies), plus G. */
TD_API td_status td_center_of_mass_derivatives(const td_model *model, td_workspace *workspace,
                                               const double *y, const double *yd, const double *ydd,
                                               td_scope scope, double *motion, double *dv_dy,
                                               double *da_dy, double *da_dyd);

/* Computes the momentum h about the center of mass, its rate A ÿ + Ȧ ẏ, and their derivatives, in
   world axes.

     y, yd, ydd  state and accelerations
     scope       which links count
     momentum    output, 6: h (N m s, N s)
     rate        output, 6: A ÿ + Ȧ ẏ (N m, N)
     dh_dy       output, 6 × nyd: ∂h/∂y
     dh_dyd      output, 6 × nyd: ∂h/∂ẏ = A, which is also ∂rate/∂ÿ
     drate_dy    output, 6 × nyd: ∂rate/∂y
     drate_dyd   output, 6 × nyd: ∂rate/∂ẏ

   Outputs are NaN if the mass is zero. Cost: O(bodies), plus G. */
TD_API td_status td_centroidal_momentum_derivatives(const td_model *model, td_workspace *workspace,
                                                    const double *y, const double *yd,
                                                    const double *ydd, td_scope scope,
                                                    double *momentum, double *rate, double *dh_dy,
                                                    double *dh_dyd, double *drate_dy,
                                                    double *drate_dyd);

/* Computes kinetic energy T and potential energy V, and their derivatives.

     y, yd   state
     scope   as in td_energy; with TD_SCOPE_SPRINGS V includes all springs
     energy  output, 2: T and V (J)
     dT_dy   output, nyd: ∂T/∂y
     dT_dyd  output, nyd: ∂T/∂ẏ = H ẏ
     dV_dy   output, nyd: ∂V/∂y

   The energies exclude rotors. Cost: O(bodies). */
TD_API td_status td_energy_derivatives(const td_model *model, td_workspace *workspace,
                                       const double *y, const double *yd, td_scope scope,
                                       double *energy, double *dT_dy, double *dT_dyd,
                                       double *dV_dy);

/* Computes the state of a spring between two links and its derivatives.

     spring       index of the spring (td_spring_at)
     y, yd        state
     motion       output, 4: distance, its rate, energy and damper power, as td_spring_state
     dmotion_dy   output, 4 × nyd: derivatives along y
     dmotion_dyd  output, 4 × nyd: derivatives with respect to ẏ

   TD_ERROR_ARGUMENT: there is no such spring. Cost: O(links), plus G. */
TD_API td_status td_spring_state_derivatives(const td_model *model, td_workspace *workspace,
                                             size_t spring, const double *y, const double *yd,
                                             double *motion, double *dmotion_dy,
                                             double *dmotion_dyd);

/* ---- motors ----------------------------------------------------------------------------------
 *
 * M_u of actuation.h changes with y if loops are iterated or have motors. The derivatives of motor
 * forces along a motion follow from τ_y and its derivatives: ∂u/∂· = ∂u/∂y (for · = y) + ∂u/∂τ
 * ∂τ_y/∂·. Statuses are as in actuation.h. TD_ERROR_MATRICES: the workspace has no matrices.
 */

/* Computes motor forces and their derivatives.

     y          ny positions
     tau_y      nyd joint forces
     weight     nu weights, as in td_forces_to_actuators; NULL: ones
     u          output, nu: as td_forces_to_actuators; must not be NULL
     du_dy      output, nu × nyd: ∂u/∂y at fixed tau_y
     du_dtau_y  output, nu × nyd: ∂u/∂τ

   With more motors than coordinates, u is the solution with the least Σ weight u²; with fewer, it
   is the least-squares solution. Derivatives use the exact ∂M_u/∂y. Cost: O(nyd · nonzeros of G in
   loops), plus O(nyd · m²) for m motors that share coordinates. */
TD_API td_status td_forces_to_actuators_derivatives(const td_model *model, td_workspace *workspace,
                                                    const double *y, const double *tau_y,
                                                    const double *weight, double *u, double *du_dy,
                                                    double *du_dtau_y);

/* Computes joint forces from motor forces, tau_y (nyd) = M_uᵀ u, and dtau_y_dy (nyd × nyd), the
   derivative ∂(M_uᵀ u)/∂y at fixed u (nu). The derivative with respect to u is M_uᵀ
   (td_actuation_matrix). Cost: O(nyd · nonzeros of G in loops), plus O(nyd²). */
TD_API td_status td_forces_from_actuators_derivatives(const td_model *model,
                                                      td_workspace *workspace, const double *y,
                                                      const double *u, double *tau_y,
                                                      double *dtau_y_dy);

/* ---- configurations --------------------------------------------------------------------------
 *
 * These functions have no workspace; their second argument selects the coordinates. Like
 * td_integrate they also accept u of a chart, if u has no more positions than y (chart.h). They
 * cannot fail and do not allocate. NULL outputs are not computed.
 */

/* Computes the derivatives of result = y ⊕ yd dt of td_integrate. Changes of the result are along
   its tangent.

     coordinates  of yd; nyd is nv with TD_COORDINATES_TREE
     yd           nyd velocities
     dt           time, s
     dresult_dy   output, nyd × nyd: derivative along y
     dresult_dyd  output, nyd × nyd: derivative with respect to yd

   The two derivatives are the identity and dt times the identity, except in the blocks of joints
   with a quaternion. These blocks are Ad(exp(−ẏ dt)) and J_r(ẏ dt) dt, with the exponential map exp
   and its right Jacobian J_r (Solà, Deray and Atchuthan 2018). The derivatives do not depend on y.
   If loops determine part of a pose, the matrices have the rows and columns of the velocities in ẏ.
   Cost: O(n²). */
TD_API void td_integrate_derivatives(const td_model *model, td_coordinates coordinates,
                                     const double *yd, double dt, double *dresult_dy,
                                     double *dresult_dyd);

/* Computes the derivatives of td_difference, which returns v with start ⊕ v = end.

     coordinates  of start and end; nyd is nv with TD_COORDINATES_TREE
     start        configuration, ny
     end          configuration, ny
     dv_dstart    output, nyd × nyd: derivative along start
     dv_dend      output, nyd × nyd: derivative along end

   The two derivatives are minus the identity and the identity, except in the blocks of joints with
   a quaternion. These blocks are −J_r⁻¹(−v) and J_r⁻¹(v). They are exact for all rotations below
   half a turn. At half a turn v jumps, and the derivatives are for the v that td_difference
   returns. Cost: O(n²).
 */
TD_API void td_difference_derivatives(const td_model *model, td_coordinates coordinates,
                                      const double *start, const double *end, double *dv_dstart,
                                      double *dv_dend);

#ifdef __cplusplus
}
#endif
#endif
