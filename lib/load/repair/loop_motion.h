/* SPDX-License-Identifier: MIT */
/*
 * The motion that a group of loops would have without rounding in the file, and the nearest
 * mechanism that has this motion.
 */
#ifndef TD_LOOP_MOTION_H
#define TD_LOOP_MOTION_H

#include "load/closure/loop_analysis.h"

/* ---- loop_motion.c --------------------------------------------------------------------------- */

/* TD_ROUNDED_FRAMES: largest correction of a frame that counts as rounding (rad, or fraction of the
   mechanism's size). TD_ROUNDED_RANK: relative length below which columns count as zero in this
   case. */
#define TD_ROUNDED_FRAMES 2e-4
#define TD_ROUNDED_RANK 1e-3

/* Returns the rank at w and picks columns. Columns shorter than tolerance times the longest count
   as zero. */
int td_motion_rank(td_loop_analysis *analysis, const double *w, double tolerance);

/* Positions along the motion that a group would have without rounding. */
typedef struct td_loop_motion {
    int rank;                         /* rank along the motion */
    int count;                        /* number of positions; 0 if the correction would take too
                                         long */
    int open;                         /* number of positions at which the group is not closed */
    double *w;                        /* per position: nw */
    int *fixed;                       /* per position: a kind for each slot; INDEPENDENT slots are
                                         fixed */
    double *direction, *along, *rate; /* of the walk; sizes slots, slots, rows */
} td_loop_motion;

/* Computes the rank of the motion through analysis->w and allocates in the caller's scope of
   build->temporary. If analysis->w is singular, moves it slightly to where the rank is higher.
   Returns false if out of memory. */
bool td_motion_open(td_loop_analysis *analysis, td_loop_motion *motion);
/* Fills the positions by a walk that starts at analysis->w. Returns the largest residual, or
   infinity if no motion is found. */
double td_motion_walk(td_loop_analysis *analysis, td_loop_motion *motion, unsigned seed);
/* Closes the group again at one of the positions, as nearly as possible. Returns the residual. */
double td_motion_settle(td_loop_analysis *analysis, td_loop_motion *motion, int position);
/* Computes Q of the columns of J that are not fixed at a position, in analysis->copy. Returns false
   if they are nearly dependent. */
bool td_motion_range(td_loop_analysis *analysis, const td_loop_motion *motion, int position,
                     double tolerance);

/* ---- nearest_mechanism.c, rounded_angles.c --------------------------------------------------- */

/* Corrects frames in the tree and in the records as little as possible so that the group closes at
   all positions of the motion. *found: whether this succeeded. Returns false if out of memory. */
bool td_nearest_mechanism(td_loop_analysis *analysis, td_loop_motion *motion, bool *found);

/* Replaces angles that are rounded multiples of 15° by exact ones, in the frames of the records
   along the group's loops. *rounded: whether there were any. Returns false if out of memory. */
bool td_round_angles(td_loop_analysis *analysis, bool *rounded);

#endif
