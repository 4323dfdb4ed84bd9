/* SPDX-License-Identifier: MIT */
/*
 * The name that was meant where one was written that does not exist. It needs nothing but the C
 * library, so that the command compiles it in as well.
 */
#ifndef TD_NEAREST_H
#define TD_NEAREST_H

#include <stddef.h>

/* The candidate that name was meant to be, NULL where none is close. next(context, i) returns the
   i-th candidate, NULL at the end; except, which may be NULL, is never returned.

   First by words, which end at separators: 'joint4' is panda_joint4 without its first word, and
   'panda_joint4' is joint4 with one more, where what agrees is at least a third of the longer one.
   Fewest letters too many, then agreement at the end decide. Else by edits, an exchange of
   neighbours counting as one: at most a third of the longer name, and no other numbers (joint8
   is no slip for joint7). Case does not count, and of equal candidates the first one is taken.

   The search takes what it does from *budget, in comparisons of characters, and finds nothing once
   that is used up: a file with many wrong names among many right ones would take hours. NULL for no
   end to it. */
const char *td_nearest_name(const char *name, const char *(*next)(const void *context, size_t i),
                            const void *context, const char *except, size_t *budget);

/* As above by edits alone, for keywords: a word more makes another one of them. */
const char *td_nearest_spelling(const char *name,
                                const char *(*next)(const void *context, size_t i),
                                const void *context, size_t *budget);

#endif
