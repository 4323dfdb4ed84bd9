/* SPDX-License-Identifier: MIT */
/*
 * Differential inverse kinematics: the ẏ at which frames, points and the centre of mass of a robot
 * move as goals want them to, within bounds of positions, velocities and accelerations of all
 * joints, those that follow others by mimic, couplings, curves or loops included.
 *
 * Goals are those of ik.h; at each call they have velocities in place of targets. What counts, in
 * this order:
 *
 *   1. bounds of independent coordinates, then those of joints that follow, by least squares
 *   2. required goals, by least squares of Σ weight² |m/s|² + turn_weight² |rad/s|²
 *   3. wished goals in what these leave, likewise, with a little damping; without any, least |ẏ|²
 *
 * Where none is required, the wished ones take the place of required ones. A later one never takes
 * anything from an earlier one. Near singular postures required velocities are damped along the
 * directions that the robot all but lost, and along no others (docs/ik.md).
 *
 *   td_ik_rate_new        goals and options, and all memory
 *   td_ik_rate_solve      one set of velocities
 *
 * Collisions are not looked at.
 */
#ifndef TANDEM_IK_RATE_H
#define TANDEM_IK_RATE_H

#include "tandem/ik.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_ik_rate_options {
    size_t size_of; /* set by the initialiser */
    double step;    /* s: how long ẏ is kept, over which bounds are to hold; 0.01 */
    double damping; /* of required goals: smaller singular values of their Jacobian than this part
                       of the largest are damped, so that |ẏ| has no more of a velocity than
                       1.16 / (damping · the largest); 0.01. 0: none but what rounding needs,
                       1e-6, and |ẏ| as bounds let it */
    double wish_damping; /* of wished ones, in parts of the longest column of their Jacobian; 0.001;
                            > 0 */
    const double *velocities; /* nv: largest |q̇|, ≥ 0, may be infinite; NULL: the limits of the
                                 robot, where it has any above 0. Copied, as the next */
    const double *accelerations; /* nv: largest |q̈|, > 0, may be infinite; NULL: none */
    const unsigned char *held;   /* as of td_ik_options: ẏ is 0 there */
} td_ik_rate_options;

static inline td_ik_rate_options td_ik_rate_options_default(void)
{
    TD_SIZED(td_ik_rate_options, options);
    options.step = 0.01;
    options.damping = 0.01;
    options.wish_damping = 0.001;
    return options;
}

/* Goals on a robot and memory, for one thread at a time. The model must outlive it. */
typedef struct td_ik_rate td_ik_rate;

/* options NULL: defaults. TD_ERROR_ARGUMENT: as td_ik_new; a step that is not positive and finite,
   a damping that is negative or ≥ 1, bounds that are negative or NaN. TD_ERROR_MEMORY. *rate is
   NULL then. tolerances of goals are m/s and rad/s here. */
TD_API td_status td_ik_rate_new(const td_model *model, const td_ik_goal *goals, size_t goal_count,
                                const td_ik_rate_options *options, td_ik_rate **rate);
TD_API void td_ik_rate_free(td_ik_rate *rate);

/* How many numbers the velocities of all goals have, one goal after the other, in world axes; 0 for
   NULL:

     TD_IK_POSE             v of the frame's origin, ω (6)
     TD_IK_POSITION         v of the point (3)
     TD_IK_ORIENTATION      ω (3)
     TD_IK_AXIS             ω (3), of which what is along the axis does not count
     TD_IK_LINE             v of the point, a direction along which it does not count (6)
     TD_IK_PLANE            v of the point, a normal along which alone it counts (6)
     TD_IK_DISTANCE         the rate of the distance (1); of points at one place along x
     TD_IK_CENTER_OF_MASS   its velocity (3)
     TD_IK_POSTURE          ẏ (nyd)  */
TD_API size_t td_ik_rate_velocity_count(const td_ik_rate *rate);

typedef enum td_ik_rate_status {
    /* all required goals to their tolerances; all, where none is required */
    TD_IK_RATE_STATUS_REACHED,
    /* not so: bounds, damping, or no such motion of the robot: the nearest */
    TD_IK_RATE_STATUS_NEAREST,
    /* bounds contradict each other: ẏ violates them least */
    TD_IK_RATE_STATUS_BEYOND,
} td_ik_rate_status;

typedef struct td_ik_rate_result {
    size_t size_of;           /* set by the caller: sizeof the struct (docs/abi.md) */
    td_ik_rate_status status; /* whether bounds and goals are kept */
    size_t steps;             /* bounds that were taken up and left on the way */
    double
        smallest; /* singular values of the Jacobian of required goals, with their weights, over */
    double largest; /* what moves: the smallest of those that are not zero everywhere */
} td_ik_rate_result;

/* ẏ (yd, nyd) at y (ny) for velocities (td_ik_rate_velocity_count). before (nyd): ẏ until now, from
   which accelerations count; NULL: they do not. For a step of h seconds bounds are

     positions      q + h q̇ within its limits, to first order where a joint follows by a curve or a
                    loop; what is outside comes back as quick as velocities let it. With a bound of
                    its acceleration no joint is faster than it can stop before its limit, in steps
     velocities     |q̇|
     accelerations  |(G (ẏ − before) / h + Ġ before)|

   residuals (goals × 2, may be NULL): of each goal what is left, m/s and rad/s, not weighted.
   active (nv, may be NULL): which bounds hold q̇, −1 a lower and 1 an upper one, 0 none; where it is
   given it says before the call which held last (0: none), which are looked at first: the result is
   the same to rounding, sooner. After an error it is what it was. Coordinates that move nothing of
   what goals speak of have ẏ = 0, or the nearest that bounds allow, unless they free a follower at
   its bound. result may be NULL.

   A robot with loops is followed from the start of the workspace, which stays as it was; where
   loops do not close at y, or are singular there, the status is theirs. TD_ERROR_ARGUMENT: NULL, a
   direction or normal of no length, a workspace in a chart, results that cannot be written;
   TD_ERROR_NOT_FINITE, TD_ERROR_QUATERNION: of y, before or velocities. yd and residuals are NaN
   then, but for arguments that are NULL, with which nothing is written. No memory is taken. Equal
   calls have equal results, to the bit. O(joints + (rows + coordinates + followers)³ + coordinates²
   · steps). */
TD_API td_status td_ik_rate_solve(td_ik_rate *rate, td_workspace *workspace, const double *y,
                                  const double *before, const double *velocities, double *yd,
                                  double *residuals, signed char *active,
                                  td_ik_rate_result *result);

#ifdef __cplusplus
}
#endif
#endif
