/* SPDX-License-Identifier: MIT */
/*
 * Kernels of kernel/tree/: motion, forces and mass of trees of bodies, and their derivatives. A
 * part of the list in kernel/table.h, which says how it is read.
 */
#ifndef KERNEL /* the file is read alone */
#define KERNEL(result, name, parameters)
#define OPTIONAL_KERNEL KERNEL
#endif

// clang-format off
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
/* q, wrench (where loaded) → tau, sines and cosines; where posed, these are there, too */
KERNEL(void, rnea, (const td_tree *tree, const td_scratch *s, const td_motion_inputs *in,
       td_reals *tau))

/* ---- kernel/tree/passive.c ---- */
/* out += damping, friction and springs */
KERNEL(void, passive, (const td_tree *tree, const td_reals *q, const td_reals *qd,
       double friction_velocity, td_reals *out))
/* out += rotors · qdd */
KERNEL(void, rotors, (const td_tree *tree, const td_reals *qdd, td_reals *out))

/* G (where it is there); adds to derivatives */
KERNEL(void, passive_derivatives, (const td_tree *tree, const td_scratch *s,
       const td_closure_changes *closure, const td_motion_inputs *in,
       const td_force_derivatives *out))

/* ---- kernel/tree/rnea_derivatives.c ---- */
/* pose, arm, composite, motion at q̇ and q̈ of the tree, wrench (where loaded), G → what is wanted of out, without
   ∂(Gᵀτ)/∂y at fixed τ; clusters: those of the coordinates */
KERNEL(void, rnea_derivatives, (const td_tree *tree, const td_clusters *clusters,
       const td_scratch *s, const td_closure_changes *closure, const td_motion_inputs *in,
       const td_force_derivatives *out))

/* ---- kernel/tree/motion_derivatives.c ---- */
/* motion at q̇ and q̈ of the tree, pose, arm → what the velocity of a point of a link changes by along
   q and by q̇, and its acceleration: 6 × nv each (NULL: not wanted); classical or spatial as
   link_accelerations */
KERNEL(void, link_motion_derivatives, (const td_tree *tree, const td_scratch *s,
       const td_link_point *of, int classical, const td_motion_inputs *in, td_reals *const out[4]))

/* ---- kernel/tree/momentum_derivatives.c ---- */
/* motion at q̇ and q̈ of the tree, pose, arm, inertia, composite → what the momentum about the centre
   of mass and its rate change by along q and by q̇: 6 × nv each (NULL: not wanted); where center is 1
   velocity and acceleration of the centre of mass, 3 × nv each */
KERNEL(void, momentum_derivatives, (const td_tree *tree, const td_scratch *s, int moving_only,
       int center, const td_motion_inputs *in, td_reals *const out[4]))
/* motion at q̇, pose, arm, inertia → what kinetic energy changes by along q and by q̇, nv each (NULL:
   not wanted) */
KERNEL(void, kinetic_derivatives, (const td_tree *tree, const td_scratch *s, const td_reals *qd,
       td_reals *by_position, td_reals *by_rate))

/* ---- kernel/tree/rnea_tangent.c, rnea_adjoint.c ---- */
/* needs pose, arm, motion at q̇ and q̈ of the tree, wrench (where loaded), with those of springs and of joints that
   close loops where passive. Of the tree: what tau changes by along a direction of
   q, q̇ and q̈, and a covector times its derivatives (NULL: not wanted) */
KERNEL(void, rnea_tangent, (const td_tree *tree, const td_loops *loops, const td_scratch *s,
       const td_motion_inputs *in, const td_reals *const direction[3], td_reals *dtau))
KERNEL(void, rnea_adjoint, (const td_tree *tree, const td_loops *loops, const td_scratch *s,
       const td_motion_inputs *in, const td_reals *covector, td_reals *const by[3]))

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
/* motion at q̇, pose, arm; adds what springs between links do to ∂τ/∂y and ∂τ/∂ẏ */
KERNEL(void, spring_derivatives, (const td_tree *tree, const td_scratch *s,
       const td_closure_changes *closure, const td_motion_inputs *in,
       const td_force_derivatives *out))
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
       const td_scratch *s, const td_closure_changes *closure, const td_motion_inputs *in,
       const td_force_derivatives *out))

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

/* ---- kernel/tree/aba_body.c ---- */
/* q, qd, wrench (where loaded) → qdd. given (per velocity, NULL: none) marks joints whose qdd is
   given and whose tau is found; tau and qdd are read and written accordingly. */
KERNEL(void, body_axes_aba, (const td_tree *tree, const td_scratch *s, const td_motion_inputs *in,
       const unsigned char *given, td_reals *tau, td_reals *qdd))

/* ---- kernel/tree/aba.c, for one state ---- */
/* the same, faster, where no digits are lost by it (td_tree.fine) */
OPTIONAL_KERNEL(void, world_axes_aba, (const td_tree *tree, const td_scratch *s,
       const td_motion_inputs *in, const unsigned char *given, td_reals *tau, td_reals *qdd))

/* ---- kernel/tree/amplification.c ---- */
/* after either without accelerations that are given, of a tree with td_tree.largest → 1 real: at most how
   many times a joint's inertia the terms are that it is left of; no number where an inertia is none */
KERNEL(void, amplification, (const td_tree *tree, const td_scratch *s, int rotors, td_reals *sum))

/* ---- kernel/tree/examine_joints.c ---- */
/* singular, after accelerations by articulated bodies, of which some are given (NULL: none; of the tree alone):
   the first suspect too whose pivot is no more than its part of what it is left of. Over clusters, G being there, or
   over those of the tree, G NULL. Of in: rotors, and q where they went by the bodies' axes, else NULL: poses and
   inertias are there, which it leaves. */
KERNEL(void, examine_joints, (const td_tree *tree, const td_clusters *clusters, const td_csr *G,
       const td_scratch *s, const td_motion_inputs *in, const unsigned char *given,
       const td_suspects *suspects))

/* ---- kernel/tree/cluster.c ---- */
/* pose, arm, inertia, G, wrench (where loaded) → ydd. in->qdd (NULL: zero) is what velocities add to
   tree accelerations. */
KERNEL(void, cluster_aba, (const td_tree *tree, const td_closure_map *closure, const td_scratch *s,
       const td_motion_inputs *in, td_reals *tau_y, td_reals *ydd))

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
/* pose, factors of H with that pattern (n × n), J → what is wanted of terms. work: 6 × n reals */
KERNEL(void, operational_inertia, (const td_tree *tree, const td_pattern *pattern,
       const td_scratch *s, const td_reals *factored, const td_link_point *of, td_reals *work,
       const td_operational_terms *terms))

/* ---- kernel/tree/coriolis.c ---- */
/* motion, pose, arm, inertia, composite → nv × nv reals */
KERNEL(void, coriolis, (const td_tree *tree, const td_scratch *s, td_reals *out))
// clang-format on
