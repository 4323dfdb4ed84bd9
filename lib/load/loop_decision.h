/* SPDX-License-Identifier: MIT */
/*
 * Decides how to solve a group of loops.
 */
#ifndef TD_LOOP_DECISION_H
#define TD_LOOP_DECISION_H

#include "load/closure/loop_analysis.h"

/* Assembles a group and decides how its loops are solved; keeps the result, or reports why they
   cannot be closed. Sets *solved if the group must be solved at each state. Sets build->corrected
   if all loops must be closed again. Returns false if memory runs out. */
bool td_decide_group(td_loop_analysis *analysis, bool *solved);

#endif
