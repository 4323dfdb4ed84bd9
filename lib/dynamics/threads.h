/* SPDX-License-Identifier: MIT */
/*
 * A pool of threads that share out the pieces of one piece of work at a time. The thread that calls
 * takes part, and takes over what the others have not begun: it never waits for a thread to start,
 * only for pieces that are being worked on. A build without threads has no pools
 * (threads_absent.c).
 */
#ifndef TD_THREADS_H
#define TD_THREADS_H

#include <stddef.h>

typedef struct td_pool td_pool; /* NULL: the caller alone */

/* Works on one piece. member: who does, from 0 (the caller) to one less than the members of that
   run; no two work under one number at a time. */
typedef void (*td_piece_work)(void *context, size_t member, size_t piece);

/* How many threads a pool may have where so many are asked for; 0: one for each processor that the
   calling thread may run on. 1 in a build without threads. */
size_t td_pool_usable(size_t threads);

/* A pool of that many members, the caller among them; should the system not give so many threads,
   of fewer. The threads block all signals, and have the schedule, priority and processors of the
   thread that calls this. NULL without memory. */
td_pool *td_pool_new(size_t members);

size_t td_pool_members(const td_pool *pool); /* 1 for NULL */

/* Ends the threads, which must be idle. NULL is fine. In a process forked after td_pool_new, which
   has no such threads, it frees the memory alone. */
void td_pool_free(td_pool *pool);

/* Does work on the pieces 0 to pieces − 1, each once, in any order, by at most that many members.
   Each member begins with consecutive pieces of its own, and goes on with those that others have
   left. Returns when all is done; what the pieces wrote can be read then. One thread at a time may
   call this for a pool. It takes no lock and no memory; it makes system calls to wake threads that
   sleep, and to sleep where it waits for a piece for long. In a forked process the caller does all
   the work. */
void td_pool_run(td_pool *pool, size_t members, size_t pieces, td_piece_work work, void *context);

#endif
