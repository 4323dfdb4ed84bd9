/* SPDX-License-Identifier: MIT */
/*
 * Detects motors beyond their limits of force, speed and power, in states for which the forces of
 * motors are known, and reports them on standard error at the end.
 */
#ifndef TOOL_MOTOR_WATCH_H
#define TOOL_MOTOR_WATCH_H

#include <stddef.h>

#include "input/coordinates.h"
#include "tandem/tandem.h"

enum motor_limit { MOTOR_EFFORT, MOTOR_VELOCITY, MOTOR_POWER, MOTOR_LIMITS };

/* A limit of a motor, and the states beyond it. */
typedef struct motor_excess {
    double limit; /* infinite: none */
    double most;  /* the largest magnitude */
    size_t times, first;
} motor_excess;

typedef struct motor_watch {
    const td_model *model;
    td_workspace *workspace; /* the caller's */
    motor_excess *excess;    /* MOTOR_LIMITS for each motor; NULL: no motor has a limit */
    bool moves;              /* some limit is one of velocity or power */
    double *velocity;        /* nu: scratch */
    size_t forces, *place;   /* numbers in a row of forces; place of each motor's force in it */
    size_t rows;             /* seen */
} motor_watch;

/* Returns a watch for rows of u (nu) or, if c is not NULL, for rows of forces of independent
   coordinates, which contain u. workspace: computes in the independent coordinates. */
motor_watch motor_watch_new(const td_model *model, td_workspace *workspace, const coordinates *c);
void motor_watch_free(motor_watch *w);

/* Checks states: rows of y (ny), ẏ (nyd; NULL: at rest) and forces. NaN exceeds no limit. */
void motor_watch_rows(motor_watch *w, size_t rows, const double *y, const double *yd,
                      const double *forces);

/* Prints a line for each of the first limits that are exceeded, and the number of further ones.
   table: states are rows. */
void motor_watch_tell(const motor_watch *w, bool table);

#endif
