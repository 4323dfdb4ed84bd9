/* SPDX-License-Identifier: MIT */
/*
 * Kernels of kernel/loops/: closures, what holds loops and what drives them. A part of the list in
 * kernel/table.h, which says how it is read.
 */
#ifndef KERNEL /* the file is read alone */
#define KERNEL(result, name, parameters)
#define OPTIONAL_KERNEL KERNEL
#endif

// clang-format off
/* ---- kernel/loops/drives.c ---- */
/* u of drives by M_u of the scratch, as all kernels of drives, and tau_y − M_uᵀ u (nyd) in rest. weight is per motor, NULL for
   ones. singular of the scratch: the first coordinate of a drive that its motors do not span, −1
   for none. */
KERNEL(void, drive_forces, (const td_actuation_map *map, const td_scratch *s, const double *weight,
       const td_reals *tau_y, td_reals *u, td_reals *rest))
/* Of drives whose motors and coordinates are not as many, by coordinates: with more motors λ of u = W⁻¹
   M_u λ, W being the weights, with fewer the rest; 0 of others. */
KERNEL(void, drive_multipliers, (const td_actuation_map *map, const td_scratch *s,
       const double *weight, const td_reals *u, const td_reals *rest, td_reals *lambda))
/* ∂u/∂y and ∂u/∂τ (nu × n each, NULL: not wanted) from X = ∂(M_uᵀ u)/∂y (n × n) and Z = ∂(M_u λ)/∂y
   (nu × n), NULL where they vanish. */
KERNEL(void, drive_force_derivatives, (const td_actuation_map *map, const td_scratch *s,
       const double *weight, const td_reals *X, const td_reals *Z, td_reals *by_position,
       td_reals *by_force))
/* ẏ from u̇ by least squares, where every drive has as many motors as coordinates or more. Entries
   that belong to no drive stay as they are. singular as by drive_forces. */
KERNEL(void, drive_rates, (const td_actuation_map *map, const td_scratch *s, const td_reals *rates,
       td_reals *yd))

/* ---- kernel/loops/close.c ---- */
/* y → w, G, outcome. start: w where it starts. */
KERNEL(void, close_loops, (const td_tree *tree, const td_closure_map *closure, const td_scratch *s,
       const double *start, const td_reals *y))
/* w of a closed state → G, outcome; nothing is solved */
KERNEL(void, tangent, (const td_tree *tree, const td_closure_map *closure, const td_scratch *s))
/* The same where curves are all that is solved (td_loops.direct): y → w, G; then q̇ → g, which may
   be added to accelerations */
KERNEL(void, follow_curves, (const td_loops *loops, const td_scratch *s, const td_reals *y))
KERNEL(void, drift_of_curves, (const td_loops *loops, size_t nv, const td_scratch *s,
       const td_reals *qd))
KERNEL(void, add_drift_of_curves, (const td_loops *loops, const td_scratch *s, td_reals *qdd))
/* after close_loops, follow_curves or tangent: q̇ → G_rate */
KERNEL(void, close_rates, (const td_tree *tree, const td_closure_map *closure, const td_scratch *s,
       const td_reals *qd))
/* after close_rates: q̇, q̈ (NULL: not) → velocity_y, acceleration_y
   where q̈ is given, and acceleration_yd, the outcome */
KERNEL(void, close_derivatives, (const td_tree *tree, const td_closure_map *closure,
       const td_scratch *s, const td_reals *qd, const td_reals *qdd))
/* after close_loops or tangent, of a workspace with matrices: X (nyd × nyd reals) += ∂(Gᵀ f)/∂y for
   forces f of the tree, in the blocks of groups of loops; the outcome */
KERNEL(void, close_stiffness, (const td_tree *tree, const td_closure_map *closure,
       const td_scratch *s, const td_reals *f, td_reals *X))
/* after close_loops or tangent: out (nyd reals) += such a matrix times x, or its transpose */
KERNEL(void, close_stiffness_times, (const td_tree *tree, const td_closure_map *closure,
       const td_scratch *s, const td_reals *f, const td_reals *x, int transposed, td_reals *out))
/* after close_loops or tangent: the columns of the coordinates of a group, the dependent ones first, in their
   units */
KERNEL(void, loop_columns, (const td_tree *tree, const td_closure_map *closure, size_t group,
       const td_scratch *s, td_reals *columns))
/* phi, K (rows × nv) and K̇ q̇ in drift (qd NULL: not) of all groups at a configuration of the
   tree */
KERNEL(void, constraints, (const td_tree *tree, const td_loops *loops, const td_scratch *s,
       const td_reals *q, const td_reals *qd))
/* f, f', f'' and f''' of a curve at x (1 real → 4) */
KERNEL(void, curve, (const td_curve_data *curve, const td_reals *x, td_reals *value))
/* after constraints: 1 real, 0 where no loop is half a turn off, which φ does not tell; else how
   far that is, more than half */
KERNEL(void, loop_turns, (const td_loops *loops, const td_scratch *s, td_reals *out))

/* ---- kernel/loops/axis.c ---- */
/* out += damping, friction and springs of loop joints, at a configuration of the tree */
KERNEL(void, loop_passive, (const td_tree *tree, const td_loops *loops, const td_scratch *s,
       const td_reals *q, const td_reals *qd, double friction_velocity, td_reals *out))
/* out[0] += energy of the springs of loop joints */
KERNEL(void, loop_energy, (const td_tree *tree, const td_loops *loops, const td_scratch *s,
       const td_reals *q, td_reals *out))
/* out += what forces in loop joints (one per loop record) do to the tree */
KERNEL(void, loop_push, (const td_tree *tree, const td_loops *loops, const td_scratch *s,
       const td_reals *q, const td_reals *forces, td_reals *out))
/* q, qd, qdd → 3 reals: position, velocity and acceleration of a loop joint's coordinate */
KERNEL(void, loop_motion, (const td_tree *tree, const td_loop_group *g, int axis,
       const td_scratch *s, const td_motion_inputs *in, td_reals *out))
/* G → M_u: the rows of motors in loops, at q */
KERNEL(void, loop_motors, (const td_tree *tree, const td_closure_map *closure,
       const td_loop_motors *motors, const td_scratch *s, const td_reals *q))
/* G, and velocity_y where that is there: what motors with forces u change by along y, at q; at qd,
   where Z is wanted */
KERNEL(void, motor_derivatives, (const td_tree *tree, const td_closure_map *closure,
       const td_actuation_map *map, const td_scratch *s, const td_motion_inputs *in,
       const td_reals *u, const td_motor_changes *out))

/* ---- kernel/loops/balance.c ---- */
/* pose, loop_motor, outcome → loop_wrench, outcome; tau_c, what the closure does to the tree, less
   what loops give of it. Of in: q, qd, and passive with the friction's velocity. */
KERNEL(void, balance_loops, (const td_tree *tree, const td_closure_map *closure,
       const td_scratch *s, const td_motion_inputs *in, td_reals *tau_c))
/* after constraints or held_tangent: λ of all rows, Kᵀ λ = tau_c, which is used up; the outcome */
KERNEL(void, multipliers, (const td_tree *tree, const td_closure_map *closure, const td_scratch *s,
       td_reals *tau_c, td_reals *lambda))
/* pose, loop_wrench, force → force */
KERNEL(void, unload_loops, (const td_tree *tree, const td_loops *loops, const td_scratch *s))
/* pose, loop_wrench → loops × 6 reals: what the predecessor exerts on the successor, in a frame at the
   successor's frame of the loop */
KERNEL(void, loop_reactions, (const td_closure_map *closure, const td_scratch *s, int frame,
       td_reals *out))
/* pose, after balance_loops → joints × 6 and loops × 6 reals (NULL: not): by how much self-stress
   with multipliers of length 1 changes reactions at most. loop_wrench and force are used up. */
KERNEL(void, loop_ambiguity, (const td_tree *tree, const td_closure_map *closure,
       const td_scratch *s, int frame, td_reals *joints, td_reals *of_loops))

/* ---- kernel/loops/held.c ---- */
/* At q, q̇ of the tree, closed or not: G and g with K G = 0 and K g = k, the outcome: not good where
   rounding takes digits of G. */
KERNEL(void, held_tangent, (const td_tree *tree, const td_closure_map *closure, const td_scratch *s,
       const td_reals *q, const td_reals *qd, double alpha, double beta))
/* after held_tangent: the outcome is not good where loops are not as K q̈ = k says */
KERNEL(void, held_judge, (const td_tree *tree, const td_loops *loops, const td_scratch *s,
       const td_reals *qdd))

/* ---- kernel/loops/held_change.c ---- */
/* After held_tangent, as the following ones: μ, one per row of loops that are solved, with which
   they hold tau_c at dependent velocities. */
KERNEL(void, held_forces, (const td_closure_map *closure, const td_scratch *s,
       const td_reals *tau_c, td_reals *mu))
/* along a direction: e of all rows (those of loops weighted), what is missing to K q̈ = k at that q̈;
   and onto force (nv) what Kᵀ μ changes by */
KERNEL(void, held_change, (const td_tree *tree, const td_closure_map *closure, const td_scratch *s,
       const td_held_direction *direction, const td_reals *mu, td_reals *e, td_reals *force))
/* out (nv) with K out = e, of rows as above, along that velocity; followed: 1 where e of what follows linearly may not
   be 0 */
KERNEL(void, held_particular, (const td_tree *tree, const td_closure_map *closure,
       const td_scratch *s, int velocity, int followed, const td_reals *e, td_reals *out))
/* after constraints or held_tangent: factors of what loops hold, rows · held + held² reals for each set */
KERNEL(void, multiplier_factors, (const td_tree *tree, const td_closure_map *closure,
       const td_scratch *s, td_reals *factors))
/* With these factors what multipliers λ change by, along a position (velocity −1: along none), and
   as τ_c changes, which is in tau of the scratch and is used up. */
KERNEL(void, multiplier_change, (const td_tree *tree, const td_closure_map *closure,
       const td_scratch *s, const td_reals *factors, int velocity, const td_reals *lambda,
       td_reals *out))
// clang-format on
