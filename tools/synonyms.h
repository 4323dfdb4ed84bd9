/* SPDX-License-Identifier: MIT */
/*
 * Synonyms that users type for commands and options of another name.
 */
#ifndef TOOL_SYNONYMS_H
#define TOOL_SYNONYMS_H

#include <stdbool.h>

typedef struct command_synonym {
    const char *word;
    const char *use; /* the words to write after "tandem" */
    bool renamed;    /* the command once had that name */
} command_synonym;

/* Returns the row of a word that is not a command, or NULL. Ignores case. */
const command_synonym *find_command_synonym(const char *word);

typedef struct option_synonym {
    const char *command; /* NULL: every command that has the option `use` */
    const char *word;    /* without dashes */
    const char *use;
} option_synonym;

/* Returns the row of an option that the command lacks, or NULL. */
const option_synonym *find_option_synonym(const char *command, const char *word);

#endif
