/* SPDX-License-Identifier: MIT */
/*
 * What may stand in a command line where a shell completes it: commands, options, values that
 * options name, joints and links of the robot on the line, robots that come with tandem. The
 * scripts of bash and zsh (tools/completion/) ask for it by 'tandem help --complete'.
 */
#ifndef TOOL_COMPLETE_H
#define TOOL_COMPLETE_H

#include "option.h"

typedef struct complete_command {
    const char *name;
    const char *summary;
    const option_set *set;
} complete_command;

/* What a line can begin with. */
typedef struct complete_table {
    const complete_command *commands;
    size_t command_count;
    const option_set *top;     /* options before a command */
    const char *const *topics; /* what 'help' takes beside commands */
    size_t topic_count;
} complete_table;

/* words: those behind "tandem", as the program gets them; at: which of them is completed; what
   stands behind it counts as well. Prints a candidate a line, whole words each, a tab and what it
   is: where a word ends with '=' or ':', more follows without a blank. The line ":files" asks for
   names of files too. Nothing else is ever printed, whatever the files hold. */
void complete_words(const complete_table *table, char *const *words, size_t count, size_t at);

#endif
