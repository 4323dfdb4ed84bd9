/* SPDX-License-Identifier: MIT */
/*
 * Limits of joints that move with a group of loops, used to choose how the group closes
 * (loop_start.c).
 */
#ifndef TD_LOOP_LIMITS_H
#define TD_LOOP_LIMITS_H

#include "load/closure/loop_analysis.h"

/* A joint of the tree with limits that moves with the group or with one of its leaders. */
typedef struct td_limited {
    int joint, q;
    double lower, upper, unit; /* unit: 1 for angles, size of the mechanism for lengths */
} td_limited;

typedef struct td_loop_limits {
    int count;
    td_limited *at;
    td_csr position; /* maps w of the group to positions of these joints */
    double *offset, *x;
    double *lower, *upper; /* per coordinate of the group: its limits */
    double *start, *kept;  /* nw */
} td_loop_limits;

/* Allocates the limits of joints that move with the group, in the caller's scope of
   build->temporary. Returns NULL if out of memory. */
td_loop_limits *td_limits_new(td_loop_analysis *analysis);

#endif
