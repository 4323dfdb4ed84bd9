/* SPDX-License-Identifier: MIT */
/*
 * Stubs for builds without threads: there are no pools, and the caller does all the work.
 */
#include "dynamics/threads.h"

size_t td_pool_usable(size_t threads)
{
    (void)threads;
    return 1;
}

td_pool *td_pool_new(size_t members)
{
    (void)members;
    return NULL;
}

size_t td_pool_members(const td_pool *pool)
{
    (void)pool;
    return 1;
}

void td_pool_free(td_pool *pool)
{
    (void)pool;
}

void td_pool_run(td_pool *pool, size_t members, size_t pieces, td_piece_work work, void *context)
{
    (void)pool;
    (void)members;
    for (size_t piece = 0; piece < pieces; piece++)
        work(context, 0, piece);
}
