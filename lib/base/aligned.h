/* SPDX-License-Identifier: MIT */
/*
 * Memory that begins at a multiple of a power of two, of which the number of bytes is a multiple
 * too. Windows has no aligned_alloc, and free is not for what it has instead.
 */
#ifndef TD_ALIGNED_H
#define TD_ALIGNED_H

#include <stdlib.h>
#if defined(_WIN32)
#include <malloc.h>
#endif

/* NULL without memory */
static inline void *td_aligned_new(size_t alignment, size_t bytes)
{
#if defined(_WIN32)
    return _aligned_malloc(bytes, alignment);
#else
    return aligned_alloc(alignment, bytes);
#endif
}

/* NULL is fine. */
static inline void td_aligned_free(void *memory)
{
#if defined(_WIN32)
    _aligned_free(memory);
#else
    free(memory);
#endif
}

#endif
