/* SPDX-License-Identifier: MIT */
/*
 * Chosen rows of a sweep, see chosen.h.
 */
#include "sweep/chosen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file_use.h"
#include "table/npy.h"
#include "text.h"

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

char *chosen_rows_part(const char *output)
{
    char *path = chosen_rows_path(output);
    char *part = text_format("%s.part", path);
    free(path);
    return part;
}

bool chosen_rows_open(chosen_rows *rows, const sweep_spec *spec, const char *output)
{
    rows->spec = spec;
    rows->written = rows->chosen < spec->most_rows ? rows->chosen : spec->most_rows;
    if (output == NULL) {
        complain("chosen rows go into a file beside that of the result: give -o FILE.json");
        return false;
    }
    rows->path = chosen_rows_path(output);
    rows->part = chosen_rows_part(output);
    rows->stream = fopen(rows->part, rows->written > 0 ? "r+" : "w+");
    const off_t bytes = (off_t)(rows->written * row_width(rows) * sizeof(double));
    if (rows->stream == NULL || fseeko(rows->stream, 0, SEEK_END) != 0) {
        return fail(rows->part);
    }
    if (ftello(rows->stream) < bytes) {
        complain("%s: it has fewer rows than the checkpoint says; remove both to begin anew",
                 rows->part);
        return false;
    }
    return (ftruncate(fileno(rows->stream), bytes) == 0 &&
            fseeko(rows->stream, bytes, SEEK_SET) == 0) ||
           fail(rows->part);
}

bool chosen_rows_add(chosen_rows *rows, const sweep_rows *more)
{
    const uint64_t room = rows->spec->most_rows - rows->written;
    const size_t taken = more->rows < room ? more->rows : (size_t)room;
    const size_t count = taken * row_width(rows);
    rows->chosen += more->chosen;
    rows->written += taken;
    return count == 0 || fwrite(more->value, sizeof(double), count, rows->stream) == count ||
           fail(rows->part);
}

bool chosen_rows_save(chosen_rows *rows)
{
    return (fflush(rows->stream) == 0 && fsync(fileno(rows->stream)) == 0) || fail(rows->part);
}

bool chosen_rows_finish(chosen_rows *rows)
{
    enum { CHUNK = 4096 };
    const size_t width = row_width(rows);
    const sweep_form *form = &rows->spec->form;
    const char **name = allocate(width, sizeof *name);
    name[0] = "state";
    memcpy(name + 1, form->chosen, form->chosens * sizeof *name);
    double *value = allocate(CHUNK * width, sizeof *value);
    npy_output out;
    bool good = chosen_rows_save(rows);
    if (good && fseeko(rows->stream, 0, SEEK_SET) != 0) {
        good = fail(rows->part);
    }
    if (good && npy_create(&out, rows->path, name, width)) {
        for (uint64_t at = 0; at < rows->written && good;) {
            const uint64_t left = rows->written - at;
            const size_t n = left < CHUNK ? (size_t)left : CHUNK;
            if (fread(value, sizeof *value, n * width, rows->stream) != n * width) {
                good = fail(rows->part);
            }
            good = good && npy_write(&out, value, n * width);
            at += n;
        }
        good = npy_finish(&out, good) && good;
    } else {
        good = false;
    }
    free(name);
    free(value);
    return good;
}

void chosen_rows_close(chosen_rows *rows, bool dropped)
{
    if (rows->stream != NULL) {
        fclose(rows->stream);
        if (dropped) {
            unlink(rows->part);
        }
    }
    free(rows->path);
    free(rows->part);
}
