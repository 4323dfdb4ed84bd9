/* SPDX-License-Identifier: MIT */
/*
 * The threads of a workspace. Every piece of work is done once. The caller does not wait for late
 * threads: it does the pieces that they have not begun. Idle threads sleep. Pools also work where
 * threads cannot be started, in a forked process, and many at a time. Gates order the actions of
 * threads, so no test depends on time: a fault is a wrong count, or a test that does not end.
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dynamics/threads.h"
#include "functions.h"

/* ---- wrapped system functions ---------------------------------------------------------------- */

static atomic_int allowed = -1; /* threads that may still be started; −1: unlimited */
static atomic_int sleeping;     /* threads in sem_wait, or stopped at its end */
static atomic_bool held;        /* whether threads that wake up stay there */
static _Thread_local bool is_caller;
static atomic_bool caller_sleeps; /* the calling thread has reached sem_wait */

/* __real_x is the original function, __wrap_x the one that the library calls instead */
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument)
{
    if (allowed == 0)
        return 11; /* EAGAIN */
    if (allowed > 0)
        allowed--;
    return __real_pthread_create(thread, attributes, start, argument);
}

int __real_sem_wait(sem_t *semaphore);
int __wrap_sem_wait(sem_t *semaphore);
int __wrap_sem_wait(sem_t *semaphore)
{
    if (is_caller) {
        caller_sleeps = true;
        return __real_sem_wait(semaphore);
    }
    sleeping++;
    int result = __real_sem_wait(semaphore);
    while (held)
        sched_yield();
    sleeping--;
    return result;
}

static void wait_until_asleep(int threads)
{
    while (sleeping != threads)
        sched_yield();
}

/* ---- pieces ------------------------------------------------------------------------------------
 */

enum { MOST_PIECES = 1000, MOST_MEMBERS = 7 };

typedef struct tally {
    int done[MOST_PIECES];             /* how often each piece was done */
    int by[MOST_MEMBERS];              /* pieces of each member */
    atomic_bool at_work[MOST_MEMBERS]; /* members that are working on a piece */
    atomic_int wrong; /* two threads with one member number, or an invalid number */
    size_t members;
} tally;

static void count_piece(void *context, size_t member, size_t piece)
{
    tally *t = context;
    if (member >= t->members || atomic_exchange(&t->at_work[member], true)) {
        t->wrong++;
        return;
    }
    t->done[piece]++;
    t->by[member]++;
    t->at_work[member] = false;
}

TD_TEST(every_piece_once)
{
    static const size_t members[] = {1, 2, 3, MOST_MEMBERS}, pieces[] = {0, 1, 2, 5, MOST_PIECES};
    for (size_t m = 0; m < sizeof members / sizeof *members; m++) {
        td_pool *pool = td_pool_new(members[m]);
        ck_assert_uint_eq(td_pool_members(pool), members[m]);
        for (int round = 0; round < 500; round++) {
            static tally t;
            memset(&t, 0, sizeof t);
            size_t n = pieces[round % 5];
            t.members = 1 + (size_t)round % members[m];
            td_pool_run(pool, t.members, n, count_piece, &t);
            ck_assert_int_eq(t.wrong, 0);
            for (size_t i = 0; i < MOST_PIECES; i++)
                ck_assert_int_eq(t.done[i], i < n);
        }
        td_pool_free(pool);
    }
}

/* ---- who does which piece -------------------------------------------------------------------- */

typedef struct gate {
    atomic_size_t arrived; /* members that have begun */
    atomic_int done;       /* pieces */
    atomic_int wrong;
    int by[MOST_MEMBERS];
    size_t members;
} gate;

/* Every member stays in its first piece until all have arrived; then the caller continues. The
   others stay until all pieces but these are done. */
static void hold_first_piece(void *context, size_t member, size_t piece)
{
    (void)piece;
    gate *g = context;
    if (g->by[member]++ == 0) {
        g->arrived++;
        while (g->arrived < g->members)
            sched_yield();
        while (member > 0 && g->done < MOST_PIECES - (int)g->members + 1)
            sched_yield();
    }
    g->done++;
}

/* Threads do not return from their first piece: the caller does all remaining pieces. */
TD_TEST(caller_takes_over)
{
    td_pool *pool = td_pool_new(MOST_MEMBERS);
    for (int round = 0; round < 20; round++) {
        gate g = {.members = MOST_MEMBERS};
        td_pool_run(pool, MOST_MEMBERS, MOST_PIECES, hold_first_piece, &g);
        ck_assert_int_eq(g.by[0], MOST_PIECES - MOST_MEMBERS + 1);
        for (size_t i = 1; i < MOST_MEMBERS; i++)
            ck_assert_int_eq(g.by[i], 1);
    }
    td_pool_free(pool);
}

/* Idle threads sleep. Threads that do not wake up do not matter, in repeated calls. */
TD_TEST(late_threads_do_not_matter)
{
    td_pool *pool = td_pool_new(MOST_MEMBERS);
    static tally t;
    for (int round = 0; round < 10; round++) {
        wait_until_asleep(MOST_MEMBERS - 1);
        held = true;
        for (int run = 0; run < 3; run++) {
            memset(&t, 0, sizeof t);
            t.members = MOST_MEMBERS;
            td_pool_run(pool, MOST_MEMBERS, MOST_PIECES, count_piece, &t);
            ck_assert_int_eq(t.by[0], MOST_PIECES);
        }
        held = false;
        gate g = {.members = MOST_MEMBERS}; /* now all wake up and take part */
        td_pool_run(pool, MOST_MEMBERS, MOST_PIECES, hold_first_piece, &g);
        ck_assert_int_eq(g.by[0], MOST_PIECES - MOST_MEMBERS + 1);
    }
    td_pool_free(pool);
    ck_assert_int_eq(sleeping, 0);
}

/* The last piece of a thread ends only after the caller sleeps. */
static void wait_for_sleep(void *context, size_t member, size_t piece)
{
    (void)piece;
    gate *g = context;
    g->arrived++;
    while (g->arrived < g->members)
        sched_yield();
    while (member > 0 && !caller_sleeps)
        sched_yield();
}

TD_TEST(caller_sleeps_in_the_end)
{
    td_pool *pool = td_pool_new(2);
    is_caller = true;
    for (int round = 0; round < 20; round++) {
        gate g = {.members = 2};
        caller_sleeps = false;
        td_pool_run(pool, 2, 2, wait_for_sleep, &g);
        ck_assert(caller_sleeps);
    }
    td_pool_free(pool);
}

static void look_at_signals(void *context, size_t member, size_t piece)
{
    sigset_t blocked;
    gate *g = context;
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    g->wrong += sigismember(&blocked, SIGINT) != (member > 0);
    hold_first_piece(context, member, piece);
}

TD_TEST(signals_are_for_other_threads)
{
    td_pool *pool = td_pool_new(3);
    gate g = {.members = 3};
    td_pool_run(pool, 3, MOST_PIECES, look_at_signals, &g);
    ck_assert_int_eq(g.wrong, 0);
    td_pool_free(pool);
}

/* ---- workspaces --------------------------------------------------------------------------------
 */

enum { STATES = 4099 };

typedef struct batch {
    td_model *model;
    states *s;
    double *expected, *got;
    size_t bytes;
} batch;

static batch batch_new(void)
{
    td_random random = {80};
    td_builder *builder = regular_robot(&random, 9, 3, false, TD_BASE_FLOATING);
    batch b = {.model = robot_for(builder, TD_BASE_FLOATING, NULL)};
    b.s = states_new(&random, b.model, false, STATES);
    b.bytes = STATES * td_nyd(b.model) * sizeof(double);
    b.expected = test_malloc(b.bytes);
    b.got = test_malloc(b.bytes);
    assert_ok(td_batch_inverse_dynamics(b.model, b.s->a.w, STATES, b.s->y, b.s->yd, NULL, NULL,
                                        b.expected, NULL));
    return b;
}

/* returns whether a workspace gives the results of one thread */
static bool agrees(const batch *b, td_workspace *w, double *got)
{
    memset(got, 0, b->bytes);
    td_status status =
        td_batch_inverse_dynamics(b->model, w, STATES, b->s->y, b->s->yd, NULL, NULL, got, NULL);
    return status == TD_OK && memcmp(got, b->expected, b->bytes) == 0;
}

TD_TEST(threads_that_cannot_be_started)
{
    batch b = batch_new();
    for (int most = 0; most < 5; most++) {
        allowed = most;
        td_workspace *w = test_workspace_threads(b.model, 5);
        allowed = -1;
        ck_assert_uint_eq(td_workspace_threads(w), most < 4 ? 1 + (size_t)most : 5);
        ck_assert(agrees(&b, w, b.got));
    }
}

/* A process forked between two calls, while threads sleep or poll for work. It has none of these
   threads, works alone, and frees its workspace. */
TD_TEST(forked_process)
{
    batch b = batch_new();
    td_workspace *w = new_workspace_threads(b.model, 4);
    for (int round = 0; round < 6; round++) {
        ck_assert(agrees(&b, w, b.got));
        if (round % 2)
            wait_until_asleep(3);
        pid_t child = fork();
        ck_assert_int_ge(child, 0);
        if (child == 0) {
            bool good = agrees(&b, w, b.got) && agrees(&b, w, b.got);
            td_workspace_free(w);
            _exit(good ? 0 : 1);
        }
        int status;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        ck_assert(agrees(&b, w, b.got)); /* the parent still has its threads */
    }
    td_workspace_free(w);
}

enum { CALLERS = 3, ROUNDS = 15 };

typedef struct caller {
    const batch *b;
    bool good;
} caller;

static void *use_two(void *argument)
{
    caller *c = argument;
    double *got = malloc(c->b->bytes);
    for (int round = 0; round < ROUNDS; round++) {
        td_workspace *one = new_workspace_threads(c->b->model, 2);
        td_workspace *other = new_workspace_threads(c->b->model, 3);
        c->good =
            c->good && agrees(c->b, one, got) && agrees(c->b, other, got) && agrees(c->b, one, got);
        td_workspace_free(round % 2 ? one : other);
        td_workspace_free(round % 2 ? other : one);
    }
    free(got);
    return NULL;
}

TD_TEST(many_workspaces)
{
    batch b = batch_new();
    pthread_t thread[CALLERS];
    caller callers[CALLERS];
    for (int i = 0; i < CALLERS; i++) {
        callers[i] = (caller){&b, true};
        ck_assert_int_eq(pthread_create(&thread[i], NULL, use_two, &callers[i]), 0);
    }
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(thread[i], NULL);
        ck_assert(callers[i].good);
    }
}

/* ---- a user-supplied closure in a batch ------------------------------------------------------ */

/* Calls that the closure's function observes: by the thread that called the library, and by
   others. */
typedef struct witness {
    pthread_t caller;
    atomic_int by_caller, by_others;
    int at_least; /* calls by the caller; 0: only count */
} witness;

/* The caller waits until the other thread has begun. The other thread stays in its first state
   until the caller has made `at_least` calls. */
static int follow(const void *context, const double *y, const double *yd, double *x, double *G,
                  double *G_rate)
{
    witness *w = *(witness *const *)context;
    x[0] = y[0] * y[0];
    G[0] = 2 * y[0];
    if (yd)
        G_rate[0] = 2 * yd[0];
    if (pthread_equal(pthread_self(), w->caller)) {
        w->by_caller++;
        while (w->at_least > 0 && w->by_others == 0)
            sched_yield();
    } else if (w->by_others++ == 0) {
        while (w->by_caller < w->at_least)
            sched_yield();
    }
    return 0;
}

/* two joints; one is the square of the other */
static td_model *square_robot(const td_load_options *options)
{
    td_builder *builder = test_builder("square");
    td_link base = td_link_default("base"), a = td_link_default("a"), b = td_link_default("b");
    td_joint first = td_joint_default("y", TD_JOINT_CONTINUOUS, "base", "a");
    td_joint second = td_joint_default("x", TD_JOINT_CONTINUOUS, "a", "b");
    a.has_inertial = b.has_inertial = true;
    a.mass = b.mass = 1;
    td_builder_add_link(builder, &base), td_builder_add_link(builder, &a);
    td_builder_add_link(builder, &b);
    td_builder_add_joint(builder, &first), td_builder_add_joint(builder, &second);
    return model_of_builder(builder, options);
}

/* The other thread stays in its first state until the caller has done three quarters of all states:
   the caller takes over the other thread's share. */
TD_TEST(batch_waits_for_no_thread)
{
    static witness w;
    const witness *context = &w;
    const char *const x[] = {"x"}, *const y[] = {"y"};
    td_closure_function f = {sizeof f, "square", 1, 1, x, y, follow, &context, NULL};
    td_load_options options = td_load_options_default();
    options.closures = &f;
    options.closure_count = 1;
    w.caller = pthread_self();
    td_model *model = square_robot(&options);
    double *angles = doubles(STATES), *tau = doubles(STATES);
    int all = 0;
    for (size_t threads = 1; threads <= 2; threads++) {
        td_workspace *workspace = test_workspace_threads(model, threads);
        w.by_caller = w.by_others = 0;
        w.at_least = all * 3 / 4;
        assert_ok(td_batch_inverse_dynamics(model, workspace, STATES, angles, NULL, NULL, NULL, tau,
                                            NULL));
        ck_assert_int_ge(w.by_caller, w.at_least);
        ck_assert_int_eq(w.by_others > 0, threads > 1);
        all = w.by_caller + w.by_others;
    }
}
