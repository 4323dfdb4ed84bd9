/* SPDX-License-Identifier: MIT */
/*
 * Memory that is taken piece by piece from one block, typed, and given back in scopes.
 *
 * The code that takes is run twice: on a stack without a block, where pieces are NULL and only
 * their sizes are summed up, and then on a block of the size that was found. So a size stands
 * nowhere but where it is taken.
 *
 *     typedef struct room {
 *         double *x;
 *         int *index;
 *     } room;
 *
 *     static void room_take(td_stack *stack, size_t n, room *r)
 *     {
 *         r->x = td_take(stack, double, n);
 *         r->index = td_take(stack, int, n);
 *     }
 *
 *     td_stack stack = {0};
 *     if (!td_take_twice(&stack, room_take(&stack, n, &r))) ...
 *     td_stack_end(&stack);
 *
 * In a build with checks a guard lies behind every piece, and what a scope gives back is filled
 * with NaN, and out of bounds for the address sanitizer.
 */
#ifndef TD_STACK_H
#define TD_STACK_H

#include <stddef.h>
#include <string.h>

#include "base/aligned.h"
#include "base/checks.h"

enum { TD_STACK_ALIGNMENT = 64 };

typedef struct td_stack {
    char *base;        /* NULL: sizes are found */
    size_t used, most; /* bytes: now; at most, or those of the block */
} td_stack;

/* The next bytes; place: where in the sources, for what checks say. */
static inline void *td_stack_take(td_stack *stack, size_t bytes, const char *place)
{
    const size_t start = stack->used;
    stack->used = (start + bytes + TD_GUARD_BYTES + TD_STACK_ALIGNMENT - 1) / TD_STACK_ALIGNMENT *
                  TD_STACK_ALIGNMENT;
    if (!stack->base) {
        stack->most = stack->used > stack->most ? stack->used : stack->most;
        return NULL;
    }
    td_check_capacity(stack->used, stack->most, place);
    td_guard_put(stack->base, start, bytes, stack->used, place);
    return stack->base + start;
}

#if TD_CHECKS
#define TD_PLACE_TEXT(line) #line
#define TD_PLACE_OF(file, line) file ":" TD_PLACE_TEXT(line)
#define TD_PLACE TD_PLACE_OF(__FILE__, __LINE__)
#else
#define TD_PLACE NULL
#endif

/* so many of a type */
#define td_take(stack, type, count) ((type *)td_stack_take(stack, (count) * sizeof(type), TD_PLACE))

/* The block of a stack whose sizes were found, zeroed, from which all is to be taken again; NULL
   without memory. */
static inline void *td_stack_begin(td_stack *stack)
{
    const size_t bytes = stack->most ? stack->most : TD_STACK_ALIGNMENT;
    stack->base = td_aligned_new(TD_STACK_ALIGNMENT, bytes);
    stack->used = 0;
    if (stack->base)
        memset(stack->base, 0, bytes);
    return stack->base;
}

/* Has a call take of a stack without a block, and again of the block that it gets; false without
   memory, and all pieces are NULL then. */
#define td_take_twice(stack, call) ((call), td_stack_begin(stack) && ((call), 1))

/* Frees the block, if there is one. */
static inline void td_stack_end(td_stack *stack)
{
    if (stack->base)
        td_guard_verify(stack->base, 0, stack->used);
    td_aligned_free(stack->base);
}

/* ---- scopes ---------------------------------------------------------------------------------- */

/* Where a stack stood, for the scope that is named; back to it. */
typedef struct td_mark {
    td_stack *stack;
    size_t used;
} td_mark;

static inline void td_mark_return(const td_mark *mark)
{
    if (mark->stack->base)
        td_guard_release(mark->stack->base, mark->used, mark->stack->used);
    mark->stack->used = mark->used;
}

/* Until the block of C ends, what is taken is that of the scope of that name, one of those of
   kernel/scopes.h: their sizes are found with the workspace's. */
#define td_scope(in, name)                                                                         \
    const td_mark scope_##name __attribute__((cleanup(td_mark_return), unused)) = {                \
        (in), (in)->used + 0 * TD_SCOPE_##name}

#endif
