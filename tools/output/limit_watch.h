/* SPDX-License-Identifier: MIT */
/*
 * Detects positions beyond limits: of all joints with one coordinate, independent or dependent, and
 * of continuous joints with limits, modulo whole turns. Checks single positions or rows of a table
 * and reports at the end on standard error.
 */
#ifndef TOOL_LIMIT_WATCH_H
#define TOOL_LIMIT_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "tandem/tandem.h"

/* A joint beyond a limit. */
typedef struct limit_passed {
    size_t joint;
    bool below; /* the lower limit */
    double at, limit;
    size_t times;                         /* of the positions that were looked at */
    double first, most, most_at, most_by; /* when it was first and farthest; where and how far */
} limit_passed;

typedef struct limit_watch {
    const td_model *model;
    bool tree;               /* positions are of the tree's joints, not of y */
    double slack;            /* what does not count, in tolerances of limits */
    bool any;                /* some joint has limits */
    td_workspace *workspace; /* the caller's; single calls on it find what they found before */
    double *q;               /* room for rows of the tree's */
    td_status *each;
    size_t rows;
    limit_passed *passed;
    size_t count;
} limit_watch;

limit_watch limit_watch_new(const td_model *model, td_workspace *workspace, bool tree);
void limit_watch_free(limit_watch *w);

/* Looks at q (nq), the position at a time, or in a row. */
void limit_watch_look(limit_watch *w, const double *q, double when);
/* Looks at rows of positions, the first of them with that number; of those whose
   loops do not close at the independent joints alone. */
void limit_watch_rows(limit_watch *w, size_t rows, const double *positions, size_t first);

/* Of all angles that are whole turns away the one that is nearest to the middle of the limits. */
double limit_nearest_turn(double angle, const td_limit *limit);

/* Whether an angle that is more than two turns beyond the joint's limits is within them in degrees;
   says so where it is. */
bool limit_tell_degrees(const td_model *model, size_t joint, double at);

enum { LIMIT_LINES = 5 };

/* Prints a line for each of the first joints, and the number of the others, for one position or for
   rows. */
void limit_watch_tell_state(const limit_watch *w);
void limit_watch_tell_rows(const limit_watch *w);
void limit_watch_tell_rest(const limit_watch *w);

/* One position, in the coordinates of tree. */
void tell_limits(const td_model *model, td_workspace *workspace, bool tree, const double *position);

#endif
