/* SPDX-License-Identifier: MIT */
/*
 * Runs another program; see program.h.
 */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void close_end(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

/* Opens a pipe whose ends are closed in other programs. The ends are not 0, 1 or 2, which the
   program needs, even if these are closed in this process. Sets errno on failure. */
static bool open_pipe(int end[2])
{
    int raw[2];
    if (pipe(raw) != 0)
        return false;
    for (size_t i = 0; i < 2; i++)
        end[i] = fcntl(raw[i], F_DUPFD_CLOEXEC, 3);
    const int error = errno;
    close(raw[0]);
    close(raw[1]);
    errno = error;
    return end[0] >= 0 && end[1] >= 0;
}

/* Starts the program with the writing ends as its standard output and standard error. It has
   the default actions for signals that programs such as Python ignore. Returns an errno, or 0. */
static int start(char *const *arguments, const int writing[2], pid_t *child)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, ignored;
    sigemptyset(&none);
    sigemptyset(&ignored);
    sigaddset(&ignored, SIGPIPE);
    sigaddset(&ignored, SIGCHLD);
    int error = posix_spawn_file_actions_init(&files);
    if (error)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (error) {
        posix_spawn_file_actions_destroy(&files);
        return error;
    }
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &ignored);
    error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    for (int i = 0; i < 2 && !error; i++)
        error = posix_spawn_file_actions_adddup2(&files, writing[i], i + 1);
    if (!error)
        error = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawnp(child, arguments[0], &files, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

/* Keeps at most cap of the bytes. Returns false if memory is exhausted. */
static bool keep(td_printed *p, const char *bytes, size_t size, size_t cap)
{
    size = size > cap - p->size ? cap - p->size : size;
    if (p->size + size >= p->capacity) {
        const size_t capacity = 2 * (p->size + size) + 1;
        char *text = realloc(p->text, capacity);
        if (!text)
            return false;
        p->text = text;
        p->capacity = capacity;
    }
    memcpy(p->text + p->size, bytes, size);
    p->size += size;
    p->text[p->size] = '\0';
    return true;
}

/* Reads once from each pipe that is ready, and closes those that have ended. Waits up to the given
   number of milliseconds. Returns whether anything was ready. */
static bool collect(int reading[2], int milliseconds, size_t cap, td_program *program,
                    td_status *status)
{
    char bytes[16 * 1024];
    struct pollfd wait[2] = {{.fd = reading[0], .events = POLLIN},
                             {.fd = reading[1], .events = POLLIN}};
    if (poll(wait, 2, milliseconds) <= 0)
        return false;
    for (size_t i = 0; i < 2; i++) {
        if (reading[i] < 0 || !wait[i].revents)
            continue;
        const ssize_t got = read(reading[i], bytes, sizeof bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            close_end(&reading[i]);
        else if (!keep(&program->out[i], bytes, (size_t)got, i ? td_most_error_bytes : cap + 1))
            *status = TD_ERROR_MEMORY;
    }
    return true;
}

/* Stores how the program ended. */
static void read_end(td_program *program, int how)
{
    program->end = WIFEXITED(how) ? TD_PROGRAM_EXITED : TD_PROGRAM_KILLED;
    program->code = WIFEXITED(how) ? WEXITSTATUS(how) : WTERMSIG(how);
}

/* Waits until the program ends. Returns false if it still runs and block is false. */
static bool wait_for(pid_t child, bool block, td_program *program)
{
    int how;
    pid_t ended;
    do
        ended = waitpid(child, &how, block ? 0 : WNOHANG);
    while (ended < 0 && errno == EINTR);
    if (ended == child) {
        read_end(program, how);
    } else if (ended < 0) { /* such as in a process that ignores SIGCHLD */
        program->end = TD_PROGRAM_LOST;
        program->error = errno;
    }
    return ended != 0;
}

/* Collects what the program prints until it ends. A process that the program left behind may keep
   the pipes open, so their end is not waited for. */
static td_status watch(pid_t child, int reading[2], double seconds, size_t cap, td_program *program)
{
    const double end = seconds_now() + seconds;
    td_status status = TD_OK;
    td_program_end stopped = TD_PROGRAM_EXITED;
    bool ended = false;
    while (!ended && stopped == TD_PROGRAM_EXITED && status == TD_OK) {
        const bool closed = reading[0] < 0 && reading[1] < 0;
        const bool ready = collect(reading, closed ? 1 : 20, cap, program, &status);
        ended = !ready && wait_for(child, false, program);
        if (program->out[0].size > cap)
            stopped = TD_PROGRAM_TOO_LARGE;
        else if (!ended && seconds_now() > end)
            stopped = TD_PROGRAM_TOO_SLOW;
    }
    if (!ended) {
        kill(child, SIGKILL);
        wait_for(child, true, program);
        program->end = stopped;
        return status;
    }
    /* the rest, which was printed between the last reading and the end */
    while (status == TD_OK && program->out[0].size <= cap && seconds_now() <= end &&
           collect(reading, 0, cap, program, &status))
        continue;
    if (program->out[0].size > cap)
        program->end = TD_PROGRAM_TOO_LARGE;
    return status;
}

td_status td_program_run(char *const *arguments, double seconds, size_t cap, td_program *program)
{
    int pipes[2][2] = {{-1, -1}, {-1, -1}};
    pid_t child = -1;
    *program = (td_program){.end = TD_PROGRAM_NOT_STARTED};
    if (!open_pipe(pipes[0]) || !open_pipe(pipes[1])) {
        program->error = errno;
    } else {
        const int writing[2] = {pipes[0][1], pipes[1][1]};
        program->error = start(arguments, writing, &child);
    }
    close_end(&pipes[0][1]);
    close_end(&pipes[1][1]);
    int reading[2] = {pipes[0][0], pipes[1][0]};
    td_status status = program->error == ENOMEM ? TD_ERROR_MEMORY : TD_OK;
    if (!program->error)
        status = watch(child, reading, seconds, cap, program);
    close_end(&reading[0]);
    close_end(&reading[1]);
    /* as POSIX allows, posix_spawnp may report only in this way that it did not find the program */
    if (program->end == TD_PROGRAM_EXITED && program->code == 127 && program->out[0].size == 0 &&
        program->out[1].size == 0) {
        program->end = TD_PROGRAM_NOT_STARTED;
        program->error = ENOENT;
    }
    return status;
}

void td_program_free(td_program *program)
{
    free(program->out[0].text);
    free(program->out[1].text);
}
