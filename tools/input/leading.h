/* SPDX-License-Identifier: MIT */
/*
 * Checks the options of a command line before any is taken. Finds options that stand before
 * their command, and options that the command does not have.
 */
#ifndef TOOL_LEADING_H
#define TOOL_LEADING_H

#include <stdbool.h>
#include <stddef.h>

#include "input/option_rows.h"

/* A command and its options. */
typedef struct command_options {
    const char *name;
    const option_set *set;
} command_options;

/* Sets the commands among which option_fault looks for the owners of an option. Hidden options that
   no page describes have none. */
void option_owners_set(const command_options *commands, size_t count);

/* The option that a word is, and the table that it is looked up in. */
typedef struct option_word {
    const option_rows *table;
    const char *word;
    const command_option *option, *other; /* other: a second one that the word may stand for */
    char letter;                          /* of "-q", 0 of a long option */
    char *value;                          /* in the same word, NULL: none */
} option_word;

/* Reads a word that begins with "-": of several letters, "-va", the last one or the first one that
   takes a value or is unknown. */
option_word option_word_read(const option_rows *table, char *word);
/* Whether the value of the option is the next word. */
bool option_takes_next(const option_word *w);
const command_option *option_of_letter(const option_rows *table, char letter);
/* Whether an option is written as -q rather than --q: its name is its letter. */
bool option_is_letter(const command_option *o);

/* Returns whether all words are options of this set or its parts, each followed by its value
   if it needs one: "--base", "floating", "-q", "elbow=1", "--json". Long options may be
   abbreviated. */
bool only_options(const option_set *set, int count, char *const *words);

/* Returns a message about the first option before "--" that the set does not take, with a
   suggestion, in a new string; NULL if it takes all of them. name: the command, "tandem id". */
char *option_fault(const option_set *set, const char *name, int count, char *const *words);

#endif
