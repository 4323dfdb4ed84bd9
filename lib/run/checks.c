/* SPDX-License-Identifier: MIT */
/*
 * The guards of a build with checks.
 */
#include "run/checks.h"

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

void td_guard_put(void *guard, size_t bytes)
{
    ASAN_POISON_MEMORY_REGION(guard, bytes);
}

void td_guard_verify(const void *guard, size_t bytes, const char *name)
{
    (void)guard, (void)bytes, (void)name;
}

#else

enum { PATTERN = 0xa5 };

void td_guard_put(void *guard, size_t bytes)
{
    memset(guard, PATTERN, bytes);
}

void td_guard_verify(const void *guard, size_t bytes, const char *name)
{
    const unsigned char *at = guard;
    for (size_t i = 0; i < bytes; i++)
        if (at[i] != PATTERN)
            fail("written beyond its end", name);
}

#endif

void td_check_capacity(size_t used, size_t capacity, const char *name)
{
    if (used > capacity)
        fail("too small for what is put there", name);
}

#endif
