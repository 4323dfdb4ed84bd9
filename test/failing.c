/* SPDX-License-Identifier: MIT */
/*
 * Allocations that fail, see failing.h.
 */
#include "failing.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TD_SANITIZED
#endif
#endif
long failing_left = -1;
long failing_pieces;

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(TD_SANITIZED)

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *piece);

static bool may_allocate(void)
{
    if (failing_left == 0) {
        errno = ENOMEM;
        return false;
    }
    failing_left -= failing_left > 0;
    return true;
}

void *malloc(size_t size)
{
    void *piece = may_allocate() ? __libc_malloc(size) : NULL;
    failing_pieces += piece != NULL;
    return piece;
}

void *calloc(size_t count, size_t size)
{
    void *piece = may_allocate() ? __libc_calloc(count, size) : NULL;
    failing_pieces += piece != NULL;
    return piece;
}

void *realloc(void *old, size_t size)
{
    void *piece = may_allocate() ? __libc_realloc(old, size) : NULL;
    failing_pieces += !old && piece;
    return piece;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    void *piece = may_allocate() ? __libc_memalign(alignment, size) : NULL;
    failing_pieces += piece != NULL;
    return piece;
}

void free(void *piece)
{
    failing_pieces -= piece != NULL;
    __libc_free(piece);
}
const bool failing_works = true;
#else
const bool failing_works = false;
#endif

void failing_each(failing_reader *read, const char *text, td_status in_the_end)
{
    long leaked, usual;
    ck_assert_int_eq(read(text, -1, &usual), in_the_end); /* libraries set themselves up */
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
