/* SPDX-License-Identifier: MIT */
/*
 * Files that commands write, see output_file.h. A program that ends before output_close removes the
 * temporary file.
 */
#include "output_file.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

/* The temporary files of this process: no command writes more at a time. */
enum { MOST_PENDING = 8 };
static const char *volatile pending[MOST_PENDING];

static void remove_pending(void)
{
    for (size_t i = 0; i < MOST_PENDING; i++) {
        if (pending[i] != NULL) {
            unlink(pending[i]);
            pending[i] = NULL;
        }
    }
}

/* No signal that ends the process leaves a temporary file behind; what a command does with one
   itself goes before. */
static void end_by_signal(int caught)
{
    remove_pending();
    signal(caught, SIG_DFL);
    raise(caught);
}

void output_prepare(void)
{
    static const int signals[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGPIPE,   SIGALRM,
                                  SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF,
                                  SIGILL,  SIGABRT, SIGFPE,  SIGBUS,  SIGSEGV};
    static bool prepared;
    if (prepared) {
        return;
    }
    prepared = true;
    atexit(remove_pending);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction now, ours = {.sa_handler = end_by_signal};
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL) {
            sigaction(signals[i], &ours, NULL);
        }
    }
}

/* Puts a temporary file on the list, or takes it from it. */
static void replace_pending(const char *before, const char *after)
{
    size_t i = 0;
    while (i < MOST_PENDING && pending[i] != before) {
        i++;
    }
    if (i < MOST_PENDING) {
        pending[i] = after;
    }
}

void output_guard(const char *path)
{
    output_prepare();
    replace_pending(NULL, path);
}

void output_release(const char *path)
{
    replace_pending(path, NULL);
}

mode_t output_permissions(const char *path)
{
    struct stat old;
    const mode_t mask = umask(0);
    umask(mask);
    return stat(path, &old) == 0 ? old.st_mode & 0777 : 0666 & ~mask;
}

/* Where a link leads, whether or not there is a file; a new string. */
static char *follow_link(char *path)
{
    enum { MOST_LINKS = 40 };
    char target[PATH_MAX];
    for (int i = 0; i < MOST_LINKS; i++) {
        const ssize_t length = readlink(path, target, sizeof target - 1);
        if (length < 0) {
            break;
        }
        target[length] = '\0';
        const char *slash = *target == '/' ? NULL : strrchr(path, '/');
        char *next =
            text_format("%.*s%s", slash != NULL ? (int)(slash - path) + 1 : 0, path, target);
        free(path);
        path = next;
    }
    return path;
}

/* A file beside the path with the permissions of a new one. */
static bool open_temporary(output_file *file)
{
    file->temporary = text_format("%s.XXXXXX", file->path);
    int descriptor = mkstemp(file->temporary);
    if (descriptor < 0) {
        free(file->temporary);
        file->temporary = NULL;
        return false;
    }
    output_guard(file->temporary);
    fchmod(descriptor, output_permissions(file->path));
    file->stream = fdopen(descriptor, "w");
    return file->stream != NULL;
}

/* After the file has its name, or will not get one. */
static void forget(output_file *file, bool named)
{
    if (file->temporary != NULL) {
        if (!named) {
            unlink(file->temporary);
        }
        output_release(file->temporary);
    }
    free(file->path);
    free(file->temporary);
}

bool output_open(output_file *file, const char *path)
{
    *file = (output_file){.stream = stdout, .name = "standard output"};
    if (path == NULL || strcmp(path, "-") == 0) {
        return true;
    }
    struct stat status;
    bool exists = stat(path, &status) == 0;
    file->name = path;
    file->stream = NULL;
    if (exists && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
    } else if (exists && !S_ISREG(status.st_mode)) {
        file->stream = fopen(path, "w");
    } else {
        file->path = follow_link(text_format("%s", path));
        open_temporary(file);
    }
    if (file->stream == NULL) {
        complain("%s: %s", path, strerror(errno));
        forget(file, false);
        return false;
    }
    return true;
}

bool output_flush(output_file *file)
{
    return file->stream == stdout ? flush_output() == 0
                                  : fflush(file->stream) == 0 && ferror(file->stream) == 0;
}

bool output_close(output_file *file)
{
    if (file->stream == stdout) {
        return flush_output() == 0; /* main says why not */
    }
    bool good = output_flush(file);
    good = fclose(file->stream) == 0 && good;
    if (good && file->path != NULL) {
        good = rename(file->temporary, file->path) == 0;
    }
    if (!good) {
        complain("%s: %s", file->name, strerror(errno));
    }
    forget(file, good);
    return good;
}

void output_drop(output_file *file)
{
    if (file->stream == stdout) {
        return;
    }
    fclose(file->stream);
    forget(file, false);
}

bool output_redirect(output_file *file, int *before)
{
    flush_output();
    *before = dup(STDOUT_FILENO);
    return *before >= 0 && dup2(fileno(file->stream), STDOUT_FILENO) >= 0;
}

bool output_restore(int before)
{
    const bool good = restart_output();
    dup2(before, STDOUT_FILENO);
    close(before);
    return good;
}
