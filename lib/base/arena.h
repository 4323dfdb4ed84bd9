/* SPDX-License-Identifier: MIT */
/*
 * An arena allocates arrays one by one and frees them all at once. Builders and models each own
 * one, so they need not free their parts. Loading has another one for temporary arrays, which
 * its steps allocate in scopes. Used at load only.
 *
 * In a build with checks, a guard follows every array. The end of a scope fills its arrays with
 * NaN, or poisons them for the address sanitizer.
 */
#ifndef TD_ARENA_H
#define TD_ARENA_H

#include <stddef.h>

typedef struct td_arena {
    struct td_arena_block *newest;
} td_arena;

/* Allocates count · size zeroed bytes, aligned for any object. Returns NULL if memory is
   exhausted or the size overflows. A count of 0 gives a valid pointer. */
void *td_arena_array(td_arena *arena, size_t count, size_t size);
/* Copy count · size bytes, or a string. td_arena_string(NULL) returns NULL, which is not a
   failure. */
void *td_arena_copy(td_arena *arena, const void *source, size_t count, size_t size);
char *td_arena_string(td_arena *arena, const char *text);
void td_arena_free(td_arena *arena);

/* The fill level of an arena. td_arena_here returns it; td_arena_return frees all later arrays. */
typedef struct td_arena_mark {
    td_arena *arena;
    struct td_arena_block *newest;
    size_t used;
} td_arena_mark;

td_arena_mark td_arena_here(td_arena *arena);
void td_arena_return(const td_arena_mark *mark);

/* Opens a scope: arrays that the arena allocates from here on are freed at the end of the C
   block. */
#define td_arena_scope(arena)                                                                      \
    const td_arena_mark scope_of_arena __attribute__((cleanup(td_arena_return), unused)) =         \
        td_arena_here(arena)

#define TD_ARENA_NEW(arena, type, count) ((type *)td_arena_array(arena, count, sizeof(type)))

#endif
