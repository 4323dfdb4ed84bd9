/* SPDX-License-Identifier: MIT */
/*
 * A thread pool on POSIX threads and semaphores (threads_system.h). The caller offers work to a
 * thread through one atomic word. It can withdraw the offer until the thread accepts it, so a
 * thread that is not running does not delay the caller. Both sides spin briefly before they sleep,
 * because one batch often follows another.
 *
 *   IDLE      the thread spins and looks for an offer
 *   ASLEEP    the thread sleeps; whoever changes the word must post `wake`
 *   OFFERED   there is work; the thread sets WORKING, or the caller withdraws it: IDLE
 *   WORKING   the thread reads the pool's work and pieces; it sets IDLE when none is left
 *   AWAITED   like WORKING, but the caller sleeps; the thread must post `done` at the end
 *   QUIT      the thread ends
 *
 * The caller changes the work only while no thread is WORKING or OFFERED. There are no locks, so a
 * process forked between two calls finds all words in a valid state. In that process no thread
 * accepts an offer.
 */
#include "dynamics/threads.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/aligned.h"
#include "dynamics/threads_system.h"

/* SPINS: polls of a word before sleeping, about ten microseconds. LINE: the bytes that
   processors exchange as a unit; data that different threads write must not share one. */
enum { MOST_MEMBERS = 1024, SPINS = 1000, LINE = 128 };

enum state { IDLE, ASLEEP, OFFERED, WORKING, AWAITED, QUIT };

/* A member of the pool. The caller is the first one and only uses the range. */
typedef struct member {
    alignas(LINE) atomic_size_t next; /* the first piece of its range that is still free */
    size_t end;                       /* end of the range */
    alignas(LINE) _Atomic enum state state;
    td_semaphore wake;
    pthread_t thread;
    size_t number;
    td_pool *pool;
} member;

struct td_pool {
    td_piece_work work;
    void *context;
    size_t taking_part; /* members of the current run */
    td_semaphore done;
    size_t members;
    intmax_t process; /* the process that created the threads */
    member member[];
};

size_t td_pool_usable(size_t threads)
{
    threads = threads ? threads : td_processors();
    return threads < MOST_MEMBERS ? threads : MOST_MEMBERS;
}

/* ---- work ------------------------------------------------------------------------------------ */

static void work_on(td_pool *pool, size_t number)
{
    for (size_t k = 0; k < pool->taking_part; k++) {
        member *owner = &pool->member[(number + k) % pool->taking_part];
        size_t piece;
        while ((piece = atomic_fetch_add_explicit(&owner->next, 1, memory_order_relaxed)) <
               owner->end)
            pool->work(pool->context, number, piece);
    }
}

/* Tells the processor that this thread is spinning. */
static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* ---- a thread -------------------------------------------------------------------------------- */

/* Returns true when work was accepted, false to quit. */
static bool await_work(member *m)
{
    for (;;) {
        for (int spin = 0; spin < SPINS; spin++) {
            enum state state = m->state;
            if (state == QUIT)
                return false;
            if (state == OFFERED && atomic_compare_exchange_strong(&m->state, &state, WORKING))
                return true;
            relax();
        }
        enum state state = IDLE;
        if (atomic_compare_exchange_strong(&m->state, &state, ASLEEP))
            td_semaphore_wait(&m->wake);
    }
}

static void *thread_main(void *argument)
{
    member *m = argument;
    while (await_work(m)) {
        work_on(m->pool, m->number);
        if (atomic_exchange(&m->state, IDLE) == AWAITED)
            td_semaphore_post(&m->pool->done);
    }
    return NULL;
}

/* ---- the caller ------------------------------------------------------------------------------ */

/* Sets the word of a thread that is IDLE or ASLEEP, and wakes it. */
static void notify(member *m, enum state state)
{
    if (atomic_exchange(&m->state, state) == ASLEEP)
        td_semaphore_post(&m->wake);
}

/* Withdraws an offer, or waits until the thread that accepted it has finished its last piece.
   The calling thread cannot be cancelled here, since other threads are working on the caller's
   data. */
static void await_end(member *m)
{
    enum state state = OFFERED;
    if (atomic_compare_exchange_strong(&m->state, &state, IDLE))
        return;
    for (int spin = 0; spin < SPINS && m->state == WORKING; spin++)
        relax();
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    state = WORKING;
    if (atomic_compare_exchange_strong(&m->state, &state, AWAITED))
        td_semaphore_wait(&m->pool->done);
    pthread_setcancelstate(cancel, NULL);
}

void td_pool_run(td_pool *pool, size_t members, size_t pieces, td_piece_work work, void *context)
{
    members = members < td_pool_members(pool) ? members : td_pool_members(pool);
    if (members <= 1) {
        for (size_t piece = 0; piece < pieces; piece++)
            work(context, 0, piece);
        return;
    }
    pool->work = work;
    pool->context = context;
    pool->taking_part = members;
    size_t each = pieces / members, more = pieces % members, next = 0;
    for (size_t i = 0; i < members; i++) { /* the first `more` members get one more */
        atomic_store_explicit(&pool->member[i].next, next, memory_order_relaxed);
        pool->member[i].end = next += each + (i < more ? 1 : 0);
    }
    for (size_t i = 1; i < members; i++)
        notify(&pool->member[i], OFFERED);
    work_on(pool, 0);
    for (size_t i = 1; i < members; i++)
        await_end(&pool->member[i]);
}

/* ---- the pool -------------------------------------------------------------------------------- */

static bool start(td_pool *pool, size_t number)
{
    member *m = &pool->member[number];
    *m = (member){.state = IDLE, .number = number, .pool = pool};
    if (number == 0)
        return true;
    if (!td_semaphore_begin(&m->wake))
        return false;
    if (pthread_create(&m->thread, NULL, thread_main, m) == 0)
        return true;
    td_semaphore_end(&m->wake);
    return false;
}

td_pool *td_pool_new(size_t members)
{
    size_t bytes = sizeof(td_pool) + members * sizeof(member);
    td_pool *pool = td_aligned_new(LINE, (bytes + LINE - 1) / LINE * LINE);
    if (!pool)
        return NULL;
    *pool = (td_pool){.process = td_process()};
    if (!td_semaphore_begin(&pool->done)) {
        td_aligned_free(pool);
        return NULL;
    }
    td_signals before = td_signals_block();
    while (pool->members < members && start(pool, pool->members))
        pool->members++;
    td_signals_restore(&before);
    return pool;
}

size_t td_pool_members(const td_pool *pool)
{
    return pool ? pool->members : 1;
}

void td_pool_free(td_pool *pool)
{
    if (!pool)
        return;
    bool ours = pool->process == td_process();
    for (size_t i = 1; ours && i < pool->members; i++)
        notify(&pool->member[i], QUIT);
    for (size_t i = 1; ours && i < pool->members; i++) {
        pthread_join(pool->member[i].thread, NULL);
        td_semaphore_end(&pool->member[i].wake);
    }
    if (ours)
        td_semaphore_end(&pool->done);
    td_aligned_free(pool);
}
