/* SPDX-License-Identifier: MIT */
/*
 * Tables of results, see row_table.h.
 */
#include "output/row_table.h"

#include <math.h>
#include <stdlib.h>

#include "input/states.h"
#include "output/json.h"
#include "output/limit_watch.h"
#include "output/table_writer.h"
#include "text.h"

typedef struct writer {
    const session *s;
    const coordinates *c;
    const row_form *form;
    double *out;
    table_writer table;
    limit_watch limits;
    bool json, started; /* JSON, whose head is written */
    size_t written;     /* states of it */
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

static void write_json(writer *w, const state_batch *b, size_t i)
{
    cJSON *state = cJSON_CreateObject();
    if (b->has_time) {
        cJSON_AddItemToObject(state, "t", json_number(b->time[i]));
    }
    w->form->json_state(w->c, w->form->context, w->out, state);
    json_list_item(state, w->written++ == 0);
}

static void write_row(writer *w, const state_batch *b, size_t i)
{
    const enum quantity third = w->form->forces ? QUANTITY_TAU : QUANTITY_QDD;
    const double *q = b->value[QUANTITY_Q] + i * w->c->size[QUANTITY_Q];
    const double *qd = b->value[QUANTITY_QD] + i * w->c->size[QUANTITY_QD];
    const double *cause = b->value[third] + i * w->c->size[third];
    td_status status = w->form->compute(w->s, w->c, q, qd, cause, w->form->context, w->out);
    if (status != TD_OK && table_writer_fails(&w->table)) {
        char *row = text_format("row %zu", b->first_row + i);
        session_complain(w->s, row, status);
        free(row);
    }
    for (size_t k = 0; status != TD_OK && k < w->table.count; k++) {
        w->out[k] = NAN;
    }
    if (w->json) {
        write_json(w, b, i);
    } else {
        table_writer_row(&w->table, b, i, w->out, w->table.count, NULL);
    }
}

static bool write_batch(void *context, const state_batch *b)
{
    writer *w = context;
    bool good = w->json || table_writer_start(&w->table, b);
    if (w->json && !w->started) {
        json_list_begin(w->form->json_head(w->c, w->form->context), "states");
        w->started = true;
    }
    for (size_t i = 0; i < b->rows && good; i++) {
        write_row(w, b, i);
    }
    limit_watch_rows(&w->limits, b->rows, b->value[QUANTITY_Q], b->first_row);
    return good && flush_output() == 0;
}

int row_table(const session *s, const tool_options *options, const row_form *form,
              row_columns *columns)
{
    const enum quantity third = form->forces ? QUANTITY_TAU : QUANTITY_QDD;
    coordinates c = coordinates_new(s->model, options->tree);
    writer w = {.s = s,
                .c = &c,
                .form = form,
                .out = allocate(columns->count, sizeof(double)),
                .table = table_writer_new(s, options),
                .limits = limit_watch_new(s->model, s->workspace, options->tree),
                .json = options->json};
    w.table.name = columns->name;
    w.table.count = columns->count;
    *columns = (row_columns){.name = NULL};
    state_form read = {.read = {QUANTITY_Q, QUANTITY_QD, third},
                       .count = 3,
                       .no_tree = form->no_tree,
                       .told = 1U << QUANTITY_Q | (form->velocities ? 1U << QUANTITY_QD : 0) |
                               (form->causes ? 1U << third : 0)};
    table_writer_form(&w.table, &read);
    bool good = states_read(&c, &read, options, write_batch, &w);
    if (w.started) {
        json_list_end();
    }
    limit_watch_tell_rows(&w.limits);
    limit_watch_free(&w.limits);
    free(w.out);
    coordinates_free(&c);
    return table_writer_end(&w.table, good);
}
