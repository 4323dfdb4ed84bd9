/* SPDX-License-Identifier: MIT */
/*
 * Completion of command lines in a shell: commands, options, values that options name, joints and
 * links of the robot on the line, and bundled robots. The scripts for bash and zsh
 * (tools/completion/) call 'tandem help --complete'.
 */
#ifndef TOOL_COMPLETE_H
#define TOOL_COMPLETE_H

#include "option.h"

typedef struct complete_command {
    const char *name;
    const char *summary;
    const option_set *set;
} complete_command;

/* The words that can begin a line. */
typedef struct complete_table {
    const complete_command *commands;
    size_t command_count;
    const option_set *top;     /* options before a command */
    const char *const *topics; /* arguments of 'help' besides commands */
    size_t topic_count;
} complete_table;

/* Prints candidates for word `at` of the words after "tandem"; later words count as well. Each line
   has a whole word, a tab and a description. After a word that ends with '=' or ':', more follows
   without a blank. The line ":files" requests names of files too. Prints nothing else, whatever the
   files contain. */
void complete_words(const complete_table *table, char *const *words, size_t count, size_t at);

#endif
