/* SPDX-License-Identifier: MIT */
/*
 * Readers of the values of options, for the rows in which these are declared (option.h). Quantities
 * may have units: "1s", "250ms", "20mm", "100Hz"; without one they are in s, m, N and Hz.
 */
#ifndef TOOL_OPTION_VALUE_H
#define TOOL_OPTION_VALUE_H

#include "input/units.h"
#include "option.h"

/* A point of a link (m). */
typedef struct given_point {
    double at[3];
    bool given;
} given_point;

/* A positive number for revolute joints, one for prismatic joints, and one for all joints (at
   UNIT_TIME). NAN if not given. */
typedef struct joint_amount {
    double of[UNIT_DOMAINS];
} joint_amount;

joint_amount joint_amount_none(void);

/* By the type at the place of the option; what a value may be: */
option_reader option_flag;      /* bool: true */
option_reader option_text;      /* const char *: any word */
option_reader option_list;      /* word_list: one more word */
option_reader option_choose;    /* an enum: one of the words "of"; without a value the last one */
option_reader option_count;     /* size_t: from 1 to the number, such as 1e6 */
option_reader option_positive;  /* double: above zero */
option_reader option_time;      /* double: a time above zero (s) */
option_reader option_frequency; /* double: a frequency above zero (Hz) */
option_reader option_length;    /* double: a length above zero (m) */
option_reader option_point;     /* given_point: X,Y,Z */
/* joint_amount: a number above zero of the order "number"; one with a unit is for the joints that
   turn or for those that slide, one without is for all joints. */
option_reader option_joint_amount;

/* The word of a value. */
const char *choice_word(const option_choice *choices, int value);

/* Reads a positive frequency in Hz or kHz. Returns false if it is invalid. */
bool read_frequency(const char *text, double *x);

#endif
