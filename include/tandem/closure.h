/* SPDX-License-Identifier: MIT */
/*
 * The embedding q = γ(y), q̇ = G ẏ, q̈ = G ÿ + g of the independent coordinates in those of all
 * joints, which closes loops (Table 1 and equations 9 and 16 of "Integrating
 * Mimic Joints into Dynamics Algorithms", Kumar et al. 2017). For mimic joints γ(y) = M y + b,
 * G = M (restricted to velocities) and g = 0: exact, nothing is iterated. For a robot without
 * couplings γ is the identity. Joints may follow others by curves, too (tandem/curve.h).
 *
 * These functions ignore the coordinates of the workspace (td_use_coordinates): y is always
 * independent, and q the tree's.
 *
 * Loops may decide a part of a joint with a quaternion: a body on two rods has four freedoms, one
 * on a pin three. y has the whole pose of such a joint then, and ẏ those of its velocities that
 * depend on no other (td_joint_place.dependents says which). γ moves the pose in y along the other
 * velocities until the loops close: a pose that is closed stays to the bit. So q = γ(y) has the
 * pose that y should have; td_independent_coordinates takes it from there, which is to be done
 * after td_integrate, since that moves along ẏ alone.
 */
#ifndef TANDEM_CLOSURE_H
#define TANDEM_CLOSURE_H

#include "tandem/model.h"
#include "tandem/workspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* q (nq) from y (ny); qd (nv) from yd (nyd); qdd (nv) from ydd (nyd). NULL yd or ydd means zero; an
   output that is NULL is not computed. Outputs must not alias inputs, here and below. O(nonzeros of
   M). */
TD_API td_status td_closure(const td_model *model, td_workspace *workspace, const double *y,
                            const double *yd, const double *ydd, double *q, double *qd,
                            double *qdd);

/* tau_y (nyd) = Gᵀ tau (nv), at y (ny). */
TD_API td_status td_project_force(const td_model *model, td_workspace *workspace, const double *y,
                                  const double *tau, double *tau_y);

/* The independent coordinates of a tree configuration: y (ny) from q (nq), and the largest
   |q − γ(y)| in *residual (which may be NULL). Where loops do not
   close at y its status is that, and *residual NaN. */
TD_API td_status td_independent_coordinates(const td_model *model, td_workspace *workspace,
                                            const double *q, double *y, double *residual);

/* G at y, dense (nv × nyd, row-major). For linear closures y may be NULL. */
TD_API td_status td_closure_jacobian(const td_model *model, td_workspace *workspace,
                                     const double *y, double *G);

/* The linear closure q = M y + b. Where loops are iterated or registered it is q = M w + b: w has
   the coordinates of the independent joints and of those that loops make dependent (place.cluster
   is not TD_NONE), in the order of the joints. G is that of the reference configuration there. M by
   compressed rows. row has rows + 1 entries; the nonzeros of row i are column[k], value[k] for
   row[i] ≤ k < row[i + 1]. Pointers live as long as the model. */
typedef struct td_sparse {
    size_t rows, columns; /* of the matrix */
    const size_t *row;    /* rows + 1: where each row begins */
    const size_t *column; /* of each nonzero */
    const double *value;  /* of each nonzero */
} td_sparse;

TD_API td_sparse td_closure_matrix(const td_model *model);          /* M, nq × nw */
TD_API td_sparse td_closure_velocity_matrix(const td_model *model); /* G, nv × nyd */
TD_API const double *td_closure_offset(const td_model *model);      /* b, nq */

/* ---- loops ----------------------------------------------------------------------------------- */

/* How a loop of the model is closed. */
typedef enum td_loop_form {
    /* not at all: mimic joints contradict it (a warning at load says so) */
    TD_LOOP_FORM_OPEN,
    /* mimic joints, couplings and other loops close it already */
    TD_LOOP_FORM_IMPLIED,
    /* γ is linear: parallelograms */
    TD_LOOP_FORM_LINEAR,
    /* γ by Newton's method */
    TD_LOOP_FORM_ITERATED,
    /* γ by a formula: four-bars, crank and slider, an actuator across a hinge */
    TD_LOOP_FORM_CLOSED_FORM,
    /* γ, G and g by a td_closure_function */
    TD_LOOP_FORM_REGISTERED,
} td_loop_form;

/* A loop as the model sees it. Loops that share joints form a cluster and are solved together. */
typedef struct td_loop_place {
    size_t size_of;
    td_loop_form form;
    size_t cluster;          /* TD_NONE where it is open, implied or linear */
    size_t constraint;       /* its first row in φ and K */
    size_t constraint_count; /* how many rows it has */
} td_loop_place;

/* For an index out of range cluster and constraint are TD_NONE, and all else is 0. */
TD_API void td_loop_place_read(const td_model *model, size_t loop, td_loop_place *place,
                               size_t size_of);

static inline td_loop_place td_loop_place_at(const td_model *model, size_t loop)
{
    td_loop_place place;
    td_loop_place_read(model, loop, &place, sizeof place);
    return place;
}

/* A cluster of loops, or what curves (curve.h) or a td_closure_function decide (with no loop, and
   singular values 0), at the reference configuration: rows is the number of constraints, rank that
   of their Jacobian, in which columns below 1e-8 of the longest count as none, as do those below
   1e-3 of what they are nearby; rows − rank are redundant, and rank joints dependent. smallest and
   largest are the extreme singular values of the columns of the dependent joints (lengths measured
   in the cluster's own size). */
typedef struct td_loop_cluster {
    size_t size_of;
    size_t loops, rows, rank, independent; /* independent: columns less rank */
    double smallest, largest;
} td_loop_cluster;

TD_API size_t td_loop_cluster_count(const td_model *model);
/* All 0 for an index out of range. */
TD_API void td_loop_cluster_read(const td_model *model, size_t cluster, td_loop_cluster *found,
                                 size_t size_of);

static inline td_loop_cluster td_loop_cluster_at(const td_model *model, size_t cluster)
{
    td_loop_cluster found;
    td_loop_cluster_read(model, cluster, &found, sizeof found);
    return found;
}

/* Returns the configuration in which a robot begins, y (ny) or q (nq), in memory of the model. Its
   loops are closed as they were assembled at load (docs/conventions.md says which of several
   closings is chosen). Joints outside loops are where the file or the options start them, else at
   zero or the nearest position within their effective limits. */
TD_API const double *td_reference(const td_model *model, td_coordinates coordinates);

/*
 * Where γ starts. γ(y) of loops has branches; it is followed from a start, whose branch it keeps,
 * along the straight line to y (a floating joint turns the shorter way, at a path parameter of its
 * own). TD_OK says that the loops close all along that line, and that φ at y is at most 1e-9 of the
 * size of the mechanism; what the call returns does not depend on the steps that were taken. Where
 * the line leads through positions in which the loops do not close, in which branches cross, or in
 * which γ turns so sharply that G is lost in rounding (entries above some 1e4), the status is
 * TD_ERROR_ASSEMBLY
 * if they do not close at y, TD_ERROR_BRANCH if they do close there on a branch that was not
 * reached, and TD_ERROR_CLOSURE_SINGULAR if y itself is singular or so near to it that
 * rounding makes G wrong by more than 1e-8, and accelerations by more than some 1e-5 (where y has
 * no coordinates of these loops, and G none of them, q by more than 1e-8). One state and a batch
 * have the same status, but at that bound itself, where rounding decides. Of a closure
 * of the options (td_closure_function) the path is its own affair; φ of the loops that it closes is
 * checked at every y. A call evaluates φ and K of a cluster at most
 * td_load_options.loop_evaluations times and once more, the search for another branch included;
 * with fewer than that needs, TD_ERROR_ASSEMBLY may stand for TD_ERROR_BRANCH. The start is the
 * model's reference until td_closure_start gives another one (q, nq, assembled after Newton's
 * method at its independent coordinates, not half a turn off; NULL: the reference again). A single
 * call also tries the last state that a single call of this workspace closed, which is nearer in a
 * control loop, and takes the start if that fails; batches use the start for every row, so that
 * rows do not depend on each other, unless td_closure_rows says otherwise. td_following
 * (workspace.h) names other choices. Errors leave the start
 * as it was: TD_ERROR_ASSEMBLY, TD_ERROR_CLOSURE_SINGULAR.
 */
TD_API td_status td_closure_start(const td_model *model, td_workspace *workspace, const double *q);

/* Where the rows of a batch start. */
typedef enum td_row_start {
    /* each from the start: rows do not depend on each other */
    TD_ROW_START_COMMON,
    /* each from the last row before it that closed, as single calls do: a path in a table; the
       first one from the start */
    TD_ROW_START_BEFORE,
    /* each from a configuration of its own */
    TD_ROW_START_GIVEN,
} td_row_start;

/* Says from where γ is followed to the rows of all batches of a workspace from now on, of a model
 * whose loops are iterated (others have nothing to follow). q (n × nq, kept by the caller, NULL but
 * for TD_ROW_START_GIVEN): a configuration with closed loops for each row, of which longer batches
 * are TD_ERROR_ARGUMENT. A row that cannot be followed from there is tried from the start, as in
 * single calls. Rows are worked on one after the other, by one thread and without lanes, so that
 * results do not depend on the number of threads: what is near takes 3 to 5 evaluations then, in
 * place of some 20 in lanes. TD_ERROR_ARGUMENT: no such kind, q is missing, or the workspace of
 * another model. */
TD_API td_status td_closure_rows(const td_model *model, td_workspace *workspace, td_row_start from,
                                 const double *q, size_t n);

/* What single calls of a workspace remember of loops: that last state, by which the rounding of the
 * next one depends on what was asked before. Where memory (nq numbers, for td_closure_recall alone)
 * is taken, and later given back, calls in between leave no trace, and the same calls have the same
 * results to the bit. td_closure_recall with NULL has them as after td_closure_start.
 *
 * td_closure_start_from is td_closure_start at what was remembered, without a search: what does not
 * close from the last state is tried from there from now on, and from no other configuration. With
 * it where a step of an integrator begins, and td_closure_recall with NULL before each of its
 * trials, the branch does not depend on where trials have been.
 *
 * Without loops that are iterated nothing is written. TD_ERROR_ARGUMENT: another NULL, or the
 * workspace of another model. */
TD_API td_status td_closure_remember(const td_model *model, td_workspace *workspace,
                                     double *memory);
TD_API td_status td_closure_recall(const td_model *model, td_workspace *workspace,
                                   const double *memory);
TD_API td_status td_closure_start_from(const td_model *model, td_workspace *workspace,
                                       const double *memory);

/* What the last single call of a workspace found of the loops. */
typedef struct td_closure_report {
    size_t size_of;    /* set by the caller: sizeof the struct (docs/abi.md) */
    td_status status;  /* TD_OK, TD_ERROR_ASSEMBLY, _CLOSURE_SINGULAR or _BRANCH; of a y that is no
                          configuration _NOT_FINITE or _QUATERNION: nothing is solved then */
    size_t loop;       /* with the largest residual where status is not TD_OK, else TD_NONE */
    double residual;   /* largest |φ|: of the solution, or the least that was reached; NaN where
                          nothing was solved */
    double reached;    /* how much of the path to y was followed: 1 where status is TD_OK */
    size_t iterations; /* evaluations of φ and K, of the cluster that took most */
    double smallest, largest; /* singular values as in td_loop_cluster, of the cluster with the
                                 largest ratio; 0 and 0 where there is none */
} td_closure_report;

/* Solves γ at y and fills the report, singular values included. Returns its status. */
TD_API td_status td_closure_examine(const td_model *model, td_workspace *workspace, const double *y,
                                    td_closure_report *report);

/* The loop that kept the last failed single call or batch row from being closed, TD_NONE for none
   (and for a NULL workspace), and the least residual that was reached (may be NULL). */
TD_API size_t td_failed_loop(const td_workspace *workspace, double *residual);

/* How much of the path from the start to y the last single call or batch row that failed could
   follow: from 0 to 1, and 1 where none has failed, and for NULL. */
TD_API double td_failed_path(const td_workspace *workspace);

/* Limits of an independent joint as its followers leave them. Infinite where nothing binds; the
   joints that bind by index, TD_NONE for none. lower > upper: no position satisfies all. effort is
   the largest force along the coordinate that overloads no joint even if all of it goes to that
   one: the smallest |α| · effort. (In a known motion, compare a follower's limit with the force
   that it takes itself, td_inverse_dynamics with TD_COORDINATES_TREE, and a motor's with its own
   effort alone.)

   Of followers by curves (curve.h) that depend on one independent joint alone: what their limits
   leave of the leader's own range may be several intervals, of which this is the one about where
   the leader starts, or the nearest to it. It is found by steps that begin with 0.001 rad or m,
   grow by 1/64 and are 1/2048 of the range at most, over 10⁴ rad or m: an excursion that is shorter
   than a step is not seen. The velocity is what the steepest place of that interval allows. Their
   efforts narrow nothing: where f' = 0 no force of the leader reaches them. */
typedef struct td_effective_limit {
    size_t size_of;
    double lower, upper;
    double velocity;
    double effort;
    size_t lower_joint, upper_joint, velocity_joint, effort_joint; /* that bind, or TD_NONE */
} td_effective_limit;

/* For the joint of that index. A fixed, dependent, planar or floating joint has none: infinite,
   TD_NONE. O(1), decided at load. */
TD_API void td_effective_limit_read(const td_model *model, size_t joint, td_effective_limit *limit,
                                    size_t size_of);

static inline td_effective_limit td_effective_limit_at(const td_model *model, size_t joint)
{
    td_effective_limit limit;
    td_effective_limit_read(model, joint, &limit, sizeof limit);
    return limit;
}

/* Independent joints whose position in y is outside their effective limits by more than rounding
   (10⁻⁹): how many there are, and the first capacity of them in joints (which may be NULL with
   capacity 0). */
TD_API size_t td_outside_limits(const td_model *model, const double *y, size_t *joints,
                                size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
