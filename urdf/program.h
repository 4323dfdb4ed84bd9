/* SPDX-License-Identifier: MIT */
/*
 * Runs another program and collects what it prints. No shell is involved, so arguments may contain
 * any characters.
 */
#ifndef TD_PROGRAM_H
#define TD_PROGRAM_H

#include <stddef.h>

#include "tandem/status.h"

enum { td_most_error_bytes = 64 * 1024 };

typedef enum td_program_end {
    TD_PROGRAM_EXITED,
    TD_PROGRAM_KILLED,      /* by a signal that another process sent, or by its own fault */
    TD_PROGRAM_NOT_STARTED, /* error tells why */
    TD_PROGRAM_LOST,        /* it ran, but its exit status is unknown; error tells why */
    TD_PROGRAM_TOO_SLOW,    /* it was stopped after the time limit */
    TD_PROGRAM_TOO_LARGE,   /* it was stopped because it printed more than the cap */
} td_program_end;

typedef struct td_printed {
    char *text; /* followed by NUL; NULL if nothing was printed */
    size_t size, capacity;
} td_printed;

typedef struct td_program {
    td_program_end end;
    int code;          /* the exit status, or the signal */
    int error;         /* an errno */
    td_printed out[2]; /* standard output, and the first td_most_error_bytes of standard error */
} td_program;

/* Runs a program to its end, with the environment and the working directory of this process and an
   empty standard input.

     arguments  the program, searched in PATH unless its name contains '/', and its arguments; ends
                with NULL
     seconds    time limit, s; the program is killed then
     cap        maximum number of bytes on standard output; the program is killed if it prints more
     program    output; callers call td_program_free in all cases

   The program is in the process group of the caller, so that a terminal's Ctrl-C ends both. It is
   always waited for. TD_ERROR_MEMORY: memory is exhausted; otherwise TD_OK. */
td_status td_program_run(char *const *arguments, double seconds, size_t cap, td_program *program);
void td_program_free(td_program *program);

#endif
