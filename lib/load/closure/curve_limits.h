/* SPDX-License-Identifier: MIT */
/*
 * Joints that follow one independent joint by curves, and the search for the leader's interval in
 * which they are within their limits (curve_limits.c).
 */
#ifndef TD_CURVE_LIMITS_H
#define TD_CURVE_LIMITS_H

#include "load/build.h"

/* A joint with limits, and the interval of its leader in which it keeps them. */
typedef struct td_curve_followed {
    int joint, next;     /* next: next joint of the list with the same leader, or −1 */
    double lower, upper; /* limits of the joint; exceeding them by rounding is allowed */
    bool starts_within, within, done; /* within the limits at the start, and at the current
                                         position; done: the joint has left its limits again */
    double entry[2], bound[2]; /* by side: position of the leader where the joint comes within its
                                  limits, and where it leaves them */
    double fastest[2];         /* by side: largest |dq/dy| within the limits */
    double start;              /* start position of the leader */
    int crossing;              /* next joint that crosses a limit in the same step, or −1 */
} td_curve_followed;

/* A leader position y, and the position and slope of each listed joint there. */
typedef struct sample {
    double y, *position, *slope;
} sample;

/* The search over all such joints. Coordinates are indices in w. */
typedef struct td_curve_search {
    td_build *build;
    td_model *model;
    int *leader;             /* per coordinate: the only coordinate on which it depends */
    int *joint_of;           /* per coordinate: its joint */
    int *first;              /* per coordinate: the first list entry that follows it, or −1 */
    td_curve_followed *list; /* ordered by joint */
    int count;
    int *term_row; /* per coordinate: index of the first term that depends on it alone */
    const td_curve_term **term;
    const td_loop_curves **curves; /* per term: the curves that contain it */
    double *w, *rate;
} td_curve_search;

/* Returns the only coordinate on which a joint depends, or a negative number if it depends on none
   or several. */
int td_curve_leader(const td_curve_search *s, int joint);
/* Fills the search except w and rate. The caller has allocated its arrays. */
void td_list_curve_followers(td_curve_search *s);

#endif
