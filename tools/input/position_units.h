/* SPDX-License-Identifier: MIT */
/*
 * Units of values on the command line: of positions that the loading of a robot is given, by --lock
 * and --start, whose units can be checked only when the robot is known; and --unit for values that
 * name no unit.
 */
#ifndef TOOL_POSITION_UNITS_H
#define TOOL_POSITION_UNITS_H

#include <stdbool.h>

#include "input/coordinates.h"
#include "options.h"

/* Whether every position is in a unit of its joint, with messages about those that are not. One
   without a unit beside a --unit for all is refused as well. */
bool position_units_check(const tool_options *options, const td_model *model);

/* Multiplies a value without a unit by the unit that --unit sets for its coordinate, by column name
   or by kind. Prints a message and returns false if that is no unit. */
bool apply_general_unit(const coordinates *c, column_lookup *lookup, enum quantity quantity,
                        size_t index, double *value);

#endif
