/* SPDX-License-Identifier: MIT */
/*
 * Suggests a name in place of one that does not exist. It only needs the C library, so the
 * command can compile it too.
 */
#ifndef TD_NEAREST_H
#define TD_NEAREST_H

#include <stddef.h>

#include "base/private.h"

/* Returns the candidate that name is most likely a misspelling of, or NULL if none is close.
   next(context, i) returns candidate i, or NULL at the end. `except`, which may be NULL, is
   never returned.

   Compares words first; separators divide words. 'joint4' matches panda_joint4, which has an
   additional word, and vice versa, if the common part is at least a third of the longer name. The
   match with the fewest extra letters is selected; among equals, one with the same ending. If no
   words match, compares by edits; a transposition is one edit. A match has at most as many edits
   as a third of the longer name's letters, and the same numbers (joint8 is not a misspelling of
   joint7). Case is ignored, and the first of equal candidates is selected.

   *budget limits the search, in character comparisons; it decreases, and nothing is found once
   it is exhausted. Otherwise a file with many wrong names among many right ones could take
   hours. NULL means no limit. */
TD_PRIVATE const char *td_nearest_name(const char *name,
                                       const char *(*next)(const void *context, size_t i),
                                       const void *context, const char *except, size_t *budget);

/* Like td_nearest_name, but compares by edits only. Use it for keywords: an additional word makes a
   different keyword. */
TD_PRIVATE const char *td_nearest_spelling(const char *name,
                                           const char *(*next)(const void *context, size_t i),
                                           const void *context, size_t *budget);

#endif
