/* SPDX-License-Identifier: MIT */
/*
 * The file of -o, see output_file.h. A program that ends before output_close removes the temporary
 * file.
 */
#include "output_file.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

static const char *pending; /* the temporary file of this process */

/* Ctrl-C and the like leave no temporary file behind; what a command does with a signal itself goes
   before. */
static void end_by_signal(int caught)
{
    if (pending != NULL) {
        unlink(pending);
    }
    signal(caught, SIG_DFL);
    raise(caught);
}

static void remove_pending(void)
{
    if (pending != NULL) {
        unlink(pending);
        pending = NULL;
    }
}

/* Where the file itself is if the path is a link; a new string. */
static char *resolve(const char *path)
{
    char *real = realpath(path, NULL);
    return real != NULL ? real : text_format("%s", path);
}

void output_pending(const char *path)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    static bool prepared;
    for (size_t i = 0; i < sizeof signals / sizeof *signals && !prepared; i++) {
        struct sigaction now, ours = {.sa_handler = end_by_signal};
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL) {
            sigaction(signals[i], &ours, NULL);
        }
    }
    if (!prepared) {
        atexit(remove_pending);
    }
    prepared = true;
    pending = path;
}

/* A file beside the path with the permissions of a new one. */
static bool open_temporary(output_file *file)
{
    file->temporary = text_format("%s.XXXXXX", file->path);
    int descriptor = mkstemp(file->temporary);
    if (descriptor < 0) {
        return false;
    }
    output_pending(file->temporary);
    mode_t mask = umask(0);
    umask(mask);
    struct stat old;
    mode_t mode = stat(file->path, &old) == 0 ? old.st_mode & 0777 : 0666 & ~mask;
    fchmod(descriptor, mode);
    file->stream = fdopen(descriptor, "w");
    return file->stream != NULL;
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
        file->path = resolve(path);
        open_temporary(file);
    }
    if (file->stream == NULL) {
        complain("%s: %s", path, strerror(errno));
        remove_pending();
        free(file->path);
        free(file->temporary);
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
        pending = good ? NULL : pending;
    }
    if (!good) {
        complain("%s: %s", file->name, strerror(errno));
        remove_pending();
    }
    free(file->path);
    free(file->temporary);
    return good;
}

void output_drop(output_file *file)
{
    if (file->stream == stdout) {
        return;
    }
    fclose(file->stream);
    remove_pending();
    free(file->path);
    free(file->temporary);
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
