/* SPDX-License-Identifier: MIT */
/*
 * --lock JOINT=POSITION. In which unit a position may be given is known when the robot is.
 */
#ifndef TOOL_LOCK_OPTION_H
#define TOOL_LOCK_OPTION_H

#include <argp.h>
#include <stdbool.h>

#include "options.h"

/* Takes one more JOINT=POSITION, the text of which is cut up; exits where it is none. */
void lock_option_read(tool_options *options, char *text, struct argp_state *state);

/* Whether every position is in a unit of its joint, with messages about those that are not. */
bool lock_option_check(const tool_options *options, const td_model *model);

#endif
