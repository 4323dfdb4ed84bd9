/* SPDX-License-Identifier: MIT */
/*
 * Standard output into a picture: while a pipe is open, the CSV table that the command writes is
 * read by a process of its own, which draws it at the end.
 */
#ifndef TOOL_PLOT_PIPE_H
#define TOOL_PLOT_PIPE_H

#include <stdbool.h>
#include <sys/types.h>

#include "output/plot.h"

typedef struct plot_pipe {
    pid_t child;
    int output; /* what standard output was */
} plot_pipe;

/* Opens the pipe. False, with a message, where the file's name is not one of a picture, or the
   system refuses. */
bool plot_pipe_open(plot_pipe *p, const plot_options *options);
/* Ends the table, draws it, where it is complete, and restores standard output. Returns the exit
   code of drawing. */
int plot_pipe_close(plot_pipe *p, bool complete);

#endif
