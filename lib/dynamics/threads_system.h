/* SPDX-License-Identifier: MIT */
/*
 * System-dependent parts of threads: semaphores (macOS has no unnamed POSIX ones), processors
 * that the caller may run on, signals and processes (Windows has neither).
 */
#ifndef TD_THREADS_SYSTEM_H
#define TD_THREADS_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#include <windows.h>
#else
#include <signal.h>
#include <unistd.h>
#endif
#if defined(__APPLE__)
#include <dispatch/dispatch.h>
#else
#include <errno.h>
#include <semaphore.h>
#endif
#if defined(__linux__)
#include <sched.h>
#endif

/* ---- semaphores start with a count of 0; td_semaphore_begin returns false on failure --------- */

#if defined(__APPLE__)

typedef dispatch_semaphore_t td_semaphore;

static inline bool td_semaphore_begin(td_semaphore *semaphore)
{
    *semaphore = dispatch_semaphore_create(0);
    return *semaphore != NULL;
}
static inline void td_semaphore_post(td_semaphore *semaphore)
{
    dispatch_semaphore_signal(*semaphore);
}
static inline void td_semaphore_wait(td_semaphore *semaphore)
{
    dispatch_semaphore_wait(*semaphore, DISPATCH_TIME_FOREVER);
}
static inline void td_semaphore_end(td_semaphore *semaphore)
{
    dispatch_release(*semaphore);
}

#else

typedef sem_t td_semaphore;

static inline bool td_semaphore_begin(td_semaphore *semaphore)
{
    return sem_init(semaphore, 0, 0) == 0;
}
static inline void td_semaphore_post(td_semaphore *semaphore)
{
    sem_post(semaphore);
}
static inline void td_semaphore_wait(td_semaphore *semaphore)
{
    while (sem_wait(semaphore) != 0 && errno == EINTR)
        continue;
}
static inline void td_semaphore_end(td_semaphore *semaphore)
{
    sem_destroy(semaphore);
}

#endif

/* ---- number of processors that the calling thread may run on, at least 1 --------------------- */

static inline size_t td_processors(void)
{
#if defined(_WIN32)
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    const long online = (long)info.dwNumberOfProcessors;
#else
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return (size_t)CPU_COUNT(&set);
#endif
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
#endif
    return online > 0 ? (size_t)online : 1;
}

/* ---- processes and signals ------------------------------------------------------------------- */

#if defined(_WIN32)

typedef int td_signals;

static inline intmax_t td_process(void)
{
    return 0; /* Windows has no fork */
}
static inline td_signals td_signals_block(void)
{
    return 0;
}
static inline void td_signals_restore(const td_signals *before)
{
    (void)before;
}

#else

typedef sigset_t td_signals;

static inline intmax_t td_process(void)
{
    return getpid();
}
/* Blocks all signals for the calling thread and for threads that it starts. Returns the previous
   mask. */
static inline td_signals td_signals_block(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    return before;
}
static inline void td_signals_restore(const td_signals *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

#endif
#endif
