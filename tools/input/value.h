/* SPDX-License-Identifier: MIT */
/*
 * Parses values on a command line: "0.3", "90deg", "-pi/2", "2*pi", "15mm", "10deg/s".
 */
#ifndef TOOL_VALUE_H
#define TOOL_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include "input/units.h"

/* Parses products and quotients of numbers and "pi", with an optional unit at the end. Sets *value
   in SI units and radians, and *u to the unit, or NULL without one. The caller checks whether the
   unit fits (coordinates_unit_fault). Returns false and writes nothing if the text is invalid or
   the value is not finite. */
bool value_parse(const char *text, double *value, const value_unit **u);

/* Reads a value whose optional unit must have the given domain and order (as in value_unit).
   Returns false if it is invalid. */
bool read_quantity(const char *text, unit_domain domain, int order, double *x);

/* Reads exactly count values, separated by commas, as read_quantity does. Returns false if their
   number differs or one is invalid. */
bool read_quantities(const char *text, unit_domain domain, int order, size_t count, double *x);

#endif
