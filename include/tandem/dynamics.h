/* SPDX-License-Identifier: MIT */
/*
 * Dynamics: the equation of motion H q̈ + C = τ, solved for forces, accelerations and matrices.
 *
 * Coordinates. Every function computes in the coordinates of its workspace (td_use_coordinates,
 * workspace.h). The default is the independent coordinates. y, yd and ydd then have ny, nyd and nyd
 * entries, and the forces tau_y along them have nyd. H and C stand for Gᵀ H G and Gᵀ (C + H g),
 * with γ, G and g from closure.h. With TD_COORDINATES_TREE the same arguments hold q, qd, qdd and
 * tau of the spanning tree, with nq, nv, nv and nv entries. Below, n is nyd or nv. For a robot
 * without couplings and loops both choices give the same numbers.
 *
 * Arguments come in this order: the link or point in question, the state, the forces, the frame or
 * scope of the results, the outputs.
 *
 * All functions follow these rules. NULL yd or ydd means zero, and forces may be NULL. Outputs must
 * not alias inputs. No call allocates, locks or does I/O. Matrices are dense and row-major.
 * workspace.h lists the errors that every call may return: TD_ERROR_ARGUMENT, TD_ERROR_NOT_FINITE
 * and TD_ERROR_QUATERNION. Costs refer to models without iterated loops; solving γ for loops adds
 * to them (closure.h). batch.h has the same functions for many states.
 *
 * Real-time loops. Denormal numbers (below 2.2e-308) make a call up to a hundred times slower: a
 * call of 0.12 µs may take 7 to 70 µs. Numbers so small that their products are denormal have the
 * same effect. Filters with a decaying output produce such velocities and accelerations. Make the
 * thread treat denormal numbers as zero, once, before it creates its workspace. Worker threads of
 * the workspace inherit the setting. Results lose no accuracy. On x86:
 *
 *     #include <immintrin.h>
 *     _mm_setcsr(_mm_getcsr() | 0x8040); // FTZ and DAZ: denormal results and inputs are zeros
 */
#ifndef TANDEM_DYNAMICS_H
#define TANDEM_DYNAMICS_H

#include "tandem/model.h"
#include "tandem/workspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Frame in which a spatial vector is expressed. */
typedef enum td_frame {
    TD_FRAME_WORLD,   /* world axes, reference point at the world's origin */
    TD_FRAME_BODY,    /* link axes, reference point at the link's origin */
    TD_FRAME_ALIGNED, /* world axes, reference point at the link's origin */
} td_frame;

/*
 * Forces other than the joint forces. Start from td_forces_default().
 *
 * passive adds the passive forces of the joints and of the springs between links (td_spring):
 *
 *   damping   damping · q̇, for joints with one coordinate
 *   friction  friction · q̇ / √(q̇² + friction_velocity²): Coulomb friction, smoothed
 *   springs   spring_stiffness · (q − spring_reference)
 *   rotors    the rotor inertia reduction² · rotor_inertia, added to H
 *
 * Inverse dynamics adds these forces to the force that a joint needs. Forward dynamics subtracts
 * them from the applied force. Source: Carvalho and Suleman, "Dynamics of Tree Type Robotic
 * Structures with Application to a Human Hand Prosthesis", equation 31. Passive forces of a mimic
 * joint reach its leader through G: with factor α² for damping, stiffness and rotor inertia, and
 * |α| for friction. Springs and dampers between links act on these links like wrenches.
 *
 * wrenches_per_state matters in batches. If it is true, wrenches has one row per state, n × links ×
 * 6; otherwise the same wrenches act in all states. Calls for one state ignore it and read the
 * first row.
 */
typedef struct td_forces {
    size_t size_of;
    const double *wrenches;   /* links × 6: moment (N m) and force (N) on each link; NULL: none */
    td_frame wrench_frame;    /* TD_FRAME_ALIGNED by default */
    bool passive;             /* false by default */
    double friction_velocity; /* 1e-3 rad/s or m/s by default; must be positive */
    bool wrenches_per_state;  /* false by default */
} td_forces;

static inline td_forces td_forces_default(void)
{
    TD_SIZED(td_forces, forces);
    forces.wrench_frame = TD_FRAME_ALIGNED;
    forces.friction_velocity = 1e-3;
    return forces;
}

/* Computes inverse dynamics by the recursive Newton-Euler algorithm: tau = H q̈ + C − Σ Jᵀ wrench
   and tau_y = Gᵀ tau (equations 13 and 12 of Kumar et al. 2017). C includes gravity.

     y       ny positions; nq with TD_COORDINATES_TREE
     yd      nyd velocities, or nv; NULL: zero
     ydd     nyd accelerations, or nv; NULL: zero
     forces  wrenches and passive forces; NULL: none
     tau_y   output: nyd joint forces, or nv (N m or N)

   Cost: O(joints). */
TD_API td_status td_inverse_dynamics(const td_model *model, td_workspace *workspace,
                                     const double *y, const double *yd, const double *ydd,
                                     const td_forces *forces, double *tau_y);

/* Computes forward dynamics, ÿ = (Gᵀ H G)⁻¹ (tau_y − Gᵀ (C + H g)) (equations 11 and 17 of Kumar et
   al. 2017). With TD_COORDINATES_TREE it computes q̈ from tau.

     y       ny positions, or nq
     yd      nyd velocities, or nv; NULL: zero
     tau_y   nyd joint forces, or nv (N m or N); NULL: zero
     forces  wrenches and passive forces; NULL: none
     ydd     output: nyd accelerations, or nv

   TD_ERROR_SINGULAR: a joint, or a group of joints that move together, moves no inertia, or so
   little that rounding hides it. In this case ydd is NaN, and td_singular_joint names one such
   joint. TD_ERROR_MATRICES: the workspace has no matrices, the coordinates are independent, and the
   plan is TD_PLAN_REDUCED.

   Method: the articulated-body algorithm over clusters of coupled bodies, or a factorization of Gᵀ
   H G; td_plan_of returns the choice. Cost: O(joints) for the first method, if the size of clusters
   is bounded. With TD_COORDINATES_TREE the method is always the articulated-body algorithm,
   O(joints). */
TD_API td_status td_forward_dynamics(const td_model *model, td_workspace *workspace,
                                     const double *y, const double *yd, const double *tau_y,
                                     const td_forces *forces, double *ydd);

/* Computes hybrid dynamics: some coordinates have a given acceleration, the others a given force,
   and the call computes the unknown ones. A passive joint has given = 0 and tau = 0.

     y       ny positions, or nq
     yd      nyd velocities, or nv; NULL: zero
     given   n bytes: nonzero if the acceleration of this coordinate is given, 0 if its force is
     forces  wrenches and passive forces; NULL: none
     ydd     n accelerations; on entry the given ones (other entries are ignored), on return all
     tau_y   n forces; on entry the given ones (other entries are ignored), on return all

   The coordinates of one planar or floating joint must agree in given; otherwise the call returns
   TD_ERROR_ARGUMENT. TD_ERROR_SINGULAR as in td_forward_dynamics. TD_ERROR_MATRICES: the workspace
   has no matrices, the coordinates are independent, and the robot has couplings or loops. Cost:
   O(joints · depth²) for such a robot in independent coordinates, otherwise O(joints). */
TD_API td_status td_hybrid_dynamics(const td_model *model, td_workspace *workspace, const double *y,
                                    const double *yd, const unsigned char *given,
                                    const td_forces *forces, double *ydd, double *tau_y);

/* Computes the mass matrix H (n × n) by the composite-rigid-body algorithm. It uses only
   forces->passive, which adds rotor inertias. Cost: O(joints · depth). */
TD_API td_status td_mass_matrix(const td_model *model, td_workspace *workspace, const double *y,
                                const td_forces *forces, double *H);

/* Computes the inverse of the mass matrix (n × n). TD_ERROR_SINGULAR: the matrix is NaN. forces as
   in td_mass_matrix. Cost: O(n² · depth). */
TD_API td_status td_mass_matrix_inverse(const td_model *model, td_workspace *workspace,
                                        const double *y, const td_forces *forces, double *inverse);

/* Computes the operational-space inertia of a link at a point (Khatib 1987). J (6 × n) is the
   Jacobian that td_link_jacobian returns for this point and frame. H is the mass matrix of
   td_mass_matrix.

     link       index of the link
     point      3: point in link coordinates, m; NULL: the link's origin
     axes       6 bytes: nonzero selects a row of J for inertia and J_inverse; NULL: all rows. {0,
                0, 0, 1, 1, 1} selects the translation of the point
     y          ny positions, or nq
     forces     only passive is used: it adds rotor inertias; NULL: no rotors
     frame      frame of the rows of J
     mobility   output, 6 × 6: J H⁻¹ Jᵀ, the acceleration (ω̇, v̇) per unit moment and force on the
                link at rest
     inertia    output, 6 × 6: Λ = (J H⁻¹ Jᵀ)⁻¹
     J_inverse  output, n × 6: H⁻¹ Jᵀ Λ, the dynamically consistent inverse of J. J J_inverse = 1,
                and forces (1 − Jᵀ J_inverseᵀ) τ do not accelerate the link

   Each output may be NULL. mobility always has all six rows.

   Dependent rows. At a singular configuration, or if n < 6, a selected row may depend on earlier
   selected rows. Such a row is dropped, as if it had not been selected. A row counts as dependent
   if its pivot in J H⁻¹ Jᵀ is below 1e-11 of its diagonal entry, or if the row consists of rounding
   errors. Rows and columns of inertia, and columns of J_inverse, are zero if they are dropped or
   not selected. A zero on the diagonal of inertia therefore marks such a row. Near singular
   configurations Λ grows without bound. Near dead points of loops, rounding errors of G may decide
   which rows are dropped.

   TD_ERROR_SINGULAR as in td_mass_matrix_inverse. Cost: O(joints · depth²). */
TD_API td_status td_operational_inertia(const td_model *model, td_workspace *workspace, size_t link,
                                        const double point[3], const unsigned char *axes,
                                        const double *y, const td_forces *forces, td_frame frame,
                                        double *mobility, double *inertia, double *J_inverse);

/*
 * Linear systems H x = b are solved in two steps: td_mass_matrix_factors factors H = Lᵀ D L
 * (Featherstone 2005), then td_factors_solve solves for any number of right-hand sides.
 *
 * Factors are stored in packed form. Entry (i, j) of H is zero in every state unless one of the two
 * coordinates is an ancestor of the other. With TD_COORDINATES_TREE this means that its joint lies
 * on the path from the other joint to the root. In y, coordinates that move the same coupled joints
 * are treated as one joint. L has the same sparsity. The packed form stores the lower triangle
 * without these zeros, row by row. Row i has L(i, j) for the ancestors j of i, from the root on,
 * then D_i in place of the unit diagonal of L.
 */

/* Returns the number of entries of packed factors in these coordinates, between n and n (n + 1) /
   2. A workspace in a chart may need more (td_packed_pattern). Returns 0 for a NULL model. Cost:
   O(1). */
TD_API size_t td_packed_entries(const td_model *model, td_coordinates coordinates);

/* Writes the sparsity pattern of packed factors in the coordinates of the workspace.

     rows     n + 1 entries: row i begins at rows[i] and ends before rows[i + 1]; NULL: not written
     columns  rows[n] entries: column of each packed entry; NULL: not written

   First call it with columns NULL, to learn rows[n]. The pattern is constant for a model. A
   workspace in a chart (chart.h) has a different pattern, the same for all charts, and possibly
   larger. Cost: O(entries). */
TD_API td_status td_packed_pattern(const td_model *model, td_workspace *workspace, size_t *rows,
                                   size_t *columns);

/* Computes the packed factors L and D of H (td_packed_entries numbers). forces as in
   td_mass_matrix. TD_ERROR_SINGULAR: the factors are NaN. Cost: O(joints · depth²). */
TD_API td_status td_mass_matrix_factors(const td_model *model, td_workspace *workspace,
                                        const double *y, const td_forces *forces, double *factors);

/* Computes X = H⁻¹ B with packed factors.

     factors  packed factors from td_mass_matrix_factors
     columns  number of right-hand sides
     B        n × columns, row-major
     X        output, n × columns, row-major; may be B

   TD_ERROR_SINGULAR: a pivot in factors is not positive (td_singular_joint names the joint); X is
   NaN. Cost: O(columns · entries). With many columns the speed is close to the processor's peak. */
TD_API td_status td_factors_solve(const td_model *model, td_workspace *workspace,
                                  const double *factors, size_t columns, const double *B,
                                  double *X);

/* Computes the bias force C(q, q̇) (n: N m or N): Coriolis, centrifugal and gravity forces, minus
   wrenches, plus passive forces if forces->passive. td_gravity_force computes the gravity force of
   the bodies alone, without springs. Cost: O(joints). */
TD_API td_status td_bias_force(const td_model *model, td_workspace *workspace, const double *y,
                               const double *yd, const td_forces *forces, double *C);
TD_API td_status td_gravity_force(const td_model *model, td_workspace *workspace, const double *y,
                                  double *tau_y);

/* Computes a Coriolis matrix C(q, q̇) (n × n) by the algorithm of Echeandia and Wensing (2021). C q̇
   is the velocity-dependent part of the bias force, and Ḣ − 2C is skew-symmetric. Cost: O(joints ·
   depth). */
TD_API td_status td_coriolis_matrix(const td_model *model, td_workspace *workspace, const double *y,
                                    const double *yd, double *C);

/* The quantities that a controller needs in every cycle. td_dynamics_terms computes them in one
   call that shares the kinematics. Set the pointers of the outputs that you want and leave the
   others NULL. Start from td_terms_default(). */
typedef struct td_terms {
    size_t size_of;
    double *H;             /* n × n: mass matrix */
    double *C;             /* n: bias force, with gravity, wrenches and passive forces */
    double *gravity;       /* n: gravity force of the bodies */
    double *poses;         /* links × 12, as td_link_poses */
    double *velocities;    /* links × 6, in frame */
    double *accelerations; /* links × 6: spatial accelerations in frame for ydd = 0, J̇ ẏ */
    double *com; /* 9: position, velocity and acceleration (for ydd = 0) of the center of mass of
                    all links */
    double *centroidal_momentum_matrix; /* 6 × n, of all links */
    double *energy; /* 2: kinetic and potential, J; springs included if forces->passive */
    td_frame frame; /* of velocities and accelerations; TD_FRAME_ALIGNED by default */
} td_terms;

static inline td_terms td_terms_default(void)
{
    TD_SIZED(td_terms, terms);
    terms.frame = TD_FRAME_ALIGNED;
    return terms;
}

/* Computes the quantities whose pointers in terms are not NULL. Arguments and errors match the
   function for each quantity. Only H needs a workspace with matrices. Cost: the sum of the parts,
   with poses and velocities computed once. */
TD_API td_status td_dynamics_terms(const td_model *model, td_workspace *workspace, const double *y,
                                   const double *yd, const td_forces *forces,
                                   const td_terms *terms);

/* Computes the wrench that each joint transmits: the moment and force that the parent link exerts
   on the child link through the joint.

     y, yd, ydd  state and accelerations, as in td_inverse_dynamics
     forces      wrenches and springs between links are included; NULL: none
     frame       frame of the wrenches; its reference point refers to the child link
     reactions   output, joints × 6 (N m, N), in the model's order, fixed joints included

   The wrench of a floating base is the force that supports the root; it is zero in free fall. The
   component about or along the axis of a joint is the total force there. It is the motor force,
   minus passive forces and the force that accelerates the rotor, plus the forces of mimic joints
   and couplings. The latter act between the two links of a joint, about its axis, like gears in the
   joint.

   In independent coordinates, closed loops carry part of the load. td_loop_reactions describes how,
   and which components are not unique. td_forces_to_actuators gives the motor forces. The force
   that the motors cannot provide (rest) acts at the independent joints. With TD_COORDINATES_TREE
   loops are open, and td_inverse_dynamics in these coordinates gives the force at each joint.

   Returns the errors of td_inverse_dynamics, and with closed loops also
   TD_ERROR_ACTUATION_SINGULAR, and TD_ERROR_CLOSURE_SINGULAR if linear loops such as parallelograms
   are flat. In these cases reactions is NaN. Cost: O(links), plus O(constraints · rank) for each
   cluster of loops. */
TD_API td_status td_joint_reactions(const td_model *model, td_workspace *workspace, const double *y,
                                    const double *yd, const double *ydd, const td_forces *forces,
                                    td_frame frame, double *reactions);

/* Computes the same wrenches as td_joint_reactions, and the wrenches of the joints that close
   loops. Each output may be NULL.

     y, yd, ydd       state and accelerations, as in td_inverse_dynamics
     forces           wrenches and passive forces; NULL: none
     frame            frame of joints and loops
     joints           output, joints × 6 (N m, N): as reactions of td_joint_reactions
     loops            output, loops × 6 (N m, N), in the order of td_loop_at: wrench that the
                      predecessor exerts on the successor through the joint that closes the loop
     joint_ambiguity  output, joints × 6: see below
     loop_ambiguity   output, loops × 6: see below

   Loops. The wrench of a loop includes springs, damping, friction and the motor of its joint. This
   wrench and its reaction both act at the successor's end. With TD_FRAME_BODY and TD_FRAME_ALIGNED
   the reference point is the loop's frame on the successor, and TD_FRAME_BODY uses the axes of this
   frame. The wrench is zero for open loops and with TD_COORDINATES_TREE.

   Method. The multipliers λ of loops solve Kᵀ λ = τ_c (equation 4 of constraint.h). Here τ_c is the
   force that the motion requires at the joints of the tree, minus motor and passive forces. An
   over-constrained loop has many solutions λ. The function returns the solution with the least Σ
   moment² + (size · force)², which has no self-stress. size is the length of the cluster's
   mechanism, which also scales the lengths in φ. If mimic joints and couplings share a cluster with
   loops that must be solved, they carry the remainder of τ_c. Loops that mimic joints already close
   carry as much as they can. A td_closure_function replaces the loops that it closes; without
   loops, its forces act about the axes of the joints.

   Ambiguity. Self-stress is any λ that does not affect the motion. joint_ambiguity and
   loop_ambiguity are the largest change of each component under self-stress with multipliers of
   length 1 N m in this norm (N m or N per N m). They are 0 if the equations of motion determine the
   component; values below 1e-9 of the largest are set to 0. For loops that mimic joints close,
   self-stress includes all forces that the mimic joints could carry instead.

   Errors as in td_joint_reactions. Cost: as td_joint_reactions, plus O(constraints · links) for the
   ambiguities. */
TD_API td_status td_loop_reactions(const td_model *model, td_workspace *workspace, const double *y,
                                   const double *yd, const double *ydd, const td_forces *forces,
                                   td_frame frame, double *joints, double *loops,
                                   double *joint_ambiguity, double *loop_ambiguity);

/* Computes the residual wrench: the moment and force that must act on the root link from outside,
   so that the robot moves as given under gravity and forces->wrenches. It is the rate of the
   momentum of all links, minus gravity and wrenches. A floating base has no motor, so this is what
   the ground must provide; in body axes it equals the six entries of tau_y along the base. It is
   zero in flight. If the root link is fixed to the world, it is the load of the foundation.

     y, yd, ydd  state and accelerations, as in td_inverse_dynamics
     forces      only wrenches are used, since passive forces act within the robot; NULL: none
     frame       frame of the wrench, with reference to the root link
     wrench      output, 6: moment and force (N m, N)

   Rotors have no part in it: their inertia acts only along their joints. ground.h computes centers
   of pressure from it and splits it among feet. Cost: O(links). */
TD_API td_status td_residual_wrench(const td_model *model, td_workspace *workspace, const double *y,
                                    const double *yd, const double *ydd, const td_forces *forces,
                                    td_frame frame, double *wrench);

/* Returns the index of the joint for which a call on this workspace last returned
   TD_ERROR_SINGULAR. In a batch it refers to the first such state. Returns TD_NONE if there was no
   such error, and for NULL. A later call that solves for accelerations or factors H resets the
   result. In independent coordinates a leader is reported in place of its followers. */
TD_API size_t td_singular_joint(const td_workspace *workspace);

/* Returns the power of forces along a motion, Σ tau_i yd_i (W). tau_y and yd have nyd entries, or
   nv with TD_COORDINATES_TREE. */
TD_API double td_power(const td_model *model, td_coordinates coordinates, const double *tau_y,
                       const double *yd);

#ifdef __cplusplus
}
#endif
#endif
