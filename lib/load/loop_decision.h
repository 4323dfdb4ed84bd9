/* SPDX-License-Identifier: MIT */
/*
 * What becomes of a group of loops.
 */
#ifndef TD_LOOP_DECISION_H
#define TD_LOOP_DECISION_H

#include "load/closure/loop_analysis.h"

/* Assembles the group, decides what it is and keeps that, or reports why it cannot be closed.
   *solved: whether it is one that is solved for at each state. Sets build->corrected where all
   loops are to be closed anew. False without memory. */
bool td_decide_group(td_loop_analysis *analysis, bool *solved);

#endif
