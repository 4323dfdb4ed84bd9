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

/* Returns the value of --option in s: a positive time, or, if zero is true, a nonnegative time. */
double option_time(const char *option, const char *text, bool zero, struct argp_state *state);

/* Reads a positive frequency in Hz or kHz. Returns false if the text is invalid. */
bool read_frequency(const char *text, double *x);
/* Returns the value of --option, a positive frequency in Hz. */
double option_frequency(const char *option, const char *text, struct argp_state *state);

/* A positive number for revolute joints, one for prismatic joints, and one for all joints (at
   UNIT_TIME). NAN if not given. */
typedef struct joint_amount {
    double of[UNIT_DOMAINS];
} joint_amount;

joint_amount joint_amount_none(void);

/* Reads the value of --option, a positive number. The unit, which has the given order, selects
   revolute or prismatic joints. A number without a unit applies to all joints. */
void option_joint_amount(const char *option, const char *text, int order, joint_amount *amount,
                         struct argp_state *state);

/* Reads the value of --point: X,Y,Z (m). */
void option_point(const char *text, double point[3], struct argp_state *state);

#endif
