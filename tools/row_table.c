/* SPDX-License-Identifier: MIT */
/*
 * Tables of results, see row_table.h.
 */
#include "row_table.h"

#include <math.h>
#include <stdlib.h>

#include "command.h"
#include "csv_output.h"
#include "state_table.h"
#include "text.h"

typedef struct writer {
    const session *s;
    const coordinates *c;
    const row_columns *columns;
    row_function compute;
    const void *context;
    double *out;
    bool started; /* the heading is written */
    int code;
} writer;

void row_columns_add(row_columns *columns, const char *prefix, const char *name)
{
    columns->name = reallocate(columns->name, columns->count + 1, sizeof *columns->name);
    columns->name[columns->count++] = text_format("%s:%s", prefix, name);
}

void row_columns_free(row_columns *columns)
{
    for (size_t i = 0; i < columns->count; i++) {
        free(columns->name[i]);
    }
    free(columns->name);
}

static void write_heading(writer *w, bool has_time)
{
    csv_line line = {false, NULL};
    if (has_time) {
        csv_cell(&line, "t");
    }
    for (size_t i = 0; i < w->columns->count; i++) {
        csv_cell(&line, w->columns->name[i]);
    }
    csv_end(&line);
    w->started = true;
}

static void write_row(writer *w, const state_batch *b, size_t i)
{
    const double *q = b->value[QUANTITY_Q] + i * w->c->size[QUANTITY_Q];
    const double *qd = b->value[QUANTITY_QD] + i * w->c->size[QUANTITY_QD];
    td_status status = w->compute(w->s, w->c, q, qd, w->context, w->out);
    if (status != TD_OK) {
        char *row = text_format("row %zu", b->first_row + i);
        session_complain(w->s, row, status);
        free(row);
        for (size_t k = 0; k < w->columns->count; k++) {
            w->out[k] = (double)NAN;
        }
        w->code = EXIT_MODEL;
    }
    csv_line line = {false, NULL};
    csv_numbers(&line, &b->time[i], b->has_time ? 1 : 0);
    csv_numbers(&line, w->out, w->columns->count);
    csv_end(&line);
}

static bool write_batch(void *context, const state_batch *b)
{
    writer *w = context;
    if (!w->started) {
        write_heading(w, b->has_time);
    }
    for (size_t i = 0; i < b->rows; i++) {
        write_row(w, b, i);
    }
    return flush_output() == 0;
}

int row_table(const session *s, const tool_options *options, bool velocities,
              const row_columns *columns, row_function compute, const void *context)
{
    coordinates c = coordinates_new(s->model, options->tree);
    writer w = {.s = s,
                .c = &c,
                .columns = columns,
                .compute = compute,
                .context = context,
                .out = allocate(columns->count, sizeof(double))};
    state_form form = {.read = {QUANTITY_Q, QUANTITY_QD, QUANTITY_QDD},
                       .count = 3,
                       .told = 1U << QUANTITY_Q | (velocities ? 1U << QUANTITY_QD : 0)};
    bool good = state_table_read(&c, &form, options->states, write_batch, &w);
    free(w.out);
    coordinates_free(&c);
    return good ? w.code : (int)EXIT_USAGE;
}
