/* SPDX-License-Identifier: MIT */
/*
 * Draws standard output; see plot_pipe.h.
 */
#include "output/plot_pipe.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "text.h"

/* Reads the table and draws it, in the child process. */
static int draw(const plot_options *options)
{
    plot_table t;
    int code = plot_table_read(&t, "-") ? plot_write(&t, options) : (int)EXIT_FILE;
    plot_table_free(&t);
    return code;
}

bool plot_pipe_open(plot_pipe *p, const plot_options *options)
{
    int ends[2];
    if (!plot_is_picture(options->output)) {
        complain("%s: a picture must be .svg, .png or .pdf", options->output);
        return false;
    }
    if (!plot_possible()) {
        return false;
    }
    p->output = flush_output() == 0 ? dup(STDOUT_FILENO) : -1;
    if (p->output < 0 || pipe(ends) != 0) {
        complain("a pipe for the picture: %s", strerror(errno));
        close(p->output);
        return false;
    }
    p->child = fork();
    if (p->child == 0) {
        close(p->output);
        close(ends[1]);
        const bool reads = dup2(ends[0], STDIN_FILENO) >= 0;
        close(ends[0]);
        _exit(reads ? draw(options) : EXIT_FILE);
    }
    const bool writes = p->child > 0 && dup2(ends[1], STDOUT_FILENO) >= 0;
    if (!writes) {
        complain("a pipe for the picture: %s", strerror(errno));
    }
    /* gnuplot reports its failures itself; ignore the signal of a closed pipe */
    signal(SIGPIPE, SIG_IGN);
    close(ends[0]);
    close(ends[1]);
    if (p->child > 0 && !writes) { /* the child reports that it has nothing to draw */
        int status;
        waitpid(p->child, &status, 0);
    }
    if (!writes) {
        close(p->output);
    }
    return writes;
}

int plot_pipe_close(plot_pipe *p, bool complete)
{
    int status;
    if (!complete) {
        kill(p->child, SIGKILL); /* the child has not created a file yet */
    }
    bool good = flush_output() == 0;
    if (dup2(p->output, STDOUT_FILENO) < 0) {
        complain("standard output: %s", strerror(errno));
        good = false;
        close(STDOUT_FILENO); /* otherwise the child would wait for more input */
    }
    close(p->output);
    while (waitpid(p->child, &status, 0) < 0 && errno == EINTR) {
    }
    return !complete ? EXIT_GOOD : good && WIFEXITED(status) ? WEXITSTATUS(status) : (int)EXIT_FILE;
}
