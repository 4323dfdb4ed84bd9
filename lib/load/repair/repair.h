/* SPDX-License-Identifier: MIT */
/*
 * Repair of loops as a file has them, for the steps that close loops (load/loops.c,
 * load/loop_decision.c): another closing than the first one that assembly finds, and frames of
 * which rounding is taken away. closure/ does without it, and a test looks that it does
 * (test/symbols.py).
 */
#ifndef TD_REPAIR_H
#define TD_REPAIR_H

#include "load/closure/loop_analysis.h"

/* ---- loop_limits.c --------------------------------------------------------------------------- */

/* the desk's list of limits; false without memory */
bool td_list_limits(td_build *build);

/* ---- loop_start.c ---------------------------------------------------------------------------- */

/* Looks for a better closing than w where that is outside limits or was found elsewhere than from
   the start; where it was found with given joints standing still they go on to. False without
   memory. */
bool td_choose_closing(td_loop_analysis *analysis, td_assembly_try found_by);
/* Reports joints that are outside their limits at w. False without memory. */
bool td_report_limits(td_loop_analysis *analysis);

/* ---- loop_rounding.c ------------------------------------------------------------------------- */

/* Corrects the records where the group is over-constrained and rounding keeps it open, or from
   moving; *corrected then: all loops are to be closed anew. Else analysis->w, whose residual is
   given, and all else are as they were. False without memory. */
bool td_correct_rounding(td_loop_analysis *analysis, double residual, bool *corrected);
/* says what was corrected of a group, whose first loop that is */
void td_report_rounding(td_build *build, int loop);

#endif
