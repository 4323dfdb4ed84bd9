/* SPDX-License-Identifier: MIT */
/*
 * The closure as implicit constraints, φ(q) = 0, K q̇ = 0, K q̈ = k (Table 1 of Kumar et al. 2017),
 * and the constrained equations of motion of the tree:
 *
 *   H q̈ + C = τ + τ_a + τ_c,   τ_c = Kᵀ λ                            (equations 2 and 4)
 *
 * These functions are for users who need q̈, λ and the constraint forces of the tree. For linear
 * closures K is constant and has full rank nv − nyd, and k = 0.
 *
 * These functions ignore the coordinates of the workspace (td_use_coordinates). q, qd, qdd, tau and
 * results of size nv always belong to the spanning tree. td_constraint_force takes y, yd and ydd.
 * Only td_loop_motion uses the coordinates of the workspace. The equations of the paper correspond
 * to these functions:
 *
 *   5        td_constrained_forward_dynamics
 *   8        td_forward_dynamics for ÿ, td_closure for q̈, td_constraint_force for τ_c
 *   11, 17   td_forward_dynamics
 *   13       td_inverse_dynamics
 *   14, 19   td_inverse_dynamics, then td_forces_to_actuators; td_constrained_inverse_dynamics
 *   16       td_closure, td_closure_matrix, td_closure_offset
 *   18       td_forward_dynamics with tau_y = M_uᵀ u, from td_actuation_matrix (the printed
 *            equation inverts a matrix that is not square)
 *
 * All functions with a workspace, except td_loop_force, td_loop_motion and td_constraint_force,
 * need a workspace with matrices (TD_ERROR_MATRICES otherwise). td_constrained_forward_dynamics and
 * td_constrained_inverse_dynamics need matrices only in the cases that their comments name.
 */
#ifndef TANDEM_CONSTRAINT_H
#define TANDEM_CONSTRAINT_H

#include "tandem/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the number of constraints. First comes one for each joint that depends linearly on
   others, then the constraints of the loops in the order of td_loop_place_at, including redundant
   ones. */
TD_API size_t td_constraint_count(const td_model *model);

/* Computes K (constraints × nv, row-major) at q (nq). The row of a dependent joint has 1 in the
   column of this joint and −∂q/∂y in the columns of the joints that it depends on. A row of a loop
   is the wrench of one constraint projected on the joints; its product with q̇ is in rad/s or m/s.
   K G = 0. q may be NULL if there are no loops. */
TD_API td_status td_constraint_jacobian(const td_model *model, td_workspace *workspace,
                                        const double *q, double *K);

/* Computes φ (constraints) at a configuration q (nq) of the tree. It is q_dependent − γ(y) for a
   dependent joint. For a loop it contains offsets (m) along the constrained axes of the
   predecessor's frame, and sines of angles. φ = 0 if the robot is closed. */
TD_API td_status td_constraint_residual(const td_model *model, td_workspace *workspace,
                                        const double *q, double *phi);

/* Computes k (constraints) = −K̇ q̇ at a state q (nq), qd (nv) of the tree, so that K q̈ = k and K g =
   k. */
TD_API td_status td_constraint_drift(const td_model *model, td_workspace *workspace,
                                     const double *q, const double *qd, double *k);

/* Constraint stabilization (Baumgarte 1972): K q̈ = k − 2 α K q̇ − β² φ. α and β are in 1/s and 0 by
   default. */
typedef struct td_constraint_options {
    size_t size_of;
    double alpha, beta; /* 1/s; 0: no correction */
} td_constraint_options;

static inline td_constraint_options td_constraint_options_default(void)
{
    TD_SIZED(td_constraint_options, options);
    return options;
}

/* Computes the constrained motion of the tree, equation 5. The state need not satisfy the
   constraints.

     q        nq positions
     qd       nv velocities; NULL: zero
     tau      nv joint forces (N m or N); NULL: zero
     forces   wrenches and passive forces; NULL: none
     options  stabilization; NULL: the defaults
     qdd      output: nv accelerations
     lambda   output: multipliers λ, one per constraint (N m or N); may be NULL

   Method. G and g satisfy K G = 0 and K g = k at q. Then q̈ = G ÿ + g, where ÿ is the forward
   dynamics under Gᵀ tau with this G and g. Inverse dynamics gives τ_c = Kᵀ λ. Redundant constraints
   share the load: of all λ of the loops in a cluster, the function returns the shortest. Rows are
   weighted so that lengths compare with angles. τ_c does not depend on this choice. Cost:
   O(joints), if the size of clusters is bounded.

   The function uses H⁻¹ and the Schur complement K H⁻¹ Kᵀ instead in these cases:

     near dead points of y, where G loses digits
     if loops are open so far that redundant constraints contradict each other
     with a td_closure_function or followers by curves (curve.h)

   A row that depends on earlier rows (its pivot is below 1e-11 of its diagonal entry) then gets the
   multiplier 0. H of the tree must be regular (TD_ERROR_SINGULAR), and the workspace needs
   matrices. The cost is O(joints · constraints · (depth + rank of K)).

   TD_ERROR_SINGULAR as in td_forward_dynamics; then qdd and lambda are NaN. TD_ERROR_MATRICES: the
   workspace has no matrices, and the function uses the Schur complement or the plan is
   TD_PLAN_REDUCED. */
TD_API td_status td_constrained_forward_dynamics(const td_model *model, td_workspace *workspace,
                                                 const double *q, const double *qd,
                                                 const double *tau, const td_forces *forces,
                                                 const td_constraint_options *options, double *qdd,
                                                 double *lambda);

/* Computes td_constrained_forward_dynamics for n states, as the functions of batch.h do. Arrays
   have one row per state: q (n × nq); qd, tau and qdd (n × nv); lambda (n × constraints); statuses
   (n, may be NULL). */
TD_API td_status td_batch_constrained_forward_dynamics(
    const td_model *model, td_workspace *workspace, size_t n, const double *q, const double *qd,
    const double *tau, const td_forces *forces, const td_constraint_options *options, double *qdd,
    double *lambda, td_status *statuses);

/* Computes the derivatives of td_constrained_forward_dynamics along the tangent of q (see
   derivatives.h), and with respect to q̇ and τ. Each output may be NULL.

     q, qd, tau    state and joint forces, as in td_constrained_forward_dynamics
     forces        wrenches and passive forces; NULL: none
     options       stabilization; NULL: the defaults
     qdd           output, nv: q̈
     lambda        output, constraints: λ
     dqdd_dq       output, nv × nv: ∂q̈/∂q
     dqdd_dqd      output, nv × nv: ∂q̈/∂q̇
     dqdd_dtau     output, nv × nv: ∂q̈/∂τ
     dlambda_dq    output, constraints × nv: ∂λ/∂q
     dlambda_dqd   output, constraints × nv: ∂λ/∂q̇
     dlambda_dtau  output, constraints × nv: ∂λ/∂τ

   Derivatives include the effect of α and β in options.

   Accuracy. Derivatives are exact up to rounding if loops are closed, even along directions that
   open them. They are also exact if loops are open and no row is redundant. If redundant rows
   contradict each other by r, the error is of order r.

   Directions that loops do not allow. ∂q̈/∂q along them is the derivative of the motion that
   td_constrained_forward_dynamics computes at an open q, where G is a least-squares solution. This
   matters to programs that integrate q̈ in the coordinates of the tree, where rounding and steps
   open the loops. If rows are redundant, λ is the shortest solution at every q, and the function
   differentiates this solution. Its derivatives may have a part that loads no joint, because the
   rows rotate with q.

   Relation to y. At q = γ(y), q̇ = G ẏ, the derivative of G ÿ + g along y is ∂q̈/∂q G + ∂q̈/∂q̇
   ∂(Gẏ)/∂y, and with respect to ẏ it is ∂q̈/∂q̇ G. Here ÿ is the result of td_forward_dynamics for
   Gᵀ tau.

   TD_ERROR_CLOSURE_SINGULAR: td_constrained_forward_dynamics would use the Schur complement. Other
   errors as there. After these errors all outputs are NaN. TD_ERROR_MATRICES: the workspace has no
   matrices. Cost: O(nv · (joints · depth + Σ rows · rank²)), one direction at a time. */
TD_API td_status td_constrained_forward_dynamics_derivatives(
    const td_model *model, td_workspace *workspace, const double *q, const double *qd,
    const double *tau, const td_forces *forces, const td_constraint_options *options, double *qdd,
    double *lambda, double *dqdd_dq, double *dqdd_dqd, double *dqdd_dtau, double *dlambda_dq,
    double *dlambda_dqd, double *dlambda_dtau);

/* Projects a velocity onto the constraints: computes the velocity with K q̇ = 0 that is nearest to
   qd in kinetic energy. This is the velocity after a plastic impact of the constraints.

     q          nq positions
     qd         nv velocities before
     projected  output, nv: velocities after
     impulse    output, constraints: impulses (N m s or N s) with H (projected − qd) = Kᵀ impulse;
                may be NULL

   TD_ERROR_SINGULAR: H of the tree is singular. TD_ERROR_MATRICES: the workspace has no matrices.
   Cost: O(joints · constraints · (depth + rank of K)). */
TD_API td_status td_project_velocity(const td_model *model, td_workspace *workspace,
                                     const double *q, const double *qd, double *projected,
                                     double *impulse);

/* Computes the motor forces u and the multipliers λ of a motion q, q̇, q̈ of the tree that satisfies
   the constraints: H q̈ + C = S u + E rest + Kᵀ λ (equations 14 and 19). S u are the forces of the
   motors on the tree. E rest are the forces that would have to act at the independent joints, such
   as the base wrench of a floating base.

     q       nq positions
     qd      nv velocities; NULL: zero
     qdd     nv accelerations; NULL: zero
     forces  wrenches and passive forces; NULL: none
     weight  nu weights, as in td_forces_to_actuators; NULL: ones
     u       output, nu: motor forces (N m or N)
     rest    output, nyd: as in td_forces_to_actuators; may be NULL
     lambda  output, constraints: multipliers; may be NULL

   G is on the branch of q, regardless of the start of the workspace. The status is as in
   td_forces_to_actuators. lambda requires a regular H of the tree (TD_ERROR_SINGULAR otherwise) and
   a workspace with matrices (TD_ERROR_MATRICES otherwise). */
TD_API td_status td_constrained_inverse_dynamics(const td_model *model, td_workspace *workspace,
                                                 const double *q, const double *qd,
                                                 const double *qdd, const td_forces *forces,
                                                 const double *weight, double *u, double *rest,
                                                 double *lambda);

/* Projects a configuration onto the constraints: takes Newton steps from q to φ = 0, each the
   shortest in kinetic energy.

     q          nq positions
     projected  output, nq: closed configuration; may be q
     residual   output: largest |φ| that remains; may be NULL

   TD_ERROR_ASSEMBLY: the steps do not converge, or converge to a configuration where the frames of
   a loop are half a turn apart. φ is zero there too, but residual is then more than 0.5.
   TD_ERROR_SINGULAR: H of the tree is singular. On both errors projected is NaN and residual is the
   smallest that was reached, NaN if there was no step. Cost: at most 50 steps. A step costs as much
   as one td_project_velocity, or up to 12 times as much if it must be shortened. */
TD_API td_status td_project_position(const td_model *model, td_workspace *workspace,
                                     const double *q, double *projected, double *residual);

/* Computes the forces of loop joints on the tree, τ_a (nv) = Σ Jᵀ (f − passive), summed over the
   revolute and prismatic loop joints. J is the Jacobian of the joint's coordinate. τ_a belongs to
   the right-hand side with tau.

     q       nq positions
     qd      nv velocities; NULL: zero
     f       motor forces, one per loop of the model (N m or N); NULL: zero
     forces  if forces->passive, damping, friction and springs of loop joints are included; NULL:
             none
     tau_a   output, nv

   Other functions need no such call for passive forces: forces->passive includes the loop joints.
 */
TD_API td_status td_loop_force(const td_model *model, td_workspace *workspace, const double *q,
                               const double *qd, const double *f, const td_forces *forces,
                               double *tau_a);

/* Computes the motion of the joint that closes a loop. Its coordinate is the angle of the successor
   relative to the predecessor about the joint's axis, in (−π, π], or the displacement along the
   axis.

     loop        index of the loop
     y, yd, ydd  state and accelerations in the coordinates of the workspace. With
                 TD_COORDINATES_TREE loops need not be closed. NULL yd or ydd means zero
     motion      output, 3: position, velocity and acceleration

   TD_ERROR_ARGUMENT: the loop is open or its joint has no coordinate. */
TD_API td_status td_loop_motion(const td_model *model, td_workspace *workspace, size_t loop,
                                const double *y, const double *yd, const double *ydd,
                                double motion[3]);

/* Computes the constraint forces τ_c (nv) = H q̈ + C − τ with q̈ = G ÿ + g (equations 2 and 8). They
   are the forces of the closure on each joint of the tree.

     y       ny positions
     yd      nyd velocities; NULL: zero
     ydd     nyd accelerations; NULL: zero
     tau     nv joint forces; NULL: zero
     forces  wrenches and passive forces; NULL: none
     tau_c   output, nv (N m or N)

   Gᵀ τ_c is zero if ÿ is the forward dynamics under tau and forces. Cost: O(joints). */
TD_API td_status td_constraint_force(const td_model *model, td_workspace *workspace,
                                     const double *y, const double *yd, const double *ydd,
                                     const double *tau, const td_forces *forces, double *tau_c);

#ifdef __cplusplus
}
#endif
#endif
