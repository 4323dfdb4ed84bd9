/* SPDX-License-Identifier: MIT */
/*
 * Loads a robot for a subcommand and reports diagnostics to the user.
 */
#ifndef TOOL_SESSION_H
#define TOOL_SESSION_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "options.h"
#include "tandem/tandem.h"

typedef struct session {
    const char *file;
    td_status status;
    td_diagnostics *diagnostics;
    td_model *model; /* NULL if loading failed */
    td_workspace *workspace;
    const robot_loads *loads; /* of the options */
    workspace_needs needs;    /* of the options */
    td_following following;   /* likewise */
    bool tree;                /* of the options: input and output in coordinates of the tree */
    bool refused;             /* the robot does not load with these options, and a message was
                                 printed */
} session;

/* Loads the file. Reports only positions of --lock or --start whose units do not fit their joints.
   Returns the exit code. */
int session_load(session *s, const tool_options *options, const char *file);

/* Loads options->file. On failure prints all diagnostics. On success prints diagnostics about parts
   of the file that the model lacks, and one line on standard error with the number of other
   warnings, or with --verbose all of them. quiet: the subcommand prints this number. Reports
   payloads and wrenches of the options and puts payloads into the workspace. */
int session_open(session *s, tool_options *options, bool quiet);
void session_close(session *s);

/* Returns a workspace of the session's robot for the given needs and number of threads, with the
   payloads of the options. Prints a message and returns NULL on failure. */
td_workspace *session_workspace(const session *s, workspace_needs needs, size_t threads);

/* Prints why a call failed, such as the joint that moves no inertia, or the loop that does not
   close and its residual. what: a prefix, or NULL. Returns the exit code: EXIT_USAGE for invalid
   arguments, otherwise EXIT_COMPUTE. */
int session_complain(const session *s, const char *what, td_status status);

/* Prints all diagnostics to standard error, one a line: file:line:column: severity[CODE]: message
   (remedy). notes: whether to print notes; if not, similar warnings share one line. */
void session_report(const session *s, bool notes);

/* Adds {"file": ..., "loads": ..., counts, "diagnostics": [...]} to item. */
void session_add_json(cJSON *item, const session *s);

/* Returns "2 errors, 1 warning, 0 notes" in a new string. */
char *severity_counts(size_t errors, size_t warnings, size_t notes);

#endif
