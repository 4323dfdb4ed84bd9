/* SPDX-License-Identifier: MIT */
/*
 * What a build with checks (meson option checks, TD_CHECKS = 1) asserts of the library itself: that
 * no piece of a workspace is written beyond its end, and that the rows of a batch fit where they
 * are staged. A check that fails says which piece it was on standard error, and aborts: it is a
 * fault of the library, and no status could be trusted any more. Without the option nothing of it
 * is compiled.
 */
#ifndef TD_CHECKS_H
#define TD_CHECKS_H

#include <stddef.h>

#if TD_CHECKS

/* bytes behind every piece, at least */
enum { TD_GUARD_BYTES = 64 };

/* Fills a guard: with a pattern, or under the address sanitizer by making it out of bounds, which
   sees reading too, and at once. */
void td_guard_put(void *guard, size_t bytes);
/* That the pattern is still there; name is that of the piece in front of it. */
void td_guard_verify(const void *guard, size_t bytes, const char *name);
void td_check_capacity(size_t used, size_t capacity, const char *name);

#else

enum { TD_GUARD_BYTES = 0 };

static inline void td_guard_put(void *guard, size_t bytes)
{
    (void)guard, (void)bytes;
}
static inline void td_guard_verify(const void *guard, size_t bytes, const char *name)
{
    (void)guard, (void)bytes, (void)name;
}
static inline void td_check_capacity(size_t used, size_t capacity, const char *name)
{
    (void)used, (void)capacity, (void)name;
}

#endif
#endif
