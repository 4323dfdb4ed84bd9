/* SPDX-License-Identifier: MIT */
/*
 * Reads the states of a command that writes a table, from STATES or from -q and similar options.
 */
#ifndef TOOL_STATES_H
#define TOOL_STATES_H

#include "input/state_table.h"

/* Reads options->states with state_table_read. Without it, passes on one row without t, from the
   options. */
bool states_read(const coordinates *c, const state_form *form, const tool_options *options,
                 state_sink sink, void *context);

#endif
