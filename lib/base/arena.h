/* SPDX-License-Identifier: MIT */
/*
 * An arena: memory that is given out piece by piece and freed at once. Builders and models own
 * one each, so that neither needs to free their parts. A load has one for what its steps work
 * with, which they take in scopes. Load time only.
 *
 * In a build with checks a guard lies behind every piece, and what a scope gives back is filled
 * with NaN, and out of bounds for the address sanitizer.
 */
#ifndef TD_ARENA_H
#define TD_ARENA_H

#include <stddef.h>

typedef struct td_arena {
    struct td_arena_block *newest;
} td_arena;

/* count · size bytes, zeroed, aligned for any object; NULL without memory (or on overflow). Never
   NULL for a count of 0. */
void *td_arena_array(td_arena *arena, size_t count, size_t size);
/* A copy of count · size bytes; of a string (NULL stays NULL and is no failure). */
void *td_arena_copy(td_arena *arena, const void *source, size_t count, size_t size);
char *td_arena_string(td_arena *arena, const char *text);
void td_arena_free(td_arena *arena);

/* Where an arena stood; back to it. */
typedef struct td_arena_mark {
    td_arena *arena;
    struct td_arena_block *newest;
    size_t used;
} td_arena_mark;

td_arena_mark td_arena_here(td_arena *arena);
void td_arena_return(const td_arena_mark *mark);

/* What is taken of the arena from here on is given back where the block of C ends. */
#define td_arena_scope(arena)                                                                      \
    const td_arena_mark scope_of_arena __attribute__((cleanup(td_arena_return), unused)) =         \
        td_arena_here(arena)

#define TD_ARENA_NEW(arena, type, count) ((type *)td_arena_array(arena, count, sizeof(type)))

#endif
