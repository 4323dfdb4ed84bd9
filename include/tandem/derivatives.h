/* SPDX-License-Identifier: MIT */
/*
 * Derivatives of dynamics with respect to the state and the forces, exact to rounding, in the
 * coordinates that the robot has: through mimic joints, couplings and closed loops.
 *
 * ∂/∂y is along the tangent of the configuration. Entry k of a row is d/dt at t = 0 of what is
 * differentiated at td_integrate(y, e_k, t), with the k-th unit velocity e_k: a plain partial
 * derivative for joints of one coordinate and for planar ones, and for a ball or floating joint
 * along velocities in the axes of its body, so that no quaternion is in it. All matrices have nyd
 * (with td_tree_ nv) rows and columns, row-major: entry (i, k) is how i changes with k.
 *
 * With q = γ(y), q̇ = G ẏ, q̈ = G ÿ + g and the forces τ of the tree,
 *
 *   ∂τ_y/∂ÿ = Gᵀ H G
 *   ∂τ_y/∂ẏ = Gᵀ (∂τ/∂q̇ G + H ∂g/∂ẏ)
 *   ∂τ_y/∂y = ∂(Gᵀτ)/∂y (τ fixed) + Gᵀ (∂τ/∂q G + ∂τ/∂q̇ ∂(Gẏ)/∂y + H ∂(Gÿ + g)/∂y)
 *
 * and forward dynamics has ∂ÿ = −H_y⁻¹ ∂τ_y at that ÿ. What G changes by is zero for linear
 * couplings. Outputs that are NULL are not computed. forces, NULL arguments and statuses are as in
 * dynamics.h; batch.h has these functions for many states.
 */
#ifndef TANDEM_DERIVATIVES_H
#define TANDEM_DERIVATIVES_H

#include "tandem/dynamics.h"
#include "tandem/model.h"
#include "tandem/workspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Inverse dynamics with its derivatives: tau_y (nyd), ∂τ_y/∂y and ∂τ_y/∂ẏ (n × n) and H = ∂τ_y/∂ÿ
   (n × n). Wrenches, springs, damping, smoothed friction and rotors are in all of them as forces
   say. The recursion of Singh, Russell and Wensing (2022) over clusters of coupled bodies:
   O(coordinates · depth), and n² numbers are written. TD_ERROR_MATRICES: the workspace has no room
   for matrices. */
TD_API td_status td_inverse_dynamics_derivatives(const td_model *model, td_workspace *workspace,
                                                 const double *y, const double *yd,
                                                 const double *ydd, const td_forces *forces,
                                                 double *tau_y, double *dtau_dy, double *dtau_dyd,
                                                 double *H);
TD_API td_status td_tree_inverse_dynamics_derivatives(const td_model *model,
                                                      td_workspace *workspace, const double *q,
                                                      const double *qd, const double *qdd,
                                                      const td_forces *forces, double *tau,
                                                      double *dtau_dq, double *dtau_dqd, double *H);

/* Forward dynamics with its derivatives at fixed forces: ydd (nyd), ∂ÿ/∂y, ∂ÿ/∂ẏ and ∂ÿ/∂τ = H⁻¹ (n
   × n each), by the factors of H. TD_ERROR_SINGULAR as in td_mass_matrix_solve: all is NaN then.
   O(coordinates² · depth). */
TD_API td_status td_forward_dynamics_derivatives(const td_model *model, td_workspace *workspace,
                                                 const double *y, const double *yd,
                                                 const double *tau_y, const td_forces *forces,
                                                 double *ydd, double *dydd_dy, double *dydd_dyd,
                                                 double *dydd_dtau);
TD_API td_status td_tree_forward_dynamics_derivatives(const td_model *model,
                                                      td_workspace *workspace, const double *q,
                                                      const double *qd, const double *tau,
                                                      const td_forces *forces, double *qdd,
                                                      double *dqdd_dq, double *dqdd_dqd,
                                                      double *dqdd_dtau);

#ifdef __cplusplus
}
#endif

#endif
