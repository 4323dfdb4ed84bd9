/* SPDX-License-Identifier: MIT */
/*
 * Trajectories: n numbers as functions of time, with their velocities and accelerations. They are
 * moves from one point to another, or curves through points, and can be slowed down until a robot's
 * limits hold. Part of libtandem-simulation.
 *
 * The numbers are joint coordinates y of a robot without free quaternions (a floating joint's
 * coordinates are no vector space), or any others. Values of points and times are rows: points × n,
 * row-major. A trajectory does not change but for td_trajectory_scale, so threads may share it.
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

/* Opaque: polynomials in pieces over time, one for each coordinate. */
typedef struct td_trajectory td_trajectory;

TD_API void td_trajectory_free(td_trajectory *trajectory); /* NULL is fine */

/* ---- moves ----------------------------------------------------------------------------------- */

/* How a move from rest to rest goes along its way s = 0 to 1 in a time of 1. */
typedef enum td_profile {
    TD_PROFILE_CUBIC,        /* 3 s² − 2 s³: accelerations jump at the ends */
    TD_PROFILE_MINIMUM_JERK, /* 10 s³ − 15 s⁴ + 6 s⁵: the least ∫ jerk² (Flash and Hogan 1985) */
    TD_PROFILE_SEPTIC,  /* 35 s⁴ − 84 s⁵ + 70 s⁶ − 20 s⁷: jerk zero at the ends */
    TD_PROFILE_CYCLOID, /* s − sin(2 π s) / 2 π */
} td_profile;

/* From one point to another (n each) in a time, all coordinates in proportion. It begins at t = 0.
   TD_ERROR_ARGUMENT: NULL, n of 0, a duration that is not positive, no such profile;
   TD_ERROR_NOT_FINITE; TD_ERROR_MEMORY. *trajectory is NULL then, here and below. */
TD_API td_status td_trajectory_move(size_t n, const double *from, const double *to,
                                    td_profile profile, double duration,
                                    td_trajectory **trajectory);

/* A polynomial of degree 3, 5 or 7 in a time, between values and derivatives at its ends: from and
   to are rows of values, velocities, accelerations, jerks, (degree + 1) / 2 of them, × n. */
TD_API td_status td_trajectory_polynomial(size_t n, size_t degree, const double *from,
                                          const double *to, double duration,
                                          td_trajectory **trajectory);

/* The fastest move from rest to rest in proportion within limits (n each, positive) of velocity and
   acceleration: a trapezoid of velocity; and, unless jerk is NULL, of jerk: seven pieces. A move to
   where it is takes no time. */
TD_API td_status td_trajectory_limited(size_t n, const double *from, const double *to,
                                       const double *velocity, const double *acceleration,
                                       const double *jerk, td_trajectory **trajectory);

/* ---- curves through points ------------------------------------------------------------------- */

typedef enum td_spline_kind {
    TD_SPLINE_NOT_A_KNOT, /* the outermost pieces are one polynomial with their neighbours */
    TD_SPLINE_CLAMPED,    /* derivatives given at the ends */
    TD_SPLINE_PERIODIC,   /* all derivatives agree at the ends; the last point is the first */
    TD_SPLINE_B,          /* knots between the points, averages of degree times in a row */
} td_spline_kind;

/* A spline of degree 3 or 5, which has degree − 1 continuous derivatives, with value row i (n) at
   time t[i], ascending. Needs degree + 1 points, clamped 2, periodic 3. begin and end: derivatives
   of a clamped one, rows of velocity (and acceleration, for degree 5) × n; NULL: zeros.
   TD_ERROR_ARGUMENT: NULL, too few points, times that do not ascend, a degree or kind that there is
   not, a periodic one whose last row is not the first; TD_ERROR_NOT_FINITE, TD_ERROR_MEMORY.
   O(points · (n + degree²)). */
TD_API td_status td_trajectory_spline(size_t points, size_t n, const double *t,
                                      const double *values, size_t degree, td_spline_kind kind,
                                      const double *begin, const double *end,
                                      td_trajectory **trajectory);

/* The curve through values, velocities and accelerations (points × n each) at times t, ascending: a
   polynomial of degree 5 between neighbours, with two continuous derivatives (Hermite). Where
   accelerations are NULL degree 3, with one. Needs 2 points. Where the accelerations are those of a
   cubic spline through the values it is that spline. Errors as above; O(points · n). */
TD_API td_status td_trajectory_hermite(size_t points, size_t n, const double *t,
                                       const double *values, const double *velocities,
                                       const double *accelerations, td_trajectory **trajectory);

/* ---- queries --------------------------------------------------------------------------------- */

TD_API size_t td_trajectory_size(const td_trajectory *trajectory);  /* n; 0 for NULL */
TD_API double td_trajectory_begin(const td_trajectory *trajectory); /* s */
TD_API double td_trajectory_end(const td_trajectory *trajectory);   /* s */
TD_API size_t td_trajectory_pieces(const td_trajectory *trajectory);
TD_API double td_trajectory_piece(const td_trajectory *trajectory, size_t i); /* its begin; beyond
                                                                        the last: the end */

/* y, yd, ydd (n each; NULL is not computed) at t: at rest at its ends before and after them.
   O(log pieces + n). TD_ERROR_ARGUMENT: NULL; TD_ERROR_NOT_FINITE: t is NaN. */
TD_API td_status td_trajectory_evaluate(const td_trajectory *trajectory, double t, double *y,
                                        double *yd, double *ydd);

/* Makes it take factor times as long, from the same begin. TD_ERROR_ARGUMENT: NULL, or a factor
   that is not positive and finite. */
TD_API td_status td_trajectory_scale(td_trajectory *trajectory, double factor);

/* ---- limits ---------------------------------------------------------------------------------- */

typedef enum td_limit_kind {
    TD_LIMIT_NONE,         /* nothing binds */
    TD_LIMIT_POSITION,     /* of a coordinate */
    TD_LIMIT_VELOCITY,     /* likewise */
    TD_LIMIT_ACCELERATION, /* likewise */
    TD_LIMIT_FORCE,        /* the effort of a motor */
} td_limit_kind;

/* Which limits count, and what is between the samples. Start from td_time_scale_options_default().
 */
typedef struct td_time_scale_options {
    size_t size_of;
    const td_limit *limits; /* NULL: those of the model's records; else one for each joint, NaN
                               where there is none */
    bool forces;            /* true: efforts count */
    bool passive;           /* true: damping, friction, springs and rotors are in the forces */
    bool faster;            /* false; true: a factor below 1 is allowed */
    size_t samples;         /* 64 for each piece; the largest is refined between them */
    const double *wrenches; /* links × 6, acting all the time, as in td_forces; NULL: none */
    td_frame wrench_frame;  /* TD_FRAME_ALIGNED */
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

/* What binds. */
typedef struct td_time_scale {
    size_t size_of;     /* set by the caller: sizeof the struct (docs/abi.md) */
    double factor;      /* see td_trajectory_time_scale; infinite where there is none */
    td_limit_kind kind; /* of the limit that binds, TD_LIMIT_NONE where none does */
    size_t joint;       /* whose limit it is, TD_NONE for none or a motor in a loop */
    double t;           /* when */
} td_time_scale;

/*
 * The least factor (td_trajectory_scale) with which the motion y(t) of a robot, and every slower
 * one, keeps all limits: those of position, velocity and acceleration of each joint, followers
 * included, and of the forces u of the motors (td_forces_to_actuators), the effort of an
 * independent joint being that which overloads no follower (td_effective_limit_at). With x =
 * 1/factor a force is
 *
 *   A x² + D x + F + S,    A inertia, D damping, S gravity, springs and wrenches,
 *                          F friction at the speed that comes out
 *
 * The coordinates are y; there must be no floating joint among them. Positions do not depend on the
 * factor, nor does S: TD_ERROR_LIMIT where a position is out of its limits, or gravity, springs,
 * wrenches and friction alone exceed an effort; *scale says which. It does not change the
 * trajectory. Statuses of td_inverse_dynamics and td_forces_to_actuators; TD_ERROR_ARGUMENT: NULL,
 * no valid scale->size_of, a size other than ny, a floating joint, an option out of its range.
 * Unlike dynamics it allocates (TD_ERROR_MEMORY).
 */
TD_API td_status td_trajectory_time_scale(const td_model *model, td_workspace *workspace,
                                          const td_trajectory *trajectory,
                                          const td_time_scale_options *options,
                                          td_time_scale *scale);

#ifdef __cplusplus
}
#endif
#endif
