/* SPDX-License-Identifier: MIT */
/*
 * The arena's blocks: a list, newest first; a piece larger than a block gets one of its own.
 */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 16384, ALIGNMENT = alignof(max_align_t) };

struct td_arena_block {
    struct td_arena_block *older;
    size_t used, size;
    alignas(ALIGNMENT) unsigned char bytes[];
};

static struct td_arena_block *block_new(td_arena *arena, size_t bytes)
{
    size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    if (size > SIZE_MAX - sizeof(struct td_arena_block))
        return NULL;
    struct td_arena_block *block = calloc(1, sizeof *block + size);
    if (!block)
        return NULL;
    block->size = size;
    block->older = arena->newest;
    arena->newest = block;
    return block;
}

void *td_arena_array(td_arena *arena, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - ALIGNMENT) / size)
        return NULL;
    size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bytes == 0)
        bytes = ALIGNMENT;
    struct td_arena_block *block = arena->newest;
    if (!block || block->size - block->used < bytes)
        block = block_new(arena, bytes);
    if (!block)
        return NULL;
    void *piece = block->bytes + block->used;
    block->used += bytes;
    return piece;
}

void *td_arena_copy(td_arena *arena, const void *source, size_t count, size_t size)
{
    void *copy = td_arena_array(arena, count, size);
    if (copy && count)
        memcpy(copy, source, count * size);
    return copy;
}

char *td_arena_string(td_arena *arena, const char *text)
{
    return text ? td_arena_copy(arena, text, strlen(text) + 1, 1) : NULL;
}

void td_arena_free(td_arena *arena)
{
    while (arena->newest) {
        struct td_arena_block *block = arena->newest;
        arena->newest = block->older;
        free(block);
    }
}
