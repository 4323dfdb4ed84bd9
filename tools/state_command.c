/* SPDX-License-Identifier: MIT */
/*
 * Runs commands that compute outputs from a state, see state_command.h.
 */
#include "state_command.h"

#include <math.h>
#include <stdlib.h>

#include "command.h"
#include "input/npy.h"
#include "input/states.h"
#include "output/coordinates_json.h"
#include "output/limit_watch.h"
#include "output/table_writer.h"
#include "text.h"

enum { ROWS_OF_THREADS = 8192 };

/* One run of a command on a robot. */
typedef struct run {
    const state_command *command;
    void *options;
    const tool_options *common;
    const session *s;
    outputs outputs;
    double **value; /* of each output: its size; in batches one per row */
    size_t *size;   /* of each output */
    double **at;    /* values of a row */
    /* only for tables */
    td_workspace *workspace;
    size_t rows;    /* largest number of rows of a batch */
    double *wrench; /* links × 6; in batches one per row */
    td_status *each;
    double *row;
    outputs_table columns;
    table_writer table;
    limit_watch limits;
    bool started;
    size_t written;
} run;

td_status check_finite(td_status status, const double *x, size_t count)
{
    for (size_t i = 0; i < count && status == TD_OK; i++) {
        status = isfinite(x[i]) ? TD_OK : TD_ERROR_NOT_FINITE;
    }
    return status;
}

static enum quantity third_of(const run *r)
{
    return r->command->third != NULL ? *r->command->third : QUANTITY_QDD;
}

static bool computes_batches(const run *r)
{
    return r->command->compute_batch != NULL && !r->outputs.one_by_one;
}

static void allocate_values(run *r, size_t rows)
{
    const size_t count = r->outputs.count;
    r->value = allocate(count, sizeof *r->value);
    r->size = allocate(count, sizeof *r->size);
    r->at = allocate(count, sizeof *r->at);
    for (size_t i = 0; i < count; i++) {
        r->size[i] = output_size(&r->outputs.each[i]);
        r->value[i] = allocate(rows * r->size[i], sizeof **r->value);
    }
}

static void free_values(const run *r)
{
    for (size_t i = 0; i < r->outputs.count; i++) {
        free(r->value[i]);
    }
    free(r->value);
    free(r->size);
    free(r->at);
}

/* Returns the pointers to the values of a row. Without batches all rows share one buffer, since
   matrices of many rows would take too much memory. */
static double *const *values_of_row(run *r, size_t row)
{
    for (size_t i = 0; i < r->outputs.count; i++) {
        r->at[i] = r->value[i] + (computes_batches(r) ? row * r->size[i] : 0);
    }
    return r->at;
}

static cJSON *new_root(const run *r)
{
    cJSON *root =
        coordinates_json_root(r->outputs.result != NULL ? r->outputs.result : r->outputs.c);
    if (r->command->head != NULL) {
        r->command->head(root, r->s, r->options);
    }
    return root;
}

/* ---- one state ------------------------------------------------------------------------------- */

static void print_one(const run *r, const robot_state *x)
{
    const double *const *value = (const double *const *)r->value;
    if (r->common->json) {
        cJSON *root = new_root(r);
        if (r->command->add_json == NULL) {
            outputs_add_names(&r->outputs, root);
        }
        for (enum quantity q = QUANTITY_Q; q < QUANTITY_COUNT && r->command->repeats; q++) {
            if (q < QUANTITY_QDD || q == third_of(r)) {
                coordinates_add_json(r->outputs.c, q, x->value[q], root);
            }
        }
        if (r->command->add_json != NULL) {
            r->command->add_json(root, &r->outputs, r->s, r->options);
        } else {
            outputs_add_json(&r->outputs, value, root);
        }
        json_print(root, false);
    } else if (r->command->print != NULL) {
        r->command->print(&r->outputs, r->s, x, r->options, value);
    } else {
        outputs_print(&r->outputs, x, third_of(r), value);
    }
}

static int run_one(const session *s, const coordinates *c, const robot_state *x, void *context)
{
    run *r = context;
    const enum quantity third = third_of(r);
    given_state given = {.q = x->value[QUANTITY_Q],
                         .qd = x->value[QUANTITY_QD],
                         .third = x->value[third],
                         .forces = options_forces(r->common)};
    for (size_t i = 0; i < c->size[third]; i++) {
        given.third_given = given.third_given || x->given[third][i];
    }
    allocate_values(r, 1);
    const td_status status = r->command->compute(s, c, &given, r->options, r->value);
    int code = EXIT_GOOD;
    if (status != TD_OK) {
        code = session_complain(s, NULL, status);
    } else {
        print_one(r, x);
    }
    free_values(r);
    return code;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Adds the wrenches of the table and of the options for rows of the batch. */
static void add_wrenches(run *r, const state_batch *b, size_t first, size_t count,
                         td_forces *forces)
{
    const double *total = r->s->loads->total;
    const size_t numbers = 6 * td_link_count(r->s->model);
    for (size_t i = 0; i < count * numbers; i++) {
        r->wrench[i] = b->wrench[first * numbers + i] + (total != NULL ? total[i % numbers] : 0);
    }
    forces->wrenches = r->wrench;
    forces->wrenches_per_state = true;
}

/* Computes a row and writes its values to out. */
static td_status compute_row(run *r, const state_batch *b, size_t i, double *const *out)
{
    const state_command *command = r->command;
    const coordinates *c = r->outputs.c;
    const enum quantity third = third_of(r);
    given_state x = {.q = b->value[QUANTITY_Q] + i * c->size[QUANTITY_Q],
                     .qd = b->value[QUANTITY_QD] + i * c->size[QUANTITY_QD],
                     .third = b->value[third] + i * c->size[third],
                     .third_given = b->given[third],
                     .forces = options_forces(r->common)};
    if (b->wrench != NULL) {
        add_wrenches(r, b, i, 1, &x.forces);
    }
    return command->compute(r->s, c, &x, r->options, out);
}

static void compute_batch(run *r, const state_batch *b)
{
    const enum quantity third = third_of(r);
    given_states x = {b->rows, b->value[QUANTITY_Q],
                      b->given[QUANTITY_QD] ? b->value[QUANTITY_QD] : NULL,
                      b->given[third] ? b->value[third] : NULL, options_forces(r->common)};
    if (b->wrench != NULL) {
        add_wrenches(r, b, 0, b->rows, &x.forces);
    }
    r->command->compute_batch(r->s, r->workspace, &x, r->options, r->value, r->each);
}

/* Reports why a row has no result and sets its values to NaN. */
static void report_row(run *r, const state_batch *b, size_t i, double *const *out)
{
    if (table_writer_fails(&r->table)) {
        scoped char *row = text_format("row %zu", b->first_row + i);
        compute_row(r, b, i, out); /* records the reason in the workspace */
        session_complain(r->s, row, r->each[i]);
    }
    for (size_t k = 0; k < r->outputs.count; k++) {
        for (size_t j = 0; j < r->size[k]; j++) {
            out[k][j] = NAN;
        }
    }
}

static void write_json(run *r, const state_batch *b, size_t i, const double *const *value)
{
    cJSON *state = cJSON_CreateObject();
    if (b->has_time) {
        cJSON_AddItemToObject(state, "t", json_number(b->time[i]));
    }
    outputs_add_json(&r->outputs, value, state);
    json_list_item(state, r->written++ == 0);
}

/* Prints a message and returns false if memory runs out. */
static bool write_row(run *r, const state_batch *b, size_t i)
{
    double *const *out = values_of_row(r, i);
    if (!computes_batches(r)) {
        r->each[i] = compute_row(r, b, i, out);
    }
    if (r->each[i] == TD_ERROR_MEMORY) {
        session_complain(r->s, NULL, r->each[i]);
        return false;
    }
    if (r->each[i] != TD_OK) {
        report_row(r, b, i, out);
    }
    if (r->common->json) {
        write_json(r, b, i, (const double *const *)out);
    } else {
        const double *row = outputs_row(&r->columns, out, r->row);
        table_writer_row(&r->table, b, i, row, r->table.count, NULL);
    }
    return true;
}

static bool write_batch(void *context, const state_batch *b)
{
    run *r = context;
    const bool json = r->common->json;
    if (json && !r->started) {
        cJSON *root = new_root(r);
        outputs_add_names(&r->outputs, root);
        json_list_begin(root, "states");
        r->started = true;
    }
    if (!json && !table_writer_start(&r->table, b)) {
        return false;
    }
    if (b->rows > 0) {
        if (computes_batches(r)) {
            compute_batch(r, b);
        }
        limit_watch_rows(&r->limits, b->rows, b->value[QUANTITY_Q], b->first_row);
    }
    bool good = true;
    for (size_t i = 0; i < b->rows && good; i++) {
        good = write_row(r, b, i);
    }
    return flush_output() == 0 && good; /* a reader of a pipe gets finished rows at once */
}

/* Returns whether to compute rows on several threads. Only an array file (.npy) can be read faster
   than one thread computes. */
static bool has_threads(const run *r)
{
    return computes_batches(r) && r->common->states != NULL && npy_is_path(r->common->states);
}

static bool read_states(run *r)
{
    const state_command *command = r->command;
    const enum quantity third = third_of(r);
    state_form form = {.read = {QUANTITY_Q, QUANTITY_QD, third},
                       .count = 3,
                       .batch = r->rows,
                       .told = (command->used & (USES_Q | USES_QD)) |
                               (command->used & USES_THIRD ? 1U << third : 0),
                       .no_tree = command->no_tree,
                       .wrenches = command->wrenches,
                       .framed = loads_frame(&r->common->loads) != TD_FRAME_ALIGNED};
    table_writer_form(&r->table, &form);
    const bool good = states_read(r->outputs.c, &form, r->common, write_batch, r);
    if (r->started) {
        json_list_end();
    }
    return good;
}

static int run_table(run *r)
{
    const bool threads = has_threads(r);
    const size_t links = td_link_count(r->s->model);
    r->rows = threads ? ROWS_OF_THREADS : BATCH_ROWS;
    const size_t kept = computes_batches(r) ? r->rows : 1;
    r->workspace = threads ? session_workspace(r->s, r->s->needs, 0) : r->s->workspace;
    allocate_values(r, kept);
    r->each = allocate(r->rows, sizeof *r->each);
    r->wrench = allocate(r->command->wrenches ? kept * 6 * links : 0, sizeof *r->wrench);
    r->limits = limit_watch_new(r->s->model, r->s->workspace, r->common->tree);
    r->table = table_writer_new(r->s, r->common);
    r->table.out.plain = r->outputs.plain;
    r->columns = outputs_columns(&r->outputs, r->table.out.array);
    r->table.name = r->columns.name;
    r->table.count = r->columns.count;
    r->row = allocate(r->table.count, sizeof *r->row);
    const bool good = r->workspace != NULL && read_states(r);
    if (threads) {
        td_workspace_free(r->workspace);
    }
    limit_watch_tell_rows(&r->limits);
    limit_watch_free(&r->limits);
    free_values(r);
    free(r->each);
    free(r->wrench);
    free(r->row);
    free(r->columns.place);
    return table_writer_end(&r->table, good);
}

/* ---- both ------------------------------------------------------------------------------------ */

int run_state_outputs(const state_command *command, const session *s, void *options)
{
    run r = {.command = command, .options = options, .common = options, .s = s};
    coordinates c = coordinates_new(s->model, r.common->tree);
    int code = EXIT_USAGE;
    r.outputs.c = &c;
    if (command->declare(&r.outputs, s, options)) {
        code = options_tabular(r.common) ? run_table(&r)
                                         : run_state(s, r.common, !command->no_tree, &r, run_one);
    }
    if (command->finish != NULL) {
        command->finish(options);
    }
    outputs_free(&r.outputs);
    coordinates_free(&c);
    return code;
}

typedef struct task {
    const state_command *command;
    void *options;
} task;

static int run_task(const session *s, void *context)
{
    const task *t = context;
    return run_state_outputs(t->command, s, t->options);
}

int run_state_command(const state_command *command, int argc, char **argv, void *options)
{
    task t = {command, options};
    parse_arguments(command->set, argc, argv, options);
    return run_robots(command->needs, options, &t, run_task);
}
