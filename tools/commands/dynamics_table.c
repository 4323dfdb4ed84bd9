/* SPDX-License-Identifier: MIT */
/*
 * Inverse and forward dynamics of a table of states: read, computed and written a batch at a time,
 * so that a table of any length passes through a pipe.
 */
#include "commands/dynamics_table.h"

#include <stdlib.h>

#include "command.h"
#include "input/passive.h"
#include "input/states.h"
#include "output/coordinates_json.h"
#include "output/limit_watch.h"
#include "output/table_writer.h"
#include "text.h"

typedef struct writer {
    const session *s;
    const coordinates *c;
    const dynamics_options *options;
    td_forces forces;
    double *wrench; /* links × 6 of each row, with columns of wrenches */
    table_writer table;
    size_t written;  /* rows of JSON */
    bool started;    /* the heading of JSON is written */
    char **actuator; /* NULL: no u */
    size_t actuators;
    td_workspace *workspace; /* of many rows */
    double *effect;          /* rows of a batch × velocities: forces or accelerations */
    double *u;               /* rows × actuators */
    td_status *each;
    limit_watch limits;
} writer;

/* ---- JSON ------------------------------------------------------------------------------------ */

static cJSON *json_heading(const writer *w)
{
    cJSON *root = coordinates_json_root(w->c);
    forces_add_json(&w->options->common, root);
    return root;
}

static void json_row_of(const writer *w, const double *time, const double *effect, const double *u)
{
    cJSON *row = cJSON_CreateObject();
    if (time != NULL) {
        cJSON_AddItemToObject(row, "t", json_number(*time));
    }
    coordinates_add_json(w->c, w->options->effect, effect, row);
    if (w->actuator != NULL) {
        cJSON_AddItemToObject(row, "u",
                              json_named((const char *const *)w->actuator, u, w->actuators));
    }
    json_list_item(row, w->written == 0);
}

/* ---- rows ------------------------------------------------------------------------------------ */

typedef __typeof__(&td_batch_inverse_dynamics) batch_call;

/* Wrenches of the rows of the batch from first on: of the table, and of the options. */
static void add_wrenches(writer *w, const state_batch *b, size_t first, size_t count)
{
    const double *total = w->s->loads->total;
    const size_t numbers = 6 * td_link_count(w->s->model);
    for (size_t i = 0; i < count * numbers; i++) {
        w->wrench[i] = b->wrench[first * numbers + i] + (total != NULL ? total[i % numbers] : 0);
    }
    w->forces.wrenches = w->wrench;
    w->forces.wrenches_per_state = true;
}

/* States first .. first + count of the batch. */
static void compute(writer *w, td_workspace *workspace, const state_batch *b, size_t first,
                    size_t count)
{
    enum quantity cause = w->options->cause;
    enum quantity effect = w->options->effect;
    size_t positions = w->c->size[QUANTITY_Q];
    size_t velocities = w->c->size[QUANTITY_QD];
    const double *q = b->value[QUANTITY_Q] + first * positions;
    const double *qd = b->value[QUANTITY_QD] + first * velocities;
    const double *given = b->value[cause] + first * velocities;
    batch_call call =
        effect == QUANTITY_TAU ? td_batch_inverse_dynamics : td_batch_forward_dynamics;
    if (b->wrench != NULL) {
        add_wrenches(w, b, first, count);
    }
    call(w->s->model, workspace, count, q, b->given[QUANTITY_QD] ? qd : NULL,
         b->given[cause] ? given : NULL, &w->forces, w->effect + first * velocities,
         w->each + first);
    if (w->actuator != NULL) {
        td_batch_forces_to_actuators(w->s->model, workspace, count, q,
                                     w->effect + first * velocities, NULL,
                                     w->u + first * w->actuators, NULL, NULL);
    }
}

static void write_row(writer *w, const state_batch *b, size_t i)
{
    const size_t size = w->c->size[w->options->effect];
    const double *effect = w->effect + i * size, *u = w->u + i * w->actuators;
    if (w->each[i] != TD_OK && table_writer_fails(&w->table)) {
        char *row = text_format("row %zu", b->first_row + i);
        compute(w, w->s->workspace, b, i, 1); /* which knows the joint of the last state only */
        session_complain(w->s, row, w->each[i]);
        free(row);
    }
    if (w->options->common.json) {
        json_row_of(w, b->has_time ? &b->time[i] : NULL, effect, u);
        w->written++;
    } else {
        table_writer_row(&w->table, b, i, effect, size, u);
    }
}

static bool write_batch(void *context, const state_batch *b)
{
    writer *w = context;
    const bool json = w->options->common.json;
    if (json && !w->started) {
        json_list_begin(json_heading(w), "states");
        w->started = true;
    }
    if (!json && !table_writer_start(&w->table, b)) {
        return false;
    }
    if (b->rows > 0) {
        compute(w, w->workspace, b, 0, b->rows);
        limit_watch_rows(&w->limits, b->rows, b->value[QUANTITY_Q], b->first_row);
    }
    for (size_t i = 0; i < b->rows; i++) {
        write_row(w, b, i);
    }
    /* readers of a pipe get the finished rows; main reports failures of output */
    return flush_output() == 0;
}

static state_form dynamics_form(const dynamics_options *options)
{
    return (state_form){.read = {QUANTITY_Q, QUANTITY_QD, options->cause},
                        .count = 3,
                        .told = ~0U,
                        .wrenches = true,
                        .framed = loads_frame(&options->common.loads) != TD_FRAME_ALIGNED};
}

/* Whether the table is an array by its name, whose rows come faster than one processor computes:
   all compute then, many rows at once. The name says it as threads and room are there before the
   table is open; an array of another name, or packed, is computed by one. */
static bool has_threads(const dynamics_options *options)
{
    return options->common.states != NULL && npy_is_path(options->common.states);
}

int dynamics_table(const session *s, const coordinates *c, const dynamics_options *options)
{
    enum { ROWS_OF_THREADS = 8192 };
    const enum quantity effect = options->effect;
    const bool threads = has_threads(options);
    const size_t rows = threads ? ROWS_OF_THREADS : BATCH_ROWS;
    writer w = {.s = s,
                .c = c,
                .options = options,
                .forces = options_forces(&options->common),
                .table = table_writer_new(s, &options->common),
                .limits = limit_watch_new(s->model, s->workspace, c->tree)};
    const bool motors = effect == QUANTITY_TAU && actuators_differ(c) && !w.table.array;
    w.workspace = threads ? session_workspace(s, s->needs, 0) : s->workspace;
    w.actuator = motors ? actuator_names(c) : NULL;
    w.actuators = w.actuator != NULL ? td_nu(s->model) : 0;
    w.effect = allocate(rows * c->size[effect], sizeof *w.effect);
    w.u = allocate(rows * w.actuators, sizeof *w.u);
    w.each = allocate(rows, sizeof *w.each);
    w.table.plain = true;
    table_writer_add(&w.table, quantity_text(effect), c->name[effect], c->size[effect]);
    table_writer_add(&w.table, "u", (const char *const *)w.actuator, w.actuators);
    w.wrench = allocate(rows * 6 * td_link_count(s->model), sizeof *w.wrench);
    state_form form = dynamics_form(options);
    form.batch = rows;
    table_writer_form(&w.table, &form);
    bool good = w.workspace != NULL && states_read(c, &form, &options->common, write_batch, &w);
    if (w.started) {
        json_list_end();
    }
    if (threads) {
        td_workspace_free(w.workspace);
    }
    limit_watch_tell_rows(&w.limits);
    limit_watch_free(&w.limits);
    actuator_names_free(c, w.actuator);
    free(w.effect);
    free(w.u);
    free(w.each);
    free(w.wrench);
    return table_writer_end(&w.table, good);
}
