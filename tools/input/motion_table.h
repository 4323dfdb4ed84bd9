/* SPDX-License-Identifier: MIT */
/*
 * Reads a whole table of states with ascending times, and interpolates its rows by a curve.
 */
#ifndef TOOL_MOTION_TABLE_H
#define TOOL_MOTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "input/coordinates.h"
#include "input/state_table.h"
#include "tandem/trajectory.h"

typedef struct motion_table {
    const coordinates *c;
    const char *name; /* of the file, for messages */
    size_t rows;
    bool has_time;
    double *time;                  /* rows; NULL without a column t */
    size_t *line;                  /* rows: the line in the file */
    double *value[QUANTITY_COUNT]; /* rows × size of the quantity; NULL if the command does not read
                                      it */
    bool *has[QUANTITY_COUNT];     /* for each coordinate, whether it has a column */
    double *wrench; /* rows × links × 6, as in state_batch; NULL without such columns */
} motion_table;

/* Reads the table, with quaternions aligned from row to row. Times must ascend. timed: the column t
   is required. On failure prints a message
   with file and line and returns false; the table is empty then and need not be freed. */
bool motion_table_read(motion_table *table, const coordinates *c, const state_form *form,
                       bool timed, const char *path);
void motion_table_free(motion_table *table);

/* Reports columns of angles that jump by about a turn between rows, as angles modulo a turn do.
   Changes nothing, because the jump may be intended. */
void motion_table_tell_turns(const motion_table *table);

/* The coordinates with a column q:, as functions of time. If a joint with a quaternion has any
   column, all its coordinates are in the curve. */
typedef struct motion_curve {
    const coordinates *c;
    const char *name;          /* of the file */
    size_t n, *q;              /* number of positions, and their indices */
    size_t velocities, *qd;    /* the same for velocities */
    td_trajectory *curve;      /* of the n positions */
    double *number[3];         /* positions of all joints, and their first and second derivatives */
    double *velocity[2], *all; /* of all joints: yd, ydd; n × 3 numbers of the curve */
} motion_curve;

/* Makes a curve through the positions of the rows with the velocities and accelerations of the
   table. If both are missing they come from a spline through the positions, of degree 5 or 3 as
   wanted, but 3 with fewer than six rows. If one is missing it comes from a cubic spline through
   the velocities or positions. (Splines are not-a-knot; with fewer than four rows from rest to
   rest.) Quaternions of the rows must be aligned. Prints a message and returns false if there is no
   column q:, a velocity without a position, part of the velocities of a joint with a quaternion, or
   only one row. */
bool motion_curve_new(motion_curve *curve, const motion_table *table, size_t degree);
void motion_curve_free(motion_curve *curve);

/* Writes the coordinates of the curve at time t and leaves all others unchanged. The curve rests
   before the first row and after the last. Outputs may be NULL. */
void motion_curve_at(const motion_curve *curve, double t, double *y, double *yd, double *ydd);

/* Returns whether the curve moves a velocity coordinate. */
bool motion_curve_has(const motion_curve *curve, size_t velocity);

#endif
