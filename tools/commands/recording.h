/* SPDX-License-Identifier: MIT */
/*
 * tandem recording: what a recorded motion takes. Filtering (recording_filter.c), inverse dynamics
 * of every row (recording_run.c), what noise does to it (recording_noise.c), the table
 * (recording_rows.c), the report about motors (recording_report.c).
 */
#ifndef TOOL_RECORDING_COMMAND_H
#define TOOL_RECORDING_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "../lib/recording/cutoff.h"
#include "input/motion_table.h"
#include "input/recording.h"
#include "input/session.h"
#include "input/state.h"
#include "options.h"
#include "output/table_output.h"

/* A force of constant size on a point of a link, towards a point that stands still. */
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
    int cubic;        /* the spline that differentiates is of degree 3, not 5 */
    double rate;      /* rows a second; NaN: as recorded */
    word_list cable;
    word_list reaction; /* joints; "all" */
    td_frame frame;     /* of reactions */
    bool csv;           /* the report as a table */
    const char *output; /* of the rows; NULL: none */
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
    double *tau;                   /* n × nv: what each joint of the tree takes itself */
    char **actuator;               /* NULL: motors do not give all forces */
    size_t actuators;
    double *u, *speed; /* n × actuators */
    size_t *joint;     /* whose reactions are in the table; behind all joints, loops */
    size_t joints;
    double *reaction; /* n × joints × 6, moment and force */
    cable *cable;
    size_t cables;
    size_t failed;     /* rows without a result */
    double *tau_error; /* size of τ: standard errors of forces by what noise is left, the roots of
                          their mean squares over the rows; NaN where noise is not known */
    double *u_error;   /* actuators */
} recorded_result;

/* Filters all channels as the options want it; rest is where joints without a column are. Returns
   an exit code, with messages (recording_filter.c). */
int recorded_filter(const recorded_result *m, recording *r, const double *rest);

/* The recording as functions of time; false with a message (recording_states.c). */
bool recorded_states(const recording *r, bool cubic, motion_curve *curve);
/* The velocity coordinate that a column is of, or of whose position or acceleration. */
size_t recorded_velocity(const recording *r, const channel *c);
/* Which derivative of a column that quantity of its coordinate is; −1: it comes from another. */
int recorded_order(const recording *r, const channel *c, enum quantity quantity);
/* The degree of the spline that differentiates a column. */
int recorded_degree(const recording *r, const channel *c, bool cubic);

/* For each channel how the errors of its derivatives add to the mean square error of all forces,
   see cutoff.h; zeros where no row tells. (recording_noise.c) */
void recorded_weights(const recorded_result *m, const recording *r, const motion_curve *curve,
                      const double *rest, td_error_weight *weight);
/* Fills the standard errors of forces. */
void recorded_errors(recorded_result *m, const recording *r);

/* Filters the recording and computes all rows; rest is where joints without a column are. Returns
   an exit code, with messages; the result must be freed. */
int recorded_run(recorded_result *m, recording *r, const double *rest);
void recorded_result_free(recorded_result *m);

/* Whether cables or wrenches of the options or the recording act. */
bool recorded_pushed(const recorded_result *m);

/* Forces at t and y of what parts names: wrenches (links × 6, in world axes at the links' origins);
   poses: room for links × 12. */
enum { RECORDED_WRENCHES = 1, RECORDED_CABLES = 2 };
td_status recorded_wrenches(const recorded_result *m, double t, const double *y, unsigned parts,
                            double *poses, double *wrenches);

/* The options' cables; false with a message (recording_cables.c). */
bool recorded_cables(recorded_result *m, const word_list *words);

/* The joint or loop of the k-th reaction. */
const char *recorded_carrier(const recorded_result *m, size_t k);

/* The table of all rows. False, with a message, where it cannot be written. */
bool recorded_rows(const recorded_result *m, table_output *t);

/* The report to standard output: as text, JSON, or CSV. */
void recorded_report(const recorded_result *m);

#endif
