/* SPDX-License-Identifier: MIT */
/*
 * What a build with checks (meson option checks, TD_CHECKS = 1) asserts of the library itself: that
 * no piece of a stack (base/stack.h) is written beyond its end, that a stack has what is taken of
 * it, and that nothing is read that a scope has given back. A check that fails says which piece it
 * was on standard error, and aborts: it is a fault of the library, and no status could be trusted
 * any more. Without the option nothing of it is compiled.
 */
#ifndef TD_CHECKS_H
#define TD_CHECKS_H

#include <stddef.h>

#if TD_CHECKS

/* bytes behind every piece, at least */
enum { TD_GUARD_BYTES = 128 };

/* Guards the piece at base + start, up to base + used: by a pattern with the place at its end, or
   under the address sanitizer by making the guard out of bounds, which sees reading too, and at
   once. */
void td_guard_put(char *base, size_t start, size_t bytes, size_t used, const char *place);
/* That the guards of all pieces between are there. */
void td_guard_verify(const char *base, size_t from, size_t used);
/* The same, and the pieces become NaN, or out of bounds. */
void td_guard_release(char *base, size_t from, size_t used);
/* All of the block may be written again, guards too. */
void td_guard_lift(char *base, size_t bytes);
void td_check_capacity(size_t used, size_t capacity, const char *name);

#else

enum { TD_GUARD_BYTES = 0 };

static inline void td_guard_put(char *base, size_t start, size_t bytes, size_t used,
                                const char *place)
{
    (void)base, (void)start, (void)bytes, (void)used, (void)place;
}
static inline void td_guard_verify(const char *base, size_t from, size_t used)
{
    (void)base, (void)from, (void)used;
}
static inline void td_guard_release(char *base, size_t from, size_t used)
{
    (void)base, (void)from, (void)used;
}
static inline void td_guard_lift(char *base, size_t bytes)
{
    (void)base, (void)bytes;
}
static inline void td_check_capacity(size_t used, size_t capacity, const char *name)
{
    (void)used, (void)capacity, (void)name;
}

#endif
#endif
