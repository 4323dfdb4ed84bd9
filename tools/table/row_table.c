/* SPDX-License-Identifier: MIT */
/*
 * Tables of results, see row_table.h.
 */
#include "table/row_table.h"

#include <stdlib.h>

#include "robot/limit_watch.h"
#include "robot/state_table.h"
#include "table/table_writer.h"
#include "text.h"

typedef struct writer {
    const session *s;
    const coordinates *c;
    row_function compute;
    const void *context;
    double *out;
    table_writer table;
    limit_watch limits;
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

static void write_row(writer *w, const state_batch *b, size_t i)
{
    const double *q = b->value[QUANTITY_Q] + i * w->c->size[QUANTITY_Q];
    const double *qd = b->value[QUANTITY_QD] + i * w->c->size[QUANTITY_QD];
    const double *qdd = b->value[QUANTITY_QDD] + i * w->c->size[QUANTITY_QDD];
    td_status status = w->compute(w->s, w->c, q, qd, qdd, w->context, w->out);
    if (status != TD_OK && table_writer_fails(&w->table)) {
        char *row = text_format("row %zu", b->first_row + i);
        session_complain(w->s, row, status);
        free(row);
    }
    table_writer_row(&w->table, b, i, status == TD_OK ? w->out : NULL, w->table.count, NULL);
}

static bool write_batch(void *context, const state_batch *b)
{
    writer *w = context;
    bool good = table_writer_start(&w->table, b);
    for (size_t i = 0; i < b->rows && good; i++) {
        write_row(w, b, i);
    }
    limit_watch_rows(&w->limits, b->rows, b->value[QUANTITY_Q], b->first_row);
    return good && flush_output() == 0;
}

int row_table(const session *s, const tool_options *options, bool velocities, row_columns *columns,
              row_function compute, const void *context)
{
    coordinates c = coordinates_new(s->model, options->tree);
    writer w = {.s = s,
                .c = &c,
                .compute = compute,
                .context = context,
                .out = allocate(columns->count, sizeof(double)),
                .table = table_writer_new(s, options),
                .limits = limit_watch_new(s->model, s->workspace, options->tree)};
    w.table.name = columns->name;
    w.table.count = columns->count;
    *columns = (row_columns){.name = NULL};
    state_form form = {.read = {QUANTITY_Q, QUANTITY_QD, QUANTITY_QDD},
                       .count = 3,
                       .told = 1U << QUANTITY_Q | (velocities ? 1U << QUANTITY_QD : 0)};
    table_writer_form(&w.table, &form);
    bool good = state_table_read(&c, &form, options->states, write_batch, &w);
    limit_watch_tell_rows(&w.limits);
    limit_watch_free(&w.limits);
    free(w.out);
    coordinates_free(&c);
    return table_writer_end(&w.table, good);
}
