/* SPDX-License-Identifier: MIT */
/*
 * Common steps of subcommands about one robot: reading arguments, loading the robot, possibly
 * reading a state, running the task and cleaning up.
 */
#ifndef TOOL_RUN_H
#define TOOL_RUN_H

#include "input/coordinates.h"
#include "input/session.h"
#include "input/state.h"
#include "options.h"

/* The task of a subcommand. options: destination of the command line. Returns an exit_code. */
typedef int (*session_task)(const session *s, void *options);

/* Parses the arguments into options, which begin with a tool_options, loads the robot and runs the
   task. Runs several robots one after the other, with headings, or in JSON as the list "files".
   Returns the worst exit code. */
int run_session(const option_set *set, int argc, char **argv, void *options, session_task task);

/* Does the same with a workspace of the given needs, extended by common->needs. run_session makes a
   workspace with matrices. */
int run_session_needing(workspace_needs needs, const option_set *set, int argc, char **argv,
                        void *options, session_task task);

/* Does the same after parse_arguments; context is passed to the task. */
int run_robots(workspace_needs needs, tool_options *common, void *context, session_task task);

/* The task of a subcommand on one state, in the coordinates of the options. */
typedef int (*state_task)(const session *s, const coordinates *c, const robot_state *x,
                          void *options);

/* Reads the state of the options and runs the task; tree_hint: see coordinates_explain. */
int run_state(const session *s, const tool_options *common, bool tree_hint, void *options,
              state_task task);

#endif
