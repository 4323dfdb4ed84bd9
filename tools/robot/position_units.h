/* SPDX-License-Identifier: MIT */
/*
 * Units of positions that the loading of a robot is given, by --lock and --start: which ones a
 * joint has is known when the robot is.
 */
#ifndef TOOL_POSITION_UNITS_H
#define TOOL_POSITION_UNITS_H

#include <stdbool.h>

#include "options.h"

/* Whether every position is in a unit of its joint, with messages about those that are not. */
bool position_units_check(const tool_options *options, const td_model *model);

#endif
