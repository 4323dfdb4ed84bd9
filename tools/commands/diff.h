/* SPDX-License-Identifier: MIT */
/*
 * Differences of two robots, see diff.c.
 */
#ifndef TOOL_DIFF_H
#define TOOL_DIFF_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "tandem/tandem.h"

enum { DIFF_BEFORE, DIFF_AFTER, DIFF_SIDES };

/* One difference: the record ("joint 'elbow'"), its field, and both values; NULL for a robot
   without one. */
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
    /* index of the matching link or joint in the other robot, −1 for none */
    int *link[DIFF_SIDES], *joint[DIFF_SIDES];
    difference *list;
    size_t count;
} comparison;

/* The difference of torques at random states. */
typedef struct torque_difference {
    bool compared; /* both have the same coordinates, and there are states to compare */
    const char *why_not;
    size_t states, used; /* states drawn, and states computed for both */
    size_t one_sided;    /* states computed for only one robot */
    double largest;      /* N m or N */
    double relative;     /* relative to the largest force of that coordinate */
    char *where;         /* the coordinate; NULL: no difference */
    size_t state;        /* from 1 */
    double value[DIFF_SIDES];
    bool differs;
} torque_difference;

void diff_begin(comparison *c, const td_model *before, const td_model *after, double tolerance);
void diff_end(comparison *c);

/* Adds a difference and takes ownership of what, texts and values. */
void diff_add(comparison *c, char *what, const char *field, char *const text[DIFF_SIDES],
              cJSON *const value[DIFF_SIDES], bool dynamic);
/* Adds an item that only one side has. name: its name, or NULL. */
void diff_add_one_sided(comparison *c, const char *kind, const char *name, int side, bool dynamic);

/* Returns whether n numbers agree to the tolerance, relative to the largest of them and of scale.
 */
bool diff_same(const comparison *c, const double *a, const double *b, size_t n, double scale);

/* Matches links and joints by name, and renamed ones by their position in the tree if all else
   agrees. */
void diff_match(comparison *c);
/* Compares links, joints, followers, loops and all other records (diff_records.c). */
void diff_records(comparison *c);
bool diff_same_inertia(const comparison *c, size_t before, size_t after);
bool diff_same_motion(const comparison *c, size_t before, size_t after);
/* Finds the largest difference of inverse dynamics with passive forces (diff_torques.c). */
torque_difference diff_torques(const comparison *c, size_t states);

#endif
