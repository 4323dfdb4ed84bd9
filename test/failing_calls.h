/* SPDX-License-Identifier: MIT */
/*
 * System calls that fail: a process whose n-th call of those that open, read, write, close, rename
 * or start something gets an error instead, whoever makes it, the C library as well. Linux tells
 * another process of each call and waits for its answer (seccomp, SECCOMP_RET_USER_NOTIF);
 * elsewhere, and where that is not allowed, nothing fails and failing_calls_work() is false.
 */
#ifndef TD_FAILING_CALLS_H
#define TD_FAILING_CALLS_H

#include <stdbool.h>
#include <stddef.h>

bool failing_calls_work(void);

typedef struct failed_call {
    long made;        /* calls watched until the process ended */
    const char *name; /* of the one that failed, or NULL */
    bool hung;        /* it did not end, and was killed */
} failed_call;

/* Runs work(context) in a process of its own, whose call number n fails (from 0; negative: none).
   Returns its status as waitpid gives it. Children of it are let alone. */
int failing_calls_run(void (*work)(void *context), void *context, long n, failed_call *told);

/* In that process: no call after this one fails. */
void failing_calls_end(void);

#endif
