/* SPDX-License-Identifier: MIT */
/*
 * Joints that follow one independent joint by curves, as their limits are looked for
 * (curve_limits.c).
 */
#ifndef TD_CURVE_LIMITS_H
#define TD_CURVE_LIMITS_H

#include "load/build.h"

/* A joint whose limits are looked at, and its interval of the leader. */
typedef struct td_curve_followed {
    int joint, next;                  /* of those with the same leader the next one, −1 */
    double lower, upper;              /* what is beyond them by rounding is within */
    bool starts_within, within, done; /* where the leader is now; beyond the interval */
    double entry[2], bound[2]; /* by side: where it comes within its limits, where it leaves */
    double fastest[2];         /* by side: largest |dq/dy| within */
    double start;              /* of the leader */
    int crossing;              /* of those that pass a limit in a step the next one, −1 */
} td_curve_followed;

/* positions and slopes of the joints that are looked at */
typedef struct sample {
    double y, *position, *slope;
} sample;

/* All of them. Coordinates are those of w. */
typedef struct td_curve_search {
    td_build *build;
    td_model *model;
    int *leader;             /* per coordinate: the one that it depends on alone */
    int *joint_of;           /* per coordinate */
    int *first;              /* per coordinate: of what follows it the first in the list, −1 */
    td_curve_followed *list; /* in the order of joints */
    int count;
    int *term_row; /* per coordinate: where the terms begin that depend on it alone */
    const td_curve_term **term;
    const td_loop_curves **curves; /* per term: whose it is */
    double *w, *rate;
} td_curve_search;

/* The coordinate that a joint depends on alone, negative where there is none or several. */
int td_curve_leader(const td_curve_search *s, int joint);
/* Fills all of the search but w and rate, whose arrays have room. */
void td_list_curve_followers(td_curve_search *s);

#endif
