/* SPDX-License-Identifier: MIT */
/*
 * Calls a function once per process, in the first thread. Other threads wait until it returns.
 */
#ifndef TD_ONCE_H
#define TD_ONCE_H

#if defined(_WIN32)

#include <windows.h>

typedef INIT_ONCE td_once;
#define TD_ONCE_START INIT_ONCE_STATIC_INIT

static inline void td_call_once(td_once *once, void (*function)(void))
{
    BOOL pending;
    if (InitOnceBeginInitialize(once, 0, &pending, NULL) && pending) {
        function();
        InitOnceComplete(once, 0, NULL);
    }
}

#else

#include <pthread.h>

typedef pthread_once_t td_once;
#define TD_ONCE_START PTHREAD_ONCE_INIT

static inline void td_call_once(td_once *once, void (*function)(void))
{
    pthread_once(once, function);
}

#endif
#endif
