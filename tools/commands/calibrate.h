/* SPDX-License-Identifier: MIT */
/*
 * Shared parts of tandem calibrate: options, parameters, recorded rows and the report.
 */
#ifndef TOOL_CALIBRATE_H
#define TOOL_CALIBRATE_H

#include <stdbool.h>
#include <stddef.h>

#include "../lib/calibration/calibration.h"
#include "commands/marker_noise.h"
#include "commands/marker_solver.h"
#include "commands/urdf_number.h"
#include "input/option_value.h"
#include "input/session.h"
#include "options.h"

typedef struct calibrate_options {
    tool_options common;
    const char *points; /* table of points */
    word_list recorded; /* tables */
    word_list lengths, origins, axes, offsets, multipliers, markers;
    joint_amount prior;       /* standard deviations of lengths and angles */
    double bound;             /* in priors */
    double noise;             /* m; NaN: found */
    joint_amount joint_noise; /* of measured joints; NaN: not used */
    const char *output;       /* corrected file; NULL: none */
    const char *residuals;    /* table of residuals; NULL: none */
    const char *marked;       /* corrected table of points; NULL: none */
} calibrate_options;

/* ---- parameters (calibrate_select.c, calibrate_parameters.c) --------------------------------- */

/* The numbers of an attribute, or the place of a point on its link. */
typedef struct number_group {
    size_t count;
    urdf_number number[3]; /* in the file; only values for a point */
    size_t point;          /* TD_NONE: numbers of the file */
    bool axis;             /* changes keep its length */
} number_group;

typedef struct parameter {
    char *name; /* "elbow.length", "elbow.yaw", "point tip.x" */
    unit_domain domain;
    size_t group;
    double direction[3]; /* change of the group's numbers per unit of the parameter */
    bool turns;          /* instead the frame of rpy turns about axis */
    double axis[3];
    double start; /* value in the file; an axis starts at 0 */
} parameter;

typedef struct parameter_list {
    const session *s;
    const td_load_options *load;
    const marker_list *points;
    urdf_text file;
    parameter *at;
    size_t count;
    number_group *group;
    size_t groups;
    double *prior, *bound; /* per parameter */
} parameter_list;

/* Selects parameters by the options; without any, the lengths of all joints that may move a point.
   Returns an exit code, after a message unless it is EXIT_GOOD. Callers free the list in all
   cases. */
int parameters_select(parameter_list *p, const session *s, const marker_list *points,
                      const calibrate_options *options);
void parameters_free(parameter_list *p);

/* Computes the numbers of a group after the changes. */
void parameters_group(const parameter_list *p, size_t group, const double *change, double *value);

/* Returns the text of the file with the changes, in a new string. */
char *parameters_text(const parameter_list *p, const double *change, size_t *size);

/* Makes the model with these changes (td_calibration.build). context: a parameter_list. */
td_status parameters_build(void *context, const double *change, td_model **model, double *point);

/* ---- recorded rows (calibrate_rows.c) -------------------------------------------------------- */

/* Rows with at least one point, of all tables. */
typedef struct row_list {
    const session *s;
    const calibrate_options *options;
    marker_list points;
    marker_solver solver;
    marker_noise noise;
    const char *table; /* the current one */
    int time;          /* its column of times; -1: none */
    size_t count, capacity;
    double *recorded; /* count × points × 3 (m); NaN: missing */
    double *y;        /* count × ny */
    double *t;        /* count (s); NaN: none */
    double *measured; /* count × nyd: measured positions of joints (rad, m); NaN: not measured */
    size_t *position; /* nyd: index in y; TD_NONE: cannot be measured */
    double *joint_noise; /* nyd */
    int *column;         /* nyd: of the measured position in the current table; -1: none */
    const char **tables; /* count */
    size_t *number;      /* count: of the row in its table, from 1 */
    size_t joints;       /* number of columns with measured positions */
    size_t empty, failed;
} row_list;

/* Reads points and tables, and computes the configuration of each row. Returns an exit code.
   Callers free the list in all cases. */
int row_list_read(row_list *r, const session *s, const calibrate_options *options);
void row_list_free(row_list *r);

/* Returns "row 3", or "b.csv, row 3" if there are several tables, with the time if there is one. */
char *row_text(const row_list *r, size_t row);

/* ---- report (calibrate_report.c) ------------------------------------------------------------- */

typedef struct calibration_report {
    const calibrate_options *options;
    const parameter_list *parameters;
    const row_list *rows;
    const td_calibration_result *result;
    const double *before; /* residuals of the file: rows × points × 3 (m); NaN: missing */
} calibration_report;

void report_print(const calibration_report *r);
void report_print_json(const calibration_report *r);
/* Returns a CSV table of the distance of each point in each row, in a new string. */
char *report_residuals(const calibration_report *r);
/* Prints warnings: parameters at a bound, a model that still does not fit, no convergence. Returns
   an exit code. */
int report_tell(const calibration_report *r);

#endif
