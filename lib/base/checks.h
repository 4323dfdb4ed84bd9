/* SPDX-License-Identifier: MIT */
/*
 * Internal checks of the library, in builds with the meson option checks (TD_CHECKS = 1). They
 * verify that no array of a stack (base/stack.h) is written beyond its end, and that stacks are
 * large enough. They also detect reads of arrays of a closed scope. A failed check prints the
 * array to standard error and aborts: it is a bug of the library, and no status could be trusted
 * any more. Without the option none of this is compiled.
 */
#ifndef TD_CHECKS_H
#define TD_CHECKS_H

#include <stddef.h>

#if TD_CHECKS

/* least number of guard bytes after every array */
enum { TD_GUARD_BYTES = 128 };

/* Guards the array at base + start, up to base + used. The guard is a byte pattern with `place`
   at its end. Under the address sanitizer the guard is poisoned instead. This also detects reads,
   and at the moment they happen. */
void td_guard_put(char *base, size_t start, size_t bytes, size_t used, const char *place);
/* Verifies the guards of all arrays between `from` and `used`. */
void td_guard_verify(const char *base, size_t from, size_t used);
/* Verifies the same guards, then fills the arrays with NaN or poisons them. */
void td_guard_release(char *base, size_t from, size_t used);
/* Makes the whole block writable again, including guards. */
void td_guard_lift(char *base, size_t bytes);
/* Aborts if a stack with this name has used more bytes than its capacity. */
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
