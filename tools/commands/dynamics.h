/* SPDX-License-Identifier: MIT */
/*
 * What tandem id and tandem fd share: their arguments, one state by names, and (dynamics_table.c) a
 * table of states. They differ in which of acceleration and force is the cause that the user gives,
 * and which the effect that is computed.
 */
#ifndef TOOL_DYNAMICS_H
#define TOOL_DYNAMICS_H

#include <argp.h>

#include "commands/dynamics_table.h"
#include "input/state.h"

/* FILE, STATES and the options of both; takes a dynamics_options. */
extern const struct argp dynamics_argp;

/* Prints one state as a table of joints with the given quantities and the result. */
void dynamics_print(const coordinates *c, const robot_state *x, enum quantity effect);

/* The subcommand, its arguments being read by an argp over dynamics_argp. */
int dynamics_command(const struct argp *argp, int argc, char **argv, enum quantity cause);

#endif
