/* SPDX-License-Identifier: MIT */
/*
 * Guards of arrays in a build with checks.
 */
#include "base/checks.h"

#if TD_CHECKS

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define TD_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TD_ADDRESS_SANITIZER 1
#endif
#endif

__attribute__((noreturn)) static void fail(const char *what, const char *name)
{
    fprintf(stderr, "tandem: %s: %s\n", name, what);
    abort();
}

#if defined(TD_ADDRESS_SANITIZER)

#include <sanitizer/asan_interface.h>

void td_guard_put(char *base, size_t start, size_t bytes, size_t used, const char *place)
{
    (void)place;
    ASAN_UNPOISON_MEMORY_REGION(base + start, bytes);
    ASAN_POISON_MEMORY_REGION(base + start + bytes, used - start - bytes);
}

void td_guard_verify(const char *base, size_t from, size_t used)
{
    (void)base, (void)from, (void)used;
}

void td_guard_release(char *base, size_t from, size_t used)
{
    ASAN_POISON_MEMORY_REGION(base + from, used - from);
}

void td_guard_lift(char *base, size_t bytes)
{
    ASAN_UNPOISON_MEMORY_REGION(base, bytes);
}

#else

enum { PATTERN = 0xa5, SIGNED = 0x7d5a };

/* The last bytes of a guard, which locate the array before it. */
typedef struct guard_end {
    size_t sign, start, bytes;
    const char *place;
} guard_end;

void td_guard_put(char *base, size_t start, size_t bytes, size_t used, const char *place)
{
    const guard_end end = {SIGNED, start, bytes, place};
    memset(base + start + bytes, PATTERN, used - start - bytes);
    memcpy(base + used - sizeof end, &end, sizeof end);
}

void td_guard_verify(const char *base, size_t from, size_t used)
{
    for (guard_end end; used > from; used = end.start) {
        memcpy(&end, base + used - sizeof end, sizeof end);
        if (end.sign != SIGNED || end.start >= used)
            fail("memory overrun by a large distance", "the piece before the last intact one");
        for (size_t i = end.start + end.bytes; i < used - sizeof end; i++)
            if ((unsigned char)base[i] != PATTERN)
                fail("memory overrun", end.place);
    }
}

void td_guard_release(char *base, size_t from, size_t used)
{
    td_guard_verify(base, from, used);
    memset(base + from, 0xff, used - from); /* NaN */
}

void td_guard_lift(char *base, size_t bytes)
{
    (void)base, (void)bytes;
}

#endif

void td_check_capacity(size_t used, size_t capacity, const char *name)
{
    if (used > capacity)
        fail("too small for its contents", name);
}

#endif
