/* SPDX-License-Identifier: MIT */
/*
 * tandem closure --measured: all joints from those that are measured.
 */
#ifndef TOOL_COMPLETE_COMMAND_H
#define TOOL_COMPLETE_COMMAND_H

#include "input/session.h"
#include "options.h"

/* Reads the table of options->states, whose columns are of any joints that determine the others,
   and writes q and q̇ of all joints, row after row from the last one that was found. Returns the
   exit code: EXIT_NEGATIVE where a row has no state, EXIT_FILE where joints are missing. Ends the
   program where the tolerance has a unit (NULL: none) that is not of all measured joints. */
int closure_measured(const session *s, const tool_options *options, double tolerance,
                     const value_unit *unit);

#endif
