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
    int linear;        /* interpolates between its rows */
    const char *drive; /* tables of motions; NULL: none */
    const char *track; /* tracked by computed torque */
    bool pd;
    double kp, kd;
    bool stiction;
    td_stops stops;
    bool residual;      /* adds a column of it */
    bool constraints;   /* adds columns of them */
    const char *output; /* NULL: standard output */
} simulate_options;

/* ---- forces and motions: simulate_forces.c --------------------------------------------------- */

/* Where a step lies relative to a motion. The end of the motion counts as within. */
typedef enum phase { PHASE_BEFORE, PHASE_WITHIN, PHASE_AFTER } phase;

typedef struct acting {
    const session *s;
    const coordinates *c;
    const simulate_options *options;
    td_forces forces;          /* known to the controllers */
    const double *force;       /* per velocity, constant */
    motion_table tau;          /* rows = 0: none */
    size_t interval;           /* number of its rows at or before the present time */
    motion_curve drive, track; /* n = 0: none */
    phase driven, tracked;     /* phase of the present step */
    unsigned char *given;      /* per velocity: prescribed by drive */
    unsigned char *held;       /* per velocity: controlled by PD or computed torque */
    size_t *position;          /* per velocity: index of its position; SIZE_MAX: none */
    double *y, *yd, *ydd;      /* desired motion */
    double *wrench; /* links × 6, in world axes at their origins: present wrenches of the options
                       and the table; NULL without a table of wrenches */
    double *total;  /* velocities: room */
    unsigned char *known; /* velocities: room */
    double *breaks;       /* times of rows, ascending */
    size_t break_count;
} acting;

/* Reads and checks the tables. Completes the initial state x: joints without -q or --qd start where
   their motion does. Prints a message and returns EXIT_FILE for an invalid table, or EXIT_USAGE for
   invalid options. */
int acting_new(acting *a, const session *s, const coordinates *c, const simulate_options *options,
               robot_state *x);
void acting_free(acting *a);

/* Returns the time of the last row of the tables of motion; 0 without any. */
double acting_duration(const acting *a);
/* Checks that prescribed motions can continue to that time. Prints a message and returns false if
   not. */
bool acting_covers(const acting *a, double end);

/* Callbacks of the simulation; context points to the acting. */
td_status acting_forces(void *context, const td_action *action);
td_status acting_motion(void *context, double t, double *y, double *yd, double *ydd);

/* acting_next returns the time of the first table row after t, but at most end. acting_enter
   prepares forces and prescribed motions for t, and returns whether they jump. At the end itself,
   motions keep their phase. */
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
    const coordinates *forces; /* independent coordinates, for tau */
    double *residuals;         /* one per constraint; NULL without the column */
    limit_watch limits;
    const unsigned char *given; /* per velocity: prescribed; NULL: none */
    coordinates tree;           /* of the columns of constraint forces, if any */
    char *events;               /* since the last row; NULL: none */
    size_t event_count, written;
    double last;         /* time of the last row */
    double energy, work; /* at the last row, J */
    double first_balance, worst_balance, first[3], exchanged;
} row_writer;

/* Writes the heading. Prints a message and returns false if the table cannot be written. */
bool rows_begin(row_writer *w);
/* Writes the row at t, within the last step of the simulation. */
td_status rows_write(row_writer *w, double t);
/* Records the events at the end of the last step. */
void rows_note_events(row_writer *w);
void rows_end(row_writer *w);
void rows_free(row_writer *w);

/* ---- reports: simulate_report.c -------------------------------------------------------------- */

typedef struct progress {
    bool shown; /* on a terminal */
    bool drawn;
    struct timespec start;
    double next; /* time of the next update, s since the start */
} progress;

progress progress_start(const simulate_options *options);
/* Returns the seconds since the start. */
double progress_elapsed(const progress *p);
/* Draws the progress if an update is due. Returns whether it was due. */
bool progress_update(progress *p, double t, double end);
void progress_clear(const progress *p); /* at the end of the motion */

/* Reports which position limits the rows passed, and whether they are stops. */
void report_limits(const row_writer *w);
/* Prints the summary. Prints a message and returns false if the energy does not balance. */
bool print_summary(const row_writer *w, double elapsed);

#endif
