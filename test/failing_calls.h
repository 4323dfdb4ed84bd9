/* SPDX-License-Identifier: MIT */
/*
 * Makes the n-th system call of a process fail, among calls that open, read, write, close, rename
 * or start something. It does not matter whether the program or the C library makes the call. Linux
 * passes each call to a supervising process and waits for its answer (seccomp,
 * SECCOMP_RET_USER_NOTIF). On other systems, or where seccomp is not permitted, nothing fails and
 * failing_calls_work() returns false.
 */
#ifndef TD_FAILING_CALLS_H
#define TD_FAILING_CALLS_H

#include <stdbool.h>
#include <stddef.h>

bool failing_calls_work(void);

typedef struct failed_call {
    long made;        /* watched calls made before the process ended */
    const char *name; /* name of the call that failed, or NULL */
    bool hung;        /* the process did not end and was killed */
} failed_call;

/* Runs work(context) in a child process whose call number n fails (from 0; negative: none). Returns
   the child's status as waitpid does. Processes that the child starts are not affected. */
int failing_calls_run(void (*work)(void *context), void *context, long n, failed_call *told);

/* Called in the child: no later call fails. */
void failing_calls_end(void);

#endif
