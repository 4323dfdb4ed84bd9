/* SPDX-License-Identifier: MIT */
/*
 * Values as people write them on a command line: "0.3", "90deg", "-pi/2", "2*pi", "15mm".
 */
#ifndef TOOL_VALUE_H
#define TOOL_VALUE_H

#include <stdbool.h>

/* The value of a text in SI units and radians: numbers and "pi", multiplied or divided, the product
   followed by a unit (deg, rad, m, cm, mm) or none. False, and nothing written, where the text is
   something else, or the value is not finite. */
bool value_parse(const char *text, double *value);

#endif
