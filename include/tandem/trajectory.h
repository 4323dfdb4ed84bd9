/* SPDX-License-Identifier: MIT */
/*
 * Trajectories: n coordinates as functions of time, with velocities and accelerations. A trajectory
 * is a move between two points or a curve through several points. It can be slowed down until it
 * respects the limits of a robot. These functions are part of libtandem-simulation.
 *
 * The coordinates can be the joint coordinates y of a robot, or any other numbers. Arrays of points
 * have one row per point: points × n, row-major. Only td_trajectory_scale and td_trajectory_turn
 * modify a trajectory, so threads may share it.
 *
 * Quaternions are four numbers like others: a curve p(t) through them stands for the rotation with
 * the unit quaternion p/|p| (td_trajectory_state). It has as many continuous derivatives as p. It
 * does not depend on the frames in which the rotation is expressed, because changing a frame
 * multiplies p by an orthogonal matrix, and curves are linear in their points. Rows must be aligned
 * (td_align_quaternions), and consecutive ones differ by less than half a turn.
 *
 * Sources: Biagiotti and Melchiorri, Trajectory Planning for Automatic Machines and Robots, 2008
 * (profiles: 2.1, 2.2, 3.2, 3.4; splines: 4.4, 4.5, B); de Boor, A Practical Guide to Splines, 1978
 * (B-splines, knots).
 */
#ifndef TANDEM_TRAJECTORY_H
#define TANDEM_TRAJECTORY_H

#include "tandem/dynamics.h"
#include "tandem/workspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opaque: a piecewise polynomial of time for each coordinate. */
typedef struct td_trajectory td_trajectory;

/* Frees a trajectory. NULL is allowed. */
TD_API void td_trajectory_free(td_trajectory *trajectory);

/* ---- moves ----------------------------------------------------------------------------------- */

/* The position p(s) of a move from rest at p = 0 to rest at p = 1, over the time s = 0 to 1. */
typedef enum td_profile {
    TD_PROFILE_CUBIC,        /* 3 s² − 2 s³: acceleration jumps at the ends */
    TD_PROFILE_MINIMUM_JERK, /* 10 s³ − 15 s⁴ + 6 s⁵: minimizes ∫ jerk² (Flash and Hogan 1985) */
    TD_PROFILE_SEPTIC,  /* 35 s⁴ − 84 s⁵ + 70 s⁶ − 20 s⁷: zero jerk at the ends */
    TD_PROFILE_CYCLOID, /* s − sin(2 π s) / (2 π) */
} td_profile;

/* Makes a move between two points in a given time. All coordinates follow the same profile. The
   move begins at t = 0.

     n           number of coordinates, at least 1
     from, to    n each
     profile     the shape of the move
     duration    s, positive
     trajectory  receives the trajectory; NULL after an error

   TD_ERROR_ARGUMENT: an argument is NULL or out of range. TD_ERROR_NOT_FINITE: from or to has a NaN
   or an infinity. TD_ERROR_MEMORY. The other functions that make trajectories share these statuses.
 */
TD_API td_status td_trajectory_move(size_t n, const double *from, const double *to,
                                    td_profile profile, double duration,
                                    td_trajectory **trajectory);

/* Makes a polynomial that has given values and derivatives at both ends. It begins at t = 0.

     n         number of coordinates, at least 1
     degree    3, 5 or 7
     from, to  (degree + 1) / 2 rows × n: values, velocities, accelerations and jerks, as many as
               the degree needs
     duration  s, positive */
TD_API td_status td_trajectory_polynomial(size_t n, size_t degree, const double *from,
                                          const double *to, double duration,
                                          td_trajectory **trajectory);

/* Makes the fastest straight move from rest to rest within limits. It begins at t = 0. The velocity
   is a trapezoid; with a jerk limit, the acceleration is trapezoidal too (seven pieces). If from
   equals to, the move takes no time.

     n             number of coordinates, at least 1
     from, to      n each
     velocity      n, positive: largest velocities
     acceleration  n, positive: largest accelerations
     jerk          n, positive: largest jerks; NULL: no limit

   A limit that is infinite or NaN is TD_ERROR_ARGUMENT. */
TD_API td_status td_trajectory_limited(size_t n, const double *from, const double *to,
                                       const double *velocity, const double *acceleration,
                                       const double *jerk, td_trajectory **trajectory);

/* ---- curves through points ------------------------------------------------------------------- */

/* The end conditions of a spline. */
typedef enum td_spline_kind {
    TD_SPLINE_NOT_A_KNOT, /* the outer pieces share one polynomial with their neighbors */
    TD_SPLINE_CLAMPED,    /* the derivatives at the ends are given */
    TD_SPLINE_PERIODIC,   /* all derivatives agree at the ends; the last point equals the first */
    TD_SPLINE_B, /* no end conditions: a B-spline; each inner knot is the mean of degree consecutive
                    times t */
} td_spline_kind;

/* Makes a spline through points. It has degree − 1 continuous derivatives.

     points      number of points: at least degree + 1; at least 2 if clamped, 3 if periodic
     n           number of coordinates, at least 1
     t           points: times in ascending order (s)
     values      points × n: row i is the point at t[i]
     degree      3 or 5
     kind        the end conditions
     begin, end  clamped: the derivatives at the ends, (degree − 1) / 2 rows × n: velocities, and
                 accelerations for degree 5; NULL: zeros. Ignored for other kinds

   Times that do not ascend, and a periodic spline whose last point differs from the first, are
   TD_ERROR_ARGUMENT. Times that are too close together are TD_ERROR_NOT_FINITE. Cost: O(points · (n
   + degree²)). */
TD_API td_status td_trajectory_spline(size_t points, size_t n, const double *t,
                                      const double *values, size_t degree, td_spline_kind kind,
                                      const double *begin, const double *end,
                                      td_trajectory **trajectory);

/* Makes a Hermite curve: a polynomial between each pair of neighboring points.

     points         at least 2
     n              number of coordinates, at least 1
     t              points: times in ascending order (s)
     values         points × n
     velocities     points × n
     accelerations  points × n: pieces of degree 5, two continuous derivatives. NULL: pieces of
                    degree 3, one continuous derivative

   If the derivatives come from a cubic spline through the values, the curve is that spline.
   Statuses as in td_trajectory_spline. Cost: O(points · n). */
TD_API td_status td_trajectory_hermite(size_t points, size_t n, const double *t,
                                       const double *values, const double *velocities,
                                       const double *accelerations, td_trajectory **trajectory);

/* ---- queries --------------------------------------------------------------------------------- */

/* Return the number of coordinates n, the start and end time (s), and the number of pieces; 0 for
   NULL. */
TD_API size_t td_trajectory_size(const td_trajectory *trajectory);
TD_API double td_trajectory_begin(const td_trajectory *trajectory);
TD_API double td_trajectory_end(const td_trajectory *trajectory);
TD_API size_t td_trajectory_pieces(const td_trajectory *trajectory);
/* Returns the time at which piece i begins (s). For i beyond the last piece it returns the end
   time. 0 for NULL. */
TD_API double td_trajectory_piece(const td_trajectory *trajectory, size_t i);

/* Computes y, yd and ydd (n each; NULL is skipped) at the time t. Before the start and after the
   end, the trajectory is at rest at its nearer end point. TD_ERROR_ARGUMENT: trajectory is NULL.
   TD_ERROR_NOT_FINITE: t is NaN. Cost: O(log pieces + n). */
TD_API td_status td_trajectory_evaluate(const td_trajectory *trajectory, double t, double *y,
                                        double *yd, double *ydd);

/* Computes the state of a robot at the time t.

     trajectory  with ny coordinates: the numbers of y
     model       the robot
     y           ny, with unit quaternions
     yd, ydd     nyd: velocities and accelerations (td_rates_to_velocities)

   Any of y, yd and ydd may be NULL. TD_ERROR_ARGUMENT: trajectory or model is NULL, the trajectory
   does not have ny coordinates, or td_trajectory_turn was called for numbers that are not a
   quaternion of the model. TD_ERROR_NOT_FINITE: t is NaN. Results are NaN where all four numbers of
   a quaternion are 0. Cost: O(independent joints · log pieces). */
TD_API td_status td_trajectory_state(const td_trajectory *trajectory, const td_model *model,
                                     double t, double *y, double *yd, double *ydd);

/* Replaces the straight line of the numbers at, …, at + 3 by the arc of the great circle between
   their ends, so that a move turns about a fixed axis, at the same share of the way at each time.
   It takes the nearer sign of the end.

     trajectory  from td_trajectory_move or td_trajectory_limited
     at          index of the first number of a quaternion

   The angle on the circle is half the angle of the turn. For td_trajectory_limited, a limit ω of
   the turn's speed is the limit ω |Δ|/θ of each number, where θ is the angle of the turn and Δ the
   number's change. TD_ERROR_ARGUMENT: trajectory is NULL or no such move, or some of the numbers
   are beyond the last one or on an arc. TD_ERROR_QUATERNION: all four numbers are 0 at an end.
   TD_ERROR_MEMORY. After an error the trajectory is unchanged. Cost: O(pieces). */
TD_API td_status td_trajectory_turn(td_trajectory *trajectory, size_t at);

/* Scales the duration by factor and keeps the start time. TD_ERROR_ARGUMENT: trajectory is NULL, or
   factor is not positive and finite. Cost: O(pieces · n). */
TD_API td_status td_trajectory_scale(td_trajectory *trajectory, double factor);

/* ---- limits ---------------------------------------------------------------------------------- */

/* The limit that determines the factor. */
typedef enum td_limit_kind {
    TD_LIMIT_NONE,         /* none */
    TD_LIMIT_POSITION,     /* the position of a joint */
    TD_LIMIT_VELOCITY,     /* the velocity of a joint */
    TD_LIMIT_ACCELERATION, /* the acceleration of a joint */
    TD_LIMIT_FORCE,        /* the effort of a motor */
    TD_LIMIT_POWER,        /* the power of a motor */
} td_limit_kind;

/* Options for td_trajectory_time_scale. Start from td_time_scale_options_default(). */
typedef struct td_time_scale_options {
    size_t size_of;
    /* one per joint, NaN: no limit; default NULL: the limits in the model. Limits of motors
       (td_actuator) apply in both cases */
    const td_limit *limits;
    bool forces;            /* default true: efforts and powers of motors are limited */
    bool passive;           /* default true: forces include damping, friction, springs and rotors */
    bool faster;            /* default false; true: the factor may be below 1 */
    size_t samples;         /* number of samples per piece; default 64. The search refines the
                               largest factors between samples */
    const double *wrenches; /* links × 6, constant in time, as in td_forces; default NULL: none */
    td_frame wrench_frame;  /* default TD_FRAME_ALIGNED */
} td_time_scale_options;

static inline td_time_scale_options td_time_scale_options_default(void)
{
    TD_SIZED(td_time_scale_options, options);
    options.forces = true;
    options.passive = true;
    options.samples = 64;
    options.wrench_frame = TD_FRAME_ALIGNED;
    return options;
}

/* The factor and the limit that determines it. */
typedef struct td_time_scale {
    size_t size_of;     /* set by the caller: sizeof the struct (docs/abi.md) */
    double factor;      /* see td_trajectory_time_scale; infinite with TD_ERROR_LIMIT */
    td_limit_kind kind; /* kind of the limit that sets the factor; TD_LIMIT_NONE without one */
    size_t joint;       /* index of its joint; TD_NONE without a limit, or for a motor in a loop */
    double t;           /* time in the trajectory at which it applies (s) */
} td_time_scale;

/*
 * Computes the smallest factor for td_trajectory_scale with which a motion y(t) respects all limits
 * of a robot. All larger factors respect them too. The trajectory is not modified.
 *
 *   model       the robot
 *   workspace   of the model
 *   trajectory  y(t), with ny coordinates, as in td_trajectory_state
 *   options     NULL: the defaults
 *   scale       receives the factor and the limit that determines it
 *
 * The limits are position, velocity and acceleration of each joint, including followers, and force,
 * velocity and power of motors (td_actuator). For a joint with a quaternion, velocity and
 * acceleration limit the length of the angular vector and, of a floating joint, of the linear one.
 * The effort limit of an independent joint is the force
 * that overloads no follower (td_effective_limit_at). With x = 1/factor, a force is
 *
 *   A x² + D x + F + S
 *
 * where A is inertia, D damping, S gravity, springs and wrenches, and F the friction at the reduced
 * speed. Positions and S do not depend on the factor.
 *
 * TD_ERROR_LIMIT: no factor is large enough, and *scale names the limit. Either a position exceeds
 * its limits, or gravity, springs, wrenches and friction alone exceed an effort limit.
 * TD_ERROR_ARGUMENT: a NULL argument, an invalid scale->size_of, a trajectory that
 * td_trajectory_state rejects, or an option out of range. TD_ERROR_MEMORY:
 * unlike dynamics, this function allocates. Other statuses as in td_inverse_dynamics and
 * td_forces_to_actuators.
 *
 * Cost per sample: a td_closure and, with forces, four td_inverse_dynamics.
 */
TD_API td_status td_trajectory_time_scale(const td_model *model, td_workspace *workspace,
                                          const td_trajectory *trajectory,
                                          const td_time_scale_options *options,
                                          td_time_scale *scale);

#ifdef __cplusplus
}
#endif
#endif
