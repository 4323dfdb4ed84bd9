/* SPDX-License-Identifier: MIT */
/*
 * Writes the table of a motion; see table_output.h.
 */
#include "output/table_output.h"

#include <math.h>
#include <stdlib.h>

#include "text.h"

bool table_output_open(table_output *t, const char *path)
{
    *t = (table_output){.path = path, .array = path != NULL && npy_is_path(path)};
    if (t->array) {
        return true; /* npy_create needs the names of all columns */
    }
    const bool good = output_open(&t->file, path);
    t->line.stream = t->file.stream;
    return good;
}

void table_output_name(table_output *t, const char *name)
{
    if (!t->array) {
        csv_cell(&t->line, name);
        return;
    }
    t->name = reallocate(t->name, t->columns + 1, sizeof *t->name);
    t->name[t->columns++] = text_format("%s", name);
}

void table_output_names(table_output *t, const char *prefix, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        scoped char *name = text_format("%s:%s", prefix, names[i]);
        table_output_name(t, name);
    }
}

void table_output_numbers(table_output *t, const double *x, size_t count)
{
    for (size_t i = 0; i < count && t->array; i++) {
        t->row[t->filled++] = x != NULL ? x[i] : (double)NAN;
    }
    for (size_t i = 0; i < count && !t->array && x == NULL; i++) {
        csv_cell(&t->line, "nan");
    }
    if (!t->array && x != NULL) {
        csv_numbers(&t->line, x, count);
    }
}

void table_output_text(table_output *t, const char *text)
{
    if (!t->array) {
        csv_cell(&t->line, text);
    }
}

void table_output_cells(table_output *t, const char *cells)
{
    if (!t->array) {
        csv_text(&t->line, cells);
    }
}

bool table_output_end(table_output *t)
{
    if (!t->array) {
        csv_end(&t->line);
        t->started = true;
        return true;
    }
    if (t->started) {
        npy_write(&t->npy, t->row, t->filled); /* npy_finish reports failures */
        t->filled = 0;
        return true;
    }
    t->row = allocate(t->columns, sizeof *t->row);
    t->started =
        npy_create(&t->npy, t->path, t->plain ? NULL : (const char *const *)t->name, t->columns);
    return t->started;
}

bool table_output_flush(table_output *t)
{
    return output_flush(t->array ? &t->npy.file : &t->file);
}

const char *table_output_make_partial(table_output *t)
{
    return output_make_partial(t->array ? &t->npy.file : &t->file);
}

bool table_output_close(table_output *t, bool good)
{
    if (t->array) {
        good = t->started && npy_finish(&t->npy, good);
    } else if (good) {
        good = output_close(&t->file);
    } else {
        output_drop(&t->file);
    }
    for (size_t i = 0; i < t->columns; i++) {
        free(t->name[i]);
    }
    free(t->name);
    free(t->row);
    return good;
}
