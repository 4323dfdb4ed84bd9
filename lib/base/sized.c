/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes structs of callers that were compiled with another version of the headers.
 */
#include "base/sized.h"

#include <string.h>

static size_t size_of(const void *given)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    return size;
}

bool td_size_is_valid(size_t size)
{
    /* the size of a struct with a size_t is a multiple of its size */
    return size >= sizeof(size_t) && size <= TD_LARGEST_SIZE && size % sizeof(size_t) == 0;
}

bool td_sized_read(void *ours, size_t known, const void *given)
{
    const char *bytes = given;
    if (!given || !td_size_is_valid(size_of(given)))
        return false;
    for (size_t i = known; i < size_of(given); i++)
        if (bytes[i] != 0)
            return false;
    memcpy(ours, given, size_of(given) < known ? size_of(given) : known);
    memcpy(ours, &known, sizeof known);
    return true;
}

void td_sized_write(void *theirs, size_t size, const void *ours, size_t known)
{
    if (!td_size_is_valid(size))
        return;
    memset(theirs, 0, size);
    memcpy(theirs, ours, size < known ? size : known);
    memcpy(theirs, &size, sizeof size);
}

const void *td_sized_at(const void *array, size_t i)
{
    return i == 0 ? array : (const char *)array + i * size_of(array);
}
