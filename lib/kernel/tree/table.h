/* SPDX-License-Identifier: MIT */
/*
 * Kernels of kernel/tree/: motion, forces and mass of trees of bodies, and their derivatives. Part
 * of the list in kernel/table.h, which explains the notation.
 */
#ifndef KERNEL /* the file is compiled alone */
#define KERNEL(result, name, parameters)
#define OPTIONAL_KERNEL KERNEL
#endif

// clang-format off
/* ---- kernel/tree/pose.h, poses.c ---- */
/* Writes the constants of the tree to the scratch. Call it once per workspace, before all other
   kernels. */
KERNEL(void, prepare, (const td_tree *tree, const td_scratch *s))
/* q → pose, and arm if arms is 1. If arms is 0, arm may belong to another state. link: computes
   only the bodies from the root to this link (TD_EVERY_LINK: all) and leaves the others
   unchanged. */
KERNEL(void, poses, (const td_tree *tree, const td_scratch *s, const td_reals *q, int link,
       int arms))
/* pose → count × 12 reals, of the listed links (NULL: the first count links) */
KERNEL(void, link_poses, (const td_tree *tree, const td_scratch *s, const int *links, size_t count,
       td_reals *out))
/* pose → count × 12 doubles for each of the first rows lanes. Returns the same bits as store. */
KERNEL(int, store_link_poses, (const td_tree *tree, const td_scratch *s, const int *links,
       size_t count, double *dst, size_t columns, size_t rows))
/* wrenches on links (links × 6) → wrench. Needs pose if the wrenches are in world axes. */
KERNEL(void, wrenches, (const td_tree *tree, const td_scratch *s, const td_reals *wrenches,
       int frame))

/* ---- kernel/tree/rnea.c ---- */
/* q, wrench (if loaded) → tau, sines and cosines. If posed, the sines and cosines are inputs
   too. */
KERNEL(void, rnea, (const td_tree *tree, const td_scratch *s, const td_motion_inputs *in,
       td_reals *tau))

/* ---- kernel/tree/passive.c ---- */
/* Adds damping, friction and spring forces to out. */
KERNEL(void, passive, (const td_tree *tree, const td_reals *q, const td_reals *qd,
       double friction_velocity, td_reals *out))
/* Adds rotors · qdd to out. */
KERNEL(void, rotors, (const td_tree *tree, const td_reals *qdd, td_reals *out))

/* Needs G, if the closure has one. Adds to the derivatives. */
KERNEL(void, passive_derivatives, (const td_tree *tree, const td_scratch *s,
       const td_closure_changes *closure, const td_motion_inputs *in,
       const td_force_derivatives *out))

/* ---- kernel/tree/rnea_derivatives.c ---- */
/* pose, arm, composite, motion at q̇ and q̈ of the tree, wrench (if loaded), G → the wanted parts
   of out, without ∂(Gᵀτ)/∂y at fixed τ. clusters: the clusters of the coordinates. */
KERNEL(void, rnea_derivatives, (const td_tree *tree, const td_clusters *clusters,
       const td_scratch *s, const td_closure_changes *closure, const td_motion_inputs *in,
       const td_force_derivatives *out))

/* ---- kernel/tree/motion_derivatives.c ---- */
/* motion at q̇ and q̈ of the tree, pose, arm → derivatives with respect to q and q̇, of the
   velocity of a point of a link and of its acceleration: 6 × nv each (NULL: not wanted). The
   acceleration is classical or spatial as in link_accelerations. */
KERNEL(void, link_motion_derivatives, (const td_tree *tree, const td_scratch *s,
       const td_link_point *of, int classical, const td_motion_inputs *in, td_reals *const out[4]))

/* ---- kernel/tree/momentum_derivatives.c ---- */
/* motion at q̇ and q̈ of the tree, pose, arm, inertia, composite → derivatives with respect to q
   and q̇, of the momentum about the center of mass and of its rate: 6 × nv each (NULL: not wanted).
   If center is 1: of the velocity and acceleration of the center of mass, 3 × nv each. */
KERNEL(void, momentum_derivatives, (const td_tree *tree, const td_scratch *s, int moving_only,
       int center, const td_motion_inputs *in, td_reals *const out[4]))
/* motion at q̇, pose, arm, inertia → derivatives of the kinetic energy with respect to q and q̇, nv
   each (NULL: not wanted) */
KERNEL(void, kinetic_derivatives, (const td_tree *tree, const td_scratch *s, const td_reals *qd,
       td_reals *by_position, td_reals *by_rate))

/* ---- kernel/tree/rnea_tangent.c, rnea_adjoint.c ---- */
/* Need pose, arm, motion at q̇ and q̈ of the tree and wrench (if loaded). If passive, wrench
   includes the springs between links and the passive forces of loop joints. rnea_tangent computes
   the change of tau along a direction of q, q̇ and q̈. rnea_adjoint computes a covector times the
   derivatives of tau (NULL: not wanted). Both work in the coordinates of the tree. */
KERNEL(void, rnea_tangent, (const td_tree *tree, const td_loops *loops, const td_scratch *s,
       const td_motion_inputs *in, const td_reals *const direction[3], td_reals *dtau))
KERNEL(void, rnea_adjoint, (const td_tree *tree, const td_loops *loops, const td_scratch *s,
       const td_motion_inputs *in, const td_reals *covector, td_reals *const by[3]))

/* ---- kernel/tree/springs.c ---- */
/* motion, pose → wrench: adds the wrenches of the springs between links. Starts from zero if no
   wrenches were loaded. */
KERNEL(void, springs, (const td_tree *tree, const td_scratch *s, int loaded))
/* motion, pose → 4 reals: distance, its rate, stored energy, power dissipated by the damper */
KERNEL(void, spring_motion, (const td_tree *tree, const td_scratch *s, size_t spring,
       td_reals *out))
/* Needs motion and pose. Adds the energy of all springs, of joints and between links, to out[0]. */
KERNEL(void, spring_energy, (const td_tree *tree, const td_scratch *s, const td_reals *q,
       td_reals *out))

/* ---- kernel/tree/spring_derivatives.c ---- */
/* Needs motion at q̇, pose, arm. Adds the springs between links to ∂τ/∂y and ∂τ/∂ẏ. */
KERNEL(void, spring_derivatives, (const td_tree *tree, const td_scratch *s,
       const td_closure_changes *closure, const td_motion_inputs *in,
       const td_force_derivatives *out))
/* motion at q̇, pose, arm → derivatives of the results of spring_motion with respect to q and q̇, 4
   × nv each (NULL: not wanted) */
KERNEL(void, spring_motion_derivatives, (const td_tree *tree, const td_scratch *s, size_t spring,
       const td_reals *qd, td_reals *by_position, td_reals *by_rate))
/* Needs motion at q̇, pose, arm. Adds the gradient of the energy of all springs between links to
   out (nv). */
KERNEL(void, spring_energy_derivatives, (const td_tree *tree, const td_scratch *s,
       const td_reals *qd, td_reals *out))
/* motion at q̇, pose → wrench: adds the passive forces of loop joints. Starts from zero if nothing
   was loaded. loop_passive_derivatives adds their derivatives to out. */
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
/* pose, arm, composite → mass. rotors: 1 to add rotor inertias. */
KERNEL(void, crba, (const td_tree *tree, const td_scratch *s, int rotors))

/* ---- kernel/tree/mass_dense.c, where it is faster ---- */
/* pose, arm, composite → the mass matrix of each of the first rows lanes, nv × nv doubles.
   streamed: 1 to write past the caches, for results that exceed them. Returns the same bits as
   load. */
OPTIONAL_KERNEL(int, dense_mass, (const td_tree *tree, const td_scratch *s, int rotors, int streamed,
       double *dst, size_t rows))

/* ---- kernel/tree/mass_body.c, for lanes and the reals of tests ---- */
/* q → mass. placed: rnea has been called at this q. */
OPTIONAL_KERNEL(void, body_axes_mass, (const td_tree *tree, const td_scratch *s, const td_reals *q,
       int placed, int rotors))

/* ---- kernel/tree/aba_body.c ---- */
/* q, qd, wrench (if loaded) → qdd. given (per velocity, NULL: none) marks joints whose qdd is an
   input and whose tau is computed instead. */
KERNEL(void, body_axes_aba, (const td_tree *tree, const td_scratch *s, const td_motion_inputs *in,
       const unsigned char *given, td_reals *tau, td_reals *qdd))

/* ---- kernel/tree/aba.c, for single states ---- */
/* Does the same faster. Callers use it only if it loses no accuracy (see td_tree.fine). */
OPTIONAL_KERNEL(void, world_axes_aba, (const td_tree *tree, const td_scratch *s,
       const td_motion_inputs *in, const unsigned char *given, td_reals *tau, td_reals *qdd))

/* ---- kernel/tree/amplification.c ---- */
/* After either of the two kernels above, without given accelerations and with td_tree.largest → 1
   real: an upper bound of the cancellation in the joint inertias, as a ratio of summed terms to the
   result. Not a finite number if a joint inertia is zero or negative. */
KERNEL(void, amplification, (const td_tree *tree, const td_scratch *s, int rotors, td_reals *sum))

/* ---- kernel/tree/examine_joints.c ---- */
/* singular: also finds the first velocity in suspects whose pivot is at most suspects->digits times
   the terms it results from. Call it after articulated bodies have computed accelerations. given
   marks given accelerations (NULL: none; only without G). With G, it works over the clusters of y;
   with G NULL, over the clusters of the tree. in->q is q if body axes were used; else it is NULL,
   and pose and inertia are inputs. Reads in->rotors, too. */
KERNEL(void, examine_joints, (const td_tree *tree, const td_clusters *clusters, const td_csr *G,
       const td_scratch *s, const td_motion_inputs *in, const unsigned char *given,
       const td_suspects *suspects))

/* ---- kernel/tree/cluster.c ---- */
/* pose, arm, inertia, G, wrench (if loaded) → ydd. in->qdd (NULL: zero) is the velocity part g of
   the tree accelerations. */
KERNEL(void, cluster_aba, (const td_tree *tree, const td_closure_map *closure, const td_scratch *s,
       const td_motion_inputs *in, td_reals *tau_y, td_reals *ydd))

/* ---- kernel/tree/motion.c ---- */
/* pose, arm → motion: velocity and classical acceleration of each body's origin. link: as in
   poses. */
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
/* motion, pose → 6 reals: the velocity or acceleration of a link, as if its frame were at the
   point */
KERNEL(void, point_velocity, (const td_tree *tree, const td_scratch *s, int link,
       const double point[3], int frame, td_reals *out))
KERNEL(void, point_acceleration, (const td_tree *tree, const td_scratch *s, int link,
       const double point[3], int frame, int classical, td_reals *out))
/* motion, inertia, pose → 2 reals: kinetic and potential energy */
KERNEL(void, energies, (const td_tree *tree, const td_scratch *s, int moving_only, td_reals *out))
/* pose → 3 reals: the center of mass */
KERNEL(void, center_of_mass, (const td_tree *tree, const td_scratch *s, int moving_only,
       td_reals *out))
/* motion, pose → 9 reals: the center of mass, its velocity and acceleration */
KERNEL(void, mass_center, (const td_tree *tree, const td_scratch *s, int moving_only,
       td_reals *out))
/* motion, pose, inertia → 6 reals: momentum about the center of mass */
KERNEL(void, momentum, (const td_tree *tree, const td_scratch *s, int moving_only, td_reals *out))
/* motion, pose, inertia → 6 reals: rate of change of momentum about the center of mass */
KERNEL(void, momentum_rate, (const td_tree *tree, const td_scratch *s, int moving_only,
       td_reals *out))
/* motion, pose → force: the force that each link needs for its motion, minus gravity and external
   wrenches. springs: 1 if the springs between links act. */
KERNEL(void, link_forces, (const td_tree *tree, const td_scratch *s, const td_reals *wrenches,
       int wrench_frame, int springs))
/* force, pose → joints × 6 reals: the wrench that the parent link of each joint exerts on the child
   link. Afterwards force contains sums over subtrees. */
KERNEL(void, reactions, (const td_tree *tree, const td_scratch *s, int frame, td_reals *out))
/* force, pose → 6 reals: the sum of the forces of all links, in a frame of the root link. Afterwards
   force contains sums over subtrees. */
KERNEL(void, root_force, (const td_tree *tree, const td_scratch *s, int frame, td_reals *out))

/* ---- kernel/tree/jacobian.c ---- */
/* pose → 6 × nv reals: the Jacobian of a point on a link */
KERNEL(void, jacobian, (const td_tree *tree, const td_scratch *s, int link, const double point[3],
       int frame, td_reals *out))
/* pose → 6 × nv reals: column i is the velocity, per unit of velocity i, of the link that its joint
   moves */
KERNEL(void, joint_columns, (const td_tree *tree, const td_scratch *s, int frame, td_reals *out))
/* pose, composite → 6 × nv reals: momentum per unit velocity; angular momentum is about the center
   of mass */
KERNEL(void, momentum_matrix, (const td_tree *tree, const td_scratch *s, int moving_only,
       td_reals *out))
/* pose, composite → 3 × nv reals: velocity of the center of mass per unit velocity */
KERNEL(void, com_jacobian, (const td_tree *tree, const td_scratch *s, int moving_only,
       td_reals *out))

/* ---- kernel/tree/operational.c ---- */
/* pose, factors of H with this pattern (n × n), J → the wanted members of terms. work: 6 × n
   reals. */
KERNEL(void, operational_inertia, (const td_tree *tree, const td_pattern *pattern,
       const td_scratch *s, const td_reals *factored, const td_link_point *of, td_reals *work,
       const td_operational_terms *terms))

/* ---- kernel/tree/coriolis.c ---- */
/* motion, pose, arm, inertia, composite → nv × nv reals */
KERNEL(void, coriolis, (const td_tree *tree, const td_scratch *s, td_reals *out))
// clang-format on
