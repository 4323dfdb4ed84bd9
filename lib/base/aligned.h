/* SPDX-License-Identifier: MIT */
/*
 * Aligned memory: both address and size are multiples of a power of two. Windows has no
 * aligned_alloc, and its replacement needs its own function to free.
 */
#ifndef TD_ALIGNED_H
#define TD_ALIGNED_H

#include <stdlib.h>
#if defined(_WIN32)
#include <malloc.h>
#endif

/* Allocates memory; returns NULL if memory is exhausted. */
static inline void *td_aligned_new(size_t alignment, size_t bytes)
{
#if defined(_WIN32)
    return _aligned_malloc(bytes, alignment);
#else
    return aligned_alloc(alignment, bytes);
#endif
}

/* Frees such memory. NULL is allowed. */
static inline void td_aligned_free(void *memory)
{
#if defined(_WIN32)
    _aligned_free(memory);
#else
    free(memory);
#endif
}

#endif
