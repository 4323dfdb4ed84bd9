/* SPDX-License-Identifier: MIT */
/*
 * Checks units of positions on the command line. The units in --lock and --start can be checked
 * only after the robot is loaded. Also applies --unit to values without a unit.
 */
#ifndef TOOL_POSITION_UNITS_H
#define TOOL_POSITION_UNITS_H

#include <stdbool.h>

#include "input/coordinates.h"
#include "options.h"

/* Returns whether each position of --lock and --start has a unit that fits its joint. Prints
   messages about the others. Also refuses positions without a unit if --unit sets a general one. */
bool position_units_check(const tool_options *options, const td_model *model);

/* Multiplies a value without a unit by the unit that --unit sets for its coordinate, by column name
   or by domain. Prints a message and returns false if the unit does not fit. */
bool apply_general_unit(const coordinates *c, column_lookup *lookup, enum quantity quantity,
                        size_t index, double *value);

#endif
