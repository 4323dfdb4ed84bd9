/* SPDX-License-Identifier: MIT */
/*
 * Detects positions beyond limits, for independent and dependent joints with one coordinate.
 * Continuous joints with limits are checked modulo whole turns. Checks single positions or rows of
 * a table, and reports on standard error at the end.
 */
#ifndef TOOL_LIMIT_WATCH_H
#define TOOL_LIMIT_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "tandem/tandem.h"

/* A joint beyond a limit. */
typedef struct limit_passed {
    size_t joint;
    bool below; /* the position is below the lower limit */
    double at, limit;
    size_t times;                         /* number of positions beyond the limit */
    double first, most, most_at, most_by; /* time or row of the first and the farthest position;
                                             that position, and its distance from the limit */
} limit_passed;

typedef struct limit_watch {
    const td_model *model;
    bool tree;               /* positions are q of the tree, not y */
    double slack;            /* distances to ignore, in multiples of td_limit_tolerance */
    bool any;                /* some joint has limits */
    td_workspace *workspace; /* the caller's */
    double *q;               /* capacity for rows of q */
    td_status *each;
    size_t rows;
    limit_passed *passed;
    size_t count;
} limit_watch;

limit_watch limit_watch_new(const td_model *model, td_workspace *workspace, bool tree);
void limit_watch_free(limit_watch *w);

/* Checks a position q (nq). when: its time or row. */
void limit_watch_look(limit_watch *w, const double *q, double when);
/* Checks rows of positions; first: the number of the first row. Where loops do not close, checks
   only the independent joints. */
void limit_watch_rows(limit_watch *w, size_t rows, const double *positions, size_t first);

/* Returns the angle, shifted by whole turns, that is nearest to the middle of the limits. */
double limit_nearest_turn(double angle, const td_limit *limit);

/* Returns whether an angle that is more than two turns beyond the joint's limits would be within
   them in degrees. If so, prints a note. */
bool limit_tell_degrees(const td_model *model, size_t joint, double at);

enum { LIMIT_LINES = 5 };

/* Print a line for each of the first limits, for one position or for rows, and the number of
   further limits. */
void limit_watch_tell_state(const limit_watch *w);
void limit_watch_tell_rows(const limit_watch *w);
void limit_watch_tell_rest(const limit_watch *w);

/* Checks one position (q if tree is true, otherwise y) and reports. */
void tell_limits(const td_model *model, td_workspace *workspace, bool tree, const double *position);

#endif
