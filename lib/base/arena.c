/* SPDX-License-Identifier: MIT */
/*
 * The arena's blocks: a list, newest first. An array larger than a block gets its own block.
 */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/checks.h"

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
    struct td_arena_block *block = malloc(sizeof *block + size);
    if (!block)
        return NULL;
    block->used = 0;
    block->size = size;
    block->older = arena->newest;
    arena->newest = block;
    return block;
}

void *td_arena_array(td_arena *arena, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - TD_GUARD_BYTES - ALIGNMENT) / size)
        return NULL;
    size_t bytes = (count * size + TD_GUARD_BYTES + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bytes == 0)
        bytes = ALIGNMENT;
    struct td_arena_block *block = arena->newest;
    if (!block || block->size - block->used < bytes)
        block = block_new(arena, bytes);
    if (!block)
        return NULL;
    void *piece = block->bytes + block->used;
    td_guard_put((char *)block->bytes, block->used, count * size, block->used + bytes, "an arena");
    block->used += bytes;
    return memset(piece, 0, count * size);
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

/* Frees the blocks that are newer than the given one. */
static void free_newer(td_arena *arena, const struct td_arena_block *than)
{
    while (arena->newest != than) {
        struct td_arena_block *block = arena->newest;
        arena->newest = block->older;
        td_guard_verify((char *)block->bytes, 0, block->used);
        free(block);
    }
}

void td_arena_free(td_arena *arena)
{
    free_newer(arena, NULL);
}

td_arena_mark td_arena_here(td_arena *arena)
{
    return (td_arena_mark){arena, arena->newest, arena->newest ? arena->newest->used : 0};
}

void td_arena_return(const td_arena_mark *mark)
{
    struct td_arena_block *block = mark->newest;
    free_newer(mark->arena, block);
    if (!block)
        return;
    td_guard_release((char *)block->bytes, mark->used, block->used);
    block->used = mark->used;
}
