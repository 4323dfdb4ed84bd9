/* SPDX-License-Identifier: MIT */
/*
 * Threads of a pool, by POSIX threads and semaphores (threads_system.h). The caller offers work to
 * a thread by one atomic word, and may take the offer back as long as the thread has not accepted
 * it: a thread that gets no processor costs nothing. Both sides spin shortly before they sleep, as
 * a batch is often followed by another.
 *
 *   IDLE      the thread looks out for an offer
 *   ASLEEP    it does not look out any more; who changes this word then must post wake
 *   OFFERED   there is work; the thread makes it WORKING, or the caller takes it back: IDLE
 *   WORKING   the thread reads the pool's work and pieces; it makes this IDLE when none is left
 *   AWAITED   WORKING, and the caller sleeps: who ends this must post done
 *   QUIT      the thread ends
 *
 * The caller changes the work only while no thread is WORKING or OFFERED. Nothing here is locked,
 * so a process forked between two calls finds words that are as good as new: nobody accepts its
 * offers.
 */
#include "dynamics/threads.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/aligned.h"
#include "dynamics/threads_system.h"

/* SPINS: looks at a word before sleeping, some ten microseconds. LINE: bytes that processors pass
   to each other as one; what several write must not share it. */
enum { MOST_MEMBERS = 1024, SPINS = 1000, LINE = 128 };

enum state { IDLE, ASLEEP, OFFERED, WORKING, AWAITED, QUIT };

/* A member of the pool. The caller is the first one, of which only the range is used. */
typedef struct member {
    alignas(LINE) atomic_size_t next; /* the first piece of its range that nobody has taken */
    size_t end;                       /* behind the last one */
    alignas(LINE) _Atomic enum state state;
    td_semaphore wake;
    pthread_t thread;
    size_t number;
    td_pool *pool;
} member;

struct td_pool {
    td_piece_work work;
    void *context;
    size_t taking_part; /* members of the run under way */
    td_semaphore done;
    size_t members;
    intmax_t process; /* whose threads they are */
    member member[];
};

size_t td_pool_usable(size_t threads)
{
    threads = threads ? threads : td_processors();
    return threads < MOST_MEMBERS ? threads : MOST_MEMBERS;
}

/* ---- the work -------------------------------------------------------------------------------- */

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

/* tells the processor that this thread only waits */
static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* ---- a thread -------------------------------------------------------------------------------- */

/* true with work accepted, false to quit */
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

/* gives a thread that is IDLE or ASLEEP something to see */
static void notify(member *m, enum state state)
{
    if (atomic_exchange(&m->state, state) == ASLEEP)
        td_semaphore_post(&m->wake);
}

/* Takes an offer back, or waits until the thread that accepted it has done its last piece. Not a
   point at which the calling thread can be cancelled: others are at work on the caller's data. */
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
    for (size_t i = 0; i < members; i++) { /* the first ones have one more */
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
