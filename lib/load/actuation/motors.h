/* SPDX-License-Identifier: MIT */
/*
 * Rank of a choice of motors, tested at the reference and at random positions near it. A matrix
 * that is singular at all of these is almost surely singular everywhere.
 */
#ifndef TD_MOTORS_H
#define TD_MOTORS_H

#include "load/build.h"
#include "tandem/workspace.h"

typedef struct td_motor_trial {
    td_build *build;
    td_model *model;
    td_workspace *workspace;
    size_t count; /* number of tested positions at which the loops close; the first one is the
                     reference if it closes; 0 if no other position closes */
    bool reference;
    double work; /* remaining budget for closing loops, in multiplications */
    double each; /* cost of one evaluation of all clusters */
    bool spent;  /* the budget ran out: positions are missing, and ranks may be too low */
    double length, distance; /* distance of the next position */
    unsigned seed;
    int tries;
    double *start, *moved, *direction; /* y of the reference, trial y, and direction ẏ */
    double *y;                         /* count × ny */
    double *matrix;                    /* G or M_u at one position */
    double *A, *R;
    int *class_of, *pick;
} td_motor_trial;

/* Smaller pivots are rounding errors: the design is singular, but its file has rounded numbers. */
#define TD_MOTORS_ROUNDED 1e-5

/* Prepares a trial in the caller's scope of build->temporary. Returns false if memory runs out.
   Call td_motor_trial_close in either case. */
bool td_motor_trial_open(td_build *build, td_motor_trial *trial);
void td_motor_trial_close(td_motor_trial *trial);
/* Reports that motors were not checked if the budget ran out. Call it once. */
void td_motor_trial_report(const td_motor_trial *trial);

/* Some rows of G, or of M_u if motors is set, and some of their columns. */
typedef struct td_motor_rows {
    bool motors;
    const int *row, *column;
    int rows, columns;
} td_motor_rows;

/* Returns the highest rank over all positions. Pivots below tolerance, relative to the longest row,
   do not count. The rank at the reference is stored in *at_reference, or the highest rank if the
   loops do not close there. chosen (rows elements) begins with the rows that give the highest rank.
   Both outputs may be NULL. */
int td_motor_rank(td_motor_trial *trial, const td_motor_rows *rows, double tolerance,
                  int *at_reference, int *chosen);

/* Appends 'name' to a list in text, with a comma between names. Appends "and more" instead if the
   text is full. */
void td_list_name(char *text, size_t size, const char *name);

/* For loops with default motors, reports which joints look like the real motors
   (load/actuation/default_motors.c). */
bool td_check_default_motors(td_build *build);

#endif
