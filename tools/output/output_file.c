/* SPDX-License-Identifier: MIT */
/*
 * Writes output files of commands; see output_file.h. If the program ends before output_close, it
 * removes the temporary file.
 */
#include "output/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/file_use.h"
#include "text.h"

/* The temporary files of this process. No command writes more than MOST_PENDING at once. */
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

/* making: a file is being created and is not yet in the list. waiting: a signal that arrived
   meanwhile. Blocking signals in this thread would not suffice, since any thread may receive
   them. */
static atomic_int making, waiting;

/* Returns whether a signal is a fault. Faults cannot wait, because the faulty instruction would run
   again. */
static bool is_fault(int caught)
{
    return caught == SIGILL || caught == SIGABRT || caught == SIGFPE || caught == SIGBUS ||
           caught == SIGSEGV;
}

/* Removes the temporary files and ends the process. Installed only for signals that the command
   does not handle itself. */
static void end_by_signal(int caught)
{
    atomic_store(&waiting, caught);
    if (atomic_load(&making) != 0 && !is_fault(caught)) {
        return;
    }
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

/* Replaces an entry of the list. before NULL: adds after; after NULL: removes before. */
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

void output_making(void)
{
    output_prepare();
    atomic_store(&making, 1);
}

void output_made(const char *path)
{
    if (path != NULL) {
        replace_pending(NULL, path);
    }
    atomic_store(&making, 0);
    if (atomic_load(&waiting) != 0) {
        end_by_signal(atomic_load(&waiting));
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

/* Returns the open file that a path such as /dev/stdout or /dev/fd/3 refers to, or −1 for other
   paths. */
static int descriptor_of(const char *path)
{
    static const char *const folder[] = {"/dev/fd/", "/proc/self/fd/"};
    static const char *const standard[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(path, standard[i]) == 0) {
            return i;
        }
    }
    for (size_t i = 0; i < sizeof folder / sizeof *folder; i++) {
        const size_t length = strlen(folder[i]);
        char *end;
        if (strncmp(path, folder[i], length) == 0 && path[length] >= '0' && path[length] <= '9') {
            const unsigned long value = strtoul(path + length, &end, 10);
            return *end == '\0' && value <= INT_MAX ? (int)value : -1;
        }
    }
    return -1;
}

/* Returns the target of a symbolic link, which need not exist, in a new string. Does not resolve
   paths of open files. */
static char *follow_link(char *path)
{
    enum { MOST_LINKS = 40 };
    char target[PATH_MAX];
    for (int i = 0; i < MOST_LINKS && descriptor_of(path) < 0; i++) {
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

/* Creates a temporary file in the folder of the path, with the permissions of a new file. */
static bool open_temporary(output_file *file)
{
    file->temporary = text_format("%s.XXXXXX", file->path);
    output_making();
    const int descriptor = mkstemp(file->temporary), reason = errno;
    output_made(descriptor >= 0 ? file->temporary : NULL);
    if (descriptor < 0) {
        free(file->temporary);
        file->temporary = NULL;
        errno = reason;
        return false;
    }
    fchmod(descriptor, output_permissions(file->path));
    file->stream = fdopen(descriptor, "w");
    return file->stream != NULL;
}

/* Continues writing to an open file at its current offset, without replacing it. */
static void open_again(output_file *file, int open)
{
    if (open == STDOUT_FILENO) {
        flush_output();
    }
    const int descriptor = dup(open);
    file->stream = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (file->stream == NULL && descriptor >= 0) {
        const int reason = errno;
        close(descriptor);
        errno = reason;
    }
}

/* Removes the file from the list after it got its name, or deletes it. */
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
    const bool exists = stat(path, &status) == 0;
    char *end = follow_link(text_format("%s", path));
    const int open = descriptor_of(end);
    file->name = path;
    file->stream = NULL;
    if (open >= 0) {
        open_again(file, open);
    } else if (exists && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
    } else if (exists && !S_ISREG(status.st_mode)) {
        file->stream = fopen(path, "w");
    } else {
        file->path = end;
        end = NULL;
        open_temporary(file);
    }
    const int reason = errno;
    free(end);
    errno = reason;
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

/* Writes the folder of a path to disk, for the new name in it. Ignores folders that cannot be read
   and file systems without this call. */
static bool sync_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    scoped char *folder = slash == NULL
                              ? text_format(".")
                              : text_format("%.*s", slash == path ? 1 : (int)(slash - path), path);
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool good = descriptor < 0 || fsync(descriptor) == 0 || (errno != EIO && errno != ENOSPC);
    const int reason = errno;
    if (descriptor >= 0) {
        close(descriptor);
    }
    errno = reason;
    return good;
}

const char *output_make_partial(output_file *file)
{
    if (file->path == NULL) {
        return NULL;
    }
    scoped char *complete = file->path;
    const char *suffix = path_suffix(complete);
    const int length = (int)(strlen(complete) - strlen(suffix));
    file->path = text_format("%.*s.partial%s", length, complete, suffix);
    for (int i = 2; access(file->path, F_OK) == 0; i++) {
        free(file->path);
        file->path = text_format("%.*s.partial-%d%s", length, complete, i, suffix);
    }
    return file->path;
}

bool output_close(output_file *file)
{
    if (file->stream == stdout) {
        return flush_output() == 0; /* main reports the error */
    }
    bool good = output_flush(file);
    /* after a crash of the machine either the old file or the complete new one exists */
    good = good && (file->path == NULL || fsync(fileno(file->stream)) == 0);
    good = fclose(file->stream) == 0 && good;
    if (good && file->path != NULL) {
        good = rename(file->temporary, file->path) == 0 && sync_folder(file->path);
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
