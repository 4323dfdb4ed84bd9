/* SPDX-License-Identifier: MIT */
/*
 * Whole turns that a recorded angle has lost: encoders and programs give angles modulo a turn, and
 * what differentiates them takes a jump of a turn for a motion.
 */
#ifndef TD_RECORDING_TURNS_H
#define TD_RECORDING_TURNS_H

#include <stddef.h>

#include "tandem/status.h"

/* What td_unwrap finds. Values are named by their place, that behind the step. */
typedef struct td_turns {
    size_t jumps;      /* steps that are less by whole turns in x */
    size_t first;      /* the first of them */
    size_t sure;       /* those that are about whole turns, in the midst of steps that are not */
    size_t first_sure; /* the first of them */
    size_t doubtful;   /* steps that may contain turns because their rows are too far apart */
    size_t first_doubtful;
} td_turns;

/* Takes jumps by whole turns out of x (n, rad) at ascending times t, all of them numbers, so
   that the angle goes on; the first value stays. A column that is within a turn takes the nearest
   way at each step; one that is not counts turns, and keeps what its neighbours' speed explains.
   Where rows are missing, that speed says how many turns went by. A step is doubtful where it is
   above 3/8 of a turn, or where nearest way and neighbours disagree. TD_ERROR_MEMORY: x is as it
   was. O(n log n). */
td_status td_unwrap(size_t n, const double *t, double *x, td_turns *found);

#endif
