/* SPDX-License-Identifier: MIT */
/*
 * Objects that are released when a test ends. The list has a fixed size, and assertions run only on
 * failure because they allocate. Tests that count allocations or make them fail are therefore not
 * affected.
 */
#include "owned.h"

#include <check.h>
#include <stdlib.h>

enum { MOST_OWNED = 1 << 20 };

static struct {
    void *object;
    void (*release)(void *object);
} owned[MOST_OWNED];
static size_t count;

void *own(void *object, void (*release)(void *object))
{
    if (!object)
        return NULL;
    if (count == MOST_OWNED)
        ck_abort_msg("a test owns more than %d objects", (int)MOST_OWNED);
    owned[count].object = object;
    owned[count++].release = release;
    return object;
}

size_t owned_count(void)
{
    return count;
}

void release_since(const size_t *kept)
{
    while (count > *kept) {
        count--;
        owned[count].release(owned[count].object);
    }
}

void release_owned(void)
{
    release_since(&(const size_t){0});
}

static void *own_memory(void *memory)
{
    if (!memory)
        ck_abort_msg("no memory for a test");
    return own(memory, free);
}

void *test_calloc(size_t n, size_t size)
{
    return own_memory(calloc(n > 0 ? n : 1, size));
}

void *test_malloc(size_t size)
{
    return own_memory(malloc(size > 0 ? size : 1));
}

double *doubles(size_t n)
{
    return test_calloc(n, sizeof(double));
}
