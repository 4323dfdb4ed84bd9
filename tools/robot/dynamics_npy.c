/* SPDX-License-Identifier: MIT */
/*
 * Dynamics of an array of states, see dynamics_npy.h. Blocks of rows go through batches over all
 * processors; memory does not grow with the array.
 */
#include "robot/dynamics_npy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "progress.h"
#include "robot/limit_watch.h"
#include "robot/state_columns.h"
#include "table/npy.h"
#include "text.h"

enum { BLOCK_ROWS = 8192, MOST_COMPLAINTS = 3 };

typedef struct task {
    const session *s;
    const coordinates *c;
    const dynamics_options *options;
    td_workspace *workspace; /* with threads */
    td_forces forces;
    npy_input in;
    npy_output out;
    double *block;                 /* rows as they are in the file */
    double *value[QUANTITY_COUNT]; /* rows × size of the quantity */
    double *effect;
    td_status *statuses;
    state_columns columns;
    double *position;   /* of a coordinate without a column */
    size_t row, failed; /* rows before the block; states without a result */
    int code;           /* EXIT_MODEL where a state has no result */
    limit_watch limits;
} task;

/* Columns of the block to the arrays of the quantities. */
static void spread(task *t, size_t rows)
{
    const size_t positions = t->c->size[QUANTITY_Q];
    for (size_t r = 0; r < rows; r++) {
        const double *row = t->block + r * t->in.columns;
        memcpy(t->value[QUANTITY_Q] + r * positions, t->position, positions * sizeof *row);
        for (size_t i = 0; i < t->columns.count; i++) {
            const state_column *column = &t->columns.column[i];
            if (column->kind == COLUMN_VALUE) {
                const size_t at = r * t->c->size[column->quantity] + column->index;
                t->value[column->quantity][at] = row[i] * column->factor;
            }
        }
    }
}

static void report(task *t, size_t rows)
{
    for (size_t r = 0; r < rows; r++) {
        if (t->statuses[r] == TD_OK) {
            continue;
        }
        t->code = EXIT_MODEL;
        if (t->failed++ < MOST_COMPLAINTS) {
            complain("row %zu: %s", t->row + r + 1, td_status_text(t->statuses[r]));
        }
    }
}

static bool run_block(task *t, size_t rows)
{
    __typeof__(t->c->call->batch_inverse_dynamics) call = t->options->effect == QUANTITY_TAU
                                                              ? t->c->call->batch_inverse_dynamics
                                                              : t->c->call->batch_forward_dynamics;
    const size_t size = t->c->size[t->options->effect];
    spread(t, rows);
    td_status status =
        call(t->s->model, t->workspace, rows, t->value[QUANTITY_Q], t->value[QUANTITY_QD],
             t->value[t->options->cause], &t->forces, t->effect, t->statuses);
    if (status != TD_OK) {
        report(t, rows);
    }
    limit_watch_rows(&t->limits, rows, t->value[QUANTITY_Q], t->row + 1);
    t->row += rows;
    return npy_write(&t->out, t->effect, rows * size);
}

static bool run_all(task *t)
{
    bool good = true;
    reading_begin(t->in.rows);
    for (size_t rows; (rows = npy_read(&t->in, t->block, BLOCK_ROWS, &good)) > 0 && good;) {
        good = run_block(t, rows);
        reading_done(t->row);
        reading_rows(t->row);
    }
    reading_end();
    if (t->failed > MOST_COMPLAINTS) {
        complain("and %zu rows more have no result: they are NaN", t->failed - MOST_COMPLAINTS);
    }
    return good;
}

/* Whether an array has forces on links, which differ from row to row: threads share one set. */
static bool has_wrenches(const npy_input *in)
{
    for (size_t i = 0; in->name != NULL && i < in->columns; i++) {
        if (strncmp(in->name[i], "wrench:", 7) == 0) {
            return true;
        }
    }
    return false;
}

int dynamics_npy(const session *s, const coordinates *c, const dynamics_options *options)
{
    task t = {.s = s, .c = c, .options = options, .forces = options_forces(&options->common)};
    bool good = npy_open(&t.in, options->common.states);
    if (!good) {
        return EXIT_USAGE;
    }
    if (has_wrenches(&t.in)) {
        npy_close(&t.in);
        return dynamics_table(s, c, options);
    }
    const state_form form = dynamics_form(options);
    const size_t size = c->size[options->effect];
    t.columns = state_columns_new(c, t.in.path, &form);
    t.workspace = td_workspace_new_threads(s->model, 0);
    t.limits = limit_watch_new(s->model, t.workspace, c->tree);
    t.block = allocate(BLOCK_ROWS * t.in.columns, sizeof *t.block);
    t.effect = allocate(BLOCK_ROWS * size, sizeof *t.effect);
    t.statuses = allocate(BLOCK_ROWS, sizeof *t.statuses);
    t.position = allocate(c->size[QUANTITY_Q], sizeof *t.position);
    for (size_t k = 0; k < form.count; k++) { /* zero, where no column is */
        t.value[form.read[k]] = allocate(BLOCK_ROWS * c->size[form.read[k]], sizeof(double));
    }
    coordinates_default(c, t.position);
    if (t.workspace == NULL) {
        complain("out of memory");
        good = false;
    }
    good = good && loads_carry(s->loads, s->model, t.workspace) &&
           state_columns_read_array(&t.columns, &t.in, t.position) &&
           npy_create(&t.out, options->common.output, NULL, size);
    if (good) {
        good = npy_finish(&t.out, run_all(&t));
    }
    limit_watch_tell_rows(&t.limits);
    limit_watch_free(&t.limits);
    npy_close(&t.in);
    td_workspace_free(t.workspace);
    state_columns_free(&t.columns);
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        free(t.value[quantity]);
    }
    free(t.block);
    free(t.effect);
    free(t.statuses);
    free(t.position);
    return good ? t.code : (int)EXIT_USAGE;
}
