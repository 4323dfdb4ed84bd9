/* SPDX-License-Identifier: MIT */
/*
 * Words that people use for commands and options which have another name here.
 */
#ifndef TOOL_SYNONYMS_H
#define TOOL_SYNONYMS_H

#include <stdbool.h>

typedef struct command_synonym {
    const char *word;
    const char *use; /* what to write behind "tandem" */
    bool renamed;    /* the command had that name */
} command_synonym;

/* Returns the row of a word that is no command, NULL without one. Case is ignored. */
const command_synonym *find_command_synonym(const char *word);

typedef struct option_synonym {
    const char *command; /* NULL: every command that has the option of use */
    const char *word;    /* without dashes */
    const char *use;
} option_synonym;

/* Returns the row of an option that the command lacks, NULL without one. */
const option_synonym *find_option_synonym(const char *command, const char *word);

#endif
