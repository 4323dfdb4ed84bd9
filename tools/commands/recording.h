/* SPDX-License-Identifier: MIT */
/*
 * tandem recording: computes the forces of a recorded motion. Parts: filters (recording_filter.c),
 * inverse dynamics of every row (recording_run.c), effects of noise (recording_noise.c), ground
 * reactions (recording_ground.h), the table (recording_rows.c), the report about motors
 * (recording_report.c).
 */
#ifndef TOOL_RECORDING_COMMAND_H
#define TOOL_RECORDING_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "../lib/recording/cutoff.h"
#include "commands/recording_ground.h"
#include "input/motion_table.h"
#include "input/recording.h"
#include "input/session.h"
#include "input/state.h"
#include "options.h"
#include "output/table_output.h"

/* A force of constant size on a point of a link, directed toward a fixed point. */
typedef struct cable {
    size_t link;
    double point[3];  /* m, in the link's coordinates */
    double anchor[3]; /* m, world */
    double force;     /* N */
} cable;

typedef struct recorded_options {
    tool_options common;
    recording_options recording;
    td_filter filter;
    word_list cutoff; /* HZ or COLUMN=HZ */
    int cubic;        /* differentiate by a spline of degree 3, not 5 */
    double rate;      /* rows per second; NaN: as recorded */
    word_list cable;
    word_list reaction; /* joints; "all" */
    ground_options ground;
    td_frame frame;     /* of reactions and of the residual wrench */
    bool csv;           /* print the report as CSV */
    const char *output; /* file of the rows; NULL: none */
} recorded_options;

/* All rows of the motion: n × size each. Rows without a result are NaN. */
typedef struct recorded_result {
    const session *s;
    const coordinates *c;
    const recorded_options *options;
    const recording *recorded;
    size_t n;
    double *t;
    double *value[QUANTITY_COUNT]; /* n × size: y, ẏ, ÿ, τ */
    double *q, *qd, *qdd;          /* n × nq, nv, nv: of the tree */
    double *tau;                   /* n × nv: forces of the joints of the tree */
    char **actuator;               /* NULL: motors do not provide all forces */
    size_t actuators;
    double *u, *speed; /* n × actuators */
    size_t *joint;     /* joints of the reactions in the table; larger indices are loops */
    size_t joints;
    double *reaction;      /* n × joints × 6, moment and force */
    ground_motion *ground; /* NULL: no --ground */
    cable *cable;
    size_t cables;
    size_t failed;     /* rows without a result */
    double *tau_error; /* size of τ: standard errors of forces due to the remaining noise, as root
                          mean squares over the rows; NaN if the noise is unknown */
    double *u_error;   /* one per actuator */
} recorded_result;

/* Filters all channels by the options. rest: positions of joints without a column. Returns an exit
   code, with messages (recording_filter.c). */
int recorded_filter(const recorded_result *m, recording *r, const double *rest);

/* Makes functions of time from the recording. rest: positions of joints without a column. Prints a
   message and returns false on failure (recording_states.c). */
bool recorded_states(const recording *r, bool cubic, const double *rest, motion_curve *curve);
/* Returns the velocity coordinate that belongs to a column of positions, velocities or
   accelerations, but not to a position of a joint with a quaternion. */
size_t recorded_velocity(const recording *r, const channel *c);
/* Returns which derivative of a column gives a quantity of its coordinate; −1: another column gives
   it. */
int recorded_order(const recording *r, const channel *c, enum quantity quantity);
/* Returns the degree of the spline that differentiates a column. */
int recorded_degree(const recording *r, const channel *c, bool cubic);

/* Computes each channel's weights: how errors of its derivatives add to the mean square error of
   all forces (cutoff.h). Weights are zero if no row has a result (recording_noise.c). */
void recorded_weights(const recorded_result *m, const recording *r, const motion_curve *curve,
                      const double *rest, td_error_weight *weight);
/* Computes the standard errors of forces. */
void recorded_errors(recorded_result *m, const recording *r);

/* Filters the recording and computes all rows. rest: positions of joints without a column. Returns
   an exit code, with messages. The result must be freed. */
int recorded_run(recorded_result *m, recording *r, const double *rest);
void recorded_result_free(recorded_result *m);

/* Returns whether cables or wrenches of the options or the recording act. */
bool recorded_pushed(const recorded_result *m);

/* Computes wrenches of the given parts at t and y (links × 6, in world axes at the links' origins).
   poses: scratch, links × 12. */
enum { RECORDED_WRENCHES = 1, RECORDED_CABLES = 2 };
td_status recorded_wrenches(const recorded_result *m, double t, const double *y, unsigned parts,
                            double *poses, double *wrenches);

/* Reads the options' cables. Prints a message and returns false on failure (recording_cables.c). */
bool recorded_cables(recorded_result *m, const word_list *words);

/* Returns the name of the joint or loop of the k-th reaction. */
const char *recorded_carrier(const recorded_result *m, size_t k);

/* Writes the table of all rows. Prints a message and returns false if it cannot be written. */
bool recorded_rows(const recorded_result *m, table_output *t);

/* Prints the report to standard output as text, JSON or CSV. */
void recorded_report(const recorded_result *m);

#endif
