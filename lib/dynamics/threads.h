/* SPDX-License-Identifier: MIT */
/*
 * A thread pool that runs one divided task at a time. The calling thread takes part and does the
 * pieces that others have not begun. It never waits for a thread to start, only for pieces in
 * progress. Builds without threads have no pools (threads_absent.c).
 */
#ifndef TD_THREADS_H
#define TD_THREADS_H

#include <stddef.h>

#include "base/private.h"

typedef struct td_pool td_pool; /* NULL: the caller alone */

/* Works on one piece. `member` is the worker's number, from 0 (the caller) to the number of
   members of the run minus 1. No two workers have the same number at a time. */
typedef void (*td_piece_work)(void *context, size_t member, size_t piece);

/* Returns the number of threads that a pool may have if `threads` are requested. 0 requests one
   for each processor that the calling thread may run on. Returns 1 in a build without threads. */
TD_PRIVATE size_t td_pool_usable(size_t threads);

/* Creates a pool of `members` members, including the caller; fewer if the system refuses
   threads. The threads block all signals and inherit scheduling, priority and processor affinity
   of the calling thread. Returns NULL if memory is exhausted. */
TD_PRIVATE td_pool *td_pool_new(size_t members);

TD_PRIVATE size_t td_pool_members(const td_pool *pool); /* 1 for NULL */

/* Ends the threads, which must be idle. NULL is allowed. In a process forked after td_pool_new
   the threads do not exist, and only the memory is freed. */
TD_PRIVATE void td_pool_free(td_pool *pool);

/* Runs `work` once on each of the pieces 0 to pieces − 1, in any order, with at most `members`
   members. Each member begins with its own range of consecutive pieces, then takes pieces that
   others have left. Returns when all pieces are done; their results are then visible to the
   caller. Only one thread at a time may call this for a pool. It takes no lock and allocates
   nothing. It makes system calls only to wake sleeping threads, and to sleep during a long wait
   for a piece. In a forked process the caller does all the work. */
TD_PRIVATE void td_pool_run(td_pool *pool, size_t members, size_t pieces, td_piece_work work,
                            void *context);

#endif
