/* SPDX-License-Identifier: MIT */
/*
 * An arena: memory that is given out piece by piece and freed at once. Builders and models own
 * one each, so that neither needs to free their parts. Load time only.
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

#define TD_ARENA_NEW(arena, type, count) ((type *)td_arena_array(arena, count, sizeof(type)))

#endif
