/* SPDX-License-Identifier: MIT */
/*
 * The closure: the map q = γ(y), q̇ = G ẏ, q̈ = G ÿ + g from the independent coordinates to the
 * coordinates of all joints. It resolves mimic joints and closes loops (Table 1 and equations 9 and
 * 16 of "Integrating Mimic Joints into Dynamics Algorithms", Kumar et al. 2017). For mimic joints
 * γ(y) = M y + b, G = M (restricted to velocities) and g = 0, without iteration. For a robot
 * without couplings γ is the identity. Joints may also follow others by curves (tandem/curve.h).
 *
 * These functions ignore the coordinates of the workspace (td_use_coordinates): y is always
 * independent, and q is always in the tree. Outputs must not alias inputs.
 *
 * Partly dependent poses. Loops may determine part of the pose of a joint with a quaternion. For
 * example, a body on two rods has four degrees of freedom, and one on a pin has three. Then y has
 * the whole pose of the joint, and ẏ has the velocities that depend on no other
 * (td_joint_place.dependents marks the others). γ moves the pose in y along the other velocities
 * until the loops close. A pose that is already closed stays the same, to the bit. q = γ(y)
 * therefore has the pose that y should have. td_integrate moves along ẏ alone. After it, call
 * td_closure and then td_independent_coordinates to copy the closed pose to y.
 */
#ifndef TANDEM_CLOSURE_H
#define TANDEM_CLOSURE_H

#include "tandem/model.h"
#include "tandem/workspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Computes the state of all joints from the independent coordinates.

     y    ny positions
     yd   nyd velocities; NULL: zero
     ydd  nyd accelerations; NULL: zero
     q    output, nq: γ(y); NULL: not computed
     qd   output, nv: G ẏ; NULL: not computed
     qdd  output, nv: G ÿ + g; NULL: not computed

   If loops cannot be closed: TD_ERROR_ASSEMBLY, TD_ERROR_BRANCH or TD_ERROR_CLOSURE_SINGULAR
   (td_closure_start). Cost: O(nonzeros of M), plus the iteration for loops. */
TD_API td_status td_closure(const td_model *model, td_workspace *workspace, const double *y,
                            const double *yd, const double *ydd, double *q, double *qd,
                            double *qdd);

/* Computes forces along y: tau_y (nyd) = Gᵀ tau (nv), at y (ny). Errors as in td_closure. Cost:
   O(nonzeros of G), plus the iteration for loops. */
TD_API td_status td_project_force(const td_model *model, td_workspace *workspace, const double *y,
                                  const double *tau, double *tau_y);

/* Computes the independent coordinates y (ny) of a tree configuration q (nq). *residual is the
   largest |q − γ(y)|. If loops do not close at y, the call returns the status of td_closure, and
   *residual is NaN. residual may be NULL; in this case loops are not checked. Cost: O(ny), and one
   td_closure for residual. */
TD_API td_status td_independent_coordinates(const td_model *model, td_workspace *workspace,
                                            const double *q, double *y, double *residual);

/* Computes G at y (dense, nv × nyd, row-major). For linear closures y may be NULL. Errors as in
   td_closure. Cost: O(nv nyd), plus the iteration for loops. */
TD_API td_status td_closure_jacobian(const td_model *model, td_workspace *workspace,
                                     const double *y, double *G);

/* A constant matrix in compressed rows. The nonzeros of row i are in column[k], value[k] for row[i]
   ≤ k < row[i + 1]. The pointers are valid as long as the model. */
typedef struct td_sparse {
    size_t rows, columns; /* size of the matrix */
    const size_t *row;    /* rows + 1 entries: start of each row */
    const size_t *column; /* column of each nonzero */
    const double *value;  /* value of each nonzero */
} td_sparse;

/* The linear closure q = M y + b. td_closure_matrix returns M (nq × ny), td_closure_velocity_matrix
   G (nv × nyd), and td_closure_offset b (nq). If loops are iterated, or a td_closure_function
   determines joints, it is q = M w + b with M (nq × nw). w has the coordinates of the independent
   joints and of the joints that loops make dependent, in the order of the joints. The latter have a
   td_joint_place.cluster that is not TD_NONE. td_closure_velocity_matrix then returns G at the
   reference configuration. */
TD_API td_sparse td_closure_matrix(const td_model *model);
TD_API td_sparse td_closure_velocity_matrix(const td_model *model);
TD_API const double *td_closure_offset(const td_model *model);

/* ---- loops ----------------------------------------------------------------------------------- */

/* How a loop of the model is closed. */
typedef enum td_loop_form {
    /* not closed: mimic joints contradict it (with a warning at load) */
    TD_LOOP_FORM_OPEN,
    /* already closed by mimic joints, couplings and other loops */
    TD_LOOP_FORM_IMPLIED,
    /* γ is linear: parallelograms */
    TD_LOOP_FORM_LINEAR,
    /* γ by Newton's method */
    TD_LOOP_FORM_ITERATED,
    /* γ by a formula: four-bars, crank-sliders, an actuator across a hinge */
    TD_LOOP_FORM_CLOSED_FORM,
    /* γ, G and g by a td_closure_function */
    TD_LOOP_FORM_REGISTERED,
} td_loop_form;

/* A loop in the model. Loops that share joints form a cluster and are solved together. */
typedef struct td_loop_place {
    size_t size_of;
    td_loop_form form;
    size_t cluster;          /* TD_NONE if the loop is open, implied or linear */
    size_t constraint;       /* its first row in φ and K */
    size_t constraint_count; /* number of its rows */
} td_loop_place;

/* Writes the td_loop_place of a loop. If the index is out of range, cluster and constraint are
   TD_NONE and everything else is 0. size_of is the size of the struct (docs/abi.md). */
TD_API void td_loop_place_read(const td_model *model, size_t loop, td_loop_place *place,
                               size_t size_of);

static inline td_loop_place td_loop_place_at(const td_model *model, size_t loop)
{
    td_loop_place place;
    td_loop_place_read(model, loop, &place, sizeof place);
    return place;
}

/* A cluster of loops that are solved together, at the reference configuration. Joints that curves
   (curve.h) or a td_closure_function determine also form a cluster, with 0 loops and singular
   values 0.

   rows is the number of constraints, and rank is the rank of their Jacobian. rows − rank
   constraints are redundant, and rank joint coordinates are dependent. A column counts as zero if
   it is shorter than 1e-8 of the longest column, or than 1e-3 of the shortest pivot at nearby
   configurations. independent is the number of columns minus rank. smallest and largest are the
   extreme singular values of the columns of the dependent joints. In them, lengths are relative to
   the size of the cluster. */
typedef struct td_loop_cluster {
    size_t size_of;
    size_t loops, rows, rank, independent; /* numbers, as described above */
    double smallest, largest;
} td_loop_cluster;

/* Returns the number of clusters. */
TD_API size_t td_loop_cluster_count(const td_model *model);
/* Writes the td_loop_cluster of a cluster; all 0 if the index is out of range. size_of is the size
   of the struct (docs/abi.md). */
TD_API void td_loop_cluster_read(const td_model *model, size_t cluster, td_loop_cluster *found,
                                 size_t size_of);

static inline td_loop_cluster td_loop_cluster_at(const td_model *model, size_t cluster)
{
    td_loop_cluster found;
    td_loop_cluster_read(model, cluster, &found, sizeof found);
    return found;
}

/* Returns the reference configuration, y (ny) or q (nq), in which the robot starts. The memory
   belongs to the model. Loops are closed as they were assembled at load; docs/conventions.md
   describes the choice among several solutions. Joints outside loops are at the start position of
   the file or the options. Without one, they are at zero, or at the nearest position within their
   effective limits. */
TD_API const double *td_reference(const td_model *model, td_coordinates coordinates);

/*
 * Sets the start configuration of γ. γ(y) of loops has several branches. It is followed from a
 * start configuration along the straight line to y, so it stays on the branch of the start. The
 * orientation of a floating joint follows the shorter great circle, by normalized linear
 * interpolation.
 *
 *   model      the model
 *   workspace  the workspace whose start is set
 *   q          nq: configuration of the tree. Newton's method closes its loops at its independent
 *              coordinates. φ is also zero if the frames of a loop are half a turn apart; the call
 *              then returns TD_ERROR_ASSEMBLY. NULL: the reference of the model, which is also the
 *              start of a new workspace
 *
 * On errors (TD_ERROR_ASSEMBLY, TD_ERROR_CLOSURE_SINGULAR) the start does not change.
 *
 * Result of γ. TD_OK means that the loops close all along the line, and that φ at y is at most 1e-9
 * of the size of the mechanism. The result does not depend on the steps taken. γ fails if the line
 * crosses positions where the loops do not close or where branches cross. It also fails where γ is
 * so steep that rounding destroys G (entries above about 1e4). The status then depends on y:
 *
 *   TD_ERROR_ASSEMBLY          the loops do not close at y
 *   TD_ERROR_BRANCH            the loops close at y, but on a branch that was not reached
 *   TD_ERROR_CLOSURE_SINGULAR  y is singular, or so close to singular that rounding makes G wrong
 *                              by more than 1e-8, and accelerations by more than about 1e-5. For
 *                              loops that no coordinate of y moves, the limit of 1e-8 applies to q
 *
 * One state and a batch return the same status, except exactly at this bound, where rounding
 * decides. A td_closure_function computes γ without a start; φ of the loops that it closes is
 * checked at every y.
 *
 * Choice of the start. A single call also tries the last state that a single call of this workspace
 * closed, which is closer in a control loop. If that fails, it uses the start configuration.
 * Batches use the start configuration for every row, so that rows do not depend on each other,
 * unless td_closure_rows selects another start. td_following (workspace.h) selects another rule.
 *
 * Cost. A call evaluates φ and K of a cluster at most td_load_options.loop_evaluations + 1 times,
 * including the search for another branch. If this limit is too small, TD_ERROR_ASSEMBLY may be
 * returned in place of TD_ERROR_BRANCH.
 */
TD_API td_status td_closure_start(const td_model *model, td_workspace *workspace, const double *q);

/* Start of the iteration for each row of a batch. */
typedef enum td_row_start {
    /* the start configuration: rows do not depend on each other */
    TD_ROW_START_COMMON,
    /* the last earlier row that closed, as in single calls; for a path in a table. The first row
       uses the start configuration */
    TD_ROW_START_BEFORE,
    /* a configuration that the caller gives for each row */
    TD_ROW_START_GIVEN,
} td_row_start;

/* Selects where γ starts for the rows of all later batches on a workspace. It has no effect on
   models without iterated loops.

     from  kind of start
     q     n × nq: for TD_ROW_START_GIVEN, a configuration with closed loops for each row. The
           caller keeps the array. NULL for the other kinds
     n     number of rows of q; a longer batch returns TD_ERROR_ARGUMENT

   If γ cannot be followed from the start of a row, the start configuration is tried, as in single
   calls. Unless from is TD_ROW_START_COMMON, rows are computed one after the other, by one thread
   and without SIMD lanes, so results do not depend on the number of threads. From a nearby start a
   row takes 3 to 5 evaluations; from the common start it takes about 20, in SIMD lanes.
   TD_ERROR_ARGUMENT: from is invalid, q is missing, or the workspace belongs to another model. */
TD_API td_status td_closure_rows(const td_model *model, td_workspace *workspace, td_row_start from,
                                 const double *q, size_t n);

/* Save and restore the last state of the loops that a workspace remembers. Single calls start from
   this state, so the rounding of their results depends on earlier calls. td_closure_remember writes
   it to memory (nq numbers), which only the other two functions can read. td_closure_recall
   restores it and so undoes the effect of calls in between: the same calls then return the same
   results to the bit. td_closure_recall with NULL resets the last state to the start configuration.

   td_closure_start_from sets both the start configuration and the last state to memory, without a
   search. If γ cannot be followed from the last state, later calls then start from memory, and from
   no other configuration. An integrator can call it at the beginning of a step, and
   td_closure_recall with NULL before each trial. The branch then does not depend on earlier trials.

   Without iterated loops nothing is written. TD_ERROR_ARGUMENT: an argument is NULL (other than for
   td_closure_recall), or the workspace belongs to another model. Cost: O(nq). */
TD_API td_status td_closure_remember(const td_model *model, td_workspace *workspace,
                                     double *memory);
TD_API td_status td_closure_recall(const td_model *model, td_workspace *workspace,
                                   const double *memory);
TD_API td_status td_closure_start_from(const td_model *model, td_workspace *workspace,
                                       const double *memory);

/* Result of td_closure_examine for the loops. */
typedef struct td_closure_report {
    size_t size_of;   /* set by the caller: sizeof the struct (docs/abi.md) */
    td_status status; /* TD_OK, TD_ERROR_ASSEMBLY, _CLOSURE_SINGULAR or _BRANCH; for an invalid y
                         _NOT_FINITE or _QUATERNION, and nothing is solved */
    size_t loop;      /* loop with the largest residual if status is not TD_OK, otherwise TD_NONE */
    double residual;  /* largest |φ| of the solution, or the smallest that was reached; NaN if
                         nothing was solved */
    double reached;   /* part of the path to y that could be followed: 1 if status is TD_OK */
    size_t iterations;        /* evaluations of φ and K, in the cluster that took the most */
    double smallest, largest; /* singular values as in td_loop_cluster, of the cluster with the
                                 largest ratio; both 0 without a cluster */
} td_closure_report;

/* Computes γ at y (ny) and fills report, including singular values. Returns report->status, or
   TD_ERROR_ARGUMENT, which leaves report unchanged. Does not allocate. Cost: one td_closure, plus
   the singular values, O(rows · dependents²) per cluster. */
TD_API td_status td_closure_examine(const td_model *model, td_workspace *workspace, const double *y,
                                    td_closure_report *report);

/* Returns the loop that the last call on this workspace could not close; in a batch, the loop of
   the first state that failed. Returns TD_NONE if no loop failed, and for NULL. Every call resets
   the result, so read it right after the call. *residual is the smallest |φ| that was reached, if a
   loop failed; residual may be NULL. */
TD_API size_t td_failed_loop(const td_workspace *workspace, double *residual);

/* Returns how much of the path from the start to y the last call on this workspace could follow,
   from 0 to 1; in a batch, for the first state that failed. Returns 1 if no loop failed, and for
   NULL. Every call resets the result. */
TD_API double td_failed_path(const td_workspace *workspace);

/* An idle direction of ẏ: rods in loops rotate about the line through their ends, for example
   between two ball joints. Gravity and inertia cause no force along it at any configuration, and no
   joint that it moves has damping, friction, a spring or a rotor. Such directions are found at
   load, at random configurations: the center of mass is on the line, which is a principal axis.

   No motor is needed along an idle direction (tandem/actuation.h). If it moves no inertia, forward
   dynamics sets the acceleration of its entry yd to zero, and a force along it is an error
   (TD_ERROR_SINGULAR). Otherwise it moves freely. */
typedef struct td_idle_direction {
    size_t size_of;
    size_t link;   /* the heaviest link that turns; TD_NONE if the index is out of range */
    size_t joint;  /* the joint of yd */
    size_t yd;     /* the entry of ẏ that represents it: the entry is 1 in td_idle_directions */
    bool alone;    /* its other entries are zero at every configuration */
    bool massless; /* it moves no inertia */
} td_idle_direction;

TD_API size_t td_idle_count(const td_model *model); /* Returns the number of idle directions. */
/* Writes the td_idle_direction of index i. size_of is the size of the struct (docs/abi.md). */
TD_API void td_idle_direction_read(const td_model *model, size_t i, td_idle_direction *direction,
                                   size_t size_of);

static inline td_idle_direction td_idle_direction_at(const td_model *model, size_t i)
{
    td_idle_direction direction;
    td_idle_direction_read(model, i, &direction, sizeof direction);
    return direction;
}

/* Computes the idle directions at y: D (nyd × td_idle_count, row-major), with H D = 0 if no inertia
   moves. Errors as in td_closure. TD_ERROR_SINGULAR: the entry yd of a direction vanishes at y.
   Allocates (TD_ERROR_MEMORY) unless all directions are alone. D is NaN after an error. */
TD_API td_status td_idle_directions(const td_model *model, td_workspace *workspace, const double *y,
                                    double *D);

/* Effective limits of an independent joint: the limits that it has together with its followers.
   Limits are infinite if no joint has one. The fields ending in _joint name the joint whose limit
   is active, or TD_NONE. lower > upper means that no position satisfies all limits.

   effort is the smallest |α| · effort of the joints that move together. No force up to this value
   overloads any of them, even if one joint bears all of it. In a known motion, compare the limit of
   a follower with its own force, from td_inverse_dynamics with TD_COORDINATES_TREE. Compare the
   force of a motor with its own effort alone.

   A follower may depend on one independent joint by curves (curve.h). Its limits may then divide
   the range of the leader into several intervals. The effective limits are the interval that
   contains the start of the leader, or the nearest one. The search moves in steps that begin with
   0.001 rad or m, grow by 1/64, and are at most 1/2048 of the range. It ends at 10⁴ rad or m from
   the start. It misses an excursion that is shorter than a step. The velocity limit is computed at
   the steepest position of the interval. Efforts of such followers have no effect, since no force
   of the leader reaches them where f' = 0. */
typedef struct td_effective_limit {
    size_t size_of;
    double lower, upper;
    double velocity;
    double effort;
    size_t lower_joint, upper_joint, velocity_joint, effort_joint; /* active joints, or TD_NONE */
} td_effective_limit;

/* Writes the effective limits of a joint. For a fixed, dependent, planar or floating joint, and if
   the index is out of range, limits are infinite and joints TD_NONE. size_of is the size of the
   struct (docs/abi.md). Cost: O(1); limits are computed at load. */
TD_API void td_effective_limit_read(const td_model *model, size_t joint, td_effective_limit *limit,
                                    size_t size_of);

static inline td_effective_limit td_effective_limit_at(const td_model *model, size_t joint)
{
    td_effective_limit limit;
    td_effective_limit_read(model, joint, &limit, sizeof limit);
    return limit;
}

/* Finds the independent joints whose position in y (ny) is outside their effective limits by more
   than rounding (1e-9).

     y         configuration, ny
     joints    output: indices of the first such joints, at most capacity; may be NULL if capacity
               is 0
     capacity  length of joints

   Returns the number of all such joints. Cost: O(joints). */
TD_API size_t td_outside_limits(const td_model *model, const double *y, size_t *joints,
                                size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
