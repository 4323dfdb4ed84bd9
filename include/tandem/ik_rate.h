/* SPDX-License-Identifier: MIT */
/*
 * Differential inverse kinematics: finds the ẏ at which frames, points and the center of mass of a
 * robot move with given velocities. Positions, velocities and accelerations of all joints can be
 * bounded, including joints that follow others through mimic, couplings, curves or loops.
 *
 *   td_ik_rate_new     goals and options; allocates all memory
 *   td_ik_rate_solve   solves for one set of velocities
 *
 * Goals are defined as in ik.h, with velocities in place of targets. The priorities are:
 *
 *   1. bounds of independent coordinates, then bounds of followers in the least-squares sense
 *   2. required goals: least squares of Σ weight² |m/s|² + turn_weight² |rad/s|²
 *   3. preferred goals: the same in the remaining freedom, with slight damping; without preferred
 *      goals, the least |ẏ|²
 *
 * A lower priority never degrades a higher one. If no goal is required, preferred goals take their
 * place. Near singular postures, required velocities are damped only along the directions in which
 * the robot can hardly move (docs/ik.md). Collisions are ignored.
 */
#ifndef TANDEM_IK_RATE_H
#define TANDEM_IK_RATE_H

#include "tandem/ik.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options of differential inverse kinematics. Start from td_ik_rate_options_default(). */
typedef struct td_ik_rate_options {
    size_t size_of; /* set by the initializer */
    /* default 0.01 s, positive: the time for which ẏ is applied, and over which bounds hold */
    double step;
    /* default 0.01, at least 0 and below 1: singular values of the Jacobian of the required goals
       are damped below this fraction d of the largest one, σ. A velocity v then contributes at most
       1.16 v / (d σ) to |ẏ|. With 0 there is only a damping of 1e-6 against rounding errors, and
       bounds alone limit |ẏ|.
     */
    double damping;
    /* default 0.001, between 0 and 1: damping of the preferred goals, relative to the longest
       column of their Jacobian */
    double wish_damping;
    /* nv: bounds on |q̇|, at least 0, may be infinite; default NULL: the positive velocity limits
       of the robot. Copied */
    const double *velocities;
    /* nv: bounds on |q̈|, positive, may be infinite; default NULL: none. Copied */
    const double *accelerations;
    const unsigned char *held; /* as in td_ik_options: locked coordinates have ẏ = 0 */
} td_ik_rate_options;

static inline td_ik_rate_options td_ik_rate_options_default(void)
{
    TD_SIZED(td_ik_rate_options, options);
    options.step = 0.01;
    options.damping = 0.01;
    options.wish_damping = 0.001;
    return options;
}

/* Opaque: goals on a robot, and memory. It must not be used by two threads at once. The model must
   outlive it. */
typedef struct td_ik_rate td_ik_rate;

/* Allocates a problem. goals has goal_count elements, whose tolerances are in m/s and rad/s here.
   If options is NULL, the defaults apply.

   TD_ERROR_ARGUMENT: as in td_ik_new; a step that is not positive and finite; a damping or a bound
   out of range. TD_ERROR_MEMORY. *rate is NULL after an error. */
TD_API td_status td_ik_rate_new(const td_model *model, const td_ik_goal *goals, size_t goal_count,
                                const td_ik_rate_options *options, td_ik_rate **rate);
/* Frees a problem. NULL is allowed. */
TD_API void td_ik_rate_free(td_ik_rate *rate);

/* Returns the number of velocity values of all goals; 0 for NULL. They are listed goal by goal, in
   world axes (v in m/s, ω in rad/s):

     TD_IK_POSE             v of the frame's origin, ω (6)
     TD_IK_POSITION         v of the point (3)
     TD_IK_ORIENTATION      ω (3)
     TD_IK_AXIS             ω (3); its component along the axis is ignored
     TD_IK_LINE             v of the point, a direction (6); v along the direction is ignored
     TD_IK_PLANE            v of the point, a normal (6); only v along the normal is used
     TD_IK_DISTANCE         rate of the distance (1); for coincident points it acts along x
     TD_IK_CENTER_OF_MASS   v of the center of mass (3)
     TD_IK_POSTURE          ẏ (nyd) */
TD_API size_t td_ik_rate_velocity_count(const td_ik_rate *rate);

/* The outcome of a call. */
typedef enum td_ik_rate_status {
    /* all required goals are within their tolerances; all goals if none is required */
    TD_IK_RATE_STATUS_REACHED,
    /* not reached because of bounds, damping or the robot's kinematics; ẏ is the nearest */
    TD_IK_RATE_STATUS_NEAREST,
    /* bounds contradict each other; ẏ violates them least */
    TD_IK_RATE_STATUS_BEYOND,
} td_ik_rate_status;

/* The outcome of a call and its work. */
typedef struct td_ik_rate_result {
    size_t size_of;           /* set by the caller: sizeof the struct (docs/abi.md) */
    td_ik_rate_status status; /* reached, nearest or beyond */
    size_t steps;             /* bounds added to and dropped from the active set */
    double smallest; /* smallest singular value of the weighted Jacobian of the required goals over
                        the moving coordinates, except values that are zero at every posture; NaN
                        after an error */
    double largest;  /* its largest singular value; NaN after an error */
} td_ik_rate_result;

/* Finds ẏ for one set of velocities.

     rate        goals and options
     workspace   of the model, not in a chart (chart.h); its start and last state do not change
     y           ny
     before      nyd: the current ẏ, for bounds on accelerations; NULL: these are ignored
     velocities  td_ik_rate_velocity_count numbers
     yd          nyd: ẏ
     residuals   goals × 2: remaining error of each goal in m/s and rad/s, not weighted; may be NULL
     active      nv: which bound of q̇ is active, −1 lower, 1 upper, 0 none; may be NULL. Pass the
                 values of the last call, or zeros: a good guess saves time and changes the result
                 only by rounding. Not modified after an error
     result      outcome and work; may be NULL

   The bounds over a step of h seconds are:

     positions      q + h q̇ within limits, to first order for followers of curves and loops. A joint
                    outside its limits returns in one step, or as fast as its velocity bound allows.
                    With a bound on its acceleration, a joint is also slow enough to stop before its
                    limit
     velocities     |q̇|
     accelerations  |G (ẏ − before) / h + Ġ before|

   Coordinates that do not affect any goal have ẏ = 0, or the value nearest to 0 that bounds allow,
   unless they free a follower at its bound.

   Loops are followed from the start of the workspace. If they do not close at y or are singular
   there, the status is as in td_closure. TD_ERROR_ARGUMENT: a NULL argument, a direction or normal
   of length 0, a workspace in a chart, or an invalid result->size_of. TD_ERROR_NOT_FINITE,
   TD_ERROR_QUATERNION: y, before or velocities are invalid (workspace.h). After an error yd and
   residuals are NaN. With a NULL argument or an invalid size_of, nothing is written.

   Does not allocate. Equal calls have equal results to the bit. Cost: O(joints + (rows +
   coordinates + followers)³ + coordinates² · steps). */
TD_API td_status td_ik_rate_solve(td_ik_rate *rate, td_workspace *workspace, const double *y,
                                  const double *before, const double *velocities, double *yd,
                                  double *residuals, signed char *active,
                                  td_ik_rate_result *result);

#ifdef __cplusplus
}
#endif
#endif
