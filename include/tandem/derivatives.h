/* SPDX-License-Identifier: MIT */
/*
 * Derivatives of what the other headers compute, exact but for rounding: nothing here is a
 * difference, but of functions of one's own without derivatives (td_closure_function).
 *
 * Derivatives by velocities, accelerations and forces are those by their numbers. Those by a
 * configuration are along its tangent, which velocities span: column a of ∂f/∂y is the derivative
 * of
 *
 *   f(y ⊕ ε e_a)   by ε, at ε = 0,
 *
 * where ⊕ is td_integrate over one second and e_a has 1 for the a-th velocity of ẏ and 0 for the
 * others, while all other arguments keep their numbers. For joints without a quaternion this is the
 * partial derivative by a position. Velocities of joints with a quaternion are in the axes of their
 * child, in which turns do not commute: second derivatives along them are not symmetric. In a
 * workspace with TD_COORDINATES_TREE (workspace.h) y is q, ẏ is q̇, nyd is nv, and ⊕ is td_integrate
 * in these coordinates.
 *
 * Of poses of which loops decide a part, y ⊕ ε e_a moves what ẏ has of the pose, and γ the rest;
 * y must be closed, as td_independent_coordinates gives it. In a chart (chart.h) all is by u; where
 * that has more positions than y, the tangent is the motion G e_a of the tree.
 *
 * Matrices are dense and row-major: a row for each number of what is differentiated, a column for
 * each of what it is differentiated by. An output that is NULL is not computed. Batches are in
 * batch.h.
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
 * and forward dynamics has ∂ÿ = −H_y⁻¹ ∂τ_y at that ÿ. NULL arguments, forces and statuses are as
 * in dynamics.h.
 */

/* Computes inverse dynamics and its derivatives: tau_y (nyd), ∂τ_y/∂y, ∂τ_y/∂ẏ and H = ∂τ_y/∂ÿ (nyd
   × nyd each; nv × nv with TD_COORDINATES_TREE). Wrenches, springs, damping, smoothed friction and
   rotors are in all of them as forces say. The recursion of Singh, Russell and Wensing (2022) over
   clusters of coupled bodies: O(coordinates · depth), and n² numbers are written.
   TD_ERROR_MATRICES: the workspace has no matrices. */
TD_API td_status td_inverse_dynamics_derivatives(const td_model *model, td_workspace *workspace,
                                                 const double *y, const double *yd,
                                                 const double *ydd, const td_forces *forces,
                                                 double *tau_y, double *dtau_y_dy,
                                                 double *dtau_y_dyd, double *H);

/* Computes the derivatives of the mass matrix: dH_dy (nyd × nyd × nyd) has ∂H_ij/∂y_k at [i][j][k];
   and those of a product with it, ∂(H b)/∂y (nyd × nyd) for b (nyd) that stays. As inverse dynamics
   without gravity at ẏ = 0, ÿ = b, whose derivative by y they are: one costs as much as
   td_inverse_dynamics_derivatives, the other nyd times that. */
TD_API td_status td_mass_matrix_derivatives(const td_model *model, td_workspace *workspace,
                                            const double *y, double *dH_dy);
TD_API td_status td_mass_matrix_product_derivatives(const td_model *model, td_workspace *workspace,
                                                    const double *y, const double *b,
                                                    double *dHb_dy);

/* Forward dynamics with its derivatives at fixed forces: ydd (nyd), ∂ÿ/∂y, ∂ÿ/∂ẏ and ∂ÿ/∂τ = H⁻¹ (n
   × n each), by the factors of H. TD_ERROR_SINGULAR as in td_forward_dynamics: all is NaN then.
   O(coordinates² · depth). */
TD_API td_status td_forward_dynamics_derivatives(const td_model *model, td_workspace *workspace,
                                                 const double *y, const double *yd,
                                                 const double *tau_y, const td_forces *forces,
                                                 double *ydd, double *dydd_dy, double *dydd_dyd,
                                                 double *dydd_dtau_y);

/* ---- products --------------------------------------------------------------------------------
 *
 * The same derivatives times a direction, and covectors times them, without a matrix: O(joints) in
 * time and memory where clusters of loops are of bounded size, also in workspaces without matrices.
 * Directions that are NULL are zero; products that are NULL are not computed. Near dead points of y
 * the status is that of γ. One takes up to three times the operations of td_inverse_dynamics, or of
 * td_forward_dynamics with its H⁻¹; loops are differentiated as by td_closure_derivatives.
 */

/* dtau_y (nyd) = ∂τ/∂y dy + ∂τ/∂ẏ dẏ + H dÿ, dy being along the tangent of y: what tau_y of
   td_inverse_dynamics changes by to first order. */
TD_API td_status td_inverse_dynamics_tangent(const td_model *model, td_workspace *workspace,
                                             const double *y, const double *yd, const double *ydd,
                                             const td_forces *forces, const double *dy,
                                             const double *dyd, const double *dydd, double *dtau_y);

/* The gradient of wᵀ τ for a covector w (nyd): wᵀ ∂τ/∂y, wᵀ ∂τ/∂ẏ and wᵀ H (nyd each). Its cost is
   that of all three, but for loops: the geometric stiffness of their forces is in the first. */
TD_API td_status td_inverse_dynamics_adjoint(const td_model *model, td_workspace *workspace,
                                             const double *y, const double *yd, const double *ydd,
                                             const td_forces *forces, const double *covector,
                                             double *by_y, double *by_yd, double *by_ydd);

/* ydd (nyd) of td_forward_dynamics, and dydd = ∂ÿ/∂y dy + ∂ÿ/∂ẏ dẏ + H⁻¹ dτ, as H⁻¹ (dτ − ∂τ) with
   the tangent of inverse dynamics at that ÿ. TD_ERROR_SINGULAR and TD_ERROR_MATRICES as in
   td_forward_dynamics, which H⁻¹ takes another time: O(joints) where that is. */
TD_API td_status td_forward_dynamics_tangent(const td_model *model, td_workspace *workspace,
                                             const double *y, const double *yd, const double *tau_y,
                                             const td_forces *forces, const double *dy,
                                             const double *dyd, const double *dtau_y, double *ydd,
                                             double *dydd);

/* ydd, and the gradient of wᵀ ÿ for a covector w (nyd): wᵀ ∂ÿ/∂y, wᵀ ∂ÿ/∂ẏ and wᵀ ∂ÿ/∂τ = H⁻¹ w
   (nyd each). The rest as above. */
TD_API td_status td_forward_dynamics_adjoint(const td_model *model, td_workspace *workspace,
                                             const double *y, const double *yd, const double *tau_y,
                                             const td_forces *forces, const double *covector,
                                             double *ydd, double *by_y, double *by_yd,
                                             double *by_tau);

/* ---- the closure ------------------------------------------------------------------------------
 */

/* How the closure changes along y, at given ẏ, ÿ and forces tau of the tree:
 *
 *   dqd_dy     nv × nyd    ∂(G ẏ)/∂y
 *   dqdd_dy    nv × nyd    ∂(G ÿ + g)/∂y
 *   dqdd_dyd   nv × nyd    ∂g/∂ẏ = ∂(G ẏ)/∂y + Ġ, twice ∂(G ẏ)/∂y where no loop has a
 *                          joint with a quaternion
 *   dtau_y_dy  nyd × nyd   ∂(Gᵀ tau)/∂y, at fixed tau: the geometric stiffness of forces
 *
 * yd, ydd and tau may be NULL: zero. All of them vanish but for loops that are iterated, have a
 * formula or a function of one's own. The relations that loops fulfil along y are differentiated,
 * K G = 0 and K q̈ + K̇ q̇ = 0, with the factors of K that G came from; ∂(Gᵀ tau)/∂y is
 * − Σ λ_m φ_m''[G, G], with the λ by which loops hold tau at the dependent joints. Once y is closed
 * O(independent · (bodies + rows · rank)) for each cluster of loops. Near singular positions, of
 * which td_closure_start tells, the status is that of γ: up to there relative errors are a few
 * times those of G. TD_ERROR_ASSEMBLY also where a function of one's own gives no derivatives, or
 * has no value within the distance of its differences. TD_ERROR_MATRICES: the workspace has none.
 */
TD_API td_status td_closure_derivatives(const td_model *model, td_workspace *workspace,
                                        const double *y, const double *yd, const double *ydd,
                                        const double *tau, double *dqd_dy, double *dqdd_dy,
                                        double *dqdd_dyd, double *dtau_y_dy);

/* ---- motion ----------------------------------------------------------------------------------
 *
 * What kinematics.h computes, with its derivatives: arguments, frames and scopes are as there.
 * Those of a velocity ẋ by ẏ are its Jacobian, and those of an acceleration by ÿ the same; with ÿ =
 * 0 the acceleration is J̇ ẏ (TD_FRAME_ALIGNED: the classical one, else the spatial one). As all of
 * them they hold along the closure:
 *
 *   ∂x/∂y = ∂x/∂q G + ∂x/∂q̇ ∂(Gẏ)/∂y + ∂x/∂q̈ ∂(Gÿ + g)/∂y,   ∂x/∂ẏ = ∂x/∂q̇ G + ∂x/∂q̈ ∂g/∂ẏ.
 *
 * In closed form, by the columns of Singh, Russell and Wensing (2022). TD_ERROR_MATRICES: the
 * workspace has no room for matrices.
 */

/* Velocity (6) of a link as if its frame were at point (link coordinates; NULL: where it is), and
   ∂v/∂y and ∂v/∂ẏ (6 × nyd): in TD_FRAME_BODY what its components change by, in TD_FRAME_ALIGNED
   the reference point moves along. O(depth), and G. */
TD_API td_status td_link_velocity_derivatives(const td_model *model, td_workspace *workspace,
                                              size_t link, const double point[3], const double *y,
                                              const double *yd, td_frame frame, double *velocity,
                                              double *dv_dy, double *dv_dyd);

/* Computes the rate of a Jacobian, J̇ (6 × nyd): its entries' derivatives by time along ẏ, so that
   J̇ ẏ is td_link_bias_acceleration. By J̇ = ∂a/∂ẏ − ∂v/∂y, which holds for every joint, v = J ẏ and
   a = J ÿ + J̇ ẏ being linear and quadratic in ẏ. O(depth), and G. */
TD_API td_status td_link_jacobian_rate(const td_model *model, td_workspace *workspace, size_t link,
                                       const double point[3], const double *y, const double *yd,
                                       td_frame frame, double *Jd);

/* Its acceleration (6) likewise, ∂a/∂y and ∂a/∂ẏ (6 × nyd); without gravity: what an accelerometer
   shows changes with y by −∂(Rᵀ g)/∂y more. */
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

/* Position, velocity and acceleration (9) of the centre of mass, and ∂v/∂y, ∂a/∂y and ∂a/∂ẏ (3 ×
   nyd each); ∂v/∂ẏ = ∂a/∂ÿ is td_center_of_mass_jacobian. NaN without mass. O(bodies), and G. */
TD_API td_status td_center_of_mass_derivatives(const td_model *model, td_workspace *workspace,
                                               const double *y, const double *yd, const double *ydd,
                                               td_scope scope, double *motion, double *dv_dy,
                                               double *da_dy, double *da_dyd);

/* Momentum h about the centre of mass (6) and its rate A ÿ + Ȧ ẏ (6), world axes, and ∂h/∂y, ∂h/∂ẏ
   = A, ∂rate/∂y and ∂rate/∂ẏ (6 × nyd each); ∂rate/∂ÿ is A, too. O(bodies), and G. */
TD_API td_status td_centroidal_momentum_derivatives(const td_model *model, td_workspace *workspace,
                                                    const double *y, const double *yd,
                                                    const double *ydd, td_scope scope,
                                                    double *momentum, double *rate, double *dh_dy,
                                                    double *dh_dyd, double *drate_dy,
                                                    double *drate_dyd);

/* Kinetic energy T and potential energy V (2: J), and ∂T/∂y, ∂T/∂ẏ = H ẏ and ∂V/∂y (nyd each); with
   TD_SCOPE_SPRINGS V has all springs. Rotors are in neither. O(bodies). */
TD_API td_status td_energy_derivatives(const td_model *model, td_workspace *workspace,
                                       const double *y, const double *yd, td_scope scope,
                                       double *energy, double *dT_dy, double *dT_dyd,
                                       double *dV_dy);

/* The state of a spring between two links (4: distance, its rate, energy, power of the damper, as
   td_spring_state), and ∂/∂y and ∂/∂ẏ of these (4 × nyd). TD_ERROR_ARGUMENT where there is no such
   spring. O(links), and G. */
TD_API td_status td_spring_state_derivatives(const td_model *model, td_workspace *workspace,
                                             size_t spring, const double *y, const double *yd,
                                             double *motion, double *dmotion_dy,
                                             double *dmotion_dyd);

/* ---- motors ----------------------------------------------------------------------------------
 *
 * M_u of actuation.h changes with y where loops are iterated or motors are in them. Derivatives of
 * forces of the motors in a motion follow: with τ_y and its derivatives, ∂u/∂· = ∂u/∂y (· = y) +
 * ∂u/∂τ ∂τ_y/∂·. Statuses as in actuation.h; TD_ERROR_MATRICES: the workspace has no room for
 * matrices.
 */

/* u (nu) of td_forces_to_actuators, and ∂u/∂y at fixed tau_y and ∂u/∂τ (nu × nyd each). With more
   motors than coordinates, of the u of the least Σ weight u²; with fewer, of that which comes
   nearest to tau_y. Derivatives are with exact ∂M_u/∂y. O(nyd · nonzeros of G in loops), and for
   motors that share coordinates nyd times the second power of their number. */
TD_API td_status td_forces_to_actuators_derivatives(const td_model *model, td_workspace *workspace,
                                                    const double *y, const double *tau_y,
                                                    const double *weight, double *u, double *du_dy,
                                                    double *du_dtau_y);

/* The way back: tau_y (nyd) = M_uᵀ u, and ∂(M_uᵀ u)/∂y at fixed u (nyd × nyd); that by u is M_uᵀ.
 */
TD_API td_status td_forces_from_actuators_derivatives(const td_model *model,
                                                      td_workspace *workspace, const double *y,
                                                      const double *u, double *tau_y,
                                                      double *dtau_y_dy);

/* ---- configurations --------------------------------------------------------------------------
 *
 * In the coordinates that the second argument names. Like td_integrate they serve u of a chart as
 * well, if that has no more positions than y (chart.h).
 */

/* How result = y ⊕ yd dt of td_integrate changes along y and by yd (nyd × nyd each; nv × nv with
 * TD_COORDINATES_TREE): changes of the result are along its own tangent. Both are the identity and
 * dt times the identity but for blocks of joints with a quaternion, Ad(exp(−ẏ dt)) and J_r(ẏ dt) dt
 * of the exponential map exp (Solà, Deray and Atchuthan 2018), and do not depend on y. Of poses of
 * which loops decide a part, rows and columns of what ẏ has. Nothing fails or allocates. O(n²). */
TD_API void td_integrate_derivatives(const td_model *model, td_coordinates coordinates,
                                     const double *yd, double dt, double *dresult_dy,
                                     double *dresult_dyd);

/* How v with start ⊕ v = end, of td_difference, changes along start and along end (nyd × nyd each;
 * nv × nv with TD_COORDINATES_TREE): −1 and 1 but for joints with a quaternion, −J_r⁻¹(−v) and
 * J_r⁻¹(v), exact for all turns that are less than half a turn, where v jumps, and there of the v
 * that td_difference gives. Nothing fails or allocates. O(n²). */
TD_API void td_difference_derivatives(const td_model *model, td_coordinates coordinates,
                                      const double *start, const double *end, double *dv_dstart,
                                      double *dv_dend);

#ifdef __cplusplus
}
#endif
#endif
