/* SPDX-License-Identifier: MIT */
/*
 * Kernels of kernel/loops/: closures, constraint forces of loops, and drives. Part of the list in
 * kernel/table.h, which explains the format.
 */
#ifndef KERNEL /* if the file is parsed by itself */
#define KERNEL(result, name, parameters)
#define OPTIONAL_KERNEL KERNEL
#endif

// clang-format off
/* ---- kernel/loops/drives.c ---- */
/* Computes u of the drives from the forces tau_y, and rest = tau_y − M_uᵀ u (nyd). As in all
   kernels of drives, M_u is in the scratch. weight is per motor; NULL for ones. singular of the
   scratch: the first coordinate of a drive whose motors do not span its coordinates, −1 for
   none. */
KERNEL(void, drive_forces, (const td_actuation_map *map, const td_scratch *s, const double *weight,
       const td_reals *tau_y, td_reals *u, td_reals *rest))
/* For drives with unequal numbers of motors and coordinates, per coordinate: with more motors λ of
   u = W⁻¹ M_u λ, where W are the weights; with fewer, the residual. 0 for other coordinates. */
KERNEL(void, drive_multipliers, (const td_actuation_map *map, const td_scratch *s,
       const double *weight, const td_reals *u, const td_reals *rest, td_reals *lambda))
/* ∂u/∂y and ∂u/∂τ (nu × n each, NULL if not wanted) from X = ∂(M_uᵀ u)/∂y (n × n) and Z = ∂(M_u
   λ)/∂y (nu × n), NULL if they vanish. */
KERNEL(void, drive_force_derivatives, (const td_actuation_map *map, const td_scratch *s,
       const double *weight, const td_reals *X, const td_reals *Z, td_reals *by_position,
       td_reals *by_force))
/* Computes ẏ from u̇ by least squares. Every drive must have at least as many motors as coordinates.
   Leaves entries that belong to no drive unchanged. Sets singular like drive_forces. */
KERNEL(void, drive_rates, (const td_actuation_map *map, const td_scratch *s, const td_reals *rates,
       td_reals *yd))

/* ---- kernel/loops/close.c ---- */
/* y → w, G, outcome. The path along which the loops are followed begins at w = start. */
KERNEL(void, close_loops, (const td_tree *tree, const td_closure_map *closure, const td_scratch *s,
       const double *start, const td_reals *y))
/* w of a closed state → G, outcome. Solves nothing. */
KERNEL(void, tangent, (const td_tree *tree, const td_closure_map *closure, const td_scratch *s))
/* For models that solve only curves (td_loops.direct): y → w, G; then q̇ → g; then adds g to
   accelerations. */
KERNEL(void, follow_curves, (const td_loops *loops, const td_scratch *s, const td_reals *y))
KERNEL(void, drift_of_curves, (const td_loops *loops, size_t nv, const td_scratch *s,
       const td_reals *qd))
KERNEL(void, add_drift_of_curves, (const td_loops *loops, const td_scratch *s, td_reals *qdd))
/* after close_loops, follow_curves or tangent: q̇ → G_rate */
KERNEL(void, close_rates, (const td_tree *tree, const td_closure_map *closure, const td_scratch *s,
       const td_reals *qd))
/* after close_rates: q̇, q̈ (NULL if not wanted) → velocity_y, acceleration_yd, acceleration_y if q̈
   is given, and the outcome */
KERNEL(void, close_derivatives, (const td_tree *tree, const td_closure_map *closure,
       const td_scratch *s, const td_reals *qd, const td_reals *qdd))
/* after close_loops or tangent, in a workspace with matrices: X (nyd × nyd reals) += ∂(Gᵀ f)/∂y for
   forces f of the tree, in the blocks of groups of loops; the outcome */
KERNEL(void, close_stiffness, (const td_tree *tree, const td_closure_map *closure,
       const td_scratch *s, const td_reals *f, td_reals *X))
/* after close_loops or tangent: out (nyd reals) += the matrix of close_stiffness, or its transpose,
   times x */
KERNEL(void, close_stiffness_times, (const td_tree *tree, const td_closure_map *closure,
       const td_scratch *s, const td_reals *f, const td_reals *x, int transposed, td_reals *out))
/* after close_loops or tangent: the columns of J for the coordinates of a group, dependent ones
   first, scaled by their units */
KERNEL(void, loop_columns, (const td_tree *tree, const td_closure_map *closure, size_t group,
       const td_scratch *s, td_reals *columns))
/* phi, K (rows × nv), and K̇ q̇ in drift (qd NULL: not wanted) of all groups at a configuration of
   the tree */
KERNEL(void, constraints, (const td_tree *tree, const td_loops *loops, const td_scratch *s,
       const td_reals *q, const td_reals *qd))
/* f, f', f'' and f''' of a curve at x (1 real → 4) */
KERNEL(void, curve, (const td_curve_data *curve, const td_reals *x, td_reals *value))
/* after constraints: 1 real, 0 if no loop is half a turn off, which φ does not detect; otherwise
   the distance from the correct orientation, more than half. */
KERNEL(void, loop_turns, (const td_loops *loops, const td_scratch *s, td_reals *out))

/* ---- kernel/loops/axis.c ---- */
/* out += forces of damping, friction and springs of loop joints, at a configuration of the tree */
KERNEL(void, loop_passive, (const td_tree *tree, const td_loops *loops, const td_scratch *s,
       const td_reals *q, const td_reals *qd, double friction_velocity, td_reals *out))
/* out[0] += energy of the springs in loop joints */
KERNEL(void, loop_energy, (const td_tree *tree, const td_loops *loops, const td_scratch *s,
       const td_reals *q, td_reals *out))
/* out += forces in loop joints (one per loop record), mapped to the tree */
KERNEL(void, loop_push, (const td_tree *tree, const td_loops *loops, const td_scratch *s,
       const td_reals *q, const td_reals *forces, td_reals *out))
/* q, qd, qdd → 3 reals: position, velocity and acceleration of a loop joint's coordinate */
KERNEL(void, loop_motion, (const td_tree *tree, const td_loop_group *g, int axis,
       const td_scratch *s, const td_motion_inputs *in, td_reals *out))
/* G → M_u: the rows of motors in loops, at q */
KERNEL(void, loop_motors, (const td_tree *tree, const td_closure_map *closure,
       const td_loop_motors *motors, const td_scratch *s, const td_reals *q))
/* G, and velocity_y if curved → derivatives of motors with forces u along y, at q, and at qd if Z
   is wanted */
KERNEL(void, motor_derivatives, (const td_tree *tree, const td_closure_map *closure,
       const td_actuation_map *map, const td_scratch *s, const td_motion_inputs *in,
       const td_reals *u, const td_motor_changes *out))

/* ---- kernel/loops/balance.c ---- */
/* pose, loop_motor, outcome → loop_wrench, outcome. Subtracts the forces of loops from tau_c, the
   force of the closure on the tree. Reads q, qd, passive and friction_velocity of in. */
KERNEL(void, balance_loops, (const td_tree *tree, const td_closure_map *closure,
       const td_scratch *s, const td_motion_inputs *in, td_reals *tau_c))
/* after constraints or held_tangent: λ of all rows with Kᵀ λ = tau_c, and the outcome. Overwrites
   tau_c. */
KERNEL(void, multipliers, (const td_tree *tree, const td_closure_map *closure, const td_scratch *s,
       td_reals *tau_c, td_reals *lambda))
/* pose, loop_wrench, force → force */
KERNEL(void, unload_loops, (const td_tree *tree, const td_loops *loops, const td_scratch *s))
/* pose, loop_wrench → loops × 6 reals: the wrench of the predecessor on the successor, at the
   loop's frame on the successor */
KERNEL(void, loop_reactions, (const td_closure_map *closure, const td_scratch *s, int frame,
       td_reals *out))
/* pose, after balance_loops → joints × 6 and loops × 6 reals (NULL if not wanted): the largest
   change of reactions by self-stress with multipliers of length 1. Overwrites loop_wrench and
   force. */
KERNEL(void, loop_ambiguity, (const td_tree *tree, const td_closure_map *closure,
       const td_scratch *s, int frame, td_reals *joints, td_reals *of_loops))

/* ---- kernel/loops/held.c ---- */
/* At q and q̇ of the tree, closed or not: G and g with K G = 0 and K g = k, and the outcome, which
   is singular if G has lost digits to rounding. */
KERNEL(void, held_tangent, (const td_tree *tree, const td_closure_map *closure, const td_scratch *s,
       const td_reals *q, const td_reals *qd, double alpha, double beta))
/* after held_tangent: the outcome is singular if K q̈ = k does not hold for all rows */
KERNEL(void, held_judge, (const td_tree *tree, const td_loops *loops, const td_scratch *s,
       const td_reals *qdd))

/* ---- kernel/loops/held_change.c ---- */
/* After held_tangent, like all of the following: μ, one per row of solved loops, such that the
   loops supply tau_c at dependent velocities. */
KERNEL(void, held_forces, (const td_closure_map *closure, const td_scratch *s,
       const td_reals *tau_c, td_reals *mu))
/* along a direction: e of all rows (weighted for loops), minus the change of K q̈ − k at constant q̈;
   and force (nv) += the change of Kᵀ μ */
KERNEL(void, held_change, (const td_tree *tree, const td_closure_map *closure, const td_scratch *s,
       const td_held_direction *direction, const td_reals *mu, td_reals *e, td_reals *force))
/* out (nv) with K out = e, for e as above along that velocity. followed: 1 if e of linear followers
   may be nonzero. */
KERNEL(void, held_particular, (const td_tree *tree, const td_closure_map *closure,
       const td_scratch *s, int velocity, int followed, const td_reals *e, td_reals *out))
/* after constraints or held_tangent: Q and R of the constrained coordinates, rows · held + held²
   reals for each set */
KERNEL(void, multiplier_factors, (const td_tree *tree, const td_closure_map *closure,
       const td_scratch *s, td_reals *factors))
/* With these factors, the change of multipliers λ along a position (velocity −1: none) and by the
   change of τ_c, which is in tau of the scratch. Overwrites tau. */
KERNEL(void, multiplier_change, (const td_tree *tree, const td_closure_map *closure,
       const td_scratch *s, const td_reals *factors, int velocity, const td_reals *lambda,
       td_reals *out))
// clang-format on
