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

/* The first of these words that begins as options do and is none, before "--" and not the value of
   one; count: all are. */
int unknown_option(const struct argp *argp, int count, char *const *words);

#endif
