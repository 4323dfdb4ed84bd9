/* SPDX-License-Identifier: MIT */
/*
 * Inverse kinematics: finds independent coordinates y at which frames, points and the center of
 * mass of a robot reach goals. It handles mimic joints, couplings and closed loops.
 *
 *   td_ik_new          goals and options; allocates all memory
 *   td_ik_solve        solves for one set of targets
 *   td_ik_solve_rows   solves for many sets, each independently or from the previous one
 *   td_ik_solve_all    finds all distinct solutions
 *   td_ik_solve_path   solves for many sets without jumps (ik_path.h)
 *
 * Goals are either required or preferred. Required goals are reached to their tolerances. Preferred
 * goals then determine the remaining freedom by least squares. If the required goals cannot be
 * reached together, y is the nearest posture that was found. It has the least
 *
 *   Σ weight² |meters|² + turn_weight² |radians|²
 *
 * over the required goals, or over all goals if none is required.
 *
 * Independent coordinates that move never exceed their effective limits, not even by rounding.
 * Followers stay within their limits to 1e-9, relative to limits above 1 (docs/ik.md). Coordinates
 * that do not affect any goal stay at the seed, unless they free a follower or a loop that blocks
 * other coordinates. Coordinates that td_ik_options.held locks always stay. Collisions are ignored.
 *
 * Method: Levenberg-Marquardt in y, from the seed, the reference and then random configurations
 * (docs/ik.md). Options bound the work by counts, not by time, so that equal calls have equal
 * results to the bit.
 */
#ifndef TANDEM_IK_H
#define TANDEM_IK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tandem/model.h"
#include "tandem/workspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of goals, with the number of target values of each. Targets are in world axes, lengths in
   m. The frame, the point and the axis are given by the goal and fixed to its link. */
typedef enum td_ik_kind {
    TD_IK_POSE,           /* pose of the frame: x y z, qx qy qz qw (7) */
    TD_IK_POSITION,       /* position of the point: x y z (3) */
    TD_IK_ORIENTATION,    /* orientation of the frame: qx qy qz qw (4) */
    TD_IK_AXIS,           /* the axis points along a direction of any length (3) */
    TD_IK_LINE,           /* the point is on a line: a point on it, its direction (6) */
    TD_IK_PLANE,          /* the point is in a plane: a point in it, its normal (6) */
    TD_IK_DISTANCE,       /* distance of the point from other_point (1) */
    TD_IK_CENTER_OF_MASS, /* position of the center of mass of all links: x y z (3) */
    TD_IK_POSTURE,        /* y itself (ny) */
} td_ik_kind;

/* A goal. Start from td_ik_goal_default(); comments name the defaults. In an array of goals, all
   elements must have the size_of of the first one (docs/abi.md). */
typedef struct td_ik_goal {
    size_t size_of;        /* set by the initializer */
    td_ik_kind kind;       /* determines the meaning of its target */
    bool required;         /* default true; false: preferred */
    size_t link;           /* index; ignored for TD_IK_CENTER_OF_MASS and TD_IK_POSTURE */
    double point[3];       /* in link coordinates, m; default 0 0 0 */
    double turn[4];        /* orientation of the frame in the link: qx qy qz qw; default 0 0 0 1 */
    double axis[3];        /* TD_IK_AXIS: in link coordinates, of any length; default 0 0 1 */
    size_t other_link;     /* TD_IK_DISTANCE: index, or TD_NONE (default) for the world */
    double other_point[3]; /* TD_IK_DISTANCE: in coordinates of other_link, m; default 0 0 0 */
    double weight;      /* of the residual in m; default 1. With 0, this part and its tolerance are
                           ignored */
    double turn_weight; /* the same for the residual in rad */
    double tolerance;   /* m; default 1e-6 */
    double turn_tolerance; /* rad; default 1e-6 */
} td_ik_goal;

static inline td_ik_goal td_ik_goal_default(td_ik_kind kind, size_t link)
{
    TD_SIZED(td_ik_goal, goal);
    goal.kind = kind;
    goal.required = true;
    goal.link = link;
    goal.turn[3] = 1;
    goal.axis[2] = 1;
    goal.other_link = TD_NONE;
    goal.weight = goal.turn_weight = 1;
    goal.tolerance = goal.turn_tolerance = 1e-6;
    return goal;
}

/* Options of the search. Start from td_ik_options_default(). */
typedef struct td_ik_options {
    size_t size_of; /* set by the initializer */
    /* default 4000: the search begins no new start after it has evaluated this number of postures.
       A posture at which loops do not close counts as 20. Work at the end, for the best start and
       for preferred goals, is additional. */
    size_t evaluations;
    size_t iterations; /* default 60: steps per start. If no start reaches the goals, the best one
                          continues for the same number of steps */
    size_t restarts;   /* default 150: number of random starts */
    uint64_t random;   /* default 0: seed of the random configurations */
    /* default NULL: none. One byte per entry of ẏ: nonzero locks the coordinate at the seed. Bytes
       of a joint with a quaternion must agree. Copied. */
    const unsigned char *held;
} td_ik_options;

static inline td_ik_options td_ik_options_default(void)
{
    TD_SIZED(td_ik_options, options);
    options.evaluations = 4000;
    options.iterations = 60;
    options.restarts = 150;
    return options;
}

/* Opaque: goals on a robot, and the memory to solve for them repeatedly. It must not be used by two
   threads at once. The model must outlive it. */
typedef struct td_ik td_ik;

/* Allocates an inverse kinematics problem. goals has goal_count elements; options may be NULL for
   the defaults.

   TD_ERROR_ARGUMENT: a NULL argument; no goals; an unknown kind or a link out of range; a turn that
   is not a unit quaternion to 1e-6; an axis of length 0; a weight or tolerance that is negative or
   not finite; bytes of held that do not agree. TD_ERROR_MEMORY. *ik is NULL after an error. */
TD_API td_status td_ik_new(const td_model *model, const td_ik_goal *goals, size_t goal_count,
                           const td_ik_options *options, td_ik **ik);
/* Frees a problem. NULL is allowed. */
TD_API void td_ik_free(td_ik *ik);

/* Copies a problem with separate memory, for another thread. Both problems have equal results, to
   the bit. No other call may use ik meanwhile. TD_ERROR_ARGUMENT: ik or copy is NULL.
   TD_ERROR_MEMORY. */
TD_API td_status td_ik_clone(const td_ik *ik, td_ik **copy);

/* td_ik_target_count returns the number of target values of all goals, which targets lists goal by
   goal. td_ik_goal_count returns the number of goals. Both return 0 for NULL. */
TD_API size_t td_ik_target_count(const td_ik *ik);
TD_API size_t td_ik_goal_count(const td_ik *ik);

/* The outcome of a call. */
typedef enum td_ik_status {
    TD_IK_STATUS_REACHED, /* all required goals are within their tolerances; all goals if none is
                             required */
    TD_IK_STATUS_NEAREST, /* not reached; y is the nearest posture that was found */
    TD_IK_STATUS_OPEN,    /* no posture with closed loops and within limits was found; y is NaN */
} td_ik_status;

/* The outcome of a call and its work. */
typedef struct td_ik_result {
    size_t size_of;      /* set by the caller: sizeof the struct (docs/abi.md) */
    td_ik_status status; /* reached, nearest or open */
    size_t iterations;   /* steps over all starts */
    size_t evaluations;  /* postures; a posture with open loops counts as 20 */
    size_t starts;       /* number of starts */
} td_ik_result;

/* Finds y for one set of targets.

     ik         goals and options
     workspace  of the model, not in a chart (chart.h); its start and last state do not change
     targets    td_ik_target_count numbers
     seed       ny: where the search begins; NULL: the reference
     y          ny
     residuals  goals × 2: remaining error of each goal in m and rad, not weighted; may be NULL
     result     outcome and work; may be NULL

   A moving coordinate of the seed that is outside its limits begins at the limit. If followers are
   outside theirs, the search begins at a posture where they are inside. A joint that may make whole
   turns, and that no joint follows, ends at the angle nearest to the seed.

   Loops are followed from the start of the workspace (td_closure_start). td_ik_q returns q = γ(y).
   Pass it to td_closure_start to make later calls close the loops in the same way.

   A goal that is not reached is not an error: result->status reports it. With TD_IK_STATUS_OPEN
   residuals are NaN like y.

   TD_ERROR_ARGUMENT: a NULL argument, a direction or normal of length 0, a negative distance, a
   workspace in a chart, or an invalid result->size_of. TD_ERROR_NOT_FINITE, TD_ERROR_QUATERNION:
   targets or seed are invalid (workspace.h). After an error y, residuals and td_ik_q are NaN. With
   a NULL argument or an invalid size_of, nothing is written.

   Does not allocate. Cost: O(evaluations · (joints + (rows + coordinates)³)). Active limits
   increase this by a factor of up to coordinates + followers. */
TD_API td_status td_ik_solve(td_ik *ik, td_workspace *workspace, const double *targets,
                             const double *seed, double *y, double *residuals,
                             td_ik_result *result);

/* Returns q (nq) of the last call, in memory of ik. It is NaN if the call found no posture, and
   before the first call. */
TD_API const double *td_ik_q(const td_ik *ik);

/* The seeds of td_ik_solve_rows. */
typedef enum td_ik_seeds {
    TD_IK_SEEDS_ALL,    /* seeds is one y (ny) for all rows; NULL: the reference */
    TD_IK_SEEDS_ROWS,   /* seeds is n × ny */
    TD_IK_SEEDS_BEFORE, /* seeds as in TD_IK_SEEDS_ALL until a row is reached; after that the last
                           row that was reached */
} td_ik_seeds;

/* Calls td_ik_solve for each of n rows of targets.

     ik         goals and options
     workspace  as in td_ik_solve
     n          number of rows
     targets    n × td_ik_target_count
     from       how seeds is used
     seeds      see td_ik_seeds
     y          n × ny
     residuals  n × goals × 2; may be NULL
     results    n elements, all with the size_of of the first one; may be NULL

   Returns the status of the first row that fails. Rows that fail are NaN; all others are solved.
   An unknown from is TD_ERROR_ARGUMENT. */
TD_API td_status td_ik_solve_rows(td_ik *ik, td_workspace *workspace, size_t n,
                                  const double *targets, td_ik_seeds from, const double *seeds,
                                  double *y, double *residuals, td_ik_result *results);

/* ---- all solutions --------------------------------------------------------------------------- */

/* Options of td_ik_solve_all. Start from td_ik_all_options_default(). */
typedef struct td_ik_all_options {
    size_t size_of;  /* set by the initializer */
    double distance; /* default 0.01 rad or m: solutions are the same if no coordinate differs by
                        more. Whole turns, of joints that may make them, are not a difference */
    bool turns; /* default false; true: whole turns within limits are separate solutions, up to 16
                   to each side of the seed. If y cannot store all of them, solutions near the seed
                   may be missing */
    size_t starts; /* default 2000: maximum number of starts */
    /* default 100: the search ends after this number of starts without a new solution */
    size_t idle;
} td_ik_all_options;

static inline td_ik_all_options td_ik_all_options_default(void)
{
    TD_SIZED(td_ik_all_options, options);
    options.distance = 0.01;
    options.starts = 2000;
    options.idle = 100;
    return options;
}

/* Finds all distinct solutions for one set of targets, sorted by their distance from the seed.

     ik         goals and options
     workspace  as in td_ik_solve
     targets    td_ik_target_count numbers
     seed       ny; NULL: the reference
     options    NULL: the defaults
     most       maximum number of solutions to store
     y          most × ny
     q          most × nq; may be NULL
     residuals  most × goals × 2; may be NULL
     count      receives the number of solutions; 0 after an error
     result     TD_IK_STATUS_REACHED, or TD_IK_STATUS_NEAREST without a solution; may be NULL

   The first *count rows of the arrays are written. The search also ends when y is full. It uses
   random starts: each row is a solution, and the list is probably but not certainly complete. An
   arm with six joints has up to 16 solutions.

   If a robot has more coordinates than its goals determine, solutions form continuous families. The
   function then returns members that are at least distance apart. Within the families, preferred
   goals select the members that satisfy them best.

   td_ik_q is NaN after the call. A distance that is not positive is TD_ERROR_ARGUMENT. Other
   statuses, and everything else, as in td_ik_solve. */
TD_API td_status td_ik_solve_all(td_ik *ik, td_workspace *workspace, const double *targets,
                                 const double *seed, const td_ik_all_options *options, size_t most,
                                 double *y, double *q, double *residuals, size_t *count,
                                 td_ik_result *result);

#ifdef __cplusplus
}
#endif
#endif
