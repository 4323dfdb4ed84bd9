/* SPDX-License-Identifier: MIT */
/*
 * Parts of tandem trajectory: the plan of a motion through points, and its table.
 */
#ifndef TOOL_TRAJECTORY_H
#define TOOL_TRAJECTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "input/motion_table.h"
#include "input/option_value.h"
#include "input/session.h"
#include "output/table_output.h"
#include "tandem/trajectory.h"

/* X(name, word): first curves through all points, then moves that stop at each point */
#define CURVE_TABLE(X)                                                                             \
    X(CUBIC, "cubic")                                                                              \
    X(QUINTIC, "quintic")                                                                          \
    X(B_SPLINE, "b-spline")                                                                        \
    X(MINIMUM_JERK, "minimum-jerk")                                                                \
    X(SEPTIC, "septic")                                                                            \
    X(CYCLOID, "cycloid")                                                                          \
    X(TRAPEZOID, "trapezoid")                                                                      \
    X(JERK_LIMITED, "jerk-limited")

typedef enum curve_kind {
#define CURVE_ENUM(name, word) CURVE_##name,
    CURVE_TABLE(CURVE_ENUM)
#undef CURVE_ENUM
        CURVE_COUNT
} curve_kind;

typedef struct trajectory_options {
    tool_options common;
    const char *points; /* the table */
    curve_kind curve;
    double rate;                               /* rows per second */
    joint_amount velocity, acceleration, jerk; /* limits for joints without any */
    bool slower;                               /* --time-scale */
    const char *output;                        /* NULL: standard output */
} trajectory_options;

/* A part of the motion: all of it, or the move to the next point. */
typedef struct plan_part {
    td_trajectory *curve;
    double begin;        /* s; the curve's own time begins at td_trajectory_begin */
    size_t from, to;     /* points, from 0 */
    td_time_scale scale; /* result for the limits; t is time along the motion */
    bool bound;          /* limits determine its duration */
} plan_part;

typedef struct plan {
    const session *s;
    const coordinates *c;
    const trajectory_options *options;
    td_limit *limits; /* of the joints; NULL: the model's */
    plan_part *part;
    size_t parts;
    double begin, end; /* s */
    bool forces;       /* effort limits of motors apply */
} plan;

/* Plans the motion through the points. rest: positions of joints without a column. Returns an exit
   code; prints a message on failure. Only a plan that succeeded must be freed. */
int plan_new(plan *p, const session *s, const coordinates *c, const trajectory_options *options,
             const motion_table *points, const double *rest);
void plan_free(plan *p);

/* Computes y, yd, ydd at t. */
void plan_at(const plan *p, double t, double *y, double *yd, double *ydd);

/* Returns the limit that determines a part, such as "velocity of joint 'x' at 0.5 s", in a new
   string. */
char *binding_text(const plan *p, const plan_part *part);

/* Reports by how much a part exceeds its tightest limit. It would need factor times the duration
   (NaN: no duration suffices). Returns EXIT_USAGE. */
int complain_limit(const plan *p, plan_part *part, double factor);

#endif
