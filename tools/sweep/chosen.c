/* SPDX-License-Identifier: MIT */
/*
 * Writes chosen rows of a sweep; see chosen.h.
 */
#include "sweep/chosen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sink.h"
#include "input/file_use.h"
#include "input/npy.h"
#include "input/table_input.h"
#include "output/output_file.h"
#include "text.h"

/* Number of rows read at once. */
enum { CHUNK = 4096 };

static size_t row_width(const chosen_rows *rows)
{
    return 1 + rows->spec->form.chosens;
}

static bool fail(const char *path)
{
    complain("%s: %s", path, strerror(errno));
    return false;
}

char *chosen_rows_path(const char *output)
{
    const size_t suffix = strlen(path_suffix(output));
    return text_format("%.*s.rows.npy", (int)(strlen(output) - suffix), output);
}

static char *part_of(const char *path)
{
    return text_format("%s.part", path);
}

/* ---- the part file, locked by one run -------------------------------------------------------- */

typedef enum lock_outcome {
    LOCKED,
    LOCK_GONE,  /* the file was removed or replaced before the lock */
    LOCK_TAKEN, /* by process, 0 if unknown */
    LOCK_FAILED
} lock_outcome;

/* Returns whether the file system has no locks. Then only the digest detects rows of another
   run. */
static bool lacks_locks(int error)
{
    return error == ENOLCK || error == ENOSYS || error == EOPNOTSUPP || error == EINVAL;
}

static lock_outcome lock_part(int file, const char *path, long *process)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    *process = 0;
    if (fcntl(file, F_SETLK, &lock) != 0 && !lacks_locks(errno)) {
        if (errno != EACCES && errno != EAGAIN) {
            return LOCK_FAILED;
        }
        if (fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK) {
            *process = (long)lock.l_pid;
        }
        return LOCK_TAKEN;
    }
    struct stat ours, there;
    if (fstat(file, &ours) != 0) {
        return LOCK_FAILED;
    }
    return lstat(path, &there) == 0 && there.st_ino == ours.st_ino && there.st_dev == ours.st_dev
               ? LOCKED
               : LOCK_GONE;
}

static bool tell_taken(const char *part, long process)
{
    scoped char *which =
        process > 0 ? text_format(", process %ld,", process) : text_format("%s", "");
    complain("%s: another run%s is writing these rows; wait until it ends, or give another -o",
             part, which);
    return false;
}

/* Opens an existing part, which must be a regular file. Returns −1 and sets errno on failure. */
static int open_there(const char *part)
{
    const int file = open(part, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat status;
    if (file >= 0 && (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))) {
        close(file);
        errno = EEXIST;
        return -1;
    }
    return file;
}

/* Creates a part with the permissions of the future array. If two runs try, only one succeeds. */
static int open_new(const chosen_rows *rows)
{
    output_making();
    const int file = open(rows->part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    const int error = errno;
    output_made(file >= 0 ? rows->part : NULL);
    if (file >= 0) {
        fchmod(file, output_permissions(rows->path));
    }
    errno = error;
    return file;
}

/* Returns the descriptor of the locked part. Removes rows of a run that was killed before its first
   checkpoint. Prints a message and returns −1 on failure. */
static int take_part(chosen_rows *rows, const char *checkpoint)
{
    enum { MOST_TRIES = 100 };
    long process = 0;
    for (int i = 0; i < MOST_TRIES; i++) {
        int file = open_new(rows);
        rows->made = file >= 0;
        if (!rows->made && errno == EEXIST) {
            file = open_there(rows->part);
            if (file < 0 && errno == ENOENT) {
                continue; /* the part disappeared meanwhile */
            }
        }
        if (file < 0 && (errno == ELOOP || errno == EEXIST)) {
            complain("%s: rows are written to a file of this name; remove what is there",
                     rows->part);
            return -1;
        }
        if (file < 0) {
            break;
        }
        const lock_outcome locked = lock_part(file, rows->part, &process);
        if (locked == LOCKED && (rows->made || access(checkpoint, F_OK) == 0)) {
            return file;
        }
        if (locked == LOCKED || (locked == LOCK_FAILED && rows->made)) {
            unlink(rows->part);
        }
        const int error = errno;
        output_release(rows->part);
        close(file);
        errno = error;
        if (locked == LOCK_TAKEN) {
            tell_taken(rows->part, process);
            return -1;
        }
        if (locked == LOCK_FAILED) {
            break;
        }
    }
    fail(rows->part);
    return -1;
}

bool chosen_rows_open(chosen_rows *rows, const sweep_spec *spec, const char *output,
                      const char *checkpoint)
{
    if (output == NULL) {
        complain("selected rows are written to a file next to the result; give -o FILE.json");
        return false;
    }
    *rows = (chosen_rows){.spec = spec, .path = chosen_rows_path(output)};
    rows->part = part_of(rows->path);
    const int file = take_part(rows, checkpoint);
    if (file < 0) {
        return false;
    }
    rows->stream = fdopen(file, "r+");
    if (rows->stream == NULL) {
        fail(rows->part);
        if (rows->made) {
            unlink(rows->part);
        }
        close(file);
    }
    return rows->stream != NULL;
}

void chosen_rows_clean(const char *output, const char *checkpoint)
{
    scoped char *path = chosen_rows_path(output), *part = part_of(path);
    long process;
    const int file = open_there(part);
    if (file < 0 || lock_part(file, part, &process) == LOCKED) {
        unlink(checkpoint);
        if (file >= 0) {
            unlink(part);
        }
    }
    if (file >= 0) {
        close(file);
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void add_digest(uint64_t *digest, const double *value, size_t count)
{
    td_sink hash = {.hash = *digest};
    td_put(&hash, (const char *)value, count * sizeof *value);
    *digest = hash.hash;
}

/* Copies all rows of the part to out (if not NULL) and leaves the position at their end. Prints a
   message and returns false if rows are missing or changed. */
static bool read_part(chosen_rows *rows, npy_output *out)
{
    const size_t width = row_width(rows);
    scoped double *value = allocate(CHUNK * width, sizeof *value);
    uint64_t digest = TD_HASH_START;
    bool good = fseeko(rows->stream, 0, SEEK_SET) == 0 || fail(rows->part);
    for (uint64_t at = 0; at < rows->written && good;) {
        const uint64_t left = rows->written - at;
        const size_t n = left < CHUNK ? (size_t)left : CHUNK;
        if (fread(value, sizeof *value, n * width, rows->stream) != n * width) {
            if (feof(rows->stream)) {
                break;
            }
            good = fail(rows->part);
        }
        add_digest(&digest, value, n * width);
        good = good && (out == NULL || npy_write(out, value, n * width));
        at += n;
    }
    if (good && digest != rows->digest) {
        complain("%s: the rows differ from those that were written; remove it and the checkpoint "
                 "to start again",
                 rows->part);
        good = false;
    }
    return good;
}

bool chosen_rows_resume(chosen_rows *rows, uint64_t chosen, uint64_t digest)
{
    rows->chosen = chosen;
    rows->written = chosen < rows->spec->most_rows ? chosen : rows->spec->most_rows;
    rows->digest = rows->written > 0 ? digest : TD_HASH_START;
    const off_t bytes = (off_t)(rows->written * row_width(rows) * sizeof(double));
    return read_part(rows, NULL) && ((ftruncate(fileno(rows->stream), bytes) == 0 &&
                                      fseeko(rows->stream, bytes, SEEK_SET) == 0) ||
                                     fail(rows->part));
}

bool chosen_rows_add(chosen_rows *rows, const sweep_rows *more)
{
    const uint64_t room = rows->spec->most_rows - rows->written;
    const size_t taken = more->rows < room ? more->rows : (size_t)room;
    const size_t count = taken * row_width(rows);
    rows->chosen += more->chosen;
    rows->written += taken;
    add_digest(&rows->digest, more->value, count);
    return count == 0 || fwrite(more->value, sizeof(double), count, rows->stream) == count ||
           fail(rows->part);
}

static bool flush(chosen_rows *rows)
{
    return (fflush(rows->stream) == 0 && fsync(fileno(rows->stream)) == 0) || fail(rows->part);
}

bool chosen_rows_save(chosen_rows *rows)
{
    rows->made = false;
    output_release(rows->part);
    return flush(rows);
}

bool chosen_rows_finish(chosen_rows *rows)
{
    const size_t width = row_width(rows);
    const sweep_form *form = &rows->spec->form;
    scoped const char **name = allocate(width, sizeof *name);
    name[0] = "state";
    memcpy(name + 1, form->chosen, form->chosens * sizeof *name);
    npy_output out;
    const bool older = access(rows->path, F_OK) == 0;
    bool good = flush(rows) && npy_create(&out, rows->path, name, width);
    if (good) {
        good = read_part(rows, &out);
        good = npy_finish(&out, good) && good;
        if (!good && !older) {
            unlink(rows->path); /* if only the folder could not be synchronized, the array already
                                   has its name */
        }
    }
    if (good) {
        output_guard(rows->path);
    }
    return good;
}

void chosen_rows_keep(chosen_rows *rows)
{
    output_release(rows->path);
}

void chosen_rows_close(chosen_rows *rows, bool dropped)
{
    if (rows->stream != NULL) {
        if (dropped) {
            unlink(rows->part); /* before the lock is released */
        }
        fclose(rows->stream);
    }
    if (rows->part != NULL) {
        output_release(rows->part);
        output_release(rows->path);
    }
    free(rows->path);
    free(rows->part);
    *rows = (chosen_rows){.stream = NULL};
}

/* ---- the array ------------------------------------------------------------------------------- */

/* Returns whether a state is in one of the result's ranges. */
static bool has_state(const sweep_result *r, double state)
{
    for (size_t i = 0; i < td_reduction_range_count(r->reduction); i++) {
        uint64_t first, end;
        td_reduction_range(r->reduction, i, &first, &end);
        if (state >= (double)first && state < (double)end) {
            return true;
        }
    }
    return false;
}

static bool has_rows(npy_input *array, const sweep_result *r, bool *told)
{
    double *value = allocate(CHUNK * array->columns, sizeof *value), before = -1;
    bool good = true, same = true;
    size_t n;
    while (same && (n = npy_read(array, value, CHUNK, &good)) > 0) {
        for (size_t i = 0; i < n && same; i++) {
            const double state = value[i * array->columns];
            same = state > before && has_state(r, state);
            before = state;
        }
    }
    free(value);
    *told = !good;
    return same && good;
}

bool chosen_rows_check(const sweep_result *r, const char *output, uint64_t most)
{
    scoped char *path = chosen_rows_path(output);
    table_input *in = table_input_open(path);
    npy_input array;
    bool good = in != NULL, told = !good;
    if (good && npy_open(&array, in, path)) {
        const bool all = most < UINT64_MAX;
        const uint64_t rows = r->chosen < most ? r->chosen : most;
        good = array.columns == 1 + r->form.chosens &&
               (all ? array.rows == rows : array.rows <= rows) && has_rows(&array, r, &told);
        npy_close(&array);
    } else {
        good = false;
        told = true;
    }
    table_input_close(in);
    if (!good && !told) {
        complain("%s: these are not the rows of '%s'; remove both to make them again", path,
                 output);
    }
    return good;
}
