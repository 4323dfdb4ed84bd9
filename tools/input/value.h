/* SPDX-License-Identifier: MIT */
/*
 * Values as people write them on a command line: "0.3", "90deg", "-pi/2", "2*pi", "15mm",
 * "10deg/s".
 */
#ifndef TOOL_VALUE_H
#define TOOL_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include "input/units.h"

/* The value of a text in SI units and radians: numbers and "pi", multiplied or divided, the product
   followed by a unit, or none. *u: that unit, NULL without one; whether it is one of what the value
   is for is to be asked of that (coordinates_unit_fault). False, and nothing written, where the
   text is something else, or the value is not finite. */
bool value_parse(const char *text, double *value, const value_unit **u);

/* Reads a value with a unit of that domain and order (as in value_unit), or none.
 */
bool read_quantity(const char *text, unit_domain domain, int order, double *x);

/* Reads count numbers with commas between, each as read_quantity does. Returns false where they are
   more or fewer, or one is no such value. */
bool read_quantities(const char *text, unit_domain domain, int order, size_t count, double *x);

#endif
