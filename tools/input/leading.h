/* SPDX-License-Identifier: MIT */
/*
 * Options of a command line compared with the tables of a command, before argp reads them: options
 * before the command that they belong to, and options that the command cannot take.
 */
#ifndef TOOL_LEADING_H
#define TOOL_LEADING_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

/* A command and its options. */
typedef struct command_options {
    const char *name;
    const struct argp *argp;
} command_options;

/* Sets the commands among which option_fault looks for the owners of an option. shared: returns
   NULL for a hidden option that no page describes, and which therefore has no owner. */
typedef const struct argp_option *shared_option_function(const struct argp_option *option,
                                                         size_t *page);
void option_owners_set(const command_options *commands, size_t count,
                       shared_option_function *shared);

/* Whether these words are options of that parser or of its children and nothing else, each with its
   value where it takes one: "--base", "floating", "-q", "elbow=1", "--json". Long ones may be
   shortened. */
bool only_options(const struct argp *argp, int count, char *const *words);

/* Returns a message about the first option before "--" that argp would refuse, with a suggestion,
   in a new string; NULL if argp takes all of them. name: the command, "tandem id". */
char *option_fault(const struct argp *argp, const char *name, int count, char *const *words);

#endif
