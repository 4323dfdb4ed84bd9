/* SPDX-License-Identifier: MIT */
/*
 * Reads quantities with units from options: "1s", "250ms", "20mm", "100Hz". Numbers without a unit
 * are in s, m, N and Hz. Functions with the prefix option_ end the program with a message if a
 * value is invalid.
 */
#ifndef TOOL_OPTION_VALUE_H
#define TOOL_OPTION_VALUE_H

#include <argp.h>
#include <stdbool.h>

#include "input/units.h"

/* The value of --option: a time above zero, or where zero is true, at least zero (s). */
double option_time(const char *option, const char *text, bool zero, struct argp_state *state);

/* Reads a positive frequency in Hz or kHz. Returns false if it is invalid. */
bool read_frequency(const char *text, double *x);
/* The same as the value of --option. */
double option_frequency(const char *option, const char *text, struct argp_state *state);

/* A number above zero for each joint, by what the joint does: turn, slide, or both, at UNIT_TIME.
   NAN: none is given. */
typedef struct joint_amount {
    double of[UNIT_DOMAINS];
} joint_amount;

joint_amount joint_amount_none(void);

/* Reads the value of --option, a number above zero: one with a unit of that order is for the joints
   that turn or for those that slide, one without is for all joints. */
void option_joint_amount(const char *option, const char *text, int order, joint_amount *amount,
                         struct argp_state *state);

/* The value of --point: X,Y,Z (m). */
void option_point(const char *text, double point[3], struct argp_state *state);

#endif
