/* SPDX-License-Identifier: MIT */
/*
 * A motion whose speed limits are asked for (time_scale.c), and what forces ask for
 * (time_scale_forces.c).
 */
#ifndef TD_TIME_SCALE_H
#define TD_TIME_SCALE_H

#include "tandem/trajectory.h"

/* what forces consist of, for each motor; see td_trajectory_time_scale */
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
    double *q_before, *qd_before;         /* nq, nv: of the sample before */
    td_force_parts u;                     /* nu each */
    double *effort;                       /* nu: limits of the motors */
    double speed;                         /* x at which friction is taken, see keep_friction */
    double *factor;                       /* samples + 1: of a piece */
} td_scaling;

/* Splits forces into A, D, S and F: A + D + S at x = 1 and A/4 + D/2 + S at x = 1/2, without
   friction (infinite friction velocity); F is the difference with friction, at the requested speed.
 */
td_status td_scale_split_forces(td_scaling *s);
/* The factor down to which |A x² + D x + F + S| stays below the limit from rest on. */
double td_scale_factor_for_force(const td_scaling *s, size_t i);
/* of a motor: with the limits of the records the effective one, else that and its followers' */
double td_scale_motor_effort(const td_scaling *s, size_t motor);

#endif
