/* SPDX-License-Identifier: MIT */
/*
 * Draws the table that a command writes to standard output. A child process reads the CSV table
 * through a pipe and draws it at the end.
 */
#ifndef TOOL_PLOT_PIPE_H
#define TOOL_PLOT_PIPE_H

#include <stdbool.h>
#include <sys/types.h>

#include "output/plot.h"

typedef struct plot_pipe {
    pid_t child;
    int output; /* the original standard output */
} plot_pipe;

/* Opens the pipe and starts the child process. Prints a message and returns false if the output
   does not have the suffix of a picture, if gnuplot is missing, or if the system refuses. */
bool plot_pipe_open(plot_pipe *p, const plot_options *options);
/* Ends the table and restores standard output. complete: draw the picture; otherwise kill the
   child. Returns the exit code of drawing. */
int plot_pipe_close(plot_pipe *p, bool complete);

#endif
