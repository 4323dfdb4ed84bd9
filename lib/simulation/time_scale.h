/* SPDX-License-Identifier: MIT */
/*
 * Internals of time scaling: a motion with its limits (time_scale.c), and its forces
 * (time_scale_forces.c).
 */
#ifndef TD_TIME_SCALE_H
#define TD_TIME_SCALE_H

#include "tandem/trajectory.h"

/* Terms of the force of each motor; see td_trajectory_time_scale. */
typedef struct td_force_parts {
    double *inertia, *damping, *friction, *constant;
} td_force_parts;

typedef struct td_scaling {
    const td_model *model;
    td_workspace *w;
    const td_trajectory *trajectory;
    td_time_scale_options options;
    double *y, *yd, *ydd, *q, *qd, *qdd;
    double *whole, *half, *rough, *still; /* nyd: forces of four motions */
    double *q_before, *qd_before;         /* nq, nv: of the previous sample */
    td_force_parts u;                     /* nu each */
    double *effort;                       /* nu: limits of the motors' forces */
    double *motor_velocity;               /* nu: velocities of the motors */
    bool motors;                          /* some motor has a limit of velocity or power */
    double speed;   /* speed x at which friction is evaluated, see keep_friction */
    double *factor; /* samples + 1: factors within a piece */
} td_scaling;

/* Splits forces into A, D, S and F: A + D + S at x = 1 and A/4 + D/2 + S at x = 1/2, without
   friction (infinite friction velocity); F is the difference with friction, at the requested speed.
 */
td_status td_scale_split_forces(td_scaling *s);
/* Returns 1/x for the speed x up to which |A x² + D x + F + S| stays below the limit, starting
   from rest. Returns 0 without a limit, and infinity if the force exceeds it at rest. */
double td_scale_factor_for_force(const td_scaling *s, size_t i);
/* Does the same for the power (A x² + D x + F + S) x v of a motor with the velocity v at x = 1. It
   is 0 at rest, so the result is finite. */
double td_scale_factor_for_power(const td_scaling *s, size_t i, double v, double limit);
/* Returns the effort limit of a motor: the least limit of the motor, its joint and followers, and
 * of the effective limit unless the options have limits. */
double td_scale_motor_effort(const td_scaling *s, size_t motor);

#endif
