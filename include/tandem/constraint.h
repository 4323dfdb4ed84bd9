/* SPDX-License-Identifier: MIT */
/*
 * The closure as implicit constraints, φ(q) = 0, K q̇ = 0, K q̈ = k (Table 1 of Kumar et al. 2017),
 * and the constrained equations of motion of the tree,
 *
 *   H q̈ + C = τ + τ_a + τ_c,   τ_c = Kᵀ λ                            (equations 2 and 4)
 *
 * for users who need q̈, λ and the constraint forces of the tree. For linear closures K is constant,
 * of full rank nv − nyd, and k = 0.
 *
 * These functions ignore the coordinates of the workspace (td_use_coordinates): q, qd, qdd, tau and
 * results of size nv are always the spanning tree's, and td_constraint_force takes y, yd and ydd.
 * The one exception is td_loop_motion. The equations of the paper and where they are:
 *
 *   5        td_constrained_forward_dynamics
 *   8        td_forward_dynamics for ÿ, td_closure for q̈, td_constraint_force for τ_c
 *   11, 17   td_forward_dynamics
 *   13       td_inverse_dynamics
 *   14, 19   td_forces_to_actuators of that; td_constrained_inverse_dynamics
 *   16       td_closure, td_closure_matrix, td_closure_offset
 *   18       td_forward_dynamics of tau_y = M_uᵀ u, with td_actuation_matrix (as printed, the
 *            equation inverts a matrix that is not square)
 */
#ifndef TANDEM_CONSTRAINT_H
#define TANDEM_CONSTRAINT_H

#include "tandem/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of constraints: one for each joint that depends on others linearly, then those of the
   loops in the order of td_loop_place_at, redundant ones included. */
TD_API size_t td_constraint_count(const td_model *model);

/* K (constraints × nv, row-major) at q. A row of a dependent joint has 1 in its own column and
   −∂q/∂y in those of the joints that it depends on; one of a loop is the wrench of that constraint
   on the joints, in rad or m per unit of velocity. K G = 0. q may be NULL where there are no loops.
 */
TD_API td_status td_constraint_jacobian(const td_model *model, td_workspace *workspace,
                                        const double *q, double *K);

/* φ (constraints) at a configuration q of the tree: q_dependent − γ(y) for a dependent joint; for a
   loop offsets in m along the axes of the predecessor's frame that the joint holds, and sines of
   angles. φ = 0 where the robot is closed. */
TD_API td_status td_constraint_residual(const td_model *model, td_workspace *workspace,
                                        const double *q, double *phi);

/* k (constraints) = −K̇ q̇ at a state of the tree, so that K q̈ = k and K g = k. */
TD_API td_status td_constraint_drift(const td_model *model, td_workspace *workspace,
                                     const double *q, const double *qd, double *k);

/* How constrained motion returns to the constraints (Baumgarte 1972): K q̈ = k − 2 α K q̇ − β² φ; α
   and β in 1/s, 0 by default. */
typedef struct td_constraint_options {
    size_t size_of;
    double alpha, beta; /* 1/s; 0: no correction */
} td_constraint_options;

static inline td_constraint_options td_constraint_options_default(void)
{
    TD_SIZED(td_constraint_options, options);
    return options;
}

/* Equation 5: q̈ (nv) and λ (constraints, may be NULL) from tau (nv, NULL for zero) at a state of
   the tree, whether it fulfils the constraints or not. With K G = 0 and K g = k at q,
   q̈ = G ÿ + g, ÿ of td_forward_dynamics under Gᵀ tau with this G and g, and τ_c = Kᵀ λ by inverse
   dynamics. Redundant rows share what they carry: of the λ of loops that are found together it is
   the shortest, rows being weighted so that lengths compare with angles; τ_c does not depend on
   that. options NULL: the defaults. O(joints) for clusters of bounded size. TD_ERROR_SINGULAR as in
   td_forward_dynamics; qdd and lambda are NaN then.

   Near dead points of y, where G loses digits, where loops are so far open that redundant
   constraints contradict each other, and where closures of the options (td_closure_function) or
   followers by curves (curve.h) take part, it is by H⁻¹ and the Schur complement K H⁻¹ Kᵀ: a row
   that follows from earlier ones (its pivot is below 1e-11 of its diagonal) gets the multiplier 0,
   H of the tree must be regular (TD_ERROR_SINGULAR), the workspace needs matrices
   (TD_ERROR_MATRICES), and it takes O(joints · constraints · (depth + rank of K)). */
TD_API td_status td_constrained_forward_dynamics(const td_model *model, td_workspace *workspace,
                                                 const double *q, const double *qd,
                                                 const double *tau, const td_forces *forces,
                                                 const td_constraint_options *options, double *qdd,
                                                 double *lambda);

/* The same for n states, rows of all arrays, as the functions of batch.h: q (n × nq), qd, tau, qdd
   (n × nv), lambda (n × constraints), statuses (n, may be NULL). */
TD_API td_status td_batch_constrained_forward_dynamics(
    const td_model *model, td_workspace *workspace, size_t n, const double *q, const double *qd,
    const double *tau, const td_forces *forces, const td_constraint_options *options, double *qdd,
    double *lambda, td_status *statuses);

/* q̈ and λ of the same with their derivatives along the tangent of q (as in derivatives.h), and by q̇
   and τ: ∂q̈/∂q, ∂q̈/∂q̇ and ∂q̈/∂τ (nv × nv), ∂λ/∂q, ∂λ/∂q̇ and ∂λ/∂τ
   (constraints × nv). Each output may be NULL. Exact but for rounding where loops are closed, along
   directions that open them, too, and where they are open and no row is redundant; of redundant
   rows that contradict each other by r, good to r. ∂q̈/∂q of directions that loops do not allow is
   that of the motion as td_constrained_forward_dynamics continues it, whose G at an open q is that
   of least squares: it matters to programs that integrate q̈ in the tree's coordinates, where
   rounding and steps open loops. λ of redundant rows is the shortest one at every q, and so are its
   derivatives: their part that loads no joint is that of the rows' turning. At q = γ(y), q̇ = G ẏ,
   ∂q̈/∂q G + ∂q̈/∂q̇ ∂(Gẏ)/∂y is what G ÿ + g changes by along y, and ∂q̈/∂q̇ G what it changes by with
   ẏ, ÿ being that of td_forward_dynamics under Gᵀ tau. options NULL: the defaults; those of α and β
   are in the derivatives.

   TD_ERROR_CLOSURE_SINGULAR where td_constrained_forward_dynamics uses the Schur complement: near
   dead points of y, where redundant constraints contradict each other, and with closures of the
   options or followers by curves; other errors as there, TD_ERROR_MATRICES in a workspace without
   them. All is NaN then. O(nv · (joints · depth + Σ rows · rank²)), a direction at a time. */
TD_API td_status td_constrained_forward_dynamics_derivatives(
    const td_model *model, td_workspace *workspace, const double *q, const double *qd,
    const double *tau, const td_forces *forces, const td_constraint_options *options, double *qdd,
    double *lambda, double *dqdd_dq, double *dqdd_dqd, double *dqdd_dtau, double *dlambda_dq,
    double *dlambda_dqd, double *dlambda_dtau);

/* The velocity of the tree that fulfils K q̇ = 0 and is nearest to qd in kinetic energy: what a
   plastic impact of the constraints leaves. impulse (constraints, may be NULL) is theirs, N m s or
   N s: H (projected − qd) = Kᵀ impulse. Errors as above. */
TD_API td_status td_project_velocity(const td_model *model, td_workspace *workspace,
                                     const double *q, const double *qd, double *projected,
                                     double *impulse);

/* Constrained inverse dynamics: the forces u (nu) of the motors and the multipliers λ (constraints,
   may be NULL) of a motion q, q̇, q̈ of the tree that fulfils the constraints:
   H q̈ + C = S u + E rest + Kᵀ λ, S u being what the motors do to the tree, E rest what would have
   to act at the independent joints (the base wrench of a floating base). G is that of the branch
   that q is on, whatever the workspace's start. weight, u, rest (nyd, may be NULL) and the status
   as in td_forces_to_actuators. λ needs a regular H of the tree: TD_ERROR_SINGULAR otherwise. */
TD_API td_status td_constrained_inverse_dynamics(const td_model *model, td_workspace *workspace,
                                                 const double *q, const double *qd,
                                                 const double *qdd, const td_forces *forces,
                                                 const double *weight, double *u, double *rest,
                                                 double *lambda);

/* The configuration of the tree with φ = 0 that Newton steps from q lead to, each the shortest in
   kinetic energy: projected (nq; it may be q). residual (may be NULL) is the largest |φ| that is
   left. TD_ERROR_ASSEMBLY where they do not converge, or to where a loop is half a turn off (φ
   vanishes there, too; residual is more than 0.5 then), TD_ERROR_SINGULAR for a singular H of the
   tree; projected is NaN then, residual the least that was reached. */
TD_API td_status td_project_position(const td_model *model, td_workspace *workspace,
                                     const double *q, double *projected, double *residual);

/* What joints that close loops do to the tree at a state of it: τ_a (nv) = Σ Jᵀ (f − passive), over
   the revolute and prismatic ones, J being the Jacobian of the joint's coordinate. f (one per loop
   of the model, N m or N; NULL for zero) are forces of motors in them; with forces->passive,
   damping, friction and springs are theirs too. It belongs to the right-hand side with tau. Passive
   forces of loops need not be added by hand: wherever forces->passive counts, those of loops do. */
TD_API td_status td_loop_force(const td_model *model, td_workspace *workspace, const double *q,
                               const double *qd, const double *f, const td_forces *forces,
                               double *tau_a);

/* Computes position, velocity and acceleration of the coordinate of the joint that closes a loop:
   the angle of the successor relative to the predecessor about the joint's axis, in (−π, π], or the
   displacement along it. y, yd and ydd are in the coordinates of the workspace; with
   TD_COORDINATES_TREE loops need not be closed. TD_ERROR_ARGUMENT if the loop is open or its joint
   has no coordinate. */
TD_API td_status td_loop_motion(const td_model *model, td_workspace *workspace, size_t loop,
                                const double *y, const double *yd, const double *ydd,
                                double motion[3]);

/* τ_c (nv) = H q̈ + C − τ with q̈ = G ÿ + g (equations 2 and 8): what the closure does to each joint
   of the tree in a motion y, ẏ, ÿ under the joint forces tau (nv, NULL for zero). Gᵀ τ_c vanishes
   where ÿ is the motion that tau causes. */
TD_API td_status td_constraint_force(const td_model *model, td_workspace *workspace,
                                     const double *y, const double *yd, const double *ydd,
                                     const double *tau, const td_forces *forces, double *tau_c);

#ifdef __cplusplus
}
#endif
#endif
