/* SPDX-License-Identifier: MIT */
/*
 * The comparison: whether all contenders compute the same, and how long they take.
 */
#ifndef BENCH_SPEED_H
#define BENCH_SPEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "peer.h"

/* What a contender's results may differ by from the first one's, relative to the largest of them.
   Accelerations are compared by the forces that they take, H q̈, since in long chains rounding
   alone moves them by the condition of H. */
#define AGREEMENT 1e-9
#define AGREEMENT_SOFT 0.05 /* where contender.soft */

typedef struct settings {
    size_t rounds;     /* measurements of each, in turns */
    double target;     /* ns that one measurement takes at least */
    const char *only;  /* key of the one operation wanted, or NULL */
    FILE *text, *json; /* tables, and an object for every cell of them in an open array; or NULL */
} settings;

/* All contenders on one robot. False where the results of one differ. */
bool compare_speed(const settings *settings, const bench_robot *robot);

/* The short name of an operation, and what it is. */
const char *operation_key(operation op);
const char *operation_text(operation op);
/* How many numbers it has for one state. */
size_t operation_results(const bench_robot *robot, operation op);

#endif
