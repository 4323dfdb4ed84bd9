/* SPDX-License-Identifier: MIT */
/*
 * Options that stand before the subcommand that they belong to, and those that are none.
 */
#ifndef TOOL_LEADING_H
#define TOOL_LEADING_H

#include <argp.h>
#include <stdbool.h>

/* Whether these words are options of that parser or of its children and nothing else, each with its
   value where it takes one: "--base", "floating", "-q", "elbow=1", "--json". Long ones may be
   shortened. */
bool only_options(const struct argp *argp, int count, char *const *words);

/* Returns the index of the first word before "--" that looks like an option, is unknown, and is not
   the value of an option; count without one. */
int unknown_option(const struct argp *argp, int count, char *const *words);

#endif
