/* SPDX-License-Identifier: MIT */
/*
 * The states of a command that writes a table: those of STATES, or the one of -q and the like.
 */
#ifndef TOOL_STATES_H
#define TOOL_STATES_H

#include "robot/state_table.h"

/* state_table_read of options->states, or where there is none a table of one row, without t. */
bool states_read(const coordinates *c, const state_form *form, const tool_options *options,
                 state_sink sink, void *context);

#endif
