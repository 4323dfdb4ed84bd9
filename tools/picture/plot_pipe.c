/* SPDX-License-Identifier: MIT */
/*
 * Standard output into a picture, see plot_pipe.h.
 */
#include "picture/plot_pipe.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "text.h"

/* what the process that draws does */
static int draw(const plot_options *options)
{
    plot_table t;
    int code = plot_table_read(&t, "-") ? plot_write(&t, options) : (int)EXIT_USAGE;
    plot_table_free(&t);
    return code;
}

bool plot_pipe_open(plot_pipe *p, const plot_options *options)
{
    int ends[2];
    if (!plot_is_picture(options->output)) {
        complain("%s: a picture is .svg, .png or .pdf", options->output);
        return false;
    }
    if (!plot_possible()) {
        return false;
    }
    if (flush_output() != 0 || pipe(ends) != 0 || (p->child = fork()) < 0) {
        complain("a pipe for the picture: %s", strerror(errno));
        return false;
    }
    if (p->child == 0) {
        close(ends[1]);
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        _exit(draw(options));
    }
    /* where drawing fails, it says so: what is written then goes nowhere, without a signal */
    signal(SIGPIPE, SIG_IGN);
    close(ends[0]);
    p->output = dup(STDOUT_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[1]);
    return true;
}

int plot_pipe_close(plot_pipe *p)
{
    int status;
    flush_output();
    dup2(p->output, STDOUT_FILENO);
    close(p->output);
    while (waitpid(p->child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : (int)EXIT_USAGE;
}
