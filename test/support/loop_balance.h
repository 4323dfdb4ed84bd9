/* SPDX-License-Identifier: MIT */
/*
 * Checks td_loop_reactions against an independent formulation. Each link must be in balance. Along
 * joint coordinates, reactions must equal the motor and passive forces that act there. Loop joints
 * must transmit nothing along their free directions.
 */
#ifndef TD_LOOP_BALANCE_H
#define TD_LOOP_BALANCE_H

#include "td_test.h"

/* Checks this at a state in which loops close. `forces` may be NULL. For robots with couplings or
   user-supplied closures it does not check the forces of mimic joints and the like. */
void loop_balance_check(const td_model *model, td_workspace *w, const double *y, const double *yd,
                        const double *ydd, const td_forces *forces);

/* Computes the reactions of all joints (6 each, in the world frame) if only the given loop wrenches
   act. Wrenches have 6 numbers per loop, in the world frame, on the successor. */
void loop_balance_of_wrenches(const td_model *model, const double *q, const double *loops,
                              double *joints);

/* Computes the poses of a loop's frames on predecessor and successor at a tree configuration q. */
void loop_balance_frames(const td_model *model, td_workspace *w, const double *q, size_t loop,
                         td_pose frame[2]);

#endif
