/* SPDX-License-Identifier: MIT */
/*
 * What td_loop_reactions finds, against equations written anew: each link is in balance under all
 * that acts on it, joints give along their coordinates what acts there and nothing else, and joints
 * that close loops nothing in the directions in which they are free.
 */
#ifndef TD_LOOP_BALANCE_H
#define TD_LOOP_BALANCE_H

#include "td_test.h"

/* Fails unless that holds at a state in which loops close. forces may be NULL. Of robots with
   couplings or closures of their own, what mimic joints and such give is not asked for. */
void loop_balance_check(const td_model *model, td_workspace *w, const double *y, const double *yd,
                        const double *ydd, const td_forces *forces);

/* The reactions of all joints (6 each, in the world's frame) where loops act on links with these
   wrenches (6 per loop, in the world's frame, on the successor) alone. */
void loop_balance_of_wrenches(const td_model *model, const double *q, const double *loops,
                              double *joints);

/* The place of a loop's frames on predecessor and successor, at q of the tree. */
void loop_balance_frames(const td_model *model, td_workspace *w, const double *q, size_t loop,
                         td_pose frame[2]);

#endif
