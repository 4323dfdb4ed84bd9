/* SPDX-License-Identifier: MIT */
/*
 * Writes tables of results; see table_writer.h.
 */
#include "output/table_writer.h"

#include <stdlib.h>

#include "command.h"
#include "text.h"

enum { TOLD = 10 }; /* states without a result */

table_writer table_writer_new(const session *s, const tool_options *options)
{
    table_writer w = {.s = s, .options = options};
    const bool array = options->output != NULL && npy_is_path(options->output);
    table_output_open(&w.out, array ? options->output : NULL); /* text goes to standard output */
    return w;
}

void table_writer_add(table_writer *w, const char *prefix, const char *const *names, size_t count)
{
    w->name = reallocate(w->name, w->count + count, sizeof *w->name);
    for (size_t i = 0; i < count; i++) {
        w->name[w->count++] = text_format("%s:%s", prefix, names[i]);
    }
}

void table_writer_form(const table_writer *w, state_form *form)
{
    form->gaps = true;
    form->words = &w->options->columns;
    form->keep = w->options->keep;
    form->result = (const char *const *)w->name;
    form->results = w->count;
}

bool table_writer_start(table_writer *w, const state_batch *batch)
{
    table_output *t = &w->out;
    if (t->started) {
        return true;
    }
    if (batch->kept_heading != NULL) {
        table_output_cells(t, batch->kept_heading);
    } else if (batch->has_time && !(t->array && t->plain)) {
        table_output_name(t, "t");
    }
    for (size_t i = 0; i < w->count; i++) {
        table_output_name(t, w->name[i]);
    }
    return table_output_end(t);
}

void table_writer_row(table_writer *w, const state_batch *batch, size_t i, const double *values,
                      size_t count, const double *more)
{
    table_output *t = &w->out;
    if (batch->kept_heading != NULL) {
        table_output_cells(t, batch->kept[i]);
    } else if (batch->has_time && !(t->array && t->plain)) {
        table_output_numbers(t, &batch->time[i], 1);
    }
    table_output_numbers(t, values, count);
    table_output_numbers(t, more, w->count - count);
    table_output_end(t);
}

bool table_writer_fails(table_writer *w)
{
    return w->failed++ < TOLD;
}

int table_writer_end(table_writer *w, bool good)
{
    if (w->failed > TOLD) {
        complain("%zu more rows have no result", w->failed - TOLD);
    }
    if (w->out.array && w->out.started) {
        good = table_output_close(&w->out, good) && good;
    }
    for (size_t i = 0; i < w->count; i++) {
        free(w->name[i]);
    }
    free(w->name);
    const bool file = w->options->states != NULL || w->options->state != NULL;
    return !good ? (file ? EXIT_FILE : EXIT_USAGE) : w->failed > 0 ? EXIT_NEGATIVE : EXIT_GOOD;
}
