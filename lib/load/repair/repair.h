/* SPDX-License-Identifier: MIT */
/*
 * Repair of loops for the steps that close them (load/loops.c, load/loop_decision.c): chooses a
 * better closed position than the first one that assembly finds, and removes rounding from frames.
 * The folder closure/ does not depend on it, as test/symbols.py checks.
 */
#ifndef TD_REPAIR_H
#define TD_REPAIR_H

#include "load/closure/loop_analysis.h"

/* ---- loop_limits.c --------------------------------------------------------------------------- */

/* Fills the table of limits in build->desk. Returns false if out of memory. */
bool td_list_limits(td_build *build);

/* ---- loop_start.c ---------------------------------------------------------------------------- */

/* Looks for a better closed position if w violates limits or assembly did not find it from the
   start. Joints with a given start stay fixed if found_by is TD_TRY_GIVEN. Returns false if out of
   memory. */
bool td_choose_closing(td_loop_analysis *analysis, td_assembly_try found_by);
/* Reports joints that violate their limits at w. Returns false if out of memory. */
bool td_report_limits(td_loop_analysis *analysis);

/* ---- loop_rounding.c ------------------------------------------------------------------------- */

/* Corrects the records if the group is over-constrained and rounding keeps it from closing or
   moving. Then sets *corrected, and all loops must be closed again. Otherwise restores everything,
   including analysis->w, whose residual is given. Returns false if out of memory. */
bool td_correct_rounding(td_loop_analysis *analysis, double residual, bool *corrected);
/* Reports the corrections of the group whose first loop is given. */
void td_report_rounding(td_build *build, int loop);

#endif
