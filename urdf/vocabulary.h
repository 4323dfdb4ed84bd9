/* SPDX-License-Identifier: MIT */
/*
 * Words that URDF files and submechanism lists share, and how much of a name a message shows.
 */
#ifndef TD_VOCABULARY_H
#define TD_VOCABULARY_H

#include <stdbool.h>

#include "tandem/model.h"

/* Bytes of a name to be shown in a message: all, or up to a whole character. For "%.*s". */
int td_shown(const char *name);

/* Finds the type of a loop by its word. Writes nothing and returns false for unknown words. */
bool td_loop_type_of_word(const char *word, td_loop_type *type);
/* All these words, with commas between. */
const char *td_loop_words(void);

#endif
