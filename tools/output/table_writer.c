/* SPDX-License-Identifier: MIT */
/*
 * Writes tables of results; see table_writer.h.
 */
#include "output/table_writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "output/csv_output.h"
#include "text.h"

static char time_name[] = "t";

enum { TOLD = 10 }; /* number of states without a result that are reported */

table_writer table_writer_new(const session *s, const tool_options *options)
{
    return (table_writer){.s = s,
                          .options = options,
                          .array = options->output != NULL && npy_is_path(options->output)};
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

static bool start_array(table_writer *w, bool has_time)
{
    const size_t count = w->count + has_time;
    w->row = allocate(count, sizeof *w->row);
    if (w->plain) {
        return npy_create(&w->npy, w->options->output, NULL, w->count);
    }
    w->field = allocate(count, sizeof *w->field);
    w->field[0] = time_name;
    memcpy(w->field + has_time, w->name, w->count * sizeof *w->name);
    return npy_create(&w->npy, w->options->output, (const char *const *)w->field, count);
}

bool table_writer_start(table_writer *w, const state_batch *batch)
{
    if (w->started) {
        return true;
    }
    if (w->array) {
        w->started = start_array(w, batch->has_time);
        return w->started;
    }
    csv_line line = {false, NULL};
    if (batch->kept_heading != NULL) {
        csv_text(&line, batch->kept_heading);
    } else if (batch->has_time) {
        csv_cell(&line, "t");
    }
    for (size_t i = 0; i < w->count; i++) {
        csv_cell(&line, w->name[i]);
    }
    csv_end(&line);
    w->started = true;
    return true;
}

/* Appends numbers to a row of an array. NULL appends NaN. */
static double *append(double *to, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        *to++ = values != NULL ? values[i] : (double)NAN;
    }
    return to;
}

static void put_values(csv_line *line, const double *values, size_t count)
{
    for (size_t i = 0; i < count && values == NULL; i++) {
        csv_cell(line, "nan");
    }
    if (values != NULL) {
        csv_numbers(line, values, count);
    }
}

void table_writer_row(table_writer *w, const state_batch *batch, size_t i, const double *values,
                      size_t count, const double *more)
{
    if (w->array) {
        double *end = w->row;
        end = append(end, &batch->time[i], batch->has_time && !w->plain ? 1 : 0);
        end = append(end, values, count);
        end = append(end, more, w->count - count);
        npy_write(&w->npy, w->row, (size_t)(end - w->row));
        return;
    }
    csv_line line = {false, NULL};
    if (batch->kept_heading != NULL) {
        csv_text(&line, batch->kept[i]);
    } else {
        csv_numbers(&line, &batch->time[i], batch->has_time ? 1 : 0);
    }
    put_values(&line, values, count);
    put_values(&line, more, w->count - count);
    csv_end(&line);
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
    if (w->array && w->started) {
        good = npy_finish(&w->npy, good) && good;
    }
    for (size_t i = 0; i < w->count; i++) {
        free(w->name[i]);
    }
    free(w->name);
    free(w->field);
    free(w->row);
    const bool file = w->options->states != NULL || w->options->state != NULL;
    return !good ? (file ? EXIT_FILE : EXIT_USAGE) : w->failed > 0 ? EXIT_NEGATIVE : EXIT_GOOD;
}
