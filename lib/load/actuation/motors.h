/* SPDX-License-Identifier: MIT */
/*
 * What a choice of motors can do, tried at the reference and at some positions beside it: a matrix
 * that is singular at all of these is so everywhere but for chance.
 */
#ifndef TD_MOTORS_H
#define TD_MOTORS_H

#include "load/build.h"
#include "tandem/workspace.h"

typedef struct td_motor_trial {
    td_build *build;
    td_model *model;
    td_workspace *workspace;
    size_t count; /* positions so far where the loops close; the reference is the first where it
                     does; 0 where there are none beside it */
    bool reference;
    double work; /* that is left for closing loops, in products of numbers */
    double each; /* what an evaluation of all clusters takes of it */
    bool spent;  /* it was too little: positions are missing, and ranks may be too low */
    double length, distance; /* how far away the next one is looked for */
    unsigned seed;
    int tries;
    double *start, *moved, *direction; /* y of the reference and of a try, ẏ */
    double *y;                         /* count × ny */
    double *matrix;                    /* G or M_u at one of them */
    double *A, *R;
    int *class_of, *pick;
} td_motor_trial;

/* Pivots below that are what remains of a singular design whose numbers a file has rounded. */
#define TD_MOTORS_ROUNDED 1e-5

/* In the caller's scope of build->temporary. False without memory. Is to be closed in any case. */
bool td_motor_trial_open(td_build *build, td_motor_trial *trial);
void td_motor_trial_close(td_motor_trial *trial);
/* says that motors were not checked where the work was too little; once */
void td_motor_trial_report(const td_motor_trial *trial);

/* Some rows of G, or with motors of M_u, and some of their columns. */
typedef struct td_motor_rows {
    bool motors;
    const int *row, *column;
    int rows, columns;
} td_motor_rows;

/* The highest rank at the positions, and that at the reference (NULL: not wanted; the highest where
   the loops do not close there). Pivots below tolerance of the longest row do not count. chosen
   (rows; NULL: not wanted) begins with the rows that give the highest rank. */
int td_motor_rank(td_motor_trial *trial, const td_motor_rows *rows, double tolerance,
                  int *at_reference, int *chosen);

/* Appends 'name' to a list in text, with a comma before it unless it is the first, and "and more"
   in place of what a message has no room for. */
void td_list_name(char *text, size_t size, const char *name);

/* load/actuation/default_motors.c: says of loops whose motors nobody has chosen which joints look
 * like them.
 */
bool td_check_default_motors(td_build *build);

#endif
