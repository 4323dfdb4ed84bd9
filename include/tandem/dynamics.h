/* SPDX-License-Identifier: MIT */
/*
 * Dynamics: H q̈ + C = τ and all that is read from it.
 *
 * Every function computes in the coordinates of its workspace (td_use_coordinates, workspace.h). By
 * default these are independent: y, yd and ydd have ny, nyd and nyd numbers, and forces tau_y along
 * them nyd; H and C stand for Gᵀ H G and Gᵀ (C + H g), with γ, G and g of closure.h. With
 * TD_COORDINATES_TREE the same arguments hold q, qd, qdd and tau of the spanning tree, with nq, nv,
 * nv and nv numbers. n is nyd or nv. For a robot without couplings and loops the two are the same.
 * batch.h has these functions for many states.
 *
 * Arguments have one order: what is asked about (a link, a point of it), the state, forces, the
 * frame or the scope of the results, the results.
 *
 * In all of them: NULL yd or ydd means zero. Outputs must not alias inputs. forces may be NULL. No
 * call allocates, locks or does I/O. Matrices are row-major. What every call may return beside
 * TD_OK (TD_ERROR_ARGUMENT, TD_ERROR_NOT_FINITE, TD_ERROR_QUATERNION) is in workspace.h.
 *
 * For loops with deadlines. Numbers next to zero, below 2.2e-308 (denormal ones) and of such size
 * that their products are, cost processors tens to hundreds of times what others do: a call of 0.12
 * µs may take 7 to 70 µs. Filters whose output fades away leave such velocities and accelerations.
 * Let the thread treat them as zeros, once, before it makes its workspace, whose threads (if it has
 * several) take over that setting; results lose nothing. On x86:
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

/* Where a spatial vector is expressed. */
typedef enum td_frame {
    TD_FRAME_WORLD,   /* world axes, reference point at the world's origin */
    TD_FRAME_BODY,    /* link axes, reference point at the link's origin */
    TD_FRAME_ALIGNED, /* world axes, reference point at the link's origin */
} td_frame;

/*
 * What acts beside the joints' own forces. Start from td_forces_default().
 *
 * passive: joints of one coordinate meet damping · q̇, friction, and spring_stiffness · (q −
 * spring_reference) (Carvalho and Suleman, "Dynamics of Tree Type Robotic Structures with
 * Application to a Human Hand Prosthesis", equation 31), and the inertia of their rotors,
 * reduction² · rotor_inertia, joins H. Inverse dynamics adds them to what the joint needs, forward
 * dynamics takes them from what it gets. Coulomb friction is smoothed: friction · q̇ / √(q̇² +
 * friction_velocity²). A follower's share reaches its leader through G: α² for damping, stiffness
 * and rotor, |α| for friction. Springs and dampers between two links (td_spring) act on these as
 * wrenches do.
 *
 * wrenches_per_state: in batches wrenches has a row for every state, n × links × 6, where it
 * otherwise applies to all of them. Calls for one state ignore it, and read the first row.
 */
typedef struct td_forces {
    size_t size_of;
    const double *wrenches; /* links × 6 (moment, force; N m, N) acting on each link; NULL: none */
    td_frame wrench_frame;  /* TD_FRAME_ALIGNED by default */
    bool passive;           /* false by default */
    double friction_velocity; /* 1e-3 rad/s or m/s by default; positive */
    bool wrenches_per_state;  /* false by default */
} td_forces;

static inline td_forces td_forces_default(void)
{
    TD_SIZED(td_forces, forces);
    forces.wrench_frame = TD_FRAME_ALIGNED;
    forces.friction_velocity = 1e-3;
    return forces;
}

/* Recursive Newton-Euler: tau = H q̈ + C − Σ Jᵀ wrench, gravity included in C (equation 13 of Kumar
   et al. 2017), and tau_y = Gᵀ tau (equation 12). O(joints). */
TD_API td_status td_inverse_dynamics(const td_model *model, td_workspace *workspace,
                                     const double *y, const double *yd, const double *ydd,
                                     const td_forces *forces, double *tau_y);

/* Forward dynamics in independent coordinates: ÿ = (Gᵀ H G)⁻¹ (tau_y − Gᵀ (C + H g)) (equations 11
   and 17), by the articulated-body algorithm over clusters of coupled bodies, O(joints) for
   clusters of bounded size, or by factors of Gᵀ H G; td_plan_of says which. With
   TD_COORDINATES_TREE: q̈ from tau by the articulated-body algorithm, O(joints). tau_y NULL means
   zero. TD_ERROR_SINGULAR: a joint, or several that move together, moves no inertia, or so little
   that no digits of it are left beside the others' (td_singular_joint names one); ydd is NaN then.
 */
TD_API td_status td_forward_dynamics(const td_model *model, td_workspace *workspace,
                                     const double *y, const double *yd, const double *tau_y,
                                     const td_forces *forces, double *ydd);

/* Hybrid dynamics: coordinates with given[i] ≠ 0 (nyd or nv bytes) have their acceleration given
   and their force found, the others the reverse: a passive joint is one with given = 0 and tau = 0.
   ydd and tau_y hold what is given on entry, anything elsewhere, and everything on return. The
   coordinates of a planar or floating joint must agree in given (TD_ERROR_ARGUMENT). O(joints) with
   TD_COORDINATES_TREE. */
TD_API td_status td_hybrid_dynamics(const td_model *model, td_workspace *workspace, const double *y,
                                    const double *yd, const unsigned char *given,
                                    const td_forces *forces, double *ydd, double *tau_y);

/* The mass matrix, n × n with n = nyd or nv, by the composite-rigid-body algorithm: O(joints ·
   depth). Of forces only passive counts: it adds the rotors. */
TD_API td_status td_mass_matrix(const td_model *model, td_workspace *workspace, const double *y,
                                const td_forces *forces, double *H);

/* Its inverse. TD_ERROR_SINGULAR: the matrix is NaN. O(n² · depth). */
TD_API td_status td_mass_matrix_inverse(const td_model *model, td_workspace *workspace,
                                        const double *y, const td_forces *forces, double *inverse);

/* Computes the operational-space inertia (Khatib 1987) of a link at a point of it. With J (6 × n)
   as td_link_jacobian returns it for this point and frame, and H as td_mass_matrix does:

     mobility   6 × 6   J H⁻¹ Jᵀ, the acceleration (ω̇, v̇) per moment and force on the link at rest
     inertia    6 × 6   Λ = (J H⁻¹ Jᵀ)⁻¹
     J_inverse  n × 6   H⁻¹ Jᵀ Λ, the dynamically consistent inverse of J: J J_inverse = 1, and
   forces (1 − Jᵀ J_inverseᵀ) τ do not accelerate the link

   Each output may be NULL. axes (6 bytes, NULL: all) selects the rows of J that Λ and J_inverse are
   of, those with axes[i] ≠ 0: {0, 0, 0, 1, 1, 1} is the translation of the point. A selected row
   that follows from selected rows before it, at a singular configuration or because n < 6, is left
   out like the others: its pivot in J H⁻¹ Jᵀ is below 1e-11 of its diagonal entry, or the row is
   rounding. Rows and columns of inertia that are left out, and columns of J_inverse, are zero; a
   zero on the diagonal of inertia says so. Close to such configurations Λ grows without bound;
   close to dead points of loops the rounding of G may decide which rows are left out.

   The point is in link coordinates (NULL: the link's origin). Of forces only passive counts: it
   adds the rotors. TD_ERROR_SINGULAR as in td_mass_matrix_inverse. O(joints · depth²). */
TD_API td_status td_operational_inertia(const td_model *model, td_workspace *workspace, size_t link,
                                        const double point[3], const unsigned char *axes,
                                        const double *y, const td_forces *forces, td_frame frame,
                                        double *mobility, double *inertia, double *J_inverse);

/*
 * Equations H x = b are solved in two steps, td_mass_matrix_factors and td_factors_solve, by the
 * factors of H = Lᵀ D L (Featherstone 2005), which serve any number of right-hand sides.
 *
 * Factors are packed. Entry (i, j) of H vanishes at every state unless one of the two coordinates
 * is an ancestor of the other: with TD_COORDINATES_TREE its joint lies between the other's and the
 * root; in y, coordinates that move the same coupled joints count as one. L has the same sparsity.
 * The packed form has the lower triangle without these zeros, row by row: row i has the columns of
 * i's ancestors, from the root on, L(i, j), then D_i, where L has a one.
 */

/* Returns how many numbers packed factors in these coordinates have, from n to n (n + 1) / 2; a
   workspace in a chart may need more (td_packed_pattern). 0 for NULL. O(1). */
TD_API size_t td_packed_entries(const td_model *model, td_coordinates coordinates);

/* Writes the pattern of packed factors in the coordinates of the workspace: row i begins at
   rows[i] (n + 1 numbers) and ends before rows[i + 1]; columns (rows[n] numbers) has the column of
   each entry. Either may be NULL, so that rows can be read first. The pattern is constant for a
   model. A workspace in a chart (chart.h) has a pattern of its own, the same for all charts, which
   may have more entries: rows[n]. O(entries). */
TD_API td_status td_packed_pattern(const td_model *model, td_workspace *workspace, size_t *rows,
                                   size_t *columns);

/* Computes the factors L and D of H, packed (td_packed_entries). Of forces only passive counts: it
   adds the rotors. TD_ERROR_SINGULAR: the factors are NaN. O(joints · depth²). */
TD_API td_status td_mass_matrix_factors(const td_model *model, td_workspace *workspace,
                                        const double *y, const td_forces *forces, double *factors);

/* Computes X = H⁻¹ B with packed factors, for one or many right-hand sides: B and X are n ×
   columns, row-major, and X may be B. TD_ERROR_SINGULAR: a pivot in factors is not positive
   (td_singular_joint); X is NaN. O(columns · entries); of many columns nearly as fast as the
   processor multiplies. */
TD_API td_status td_factors_solve(const td_model *model, td_workspace *workspace,
                                  const double *factors, size_t columns, const double *B,
                                  double *X);

/* The bias force C(q, q̇): Coriolis, centrifugal and gravity forces, less wrenches, plus passive
   forces as forces say. The gravity force alone: C(q, 0) of the bodies. O(joints). */
TD_API td_status td_bias_force(const td_model *model, td_workspace *workspace, const double *y,
                               const double *yd, const td_forces *forces, double *C);
TD_API td_status td_gravity_force(const td_model *model, td_workspace *workspace, const double *y,
                                  double *tau_y);

/* A Coriolis matrix C(q, q̇), n × n: C q̇ is the velocity part of the bias force and Ḣ − 2C is
   skew-symmetric (Echeandia and Wensing 2021). O(joints · depth). */
TD_API td_status td_coriolis_matrix(const td_model *model, td_workspace *workspace, const double *y,
                                    const double *yd, double *C);

/* What a controller asks for every tick, in one call that shares the kinematics. Fill in the arrays
   that are wanted, leave the others NULL. Start from td_terms_default(). */
typedef struct td_terms {
    size_t size_of;
    double *H;             /* n × n */
    double *C;             /* n: bias force, gravity, wrenches and passive forces included */
    double *gravity;       /* n */
    double *poses;         /* links × 12 */
    double *velocities;    /* links × 6, in frame */
    double *accelerations; /* links × 6, spatial, in frame, with ydd = 0: J̇ ẏ */
    double *com;           /* 9: centre of mass of all links, velocity, acceleration (ydd = 0) */
    double *centroidal_momentum_matrix; /* 6 × n, of all links */
    double *energy;                     /* 2: kinetic, potential; of springs if passive */
    td_frame frame;                     /* TD_FRAME_ALIGNED by default */
} td_terms;

static inline td_terms td_terms_default(void)
{
    TD_SIZED(td_terms, terms);
    terms.frame = TD_FRAME_ALIGNED;
    return terms;
}

TD_API td_status td_dynamics_terms(const td_model *model, td_workspace *workspace, const double *y,
                                   const double *yd, const td_forces *forces,
                                   const td_terms *terms);

/* The wrench that each joint carries: what the parent link exerts on the child link through the
   joint, in frame at the child link; joints × 6 in the model's order, fixed joints included (of the
   floating base: what holds the root, zero where it falls). Wrenches of forces count, and springs
   between links. About or along the joint's axis it is all that acts there: the motor's force less
   passive forces and what the rotor takes, and for leaders and followers what mimic joints and
   couplings give, which act between the two links of a joint about its axis, as gears in it do.

   In independent coordinates, closed loops carry their part, see td_loop_reactions, which says too
   what of this is not unique. Motors act where td_nu lists them (td_forces_to_actuators), or what
   they lack at the independent joints. With TD_COORDINATES_TREE loops are cut, and each joint has
   the force that td_inverse_dynamics returns in these coordinates. Errors, with closed loops,
   beside those of td_inverse_dynamics: TD_ERROR_ACTUATION_SINGULAR, and TD_ERROR_CLOSURE_SINGULAR
   where linear loops such as parallelograms are flat; reactions are NaN then. O(links), and for
   loops O(constraints · rank) in each cluster. */
TD_API td_status td_joint_reactions(const td_model *model, td_workspace *workspace, const double *y,
                                    const double *yd, const double *ydd, const td_forces *forces,
                                    td_frame frame, double *reactions);

/* The same, and what closing loops carry. All outputs may be NULL.

   joints (joints × 6): as by td_joint_reactions. loops (loops × 6, in the order of td_loop_at):
   what the predecessor exerts on the successor through the joint that closes the loop, its springs,
   damping, friction and motor included; TD_FRAME_BODY and TD_FRAME_ALIGNED are at the loop's frame
   on the successor, TD_FRAME_BODY in its axes. Zero for open loops, and with TD_COORDINATES_TREE.
   The wrench and its opposite act at the successor's end.

   The multipliers λ of loops solve Kᵀ λ = τ_c, τ_c being what the motion takes of the joints of the
   tree less what motors and passive forces give (equation 4 of constraint.h). Where loops are
   over-constrained many λ do, and the one of least Σ moment² + (size · force)² is taken, size being
   that of the cluster's mechanism, by which φ's lengths are weighted too: it has no self-stress.
   Mimic joints and couplings that share a cluster with loops that have to be solved carry what
   these leave. Loops that mimic joints close already carry all they can. Closures of the options
   stand for the loops that they close; without loops, they act about the joints' axes.

   joint_ambiguity and loop_ambiguity (as joints and loops): by how much each component changes at
   most where self-stress with multipliers of length 1 N m, in that norm, is added (N m or N per N
   m); 0 where the equations of motion determine it, and 1e-9 of the largest counts as that.
   Self-stress is any λ that does not disturb the motion: of loops that mimic joints close, all that
   these would take over as well. O(constraints · links) for these two. */
TD_API td_status td_loop_reactions(const td_model *model, td_workspace *workspace, const double *y,
                                   const double *yd, const double *ydd, const td_forces *forces,
                                   td_frame frame, double *joints, double *loops,
                                   double *joint_ambiguity, double *loop_ambiguity);

/* Returns the index of the joint for which a call on this workspace last returned
   TD_ERROR_SINGULAR, in a batch that of the first such state; TD_NONE if none did, and for NULL. In
   independent coordinates the leader stands for its followers. */
TD_API size_t td_singular_joint(const td_workspace *workspace);

/* Returns the power of forces along a motion, Σ tau_i yd_i (W), of nyd coordinates or, with
   TD_COORDINATES_TREE, nv. */
TD_API double td_power(const td_model *model, td_coordinates coordinates, const double *tau_y,
                       const double *yd);

#ifdef __cplusplus
}
#endif
#endif
