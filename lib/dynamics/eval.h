/* SPDX-License-Identifier: MIT */
/*
 * Sequences of kernels that algorithms have in common, over any real: from the coordinates of a
 * call to those of the tree, and back.
 */
#ifndef TD_EVAL_H
#define TD_EVAL_H

#include "kernel/kernel.h"
#include "model/model.h"
#include "tandem/dynamics.h"

enum { TD_MOST_LANES = 8, TD_MOST_INPUTS = 6 };

/* bytes of the arguments of an operation at most */
enum { TD_MOST_ARGUMENTS = 256 };

/* Rows of the outputs, for an operation that writes some itself: from at[output] on (NULL: not
   wanted), columns[output] apart, count of them; streamed: no cache holds all rows of it. It says
   which ones it wrote, a bit for statuses, and whether all numbers of a row are finite, a bit for
   each row. */
typedef struct td_rows {
    void *const *at;
    const size_t *columns;
    const unsigned char *place; /* of outputs in the arguments of the operation, in bytes */
    const void *arguments;
    size_t count;
    bool streamed;
    unsigned written;
    int finite;
} td_rows;

typedef struct td_eval {
    const td_model *model;
    const td_tree
        *tree; /* the model's, or that of a workspace with payloads and gravity of its own */
    const td_closure_map *closure;     /* the model's, or the chart's of a workspace */
    const td_actuation_map *actuation; /* of that closure */
    const td_kernels *kernels;
    const td_scratch *scratch;
    td_coordinates space;
    td_rows *rows;            /* NULL: the operation writes none */
    const td_reals *wrenches; /* those of the call's forces, links × 6; NULL: none */
} td_eval;

/* The rows of an output, a member of the operation's arguments: their number. */
static inline size_t td_rows_find(const td_rows *rows, td_reals *const *member)
{
    const ptrdiff_t place = (const char *)member - (const char *)rows->arguments;
    size_t output = 0;
    while (rows->place[output] != place)
        output++;
    return output;
}

/* whether M_u depends on y */
static inline bool td_motors_change(const td_model *model)
{
    return model->closure.loops.solved || model->actuation.loops.count;
}

/* number of positions in y or the tree's coordinates, and of velocities in a space */
static inline size_t td_position_count(const td_model *model, td_coordinates space)
{
    return space == TD_COORDINATES_TREE ? model->tree.nq : model->closure.ny;
}
static inline size_t td_velocity_count(const td_model *model, td_coordinates space)
{
    return space == TD_COORDINATES_TREE ? model->tree.nv : model->closure.nyd;
}

/* so many reals of these kernels */
static inline td_reals *td_take_reals(td_stack *stack, const td_kernels *k, size_t count)
{
    return td_stack_take(stack, count * k->real_size, TD_PLACE);
}

/* Whether the call's coordinates are the tree's. */
static inline bool td_eval_is_tree(const td_eval *eval)
{
    return eval->space == TD_COORDINATES_TREE || eval->closure->identity;
}

/* The tree's coordinates, velocities and accelerations; those given where the call speaks the
   tree's. NULL gives zeros. They are kept in the scratch's q, qd and qdd otherwise, which the
   functions named _of_ do. */
const void *td_eval_position_of_y(const td_eval *eval, const void *y);
const void *td_eval_velocity_of_yd(const td_eval *eval, const void *yd);
const void *td_eval_acceleration_of_ydd(const td_eval *eval, const void *ydd);

static inline const void *td_eval_position(const td_eval *eval, const void *y)
{
    return td_eval_is_tree(eval) ? y : td_eval_position_of_y(eval, y);
}
static inline const void *td_eval_velocity(const td_eval *eval, const void *yd)
{
    if (!td_eval_is_tree(eval))
        return td_eval_velocity_of_yd(eval, yd);
    return yd ? yd : eval->scratch->zeros;
}
static inline const void *td_eval_acceleration(const td_eval *eval, const void *ydd)
{
    if (!td_eval_is_tree(eval))
        return td_eval_acceleration_of_ydd(eval, ydd);
    return ydd ? ydd : eval->scratch->zeros;
}

/* g, what velocities alone add to q̈ = G ÿ + g; zeros where it vanishes. After td_eval_velocity. */
const void *td_eval_drift(const td_eval *eval);

/* Ġ into the scratch, after td_eval_velocity, which has found it where loops are solved: without,
   g comes without it. False, and nothing is there, where G is constant. */
bool td_eval_closure_rates(const td_eval *eval, const void *qd);

/* How q̇, q̈ and forces change along y while ẏ, ÿ (q̈ NULL: not asked) and f stay, at q̇, q̈ of the tree
   that td_eval_velocity and td_eval_acceleration gave: ∂(Gẏ)/∂y, ∂(Gÿ + g)/∂y and ∂g/∂ẏ into the
   scratch's velocity_y, acceleration_y and acceleration_yd, by the pattern of G. False where all of
   them vanish, and nothing is written: without loops that are solved. */
bool td_eval_closure_derivatives(const td_eval *eval, const void *qd, const void *qdd);

/* X (nyd × nyd) += ∂(Gᵀ f)/∂y for forces f of the tree; after td_eval_position. False where it
   vanishes. */
bool td_eval_closure_stiffness(const td_eval *eval, const void *f, void *X);

/* out (nyd) += ∂(Gᵀ f)/∂y x, or its transpose times x; after td_eval_position. */
void td_eval_closure_stiffness_times(const td_eval *eval, const void *f, const void *x,
                                     bool transposed, void *out);

/* The values of M_u at q of the tree, G being there. */
const void *td_eval_motors(const td_eval *eval, const void *q);

/* Gᵀ tau: forces of the tree (in the scratch's tau) to those of the call, in out; in tree
   coordinates the forces belong into out from the start, which td_eval_tau_storage gives. */
static inline void *td_eval_tau_storage(const td_eval *eval, void *out)
{
    return td_eval_is_tree(eval) ? out : eval->scratch->tau;
}
static inline void td_eval_reduce(const td_eval *eval, void *out)
{
    if (!td_eval_is_tree(eval))
        eval->kernels->transposed(&eval->closure->velocity, eval->scratch->G, eval->scratch->tau,
                                  out);
}

/* Poses, and the arms between the bodies' origins if asked for; with motions too (of yd and ydd).
   Of a link: for the bodies from the root to it alone. */
static inline void td_eval_poses(const td_eval *eval, const void *y, int link, bool arms)
{
    eval->kernels->poses(eval->tree, eval->scratch, td_eval_position(eval, y), link, arms);
}
void td_eval_motions(const td_eval *eval, const void *y, const void *yd, const void *ydd, int link);

/* a rows × nv matrix of the tree, 6 rows at most, in the room given by td_eval_columns_storage,
   times G into out */
void *td_eval_columns_storage(const td_eval *eval, void *out);
void td_eval_times_G(const td_eval *eval, size_t rows, void *out);

/* What of q is in the scratch when a mass matrix is asked for: nothing; the placements and sines of
   td_eval_tree_force; or the poses. */
typedef enum td_mass_start { TD_FROM_POSITIONS, TD_FROM_PLACEMENTS, TD_FROM_POSES } td_mass_start;

/* The mass matrix in the call's coordinates at q of the tree, by the kernel that takes least time
   here: in the bodies' axes without poses, or in world axes with them; those are found where start
   is not TD_FROM_POSES. It goes to td_eval_matrix with the sparsity of td_eval_pattern, or straight
   to the rows of output, a member of the operation's arguments, where it is an output and nothing
   else (NULL: it is not) and that takes less time. From poses, composites are there afterwards. */
void td_eval_mass(const td_eval *eval, const void *q, td_mass_start start, bool rotors,
                  td_reals *const *output);
/* whether it finds poses, which then may as well be found before for other uses */
static inline bool td_eval_mass_takes_poses(const td_eval *eval)
{
    return !eval->kernels->body_axes_mass || !eval->tree->shallow;
}
void *td_eval_matrix(const td_eval *eval);
const td_pattern *td_eval_pattern(const td_eval *eval);

/* The mass matrix in td_eval_matrix to its factors, and whether it is singular: by its pivots; by
   what those that may be rounding are left of; and, whatever they are, where a motion moves no
   inertia at any configuration (load/tree/idle.c), and neither rotors nor a payload resist it nor
   one of its accelerations is given (per velocity, NULL: none). */
void td_eval_factor(const td_eval *eval, const unsigned char *given, bool rotors);

/* whether accelerations of the tree are found in the bodies' axes */
static inline bool td_eval_by_body_axes(const td_eval *eval)
{
    return eval->tree->fine || !eval->kernels->world_axes_aba;
}

/* The inverse of the factored mass matrix to an output, a member of the operation's arguments, or
   to its rows in a batch. */
void td_eval_invert(const td_eval *eval, td_reals *const *inverse);

/* Whether the mass matrix is singular, for accelerations that came without factors, at q of the
   tree: as td_eval_factor says, without the matrix. Leaves poses and inertias where it examines
   pivots. */
void td_eval_doubt(const td_eval *eval, const void *q, const unsigned char *given, bool rotors);

/* *forces becomes what this library knows of a caller's, in *known where that is something else;
   NULL stays. False for invalid forces. */
bool td_forces_take(const td_forces **forces, td_forces *known);
static inline bool td_forces_read(const td_forces **forces, td_forces *known)
{
    return !*forces || td_forces_take(forces, known);
}

/* whether passive forces act, and rotors count */
static inline bool td_with_passive(const td_forces *forces)
{
    return forces && forces->passive;
}

/* The wrenches of forces, links × 6, of the call's states; NULL: none. */
static inline const td_reals *td_eval_wrenches(const td_eval *eval, const td_forces *forces)
{
    return forces && forces->wrenches ? eval->wrenches : NULL;
}

/* whether wrenches are given in frames of the world, or springs act between links */
bool td_eval_needs_poses(const td_eval *eval, const td_forces *forces);

/* Loads the wrenches of forces, and of springs between links, into the scratch; whether there are
   any. Needs those poses. Where springs act, motions are written. */
bool td_eval_load(const td_eval *eval, const void *qd, const td_forces *forces);

/* Motions of all bodies at q̇ and q̈ of the tree, and all that acts on bodies into the scratch's
   wrench: as td_eval_load, and passive forces of joints that close loops; whether there is any.
   Needs poses. */
bool td_eval_loads(const td_eval *eval, const void *qd, const void *qdd, const td_forces *forces);
/* whether joints that close loops have passive forces */
bool td_loops_resist(const td_loops *loops);

/* Kinetic energy, and the potential energy of gravity. Needs poses and motions; leaves the
 * inertias.
 */
void td_eval_energy(const td_eval *eval, bool moving_only, void *out);

/* out += the energy of all springs at q of the tree. Needs poses and motions. */
void td_eval_add_spring_energy(const td_eval *eval, const void *q, void *out);

/* Accelerations of the call's coordinates at q, q̇ of the tree, where G is known, and q̈ that
   velocities alone give (NULL: 0); those that are given (NULL: none) are in ydd on entry, the
   others' forces in tau, and all of both on return. tau of forward dynamics is used up.
   (dynamics/forward_dynamics.c) */
void td_eval_accelerations(const td_eval *eval, const td_forces *forces, const unsigned char *given,
                           const td_motion_inputs *at, void *tau, void *ydd);
/* Forces in tau (NULL: not wanted), ∂τ/∂y and ∂τ/∂ẏ (n × n, NULL likewise), and H in
   td_eval_matrix, in the call's coordinates at q, q̇, q̈ of the tree. (dynamics/derivatives.c) */
void td_eval_force_derivatives(const td_eval *eval, const td_motion_inputs *at,
                               const td_forces *forces, void *tau, void *by_position, void *by_rate,
                               bool with_mass);

/* x = H⁻¹ b in the call's coordinates, after td_eval_accelerations at the same q with none given,
   which leaves the inertias of bodies; poses are there. b is used up. O(joints) where accelerations
   are found without factors of H. */
void td_eval_solve(const td_eval *eval, bool rotors, const void *q, void *b, void *x);

/* φ, K and, where qd is not NULL, K̇ q̇ (in drift) at q of the tree, in the scratch: rows of the
   linear closure, then of loops. (dynamics/constraints.c) */
void td_eval_constraints(const td_eval *eval, const void *q, const void *qd);

/* Whether reactions in the call's coordinates need the forces of loops. In the tree's own, loops
   are cut, and each joint gets the force that the motion takes there. */
static inline bool td_eval_balances(const td_eval *eval)
{
    return eval->space == TD_COORDINATES_INDEPENDENT && eval->closure->balances.loops;
}

/* The wrenches of loops at q, q̇, q̈ of the tree, found from those of the call, into the scratch:
   what motors do not give of the force that the motion takes is the closure's. Needs the poses of
   q; motions may be written. (dynamics/balance.c) */
void td_eval_balance(const td_eval *eval, const void *q, const void *qd, const void *qdd,
                     const td_forces *forces);

/* tau += damping, friction and springs of joints and loop joints at q, q̇ of the tree */
void td_eval_passive(const td_eval *eval, const void *q, const void *qd, const td_forces *forces,
                     void *tau);

/* Inverse dynamics of the tree, everything in forces included, into tau; q, qd, qdd are the tree's.
   have_poses: those of q are in the scratch. */
void td_eval_loaded_force(const td_eval *eval, const void *q, const void *qd, const void *qdd,
                          const td_forces *forces, bool have_poses, void *tau);
static inline void td_eval_tree_force(const td_eval *eval, const void *q, const void *qd,
                                      const void *qdd, const td_forces *forces, bool have_poses,
                                      void *tau)
{
    if (forces)
        td_eval_loaded_force(eval, q, qd, qdd, forces, have_poses, tau);
    else
        eval->kernels->rnea(eval->tree, eval->scratch,
                            &(td_motion_inputs){q, qd, qdd, .posed = have_poses}, tau);
}

#endif
