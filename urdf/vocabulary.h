/* SPDX-License-Identifier: MIT */
/*
 * Words that URDF files and submechanism lists share, and truncation of names in messages.
 */
#ifndef TD_VOCABULARY_H
#define TD_VOCABULARY_H

#include <stdbool.h>

#include "tandem/model.h"

/* Returns how many bytes of a name to show in a message by "%.*s". Truncates long names at a whole
   character. */
int td_shown(const char *name);

/* Finds the type of a joint by its word. Writes nothing and returns false for unknown words. */
bool td_joint_type_of_word(const char *word, td_joint_type *type);

/* Finds the type of a loop by its word. Writes nothing and returns false for unknown words. */
bool td_loop_type_of_word(const char *word, td_loop_type *type);
/* Returns all these words, separated by commas. */
const char *td_loop_words(void);

#endif
