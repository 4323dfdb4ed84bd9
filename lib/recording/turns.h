/* SPDX-License-Identifier: MIT */
/*
 * Restores whole turns that a recorded angle has lost. Encoders and programs often report angles
 * modulo a turn; differentiation would treat a jump by a turn as a motion.
 */
#ifndef TD_RECORDING_TURNS_H
#define TD_RECORDING_TURNS_H

#include <stddef.h>

#include "tandem/status.h"

/* The results of td_unwrap. A step is identified by the index of the value after it. */
typedef struct td_turns {
    size_t jumps; /* number of steps from which whole turns were removed */
    size_t first; /* index of the first one */
    size_t sure;  /* steps that clearly contain whole turns, compared with the steps around them */
    size_t first_sure; /* index of the first one */
    size_t doubtful;   /* steps that may contain turns because their rows are too far apart */
    size_t first_doubtful;
} td_turns;

/* Removes jumps by whole turns from x (n finite angles, rad) at ascending times t. The first value
   does not change. If all values are within a turn, each step becomes the shortest one. Otherwise
   the column counts turns, and a long step stays if the speed of its neighbors explains it. If rows
   are missing, this speed determines the number of turns. A step is doubtful if it is still longer
   than 3/8 of a turn, or if the shortest step and the neighbors disagree. TD_ERROR_MEMORY: x is
   unchanged. O(n log n). */
td_status td_unwrap(size_t n, const double *t, double *x, td_turns *found);

/* Chooses the signs of n quaternions, columns p of x, y, z, w, so that they change least from row
   to row: a quaternion and its negative are the same orientation. A NULL column is 0; rows with NaN
   are skipped. Of the two rows before, the closer one counts, since the other may be an outlier.
   Only doubtful and first_doubtful of found are set: steps of more than 3/8 of a turn. O(n). */
void td_align_signs(size_t n, double *const p[4], td_turns *found);

#endif
