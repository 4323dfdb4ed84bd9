/* SPDX-License-Identifier: MIT */
/*
 * The motion that a group of loops would have if nothing were rounded, and the mechanism nearby
 * that has it.
 */
#ifndef TD_LOOP_MOTION_H
#define TD_LOOP_MOTION_H

#include "load/closure/loop_analysis.h"

/* ---- loop_motion.c --------------------------------------------------------------------------- */

/* Loops that rounding keeps open: the largest correction of a frame (rad, or of the size); and of
   columns that count as none then. */
#define TD_ROUNDED_FRAMES 2e-4
#define TD_ROUNDED_RANK 1e-3

/* The rank at w where columns shorter than that part of the longest count as none; picks. */
int td_motion_rank(td_loop_analysis *analysis, const double *w, double tolerance);

/* Positions along the motion that a group has but for rounding. */
typedef struct td_loop_motion {
    int rank;                         /* along it */
    int count;                        /* of positions; 0 where it would take too long */
    int open;                         /* at how many of them the group is not closed */
    double *w;                        /* of each, nw */
    int *fixed;                       /* of each: kinds of slots for td_analysis_descend */
    double *direction, *along, *rate; /* of a walk: slots, slots, rows */
} td_loop_motion;

/* The rank of the motion through analysis->w, and room in the caller's scope of build->temporary.
   Where it is singular there analysis->w moves a little, to where the rank is higher. False without
   memory. */
bool td_motion_open(td_loop_analysis *analysis, td_loop_motion *motion);
/* Positions on a walk from analysis->w on; the largest residual, infinite where the group does not
   move but for rounding. */
double td_motion_walk(td_loop_analysis *analysis, td_loop_motion *motion, unsigned seed);
/* Closes one of the positions once more, as nearly as it can be; its residual. */
double td_motion_settle(td_loop_analysis *analysis, td_loop_motion *motion, int position);
/* Q of the columns of J that are not fixed there, in analysis->copy. False where they are nearly
   dependent. */
bool td_motion_range(td_loop_analysis *analysis, const td_loop_motion *motion, int position,
                     double tolerance);

/* ---- nearest_mechanism.c, rounded_angles.c --------------------------------------------------- */

/* Corrects frames in the tree and in the records as little as can be so that the group closes at
   all positions of the motion. *found: whether that succeeded. False without memory. */
bool td_nearest_mechanism(td_loop_analysis *analysis, td_loop_motion *motion, bool *found);

/* Makes exact what is a rounded multiple of 15° in the frames of the records on the paths of the
   group's loops. *rounded: whether there was such. False without memory. */
bool td_round_angles(td_loop_analysis *analysis, bool *rounded);

#endif
