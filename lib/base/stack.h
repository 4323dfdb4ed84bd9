/* SPDX-License-Identifier: MIT */
/*
 * Typed arrays from one block of memory, freed in scopes.
 *
 * The allocating code runs twice. First it runs on a stack without a block, where pointers are
 * NULL and sizes are only summed up. Then it runs on a block of this size. So sizes only appear
 * where arrays are allocated.
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
 * In a build with checks, a guard follows every array. The end of a scope fills its arrays with
 * NaN, or poisons them for the address sanitizer.
 */
#ifndef TD_STACK_H
#define TD_STACK_H

#include <stddef.h>
#include <string.h>

#include "base/aligned.h"
#include "base/checks.h"

enum { TD_STACK_ALIGNMENT = 64 };

typedef struct td_stack {
    char *base;        /* NULL: sizes are being measured */
    size_t used, most; /* bytes in use; the maximum so far, or the size of the block */
} td_stack;

/* Allocates the next bytes. `place` is the position in the sources, for messages of checks. */
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

/* Allocates `count` objects of a type. */
#define td_take(stack, type, count) ((type *)td_stack_take(stack, (count) * sizeof(type), TD_PLACE))

/* Allocates the block of a stack whose size was measured, zeroed. All arrays must then be
   allocated again. Returns NULL if memory is exhausted. */
static inline void *td_stack_begin(td_stack *stack)
{
    const size_t bytes = stack->most ? stack->most : TD_STACK_ALIGNMENT;
    stack->base = td_aligned_new(TD_STACK_ALIGNMENT, bytes);
    stack->used = 0;
    if (stack->base)
        memset(stack->base, 0, bytes);
    return stack->base;
}

/* Runs `call` on a stack without a block, allocates the block, and runs it again. Returns false
   if memory is exhausted; all pointers are NULL then. */
#define td_take_twice(stack, call) ((call), td_stack_begin(stack) && ((call), 1))

/* Frees the block, if there is one. */
static inline void td_stack_end(td_stack *stack)
{
    if (stack->base)
        td_guard_verify(stack->base, 0, stack->used);
    td_aligned_free(stack->base);
}

/* ---- scopes ---------------------------------------------------------------------------------- */

/* The fill level of a stack when a scope is opened; td_mark_return restores it. */
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

/* Opens a scope of kernel/scopes.h: arrays are freed at the end of the C block. The workspace
   measures the sizes of all scopes. */
#define td_scope(in, name)                                                                         \
    const td_mark scope_##name __attribute__((cleanup(td_mark_return), unused)) = {                \
        (in), (in)->used + 0 * TD_SCOPE_##name}

#endif
