/* SPDX-License-Identifier: MIT */
/*
 * Checks the options of a command line before argp parses it. Finds options before the command and
 * options that the command does not have.
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

/* Sets the commands in which option_fault searches for an option. shared: returns NULL for a hidden
   option, which no page describes and option_fault ignores. */
typedef const struct argp_option *shared_option_function(const struct argp_option *option,
                                                         size_t *page);
void option_owners_set(const command_options *commands, size_t count,
                       shared_option_function *shared);

/* Returns whether all words are options of this parser or its children, each followed by its value
   if it needs one: "--base", "floating", "-q", "elbow=1", "--json". Long options may be
   abbreviated. */
bool only_options(const struct argp *argp, int count, char *const *words);

/* Returns a message about the first option before "--" that argp would refuse, with a suggestion,
   in a new string, or NULL if argp accepts all. name: the command, such as "tandem id". */
char *option_fault(const struct argp *argp, const char *name, int count, char *const *words);

#endif
