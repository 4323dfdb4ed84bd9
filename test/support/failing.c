/* SPDX-License-Identifier: MIT */
/*
 * Makes allocations fail (see failing.h).
 */
#include "failing.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TD_SANITIZED
#endif
#endif
long failing_left = -1;
long failing_pieces;
bool failing_once;

#if defined(FAILING_WRAPS)
#define OURS(name) __wrap_##name
#define THEIRS(name) __real_##name
#elif defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&     \
    !defined(TD_SANITIZED)
#define OURS(name) name
#define THEIRS(name) __libc_##name
#define __libc_aligned_alloc __libc_memalign
#endif

#ifdef OURS
void *THEIRS(malloc)(size_t size);
void *THEIRS(calloc)(size_t count, size_t size);
void *THEIRS(realloc)(void *old, size_t size);
void *THEIRS(aligned_alloc)(size_t alignment, size_t size);
void THEIRS(free)(void *piece);
#ifdef FAILING_WRAPS
void *OURS(malloc)(size_t size);
void *OURS(calloc)(size_t count, size_t size);
void *OURS(realloc)(void *old, size_t size);
void *OURS(aligned_alloc)(size_t alignment, size_t size);
void OURS(free)(void *piece);
#endif

static bool may_allocate(void)
{
    if (failing_left == 0) {
        errno = ENOMEM;
        failing_left -= failing_once;
        return false;
    }
    failing_left -= failing_left > 0;
    return true;
}

void *OURS(malloc)(size_t size)
{
    void *piece = may_allocate() ? THEIRS(malloc)(size) : NULL;
    failing_pieces += piece != NULL;
    return piece;
}

void *OURS(calloc)(size_t count, size_t size)
{
    void *piece = may_allocate() ? THEIRS(calloc)(count, size) : NULL;
    failing_pieces += piece != NULL;
    return piece;
}

void *OURS(realloc)(void *old, size_t size)
{
    void *piece = may_allocate() ? THEIRS(realloc)(old, size) : NULL;
    failing_pieces += !old && piece;
    return piece;
}

void *OURS(aligned_alloc)(size_t alignment, size_t size)
{
    void *piece = may_allocate() ? THEIRS(aligned_alloc)(alignment, size) : NULL;
    failing_pieces += piece != NULL;
    return piece;
}

void OURS(free)(void *piece)
{
    failing_pieces -= piece != NULL;
    THEIRS(free)(piece);
}
const bool failing_works = true;
#else
const bool failing_works = false;
#endif

void failing_each(failing_reader *read, const char *text, td_status in_the_end)
{
    long leaked, usual;
    ck_assert_int_eq(read(text, -1, &usual), in_the_end); /* lets libraries initialize */
    ck_assert_int_eq(read(text, -1, &usual), in_the_end);
    for (long n = 0; failing_works; n++) {
        td_status status = read(text, n, &leaked);
        ck_assert_msg(leaked == usual, "%ld pieces lost at allocation %ld", leaked - usual, n);
        if (status == in_the_end)
            break;
        ck_assert_msg(status == TD_ERROR_MEMORY, "status %d at allocation %ld", (int)status, n);
        ck_assert_int_lt(n, 100000);
    }
}
