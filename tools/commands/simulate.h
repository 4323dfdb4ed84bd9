/* SPDX-License-Identifier: MIT */
/*
 * Parts of tandem simulate: forces on the robot, output rows, and messages during the motion and at
 * its end.
 */
#ifndef TOOL_SIMULATE_H
#define TOOL_SIMULATE_H

#include <stdbool.h>
#include <time.h>

#include "input/motion_table.h"
#include "input/session.h"
#include "input/state.h"
#include "output/limit_watch.h"
#include "output/table_output.h"
#include "tandem/simulation.h"

typedef struct simulate_options {
    tool_options common;
    double time;       /* NAN: not given */
    double rate;       /* rows a second */
    double step, rtol; /* NAN: not given */
    td_method method;
    const char *tau;   /* a table of forces; NULL: none */
    int linear;        /* between its rows */
    const char *drive; /* tables of motions; NULL: none */
    const char *track; /* by computed torque */
    bool pd;
    double kp, kd;
    bool stiction;
    td_stops stops;
    bool residual;      /* a column of it */
    bool constraints;   /* columns of them */
    const char *output; /* NULL: standard output */
} simulate_options;

/* ---- what acts: simulate_forces.c ------------------------------------------------------------ */

/* Where a step lies in a motion: its end belongs to it, whatever the accelerations are behind. */
typedef enum phase { PHASE_BEFORE, PHASE_WITHIN, PHASE_AFTER } phase;

typedef struct acting {
    const session *s;
    const coordinates *c;
    const simulate_options *options;
    td_forces forces;          /* that the controllers count on */
    const double *force;       /* velocities: constant */
    motion_table tau;          /* rows 0: none */
    size_t interval;           /* the number of its rows that are not after the present time */
    motion_curve drive, track; /* n 0: none */
    phase driven, tracked;     /* where the present step lies in them */
    unsigned char *given;      /* velocities: prescribed, by drive */
    unsigned char *held;       /* velocities: by PD, or by computed torque */
    size_t *position;          /* velocities: the place of their coordinate; SIZE_MAX: none */
    double *y, *yd, *ydd;      /* where the controllers want it */
    double *wrench; /* links × 6, in world axes at their origins: of the options and the table at
                       present; NULL without a table of them */
    double *total;  /* velocities: room */
    unsigned char *known; /* velocities: room */
    double *breaks;       /* times of rows, ascending */
    size_t break_count;
} acting;

/* Reads the tables and checks them; completes x, the state to begin with, by them: joints without
   -q or --qd begin where their motion does. Returns the exit code: with a message EXIT_FILE where a
   table is wrong, EXIT_USAGE where options are. */
int acting_new(acting *a, const session *s, const coordinates *c, const simulate_options *options,
               robot_state *x);
void acting_free(acting *a);

/* When the last row of the tables of motion is; 0 without any. */
double acting_duration(const acting *a);
/* Whether prescribed motions can go on to that time; false with a message. */
bool acting_covers(const acting *a, double end);

/* Callbacks of the simulation; context is the acting. */
td_status acting_forces(void *context, const td_action *action);
td_status acting_motion(void *context, double t, double *y, double *yd, double *ydd);

/* The first row of a table after t, not later than end; and what follows for forces and prescribed
   motions once t is there: whether they jump. At the end itself motions are still those before. */
double acting_next(const acting *a, double t, double end);
bool acting_enter(acting *a, double t, double end);

/* ---- rows: simulate_rows.c ------------------------------------------------------------------- */

typedef struct row_writer {
    const session *s;
    const coordinates *c; /* of the columns */
    const simulate_options *options;
    td_simulation *simulation;
    table_output *table;
    td_simulation_sample sample;
    const coordinates *forces; /* the independent coordinates: of tau */
    double *residuals;         /* constraints; NULL without the column */
    limit_watch limits;
    const unsigned char *given; /* velocities: prescribed; NULL: none */
    coordinates tree;           /* of the columns of constraint forces, where these are wanted */
    char *events;               /* since the last row; NULL: none */
    size_t event_count, written;
    double last;         /* time of the last row */
    double energy, work; /* of the last row, J */
    double first_balance, worst_balance, first[3], exchanged;
} row_writer;

/* The heading. False, with a message, where the table cannot be written. */
bool rows_begin(row_writer *w);
/* The row at t, within the last step of the simulation. */
td_status rows_write(row_writer *w, double t);
/* Takes down what happened at the end of the last step. */
void rows_note_events(row_writer *w);
void rows_end(row_writer *w);
void rows_free(row_writer *w);

/* ---- reports: simulate_report.c -------------------------------------------------------------- */

typedef struct progress {
    bool shown; /* on a terminal */
    bool drawn;
    struct timespec start;
    double next; /* s since the start, when it is drawn again */
} progress;

progress progress_start(const simulate_options *options);
/* s since the start */
double progress_elapsed(const progress *p);
/* Draws it from time to time, and says whether it was time to. */
bool progress_update(progress *p, double t, double end);
void progress_clear(const progress *p); /* at the end of the motion */

/* Which limits of position the rows have passed, and whether they are stops. */
void report_limits(const row_writer *w);
/* False, with a message, where the energy does not balance. */
bool print_summary(const row_writer *w, double elapsed);

#endif
