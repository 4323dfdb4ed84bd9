/* SPDX-License-Identifier: MIT */
/*
 * What two robots differ in, see diff.c.
 */
#ifndef TOOL_DIFF_H
#define TOOL_DIFF_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "tandem/tandem.h"

enum { DIFF_BEFORE, DIFF_AFTER, DIFF_SIDES };

/* One thing that is not the same: of what ("joint 'elbow'"), which part of it, and what both have;
   NULL where one has none of it. */
typedef struct difference {
    char *what;
    const char *field;
    char *text[DIFF_SIDES];
    cJSON *value[DIFF_SIDES];
    bool dynamic; /* dynamics depend on it */
} difference;

typedef struct comparison {
    const td_model *model[DIFF_SIDES];
    double tolerance; /* relative to the larger of two numbers, or the largest of a vector */
    /* per link and joint of the first robot: which of the second one it is, −1 for none; and back
     */
    int *link[DIFF_SIDES], *joint[DIFF_SIDES];
    difference *list;
    size_t count;
} comparison;

/* What torques at random states differ by. */
typedef struct torque_difference {
    bool compared; /* the two have the same coordinates, and there are states to compare at */
    const char *why_not;
    size_t states, used; /* drawn, and those at which both could be computed */
    size_t one_sided;    /* states at which one could be and the other could not */
    double largest;      /* N m or N */
    double relative;     /* to the largest force of that coordinate */
    char *where;         /* the coordinate, NULL where nothing differs */
    size_t state;        /* from 1 */
    double value[DIFF_SIDES];
    bool differs;
} torque_difference;

void diff_begin(comparison *c, const td_model *before, const td_model *after, double tolerance);
void diff_end(comparison *c);

/* Takes over what, texts and values. */
void diff_add(comparison *c, char *what, const char *field, char *const text[DIFF_SIDES],
              cJSON *const value[DIFF_SIDES], bool dynamic);
/* Adds an item that only one side has. name: its name, or NULL. */
void diff_add_one_sided(comparison *c, const char *kind, const char *name, int side, bool dynamic);

/* Returns whether n numbers agree to the tolerance, relative to the largest of them and of scale.
 */
bool diff_same(const comparison *c, const double *a, const double *b, size_t n, double scale);

/* Finds out which link and joint is which, by name, and where all else is the same by place. */
void diff_match(comparison *c);
/* (diff_records.c) links, joints, followers, loops and all other records */
void diff_records(comparison *c);
bool diff_same_inertia(const comparison *c, size_t before, size_t after);
bool diff_same_motion(const comparison *c, size_t before, size_t after);
/* (diff_torques.c) the largest difference of inverse dynamics, passive forces included */
torque_difference diff_torques(const comparison *c, size_t states);

#endif
