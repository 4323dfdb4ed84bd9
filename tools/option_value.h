/* SPDX-License-Identifier: MIT */
/*
 * Quantities that options take, with units as people write them: "1s", "250ms", "20mm", "100Hz".
 * Numbers without one are in s, m, N and Hz. The functions that begin with option_ end the program
 * with a message where a value is none of its quantity.
 */
#ifndef TOOL_OPTION_VALUE_H
#define TOOL_OPTION_VALUE_H

#include <argp.h>
#include <stdbool.h>

/* The value of --option: a time above zero, or where zero is true, at least zero (s). */
double option_time(const char *option, const char *text, bool zero, struct argp_state *state);

/* A frequency above zero, in Hz or kHz; false where it is none. */
bool read_frequency(const char *text, double *x);
/* The same as the value of --option. */
double option_frequency(const char *option, const char *text, struct argp_state *state);

/* The value of --point: X,Y,Z (m). */
void option_point(const char *text, double point[3], struct argp_state *state);

#endif
