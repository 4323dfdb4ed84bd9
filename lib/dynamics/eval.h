/* SPDX-License-Identifier: MIT */
/*
 * Sequences of kernels that algorithms share, over any real type: from the coordinates of a call
 * to the tree's coordinates, and back.
 */
#ifndef TD_EVAL_H
#define TD_EVAL_H

#include "kernel/kernel.h"
#include "model/model.h"
#include "tandem/dynamics.h"

enum { TD_MOST_LANES = 8, TD_MOST_INPUTS = 6 };

/* largest size of an operation's arguments, in bytes */
enum { TD_MOST_ARGUMENTS = 256 };

/* Rows of outputs, for operations that write some of them directly. Output i has `count` rows
   from at[i] on (NULL: not wanted), each with columns[i] numbers. `streamed`: the rows exceed
   every cache. The operation sets the bit of each output that it wrote in `written`. `finite`
   has one bit per row, which stays set if all its numbers are finite. */
typedef struct td_rows {
    void *const *at;
    const size_t *columns;
    const unsigned char *place; /* offsets of outputs in the operation's arguments, in bytes */
    const void *arguments;
    size_t count;
    bool streamed;
    unsigned written;
    int finite;
} td_rows;

typedef struct td_eval {
    const td_model *model;
    const td_tree *tree; /* of the model, or of a workspace with its own payloads or gravity */
    const td_closure_map *closure;     /* of the model, or of the workspace's chart */
    const td_actuation_map *actuation; /* for that closure */
    const td_kernels *kernels;
    const td_scratch *scratch;
    td_coordinates space;
    td_rows *rows;            /* NULL: the operation writes no rows directly */
    const td_reals *wrenches; /* of the call's forces, links × 6; NULL: none */
} td_eval;

/* Returns the number of an output from its member in the operation's arguments. */
static inline size_t td_rows_find(const td_rows *rows, td_reals *const *member)
{
    const ptrdiff_t place = (const char *)member - (const char *)rows->arguments;
    size_t output = 0;
    while (rows->place[output] != place)
        output++;
    return output;
}

/* Returns whether M_u depends on y. */
static inline bool td_motors_change(const td_model *model)
{
    return model->closure.loops.solved || model->actuation.loops.count;
}

/* Return the number of positions and of velocities in a space. */
static inline size_t td_position_count(const td_model *model, td_coordinates space)
{
    return space == TD_COORDINATES_TREE ? model->tree.nq : model->closure.ny;
}
static inline size_t td_velocity_count(const td_model *model, td_coordinates space)
{
    return space == TD_COORDINATES_TREE ? model->tree.nv : model->closure.nyd;
}

/* Allocates `count` reals of these kernels. */
static inline td_reals *td_take_reals(td_stack *stack, const td_kernels *k, size_t count)
{
    return td_stack_take(stack, count * k->real_size, TD_PLACE);
}

/* Returns whether the call uses tree coordinates. */
static inline bool td_eval_is_tree(const td_eval *eval)
{
    return eval->space == TD_COORDINATES_TREE || eval->closure->identity;
}

/* Return positions, velocities and accelerations of the tree. In tree coordinates these are the
   arguments themselves. In independent coordinates the functions named _of_ compute them into q,
   qd and qdd of the scratch. NULL gives zeros. */
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

/* Returns g, the part of q̈ = G ÿ + g that depends on velocities; zeros if it vanishes. Call
   td_eval_velocity first. */
const void *td_eval_drift(const td_eval *eval);

/* Computes Ġ into the scratch, after td_eval_velocity. That function has already done so, except
   for curves, whose g needs no Ġ. Returns false and writes nothing if G is constant. */
bool td_eval_closure_rates(const td_eval *eval, const void *qd);

/* Computes the derivatives ∂(Gẏ)/∂y, ∂(Gÿ + g)/∂y and ∂g/∂ẏ of the closure at fixed ẏ and ÿ.
   Takes q̇ and q̈ of td_eval_velocity and td_eval_acceleration (q̈ NULL: not wanted). Results go
   to velocity_y, acceleration_y and acceleration_yd of the scratch, with the pattern of G.
   Returns false and writes nothing if no loops are solved, since all of them vanish then. */
bool td_eval_closure_derivatives(const td_eval *eval, const void *qd, const void *qdd);

/* Computes X (nyd × nyd) += ∂(Gᵀ f)/∂y for forces f of the tree, after td_eval_position. Returns
   false if it vanishes. */
bool td_eval_closure_stiffness(const td_eval *eval, const void *f, void *X);

/* Computes out (nyd) += ∂(Gᵀ f)/∂y x, or the transposed matrix times x, after td_eval_position. */
void td_eval_closure_stiffness_times(const td_eval *eval, const void *f, const void *x,
                                     bool transposed, void *out);

/* Returns the values of M_u at q of the tree, from G in the scratch. */
const void *td_eval_motors(const td_eval *eval, const void *q);

/* td_eval_reduce computes out = Gᵀ tau, which maps forces of the tree to the call's coordinates.
   In tree coordinates it does nothing: tau must be written to out from the start.
   td_eval_tau_storage returns the array to write. */
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

/* Compute poses, and the vectors between the bodies' origins if `arms`; td_eval_motions also
   computes motions from yd and ydd. `link`: only for the bodies from the root to this link. */
static inline void td_eval_poses(const td_eval *eval, const void *y, int link, bool arms)
{
    eval->kernels->poses(eval->tree, eval->scratch, td_eval_position(eval, y), link, arms);
}
void td_eval_motions(const td_eval *eval, const void *y, const void *yd, const void *ydd, int link);

/* td_eval_times_G multiplies a rows × nv matrix of the tree by G and writes the result to out.
   td_eval_columns_storage returns the array for that matrix, which has at most 6 rows. */
void *td_eval_columns_storage(const td_eval *eval, void *out);
void td_eval_times_G(const td_eval *eval, size_t rows, void *out);

/* The contents of the scratch at q when a mass matrix is requested: nothing, the placements and
   sines of td_eval_tree_force, or the poses. */
typedef enum td_mass_start { TD_FROM_POSITIONS, TD_FROM_PLACEMENTS, TD_FROM_POSES } td_mass_start;

/* Computes the mass matrix in the call's coordinates at q of the tree. Uses the fastest kernel
   for this model: in body axes without poses, or in world axes with them. Computes missing poses
   unless start is TD_FROM_POSES. The result goes to td_eval_matrix, with the pattern of
   td_eval_pattern. It goes directly to the rows of an output (a member of the operation's
   arguments, or NULL) if nothing else needs it and that is faster. From poses, the composite
   inertias remain in the scratch. */
void td_eval_mass(const td_eval *eval, const void *q, td_mass_start start, bool rotors,
                  td_reals *const *output);
/* Returns whether td_eval_mass computes poses; callers that need them can compute them first. */
static inline bool td_eval_mass_takes_poses(const td_eval *eval)
{
    return !eval->kernels->body_axes_mass || !eval->tree->shallow;
}
void *td_eval_matrix(const td_eval *eval);
const td_pattern *td_eval_pattern(const td_eval *eval);

/* Factors the mass matrix in td_eval_matrix and checks whether it is singular. It examines the
   pivots, and those that could be rounding errors more closely. A motion that moves no inertia
   at any configuration (load/tree/idle.c) is always singular, unless rotors or a payload resist
   it or one of its accelerations is given (per velocity, NULL: none). */
void td_eval_factor(const td_eval *eval, const unsigned char *given, bool rotors);

/* Return whether a given acceleration prevents a massless motion, and whether it moves a body whose
   inertia the workspace has changed. */
bool td_motion_is_given(const td_idle_motion *motion, const unsigned char *given);
bool td_motion_is_loaded(const td_eval *eval, const td_idle_motion *motion);

/* Returns the velocities whose accelerations are given (NULL: none), and those that spins without
   inertia leave open, which are held at zero (dynamics/spins.c). */
const unsigned char *td_eval_find_held(const td_eval *eval, const unsigned char *given);
static inline const unsigned char *td_eval_hold(const td_eval *eval, const unsigned char *given)
{
    return eval->closure->idle.spins ? td_eval_find_held(eval, given) : given;
}

/* Reports a singular mass matrix for a held velocity that needs a force: `needed` for its zero
   acceleration instead of tau. Both are in y, and so is `bias`, which gives the scale. */
void td_eval_judge_held(const td_eval *eval, const unsigned char *held, const void *needed,
                        const void *tau, const void *bias);

/* Marks lanes whose rest, the part of tau_y that motors do not provide, is not zero along a spin.
   The mark is TD_SPIN_FORCED in singular of the scratch. */
#define TD_SPIN_FORCED (-2)
void td_eval_find_forced(const td_eval *eval, const void *tau_y, const void *rest);
static inline void td_eval_judge_spins(const td_eval *eval, const void *tau_y, const void *rest)
{
    if (eval->actuation->spins)
        td_eval_find_forced(eval, tau_y, rest);
}

/* Returns whether accelerations of the tree are computed in body axes. */
static inline bool td_eval_by_body_axes(const td_eval *eval)
{
    return eval->tree->fine || !eval->kernels->world_axes_aba;
}

/* Writes the inverse of the factored mass matrix to an output, a member of the operation's
   arguments, or to its rows in a batch. */
void td_eval_invert(const td_eval *eval, td_reals *const *inverse);

/* Checks whether the mass matrix is singular at q of the tree, for accelerations computed
   without factors. Uses the criteria of td_eval_factor without the matrix. Leaves poses and
   inertias if it examines pivots. */
void td_eval_doubt(const td_eval *eval, const void *q, const unsigned char *given, bool rotors);

/* Makes *forces valid for this version of the library: a caller's struct of another size is
   copied to *known. NULL stays. Returns false for invalid forces. */
bool td_forces_take(const td_forces **forces, td_forces *known);
static inline bool td_forces_read(const td_forces **forces, td_forces *known)
{
    return !*forces || td_forces_take(forces, known);
}

/* Returns whether passive forces act and rotor inertias count. */
static inline bool td_with_passive(const td_forces *forces)
{
    return forces && forces->passive;
}

/* Returns the wrenches of forces for the call's states, links × 6; NULL if there are none. */
static inline const td_reals *td_eval_wrenches(const td_eval *eval, const td_forces *forces)
{
    return forces && forces->wrenches ? eval->wrenches : NULL;
}

/* Returns whether wrenches are given in world or aligned frames, or springs act between links. */
bool td_eval_needs_poses(const td_eval *eval, const td_forces *forces);

/* Loads the wrenches of forces and of springs between links into the scratch. Returns whether
   there are any. Needs poses if td_eval_needs_poses. With springs, motions are overwritten. */
bool td_eval_load(const td_eval *eval, const void *qd, const td_forces *forces);

/* Computes motions of all bodies at q̇ and q̈ of the tree, and all loads on bodies into `wrench`
   of the scratch: the loads of td_eval_load and passive forces of loop joints. Returns whether
   there are any. Needs poses. */
bool td_eval_loads(const td_eval *eval, const void *qd, const void *qdd, const td_forces *forces);
/* Returns whether loop joints have passive forces. */
bool td_loops_resist(const td_loops *loops);

/* Computes the kinetic energy and the potential energy of gravity. Needs poses and motions;
   leaves inertias in the scratch. */
void td_eval_energy(const td_eval *eval, bool moving_only, void *out);

/* Adds the energy of all springs at q of the tree to out. Needs poses and motions. */
void td_eval_add_spring_energy(const td_eval *eval, const void *q, void *out);

/* Computes accelerations of the call's coordinates at q, q̇ of the tree, with G in the scratch.
   at->qdd is the part of q̈ from velocities (NULL: 0). On entry, ydd has the given accelerations
   (NULL: none) and tau the other coordinates' forces; on return both are complete. Forward
   dynamics overwrites tau. (dynamics/forward_dynamics.c) */
void td_eval_accelerations(const td_eval *eval, const td_forces *forces, const unsigned char *given,
                           const td_motion_inputs *at, void *tau, void *ydd);
/* Computes forces in tau, ∂τ/∂y and ∂τ/∂ẏ (n × n), each NULL if not wanted, and with_mass also H
   in td_eval_matrix. All are in the call's coordinates at q, q̇, q̈ of the tree.
   (dynamics/derivatives.c) */
void td_eval_force_derivatives(const td_eval *eval, const td_motion_inputs *at,
                               const td_forces *forces, void *tau, void *by_position, void *by_rate,
                               bool with_mass);

/* Solves x = H⁻¹ b in the call's coordinates. Call it after td_eval_accelerations at the same q
   without given accelerations, whose inertias it uses; it needs poses. Overwrites b. Costs
   O(joints) if accelerations are computed without factors of H. */
void td_eval_solve(const td_eval *eval, bool rotors, const void *q, void *b, void *x);

/* Computes φ, K and, unless qd is NULL, K̇ q̇ (in drift) at q of the tree into the scratch. Rows
   of the linear closure come first, then rows of loops. (dynamics/constraints.c) */
void td_eval_constraints(const td_eval *eval, const void *q, const void *qd);

/* Returns whether reactions in the call's coordinates need the forces of loops. In tree
   coordinates loops are cut, and each joint gets the force that the motion requires there. */
static inline bool td_eval_balances(const td_eval *eval)
{
    return eval->space == TD_COORDINATES_INDEPENDENT && eval->closure->balances.loops;
}

/* Computes the wrenches of loops at q, q̇, q̈ of the tree into the scratch. The closure supplies
   the part of the motion's forces that motors do not. Needs the poses at q; may overwrite
   motions. (dynamics/balance.c) */
void td_eval_balance(const td_eval *eval, const void *q, const void *qd, const void *qdd,
                     const td_forces *forces);

/* Adds damping, friction and springs of joints and loop joints at q, q̇ of the tree to tau. */
void td_eval_passive(const td_eval *eval, const void *q, const void *qd, const td_forces *forces,
                     void *tau);

/* Computes inverse dynamics of the tree with all `forces` into tau. q, qd, qdd belong to the
   tree. have_poses: the scratch has the poses at q. */
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
