/* SPDX-License-Identifier: MIT */
/*
 * Loading a robot for a subcommand, and telling the user what the loader says of it.
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
    td_model *model; /* NULL where it does not load */
    td_workspace *workspace;
    const robot_loads *loads; /* of the options */
    workspace_needs needs;    /* of the options */
    td_following following;   /* likewise */
    bool tree;                /* of the options: the coordinates that are spoken */
    bool refused;             /* it loads, but not with these options, which has been said */
} session;

/* Loads the file and reports nothing but positions of --lock or --start in units that their joints
   do not have. Returns the exit code that the outcome calls for. */
int session_load(session *s, const tool_options *options, const char *file);

/* Loads options->file. On failure prints all diagnostics. On success prints diagnostics about parts
   of the file that the model lacks, and one line on standard error with the number of other
   warnings, or with --verbose all of them. quiet: the subcommand prints the number. Reports
   payloads and wrenches of the options and puts payloads into the workspace. */
int session_open(session *s, tool_options *options, bool quiet);
void session_close(session *s);

/* Returns a workspace of the session's robot for the given needs and number of threads, with the
   payloads of the options. Prints a message and returns NULL on failure. */
td_workspace *session_workspace(const session *s, workspace_needs needs, size_t threads);

/* Says why a call of this workspace had no result, in front of it what (NULL: nothing) and a colon:
   the joint that moves no inertia, or the loop that does not close and the residual it is left
   with. Returns the exit code for it: EXIT_USAGE where the status is about arguments, else
   EXIT_COMPUTE. */
int session_complain(const session *s, const char *what, td_status status);

/* All diagnostics to standard error as file:line:column: severity[CODE]: message (remedy), one a
   line; notes only if asked for, and without them one line for many warnings of a kind. */
void session_report(const session *s, bool notes);

/* {"file": ..., "loads": ..., counts, "diagnostics": [...]}, added to item. */
void session_add_json(cJSON *item, const session *s);

/* "2 errors, 1 warning, 0 notes" in a new string. */
char *severity_counts(size_t errors, size_t warnings, size_t notes);

#endif
