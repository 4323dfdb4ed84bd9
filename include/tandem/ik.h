/* SPDX-License-Identifier: MIT */
/*
 * Inverse kinematics in independent coordinates: the y at which frames, points and the centre of
 * mass of a robot are where goals want them, mimic joints, couplings and closed loops included.
 *
 * Goals are given when the object is made, their targets at each call. Required goals are reached
 * to their tolerances; what they leave free, wished ones decide by least squares. Where required
 * goals cannot be reached together, y is the nearest posture that was found: of least
 *
 *   Σ weight² |metres|² + turn_weight² |radians|²
 *
 * of the required goals, or of all where none is required. Coordinates that move keep the effective
 * limits of independent joints, not even passing them by rounding, and keep followers within theirs
 * to 1e-9, relative above 1 (docs/ik.md). Those that move nothing of what goals speak of stay where
 * the seed has them, unless they free a follower or a loop that keeps others from moving; so do
 * held ones in any case. Collisions are not looked at.
 *
 *   td_ik_new             goals and options, and all memory
 *   td_ik_solve           one set of targets
 *   td_ik_solve_rows      many, each by itself or from the row before
 *   td_ik_solve_all       all solutions that are apart
 *   td_ik_solve_path      many, without jumps: ik_path.h
 *
 * Levenberg's and Marquardt's method in y from the seed, from the reference, then from random
 * configurations: docs/ik.md. There is no clock: equal calls have equal results, to the bit, and
 * options bound the work of each.
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

/* What a goal speaks of, and the numbers of its target, lengths in m, in world axes. The frame, the
   point and the axis are those of the goal, fixed to its link. */
typedef enum td_ik_kind {
    TD_IK_POSE,           /* of the frame: x y z, qx qy qz qw (7) */
    TD_IK_POSITION,       /* of the point: x y z (3) */
    TD_IK_ORIENTATION,    /* of the frame: qx qy qz qw (4) */
    TD_IK_AXIS,           /* points along a direction of any length (3) */
    TD_IK_LINE,           /* the point is on a line: a point of it, its direction (6) */
    TD_IK_PLANE,          /* the point is in a plane: a point of it, its normal (6) */
    TD_IK_DISTANCE,       /* of the point from other_point (1) */
    TD_IK_CENTER_OF_MASS, /* of all links: x y z (3) */
    TD_IK_POSTURE,        /* y itself (ny) */
} td_ik_kind;

/* One goal. Start from td_ik_goal_default(). The elements of an array are as long as the first one
   says (docs/abi.md). */
typedef struct td_ik_goal {
    size_t size_of;        /* set by the initialiser */
    td_ik_kind kind;       /* what it asks for */
    bool required;         /* true; false: wished for */
    size_t link;           /* index; not of TD_IK_CENTER_OF_MASS and TD_IK_POSTURE */
    double point[3];       /* in the link's coordinates; 0 */
    double turn[4];        /* of the frame against the link: qx qy qz qw; 0 0 0 1 */
    double axis[3];        /* of TD_IK_AXIS, in the link's coordinates, of any length; 0 0 1 */
    size_t other_link;     /* of TD_IK_DISTANCE; TD_NONE: the world */
    double other_point[3]; /* in the coordinates of that; 0 */
    double weight;         /* of a metre of its residual; 1; 0 leaves it out, the tolerance too */
    double turn_weight;    /* of a radian, likewise; 1 */
    double tolerance;      /* m; 1e-6 */
    double turn_tolerance; /* rad; 1e-6 */
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

typedef struct td_ik_options {
    size_t size_of;            /* set by the initialiser */
    size_t evaluations;        /* no start begins once a call has looked at so many postures; 4000.
                                  Loops that do not close at a posture count as 20. What the best
                                  start and wishes take at the end comes on top */
    size_t iterations;         /* of each start; 60. Where the goals are not reached, the best start
                                  goes on for as many again */
    size_t restarts;           /* random ones; 150 */
    uint64_t random;           /* which random configurations; 0 */
    const unsigned char *held; /* bytes per entry of ẏ, ≠ 0 where the coordinate stays as the seed
                                  has it; those of a joint with a quaternion must agree; NULL: none.
                                  Copied */
} td_ik_options;

static inline td_ik_options td_ik_options_default(void)
{
    TD_SIZED(td_ik_options, options);
    options.evaluations = 4000;
    options.iterations = 60;
    options.restarts = 150;
    return options;
}

/* Goals on a robot, and the memory to solve for them again and again. One thread at a time may use
   it. The model must outlive it. */
typedef struct td_ik td_ik;

/* options NULL: defaults. TD_ERROR_ARGUMENT: NULL, no goal, a kind or link that there is none of, a
   turn that is no unit quaternion (to 1e-6) or an axis of no length; a weight or tolerance that is
   negative or not finite; held coordinates that do not agree. TD_ERROR_MEMORY. *ik is NULL then. */
TD_API td_status td_ik_new(const td_model *model, const td_ik_goal *goals, size_t goal_count,
                           const td_ik_options *options, td_ik **ik);
TD_API void td_ik_free(td_ik *ik);

/* The same goals and options once more, with memory of its own, for another thread: what both find
   is the same, to the bit. It takes the time of a copy, in which no other call may use ik.
   TD_ERROR_ARGUMENT: NULL; TD_ERROR_MEMORY. */
TD_API td_status td_ik_clone(const td_ik *ik, td_ik **copy);

/* How many numbers the targets of all goals have, one goal after the other; 0 for NULL. */
TD_API size_t td_ik_target_count(const td_ik *ik);
TD_API size_t td_ik_goal_count(const td_ik *ik);

/* How a call ended. */
typedef enum td_ik_status {
    TD_IK_STATUS_REACHED, /* all required goals to their tolerances; all goals, where none is
                             required */
    TD_IK_STATUS_NEAREST, /* not so: the nearest posture that was found */
    TD_IK_STATUS_OPEN,    /* no posture with closed loops and within limits was found; y is NaN */
} td_ik_status;

typedef struct td_ik_result {
    size_t size_of;      /* set by the caller: sizeof the struct (docs/abi.md) */
    td_ik_status status; /* reached, nearest, or why nothing was done */
    size_t iterations;   /* steps that were taken, over all starts */
    size_t evaluations;  /* postures that were looked at; those where loops do not close count 20 */
    size_t starts;       /* how many starts there were */
} td_ik_result;

/* y (ny) for targets (td_ik_target_count) from a seed (ny; NULL: the reference). Positions of the
   seed that move and are outside their limits begin at these, and where followers are outside
   theirs, at a posture where they are not. residuals (goals × 2, may be NULL): of each goal what is
   left in m and in rad, not weighted, whichever status there is; NaN where y is. result may be
   NULL. A robot with loops is followed from the start of the workspace (td_closure_start), which
   stays as it was; td_ik_q has the configuration q = γ(y) that was found, from which
   td_closure_start takes the same closing of the loops.

   Angles of joints that nothing follows are those of all their turns within the limits that are
   nearest to the seed. TD_ERROR_ARGUMENT: NULL, a direction or normal of no length, a negative
   distance, a workspace in a chart (chart.h), or results that cannot be written (docs/abi.md);
   TD_ERROR_NOT_FINITE, TD_ERROR_QUATERNION: of targets or seed. y, residuals and td_ik_q are NaN
   after these, but for arguments that are NULL, with which nothing is written. A goal that is not
   reached is no error: result.status says so. No memory is taken. O(evaluations · (joints + (rows +
   coordinates)³)), and where limits act up to coordinates and followers times that. */
TD_API td_status td_ik_solve(td_ik *ik, td_workspace *workspace, const double *targets,
                             const double *seed, double *y, double *residuals,
                             td_ik_result *result);

/* q (nq) of the last call; NaN where it found none, and before the first. */
TD_API const double *td_ik_q(const td_ik *ik);

/* Where the rows of td_ik_solve_rows begin. */
typedef enum td_ik_seeds {
    TD_IK_SEEDS_ALL,    /* seeds is one y (ny; NULL: the reference) for all rows */
    TD_IK_SEEDS_ROWS,   /* seeds is n × ny */
    TD_IK_SEEDS_BEFORE, /* the first row as TD_IK_SEEDS_ALL, each other one from the last row before
                          it that was reached */
} td_ik_seeds;

/* n rows of targets, one after the other: y n × ny, residuals n × goals × 2 (may be NULL), results
   n (may be NULL; the size_of of the first one counts). Each row is what td_ik_solve finds. Rows
   with an error are NaN, and the first error is the status; the others are solved all the same. */
TD_API td_status td_ik_solve_rows(td_ik *ik, td_workspace *workspace, size_t n,
                                  const double *targets, td_ik_seeds from, const double *seeds,
                                  double *y, double *residuals, td_ik_result *results);

/* ---- all solutions --------------------------------------------------------------------------- */

typedef struct td_ik_all_options {
    size_t size_of;  /* set by the initialiser */
    double distance; /* two solutions are one where no coordinate differs by more (rad or m), whole
                        turns of joints that may make them not counting; 0.01 */
    bool turns;    /* whole turns within limits make other solutions, up to 16 to either side of the
                      seed; where there is no room for all, some that are near may be left out;
                      false */
    size_t starts; /* at most; 2000 */
    size_t idle;   /* the search ends after so many starts without a new one; 100 */
} td_ik_all_options;

static inline td_ik_all_options td_ik_all_options_default(void)
{
    TD_SIZED(td_ik_all_options, options);
    options.distance = 0.01;
    options.starts = 2000;
    options.idle = 100;
    return options;
}

/* All solutions that are found: y most × ny, of which *count rows are written, the nearest to the
   seed first; q (most × nq, may be NULL) and residuals (most × goals × 2, may be NULL) likewise.
   The search ends when there are most, too, and is one of random starts: what is found is a
   solution, but that these are all is likely, not certain. An arm of six joints has up to 16. A
   robot with more coordinates than its goals bind has families: members that are far enough apart
   then, as many as there is room for; wished goals decide within them, and what is left are their
   minima.

   Errors and what else there is to say: as td_ik_solve; *count is 0 after one, and rows are
   nothing. No solution: *count is 0. options NULL: defaults; TD_ERROR_ARGUMENT: a distance that is
   not positive. result (may be NULL) is TD_IK_STATUS_REACHED or TD_IK_STATUS_NEAREST, the latter
   without a solution. td_ik_q is spoiled. */
TD_API td_status td_ik_solve_all(td_ik *ik, td_workspace *workspace, const double *targets,
                                 const double *seed, const td_ik_all_options *options, size_t most,
                                 double *y, double *q, double *residuals, size_t *count,
                                 td_ik_result *result);

#ifdef __cplusplus
}
#endif
#endif
