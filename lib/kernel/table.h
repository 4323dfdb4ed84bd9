/* SPDX-License-Identifier: MIT */
/*
 * Every kernel, once, as KERNEL(result, name, (parameters)); OPTIONAL_KERNEL for those that some
 * reals do without, whose pointer is NULL there. kernel.h makes a structure of pointers of the
 * list, kernels.c a table of the functions of these names. Included with KERNEL defined; the
 * definitions end with it.
 *
 * What a kernel needs in the scratch and what it leaves there is said as "needs → leaves".
 */
#ifndef KERNEL /* the file is read alone */
#define KERNEL(result, name, parameters)
#endif
#ifndef OPTIONAL_KERNEL
#define OPTIONAL_KERNEL KERNEL
#endif

// clang-format off
/* ---- kernel/algebra/transfer.c: between doubles, row per state, and reals ---- */
/* dst[i] lane l = src[l * columns + i]; lanes past rows repeat the last row. Returns a bit for each
   of the first rows lanes: whether all its numbers are finite. */
KERNEL(int, load, (td_reals *dst, const double *src, size_t columns, size_t rows))
/* src to the first rows lanes, whose rows of dst are columns apart. Returns the bits that load
   returns. */
KERNEL(int, store, (double *dst, const td_reals *src, size_t columns, size_t rows))
/* A symmetric matrix of that pattern, to size × size doubles for each of the first rows lanes.
   finite (NULL: not asked) gets the bits that
   load returns. */
KERNEL(void, store_symmetric, (double *dst, const td_reals *src, const td_pattern *pattern,
       size_t rows, int *finite))
/* A symmetric matrix of that pattern to size × size reals. */
KERNEL(void, symmetric, (const td_pattern *pattern, const td_reals *src, td_reals *dst))
/* The bits that load returns, of count reals. */
KERNEL(int, lanes_finite, (const td_reals *src, size_t count, size_t rows))
/* Of one state: 1 if all numbers of some arrays are finite (in[k] NULL: no numbers), else 0. */
KERNEL(int, all_finite, (size_t arrays, const void *const *in, const size_t *counts))
/* Returns a bit for each of the first rows lanes: whether the quaternions that begin at at[k] of
   src have unit length, to 1e-6. NaN passes. */
KERNEL(int, unit, (const td_reals *src, const int *at, size_t count, size_t rows))
KERNEL(void, copy, (td_reals *dst, const td_reals *src, size_t count))
KERNEL(void, clear, (td_reals *dst, size_t count))
/* a += b; a −= b; entry by entry */
KERNEL(void, add_to, (td_reals *a, const td_reals *b, size_t count))
KERNEL(void, subtract_from, (td_reals *a, const td_reals *b, size_t count))
/* a = −a */
KERNEL(void, negate, (td_reals *a, size_t count))
/* out = A x + b (b NULL: none) */
KERNEL(void, affine, (const td_csr *A, const double *b, const td_reals *x, td_reals *out))
/* dst[i] = src[index[i]] */
KERNEL(void, gather, (td_reals *dst, const td_reals *src, const int *index, size_t count))
/* dst[index[i]] −= src[i] */
KERNEL(void, subtract_at, (td_reals *dst, const td_reals *src, const int *index, size_t count))
/* dst[i] = splat(src[i]) */
KERNEL(void, spread, (td_reals *dst, const double *src, size_t count))
/* out = G x, out = Gᵀ x, with the values of G beside its pattern */
KERNEL(void, rates, (const td_csr *G, const td_reals *values, const td_reals *x, td_reals *out))
KERNEL(void, transposed, (const td_csr *G, const td_reals *values, const td_reals *x,
       td_reals *out))
/* target = 0, then what the scatter adds */
KERNEL(void, scatter, (const td_scatter *scatter, const td_reals *values, const td_reals *source,
       td_reals *target, size_t count))
/* target = Gᵀ H G, with the patterns of H and of the result */
KERNEL(void, reduce, (const td_pattern *tree, const td_csr *G, const td_reals *values,
       const td_reals *H, const td_pattern *pattern, td_reals *target))
/* out = A G; A has rows rows, row-major */
KERNEL(void, times_sparse, (const td_reals *A, size_t rows, const td_csr *G, const td_reals *values,
       td_reals *out))
/* out += the same */
KERNEL(void, add_times_sparse, (const td_reals *A, size_t rows, const td_csr *G,
       const td_reals *values, td_reals *out))
/* out += Gᵀ A B, A square and dense, B with the pattern of G */
KERNEL(void, congruence, (const td_reals *A, const td_csr *G, const td_reals *values,
       const td_reals *B, td_reals *out))
/* the values of a sparse matrix, to rows × columns reals */
KERNEL(void, dense, (const td_csr *G, const td_reals *values, td_reals *out))
/* the same in lanes, to rows × columns doubles for each of the first lanes (values NULL: zeros).
   Returns the bits that load returns. */
KERNEL(int, store_sparse, (const td_csr *G, const td_reals *values, double *dst, size_t rows))
/* a column of a row-major matrix, from it and to it */
KERNEL(void, take_column, (const td_reals *A, size_t rows, size_t columns, size_t column,
       td_reals *out))
KERNEL(void, put_column, (const td_reals *x, size_t rows, size_t columns, size_t column,
       td_reals *A))
/* out[i] = mask[i] ? yes[i] : no[i] */
KERNEL(void, choose, (const unsigned char *mask, const td_reals *yes, const td_reals *no,
       td_reals *out, size_t count))

/* ---- kernel/rooms.c ---- */
/* Takes the members of the scratch. */
KERNEL(void, take, (const td_scratch_sizes *sizes, td_stack *stack, td_scratch *s))
/* Takes what the scopes of kernels take at most, of a stack without a block. */
KERNEL(void, measure, (const td_scratch_sizes *sizes, td_stack *stack))
/* Takes what constraints of one group need, without anything else; the group's room is 0. */
KERNEL(void, take_group, (const td_tree *tree, const td_loop_group *g, td_stack *stack,
       td_scratch *s))
/* after constraints: per body of a group 12 reals, its rotation and position against the body that
   carries the group; per row the 6 of its wrench */
KERNEL(void, group_places, (const td_loop_group *g, const td_scratch *s, const td_reals **poses,
       const td_reals **wrenches))

/* ---- kernel/tree/pose.h, poses.c ---- */
/* Writes what depends on the tree alone: once per workspace, before all other kernels. */
KERNEL(void, prepare, (const td_tree *tree, const td_scratch *s))
/* q → pose, and arm where arms is 1; where it is 0 arm may be another state's. link: only for the
   bodies from the root to that of the link (TD_EVERY_LINK: all); the others keep what they had. */
KERNEL(void, poses, (const td_tree *tree, const td_scratch *s, const td_reals *q, int link,
       int arms))
/* pose → count × 12 reals, of some links (NULL: the first count ones) */
KERNEL(void, link_poses, (const td_tree *tree, const td_scratch *s, const int *links, size_t count,
       td_reals *out))
/* pose → count × 12 doubles for each of the first rows lanes, as by store */
KERNEL(int, store_link_poses, (const td_tree *tree, const td_scratch *s, const int *links,
       size_t count, double *dst, size_t columns, size_t rows))
/* wrenches on links (links × 6) → wrench; needs pose where they are in world axes */
KERNEL(void, wrenches, (const td_tree *tree, const td_scratch *s, const td_reals *wrenches,
       int frame))

/* ---- kernel/tree/rnea.c ---- */
/* q, wrench (where loaded) → tau, sines and cosines; posed: the poses of all bodies at q are
   there, and with them the sines and cosines */
KERNEL(void, rnea, (const td_tree *tree, const td_scratch *s, const td_reals *q, int posed,
       const td_reals *qd, const td_reals *qdd, int loaded, td_reals *tau))

/* ---- kernel/tree/passive.c ---- */
/* out += damping, friction and springs */
KERNEL(void, passive, (const td_tree *tree, const td_reals *q, const td_reals *qd,
       double friction_velocity, td_reals *out))
/* out += rotors · qdd */
KERNEL(void, rotors, (const td_tree *tree, const td_reals *qdd, td_reals *out))

/* adds to derivatives: see rnea_derivatives; values are those of G */
KERNEL(void, passive_derivatives, (const td_tree *tree, const td_csr *G, const td_reals *values,
       const td_reals *velocity_y, const td_reals *acceleration_y, const td_reals *acceleration_yd,
       const td_reals *qd, double friction_velocity, td_reals *by_position, td_reals *by_rate,
       const td_pattern *pattern, td_reals *mass))

/* ---- kernel/tree/rnea_derivatives.c ---- */
/* pose, arm, composite, motion at q̇ and q̈ of the tree, wrench (where loaded) → ∂τ/∂y and ∂τ/∂ẏ,
   n × n each, and H by its pattern (NULL: not wanted), without ∂(Gᵀτ)/∂y at fixed τ. G: of the clusters' coordinates,
   NULL for those of the tree; of its pattern are also the values of ∂(Gẏ)/∂y, ∂(Gÿ + g)/∂y and
   ∂g/∂ẏ, which are NULL where they vanish, the second one also without by_position. wrenches: links × 6 in that frame, of
   which wrench was made, NULL for none. */
KERNEL(void, rnea_derivatives, (const td_tree *tree, const td_clusters *clusters,
       const td_scratch *s, const td_csr *G, const td_reals *velocity_y,
       const td_reals *acceleration_y, const td_reals *acceleration_yd, const td_reals *qd,
       const td_reals *qdd, int loaded, const td_reals *wrenches, int frame, td_reals *by_position,
       td_reals *by_rate, const td_pattern *pattern, td_reals *mass))

/* ---- kernel/tree/motion_derivatives.c ---- */
/* motion at q̇ and q̈ of the tree, pose, arm → what the velocity of a point of a link, as if its frame
   were there, changes by along q and by q̇, and its acceleration: 6 × nv each (NULL: not wanted);
   classical or spatial as link_accelerations */
KERNEL(void, link_motion_derivatives, (const td_tree *tree, const td_scratch *s, int link,
       const double point[3], int frame, int classical, const td_reals *qd, const td_reals *qdd,
       td_reals *velocity_q, td_reals *velocity_qd, td_reals *acceleration_q,
       td_reals *acceleration_qd))

/* ---- kernel/tree/momentum_derivatives.c ---- */
/* motion at q̇ and q̈ of the tree, pose, arm, inertia, composite → what the momentum about the centre
   of mass and its rate change by along q and by q̇: 6 × nv each (NULL: not wanted) */
KERNEL(void, momentum_derivatives, (const td_tree *tree, const td_scratch *s, int moving_only,
       const td_reals *qd, const td_reals *qdd, td_reals *momentum_q, td_reals *momentum_qd,
       td_reals *rate_q, td_reals *rate_qd))
/* the same of position, velocity and acceleration of the centre of mass, 3 × nv each: by q what
   the velocity and the acceleration change by, and by q̇ */
KERNEL(void, mass_center_derivatives, (const td_tree *tree, const td_scratch *s, int moving_only,
       const td_reals *qd, const td_reals *qdd, td_reals *velocity_q, td_reals *velocity_qd,
       td_reals *acceleration_q, td_reals *acceleration_qd))
/* motion at q̇, pose, arm, inertia → what kinetic energy changes by along q and by q̇, nv each (NULL:
   not wanted) */
KERNEL(void, kinetic_derivatives, (const td_tree *tree, const td_scratch *s, const td_reals *qd,
       td_reals *by_position, td_reals *by_rate))

/* ---- kernel/tree/rnea_tangent.c, rnea_adjoint.c ---- */
/* needs pose, arm, motion at q̇ and q̈ of the tree, wrench (where loaded), with those of springs and of joints that
   close loops where passive. wrenches as in rnea_derivatives. Of the tree: what tau changes by along a direction of
   q, q̇ and q̈, and a covector times its derivatives (NULL: not wanted) */
KERNEL(void, rnea_tangent, (const td_tree *tree, const td_loops *loops, const td_scratch *s,
       const td_reals *qd, const td_reals *qdd, int loaded, const td_reals *wrenches, int frame,
       int passive, double friction_velocity, const td_reals *dq, const td_reals *dqd,
       const td_reals *dqdd, td_reals *dtau))
KERNEL(void, rnea_adjoint, (const td_tree *tree, const td_loops *loops, const td_scratch *s,
       const td_reals *qd, const td_reals *qdd, int loaded, const td_reals *wrenches, int frame,
       int passive, double friction_velocity, const td_reals *covector, td_reals *by_position,
       td_reals *by_rate, td_reals *by_acceleration))

/* ---- kernel/tree/springs.c ---- */
/* motion, pose → wrench: adds what springs between links do, or begins with zeros where wrenches
   were not loaded */
KERNEL(void, springs, (const td_tree *tree, const td_scratch *s, int loaded))
/* motion, pose → 4 reals: distance, its rate, stored energy, power of the damper */
KERNEL(void, spring_motion, (const td_tree *tree, const td_scratch *s, size_t spring,
       td_reals *out))
/* motion, pose; out[0] += energy of the springs of joints and between links */
KERNEL(void, spring_energy, (const td_tree *tree, const td_scratch *s, const td_reals *q,
       td_reals *out))

/* ---- kernel/tree/spring_derivatives.c ---- */
/* motion at q̇, pose, arm; adds what springs between links do to ∂τ/∂y and ∂τ/∂ẏ: see
   rnea_derivatives */
KERNEL(void, spring_derivatives, (const td_tree *tree, const td_scratch *s, const td_csr *G,
       const td_reals *velocity_y, const td_reals *qd, td_reals *by_position, td_reals *by_rate))
/* motion at q̇, pose, arm → what spring_motion gives changes by along q and by q̇, 4 × nv each (NULL:
   not wanted) */
KERNEL(void, spring_motion_derivatives, (const td_tree *tree, const td_scratch *s, size_t spring,
       const td_reals *qd, td_reals *by_position, td_reals *by_rate))
/* motion at q̇, pose, arm; out += what the energy of all springs between links changes by along q, nv */
KERNEL(void, spring_energy_derivatives, (const td_tree *tree, const td_scratch *s,
       const td_reals *qd, td_reals *out))
/* motion at q̇, pose → wrench: adds what passive forces in joints that close loops do, or begins
   with zeros where none were loaded; and the same derivatives */
KERNEL(void, load_loop_passive, (const td_tree *tree, const td_loops *loops, const td_scratch *s,
       int loaded, double friction_velocity))
KERNEL(void, loop_passive_derivatives, (const td_tree *tree, const td_loops *loops,
       const td_scratch *s, const td_csr *G, const td_reals *velocity_y, const td_reals *qd,
       double friction_velocity, td_reals *by_position, td_reals *by_rate))

/* ---- kernel/tree/mass.c ---- */
/* pose → inertia (kernel/tree/inertia.h) */
KERNEL(void, inertias, (const td_tree *tree, const td_scratch *s))
/* pose, arm → composite */
KERNEL(void, composites, (const td_tree *tree, const td_scratch *s))
/* pose, arm, composite → mass; rotors: 1 to add those of the joints */
KERNEL(void, crba, (const td_tree *tree, const td_scratch *s, int rotors))

/* ---- kernel/tree/mass_dense.c, where that is faster ---- */
/* pose, arm, composite → the mass matrix of each of the first rows lanes, nv × nv doubles; streamed:
   which no cache has, nor should have.
   Returns the bits that load returns. */
OPTIONAL_KERNEL(int, dense_mass, (const td_tree *tree, const td_scratch *s, int rotors, int streamed,
       double *dst, size_t rows))

/* ---- kernel/tree/mass_body.c, not for one state ---- */
/* q → mass; placed: rnea at q came before */
OPTIONAL_KERNEL(void, body_axes_mass, (const td_tree *tree, const td_scratch *s, const td_reals *q,
       int placed, int rotors))

/* ---- kernel/algebra/ltdl.c ---- */
/* A = Lᵀ D L in place; singular: the first coordinate with a vanishing pivot, −1 for none */
KERNEL(void, factor, (const td_pattern *pattern, td_reals *A, td_reals *singular))
/* Whether the pivots of given coordinates, the last ones first, have digits: into singular of the
   scratch. */
KERNEL(void, examine, (const td_pattern *pattern, const td_scratch *s, const td_reals *factored,
       const int *coordinate, size_t count, double bound))
/* x = A⁻¹ x, from the factors */
KERNEL(void, solve, (const td_pattern *pattern, const td_reals *factored, td_reals *x))
/* out = A x, before factoring */
KERNEL(void, multiply, (const td_pattern *pattern, const td_reals *A, const td_reals *x,
       td_reals *out))
/* rows and columns of given coordinates become those of the identity */
KERNEL(void, exclude, (const td_pattern *pattern, const unsigned char *given, td_reals *A))

/* ---- kernel/algebra/solve_many.c ---- */
/* X = A⁻¹ X, size × columns, row-major, from the factors: for many right-hand sides. Of one state
   columns are taken in vectors; in lanes each state has its own matrix and right-hand sides. */
KERNEL(void, solve_many, (const td_pattern *pattern, const td_scratch *s,
       const td_reals *factored, size_t columns, td_reals *X))
/* A⁻¹, size × size, from the factors */
KERNEL(void, invert, (const td_pattern *pattern, const td_scratch *s, const td_reals *factored,
       td_reals *inverse))
/* The same in lanes, to size × size doubles for each of the first rows lanes. Returns the bits that
   load returns. */
KERNEL(int, invert_rows, (const td_pattern *pattern, const td_scratch *s,
       const td_reals *factored, double *dst, size_t rows))

/* ---- kernel/tree/aba_body.c ---- */
/* q, wrench (where loaded) → qdd; posed: the poses of all bodies at q are there. given (per
   velocity, NULL: none) marks joints whose qdd is given and whose tau is found; tau and qdd are
   read and written accordingly. */
KERNEL(void, body_axes_aba, (const td_tree *tree, const td_scratch *s, const td_reals *q, int posed,
       const td_reals *qd, int loaded, int rotors, const unsigned char *given, td_reals *tau,
       td_reals *qdd))

/* ---- kernel/tree/aba.c, for one state ---- */
/* the same, faster, where no digits are lost by it (td_tree.fine) */
OPTIONAL_KERNEL(void, world_axes_aba, (const td_tree *tree, const td_scratch *s, const td_reals *q,
       int posed, const td_reals *qd, int loaded, int rotors, const unsigned char *given,
       td_reals *tau, td_reals *qdd))

/* ---- kernel/tree/amplification.c ---- */
/* after either without accelerations that are given, of a tree with td_tree.largest → 1 real: at most how
   many times a joint's inertia the terms are that it is left of; no number where an inertia is none */
KERNEL(void, amplification, (const td_tree *tree, const td_scratch *s, int rotors, td_reals *sum))

/* ---- kernel/tree/examine_joints.c ---- */
/* singular, after accelerations by articulated bodies, of which some are given (NULL: none; of the tree alone):
   the first suspect of either list too whose pivot is no more than a part, digits, of what it is left of. Over
   clusters, G being there, or over those of the tree, G NULL. q: where they went by the bodies' axes, else NULL:
   poses and inertias are there, which it leaves. */
KERNEL(void, examine_joints, (const td_tree *tree, const td_clusters *clusters, const td_csr *G,
       const td_scratch *s, const td_reals *q, int rotors, const unsigned char *given,
       const td_suspects lists[2], double digits))

/* ---- kernel/tree/cluster.c ---- */
/* pose, arm, inertia, wrench (where loaded) → ydd. G takes independent to tree velocities; g (NULL:
   zero) is what velocities add to tree accelerations. */
KERNEL(void, cluster_aba, (const td_tree *tree, const td_clusters *clusters, const td_csr *G,
       const td_scratch *s, const td_reals *qd, const td_reals *g, int loaded, int rotors,
       const td_reals *tau_y, td_reals *ydd))

/* ---- kernel/loops/drives.c ---- */
/* u of drives by the values of M_u, and tau_y − M_uᵀ u (nyd) in rest. weight is per motor, NULL for
   ones. singular of the scratch: the first coordinate of a drive that its motors do not span, −1
   for none. */
KERNEL(void, drive_forces, (const td_drives *drives, const td_csr *M_u, const td_reals *values,
       const double *weight, const td_scratch *s, const td_reals *tau_y, td_reals *u,
       td_reals *rest))
/* Of drives whose motors and coordinates are not as many, by coordinates: with more motors λ of u = W⁻¹
   M_u λ, W being the weights, with fewer the rest; 0 of others. */
KERNEL(void, drive_multipliers, (const td_drives *drives, const td_csr *M_u,
       const td_reals *values, const double *weight, const td_scratch *s, const td_reals *u,
       const td_reals *rest, td_reals *lambda))
/* ∂u/∂y and ∂u/∂τ (nu × n each, NULL: not wanted) from X = ∂(M_uᵀ u)/∂y (n × n) and Z = ∂(M_u λ)/∂y
   (nu × n), NULL where they vanish. */
KERNEL(void, drive_force_derivatives, (const td_drives *drives, const td_csr *M_u,
       const td_reals *values, const double *weight, const td_scratch *s, const td_reals *X,
       const td_reals *Z, td_reals *by_position, td_reals *by_force))
/* ẏ from u̇ by least squares, where every drive has as many motors as coordinates or more. Entries
   that belong to no drive stay as they are. singular as by drive_forces. */
KERNEL(void, drive_rates, (const td_drives *drives, const td_csr *M_u, const td_reals *values,
       const td_scratch *s, const td_reals *rates, td_reals *yd))

/* ---- kernel/loops/close.c ---- */
/* y → w, G, outcome. M takes w to q (with offset), rate takes ẇ to q̇. start: w where it starts. */
KERNEL(void, close_loops, (const td_tree *tree, const td_loops *loops, const td_csr *M,
       const double *offset, const td_csr *rate, const td_csr *G, const td_scratch *s,
       const double *start, const td_reals *y))
/* w of a closed state → G, outcome; nothing is solved */
KERNEL(void, tangent, (const td_tree *tree, const td_loops *loops, const td_csr *M,
       const double *offset, const td_csr *rate, const td_csr *G, const td_scratch *s))
/* The same where curves are all that is solved (td_loops.direct): y → w, G; then q̇ → g, which may
   be added to accelerations */
KERNEL(void, follow_curves, (const td_loops *loops, const td_scratch *s, const td_reals *y))
KERNEL(void, drift_of_curves, (const td_loops *loops, size_t nv, const td_scratch *s,
       const td_reals *qd))
KERNEL(void, add_drift_of_curves, (const td_loops *loops, const td_scratch *s, td_reals *qdd))
/* after close_loops, follow_curves or tangent: q̇ → G_rate */
KERNEL(void, close_rates, (const td_tree *tree, const td_loops *loops, const td_csr *rate,
       const td_csr *G, const td_scratch *s, const td_reals *qd))
/* after close_rates: q̇, q̈ (NULL: not) → velocity_y, acceleration_y
   where q̈ is given, and acceleration_yd, the outcome */
KERNEL(void, close_derivatives, (const td_tree *tree, const td_loops *loops, const td_csr *rate,
       const td_csr *G, const td_scratch *s, const td_reals *qd, const td_reals *qdd))
/* after close_loops or tangent, of a workspace with matrices: X (nyd × nyd reals) += ∂(Gᵀ f)/∂y for
   forces f of the tree, in the blocks of groups of loops; the outcome */
KERNEL(void, close_stiffness, (const td_tree *tree, const td_loops *loops, const td_csr *rate,
       const td_csr *G, const td_scratch *s, const td_reals *f, td_reals *X))
/* after close_loops or tangent: out (nyd reals) += such a matrix times x, or its transpose */
KERNEL(void, close_stiffness_times, (const td_tree *tree, const td_loops *loops, const td_csr *rate,
       const td_scratch *s, const td_reals *f, const td_reals *x, int transposed, td_reals *out))
/* after close_loops or tangent: the columns of the coordinates of a group, the dependent ones first, in their
   units */
KERNEL(void, loop_columns, (const td_tree *tree, const td_loops *loops, size_t group,
       const td_csr *rate, const td_scratch *s, td_reals *columns))
/* φ, K (rows × nv) and K̇ q̇ (qd NULL: not) of all groups at a configuration of the tree */
KERNEL(void, constraints, (const td_tree *tree, const td_loops *loops, const td_scratch *s,
       const td_reals *q, const td_reals *qd, td_reals *phi, td_reals *K, td_reals *drift))
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
/* 3 reals: position, velocity and acceleration of a loop joint's coordinate */
KERNEL(void, loop_motion, (const td_tree *tree, const td_loops *loops, const td_scratch *s,
       size_t group, int axis, const td_reals *q, const td_reals *qd, const td_reals *qdd,
       td_reals *out))
/* the rows of M_u of motors in loops, from the values of G at q */
KERNEL(void, loop_motors, (const td_tree *tree, const td_loops *loops, const td_loop_motors *motors,
       const td_csr *G, const td_scratch *s, const td_reals *q, const td_reals *values,
       td_reals *M_u))
/* What motors change by along y at q, from the values of G and of ∂(Gẏ)/∂y (NULL: 0): out_f = the
   forces u by velocities of the tree (joint_row: those of motors in joints), X += uᵀ ∂J/∂y G of motors
   in loops, and to Z (nu × n, NULL: not wanted) their rows of ∂(M_u ẏ)/∂y. */
KERNEL(void, motor_derivatives, (const td_tree *tree, const td_loops *loops,
       const td_loop_motors *motors, const td_csr *M_u, const int *joint_row, const td_csr *G,
       const td_scratch *s, const td_reals *q, const td_reals *values, const td_reals *velocity_y,
       const td_reals *qd, const td_reals *u, td_reals *force, td_reals *X, td_reals *Z))

/* ---- kernel/loops/balance.c ---- */
/* pose, loop_motor, outcome → loop_wrench, outcome; tau_c, what the
   closure does to the tree, less what loops give of it. passive: 1 where springs, damping and
   friction act in loop joints. */
KERNEL(void, balance_loops, (const td_tree *tree, const td_loops *loops, const td_balances *b,
       const td_scratch *s, const td_reals *q, const td_reals *qd, int passive,
       double friction_velocity, td_reals *tau_c))
/* after constraints or held_tangent: λ of all rows, Kᵀ λ = tau_c, which is used up; the outcome.
   followers: K of what follows linearly */
KERNEL(void, multipliers, (const td_tree *tree, const td_loops *loops, const td_balances *b,
       const td_csr *followers, const td_scratch *s, td_reals *tau_c, td_reals *lambda))
/* pose, loop_wrench, force → force */
KERNEL(void, unload_loops, (const td_tree *tree, const td_loops *loops, const td_scratch *s))
/* pose, loop_wrench → loops × 6 reals: what the predecessor exerts on the successor, in a frame at the
   successor's frame of the loop */
KERNEL(void, loop_reactions, (const td_loops *loops, const td_balances *b, const td_scratch *s,
       int frame, td_reals *out))
/* pose, after balance_loops → joints × 6 and loops × 6 reals (NULL: not): by how much self-stress
   with multipliers of length 1 changes reactions at most. loop_wrench and force are used up. */
KERNEL(void, loop_ambiguity, (const td_tree *tree, const td_loops *loops, const td_balances *b,
       const td_scratch *s, int frame, td_reals *joints, td_reals *of_loops))

/* ---- kernel/loops/held.c ---- */
/* At q, q̇ of the tree, closed or not: G and g with K G = 0 and K g = k, the outcome: not good where
   rounding takes digits of G. K of what follows linearly and its q as in linear_constraints. */
KERNEL(void, held_tangent, (const td_tree *tree, const td_loops *loops, const td_csr *followers,
       const int *position, const double *offset, const td_csr *rate, const td_csr *G,
       const td_scratch *s, const td_reals *q, const td_reals *qd, double alpha, double beta))
/* after held_tangent: the outcome is not good where loops are not as K q̈ = k says */
KERNEL(void, held_judge, (const td_tree *tree, const td_loops *loops, const td_scratch *s,
       const td_reals *qdd))

/* ---- kernel/loops/held_change.c ---- */
/* After held_tangent, as the following ones: μ, one per row of loops that are solved, with which
   they hold tau_c at dependent velocities. */
KERNEL(void, held_forces, (const td_loops *loops, const td_csr *rate, const td_scratch *s,
       const td_reals *tau_c, td_reals *mu))
/* along a velocity of q̇, or a position: e of all rows (those of loops weighted), what is missing to K q̈ = k at that q̈;
   and onto force (nv) what Kᵀ μ changes by */
KERNEL(void, held_change, (const td_tree *tree, const td_loops *loops, const td_balances *b,
       const td_csr *followers, const td_scratch *s, const td_reals *qd, const td_reals *qdd,
       double alpha, double beta, int velocity, int position, const td_reals *mu, td_reals *e,
       td_reals *force))
/* out (nv) with K out = e, of rows as above, along that velocity; followed: 1 where e of what follows linearly may not
   be 0 */
KERNEL(void, held_particular, (const td_tree *tree, const td_loops *loops, const td_csr *followers,
       const td_csr *rate, const td_scratch *s, int velocity, int followed, const td_reals *e,
       td_reals *out))
/* after constraints or held_tangent: factors of what loops hold, rows · held + held² reals for each set */
KERNEL(void, multiplier_factors, (const td_tree *tree, const td_loops *loops, const td_balances *b,
       const td_scratch *s, td_reals *factors))
/* With these factors what multipliers λ change by, along a position (velocity −1: along none), and
   as tau_c changes. That change is used up. */
KERNEL(void, multiplier_change, (const td_tree *tree, const td_loops *loops, const td_balances *b,
       const td_csr *followers, const td_scratch *s, const td_reals *factors, int velocity, const td_reals *lambda,
       td_reals *tau_c, td_reals *out))

/* ---- kernel/algebra/constraints.c ---- */
/* φ = A q − offset and K, dense; position[e] is the entry of q that goes with entry e of A */
KERNEL(void, linear_constraints, (const td_csr *A, const int *position, const double *offset,
       size_t nv, const td_reals *q, td_reals *phi, td_reals *K))
/* drift, K̇ q̇ → k = − K̇ q̇ − 2 α K q̇ − β² φ (Baumgarte) */
KERNEL(void, stabilize, (size_t rows, size_t nv, const td_reals *K, const td_reals *qd,
       const td_reals *phi, double alpha, double beta, td_reals *drift))
/* K, factors of H, qdd without constraints → qdd with K qdd = k (NULL: 0), and the multipliers
   lambda (NULL: not wanted). K has rows rows. Rows that follow from earlier ones, or are no longer
   than their rounding, get no multiplier. */
KERNEL(void, constrain, (const td_pattern *pattern, const td_scratch *s, const td_reals *factored,
       size_t rows, const double *rounding, const td_reals *k, td_reals *qdd, td_reals *lambda))

/* ---- kernel/tree/motion.c ---- */
/* pose, arm → motion: velocity and classical acceleration of each body's origin; link as in poses */
KERNEL(void, motions, (const td_tree *tree, const td_scratch *s, const td_reals *qd,
       const td_reals *qdd, int link))
/* motion, pose → links × 6 reals */
KERNEL(void, link_velocities, (const td_tree *tree, const td_scratch *s, int frame, td_reals *out))
/* motion, pose → links × 6 reals: classical accelerations, or spatial ones */
KERNEL(void, link_accelerations, (const td_tree *tree, const td_scratch *s, int frame,
       int classical, td_reals *out))
/* motion, pose → 9 reals: position, velocity and acceleration of a point on a link */
KERNEL(void, point_motion, (const td_tree *tree, const td_scratch *s, int link,
       const double point[3], td_reals *out))
/* motion, pose → 6 reals: the velocity or the acceleration of a link, as if its frame were at that
   point */
KERNEL(void, point_velocity, (const td_tree *tree, const td_scratch *s, int link,
       const double point[3], int frame, td_reals *out))
KERNEL(void, point_acceleration, (const td_tree *tree, const td_scratch *s, int link,
       const double point[3], int frame, int classical, td_reals *out))
/* motion, inertia, pose → 2 reals: kinetic and potential energy */
KERNEL(void, energies, (const td_tree *tree, const td_scratch *s, int moving_only, td_reals *out))
/* pose → 3 reals: the centre of mass */
KERNEL(void, center_of_mass, (const td_tree *tree, const td_scratch *s, int moving_only,
       td_reals *out))
/* motion, pose → 9 reals: the centre of mass, its velocity and acceleration */
KERNEL(void, mass_center, (const td_tree *tree, const td_scratch *s, int moving_only,
       td_reals *out))
/* motion, pose, inertia → 6 reals: momentum about the centre of mass */
KERNEL(void, momentum, (const td_tree *tree, const td_scratch *s, int moving_only, td_reals *out))
/* motion, pose, inertia → 6 reals: rate of change of momentum about the centre of mass */
KERNEL(void, momentum_rate, (const td_tree *tree, const td_scratch *s, int moving_only,
       td_reals *out))
/* motion, pose → force: what each link's own motion takes beyond gravity and wrenches on links;
   springs: 1 where those between links act */
KERNEL(void, link_forces, (const td_tree *tree, const td_scratch *s, const td_reals *wrenches,
       int wrench_frame, int springs))
/* force, pose → joints × 6 reals: what the link above exerts on the link below. force becomes that
   of all links below, too. */
KERNEL(void, reactions, (const td_tree *tree, const td_scratch *s, int frame, td_reals *out))

/* ---- kernel/tree/jacobian.c ---- */
/* pose → 6 × nv reals: of a point on a link */
KERNEL(void, jacobian, (const td_tree *tree, const td_scratch *s, int link, const double point[3],
       int frame, td_reals *out))
/* pose → 6 × nv reals: what each velocity gives the link that its joint moves */
KERNEL(void, joint_columns, (const td_tree *tree, const td_scratch *s, int frame, td_reals *out))
/* pose, composite → 6 × nv reals: momentum, angular about the centre of mass, per velocity */
KERNEL(void, momentum_matrix, (const td_tree *tree, const td_scratch *s, int moving_only,
       td_reals *out))
/* pose, composite → 3 × nv reals: velocity of the centre of mass per velocity */
KERNEL(void, com_jacobian, (const td_tree *tree, const td_scratch *s, int moving_only,
       td_reals *out))

/* ---- kernel/tree/operational.c ---- */
/* pose, factors of H with that pattern (n × n), J of a link at a point by the tree's velocities
   (columns, 6 × nv) and by those of H (J, 6 × n) → Λ⁻¹ and Λ (6 × 6), J̄ (n × 6); each may be NULL.
   Of Λ and J̄ the wanted rows of J count (NULL: all). work: 6 × n reals */
KERNEL(void, operational_inertia, (const td_tree *tree, const td_pattern *pattern,
       const td_scratch *s, const td_reals *factored, int link, const double point[3],
       const unsigned char *wanted, const td_reals *columns, const td_reals *J, td_reals *work,
       td_reals *mobility, td_reals *inertia, td_reals *generalized))

/* ---- kernel/tree/coriolis.c ---- */
/* motion, pose, arm, inertia, composite → nv × nv reals */
KERNEL(void, coriolis, (const td_tree *tree, const td_scratch *s, td_reals *out))

// clang-format on

#undef KERNEL
#undef OPTIONAL_KERNEL
