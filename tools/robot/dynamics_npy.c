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
    int *place[QUANTITY_COUNT]; /* per coordinate: its column, −1 for none */
    double *position;           /* of a coordinate without a column */
    size_t row, failed;         /* rows before the block; states without a result */
    int code;                   /* EXIT_MODEL where a state has no result */
    limit_watch limits;
} task;

/* Where the columns of each quantity are: in the model's order, or by the names of the fields. */
static bool place_columns(task *t)
{
    const enum quantity read[] = {QUANTITY_Q, QUANTITY_QD, t->options->cause};
    size_t next = 0, found = 0;
    for (size_t k = 0; k < 3; k++) {
        enum quantity quantity = read[k];
        size_t size = t->c->size[quantity];
        t->place[quantity] = allocate(size, sizeof(int));
        t->value[quantity] = allocate(BLOCK_ROWS * size, sizeof(double));
        for (size_t i = 0; i < size; i++) {
            t->place[quantity][i] = t->in.name == NULL ? (int)next++ : -1;
        }
    }
    if (t->in.name == NULL) {
        if (next != t->in.columns) {
            complain("%s: %s a row, and the robot has %zu: %zu positions, %zu velocities, %zu %s",
                     t->in.path, counted(t->in.columns, "number").text, next,
                     t->c->size[QUANTITY_Q], t->c->size[QUANTITY_QD], t->c->size[QUANTITY_QD],
                     t->options->cause == QUANTITY_QDD ? "accelerations" : "forces");
        }
        return next == t->in.columns;
    }
    for (size_t i = 0; i < t->in.columns; i++) {
        const char *colon = strchr(t->in.name[i], ':');
        for (size_t k = 0; colon != NULL && k < 3; k++) {
            const char *prefix = quantity_text(read[k]);
            size_t length = (size_t)(colon - t->in.name[i]);
            if (strlen(prefix) != length || strncmp(prefix, t->in.name[i], length) != 0) {
                continue;
            }
            int index = coordinates_find(t->c, read[k], colon + 1);
            if (index < 0) {
                char *reason = coordinates_explain(t->c, read[k], colon + 1, true);
                complain("%s: field '%s': %s", t->in.path, t->in.name[i], reason);
                free(reason);
                return false;
            }
            t->place[read[k]][index] = (int)i;
            found++;
        }
    }
    if (found == 0) {
        complain("%s: has none of the fields q:JOINT, qd:JOINT, %s:JOINT", t->in.path,
                 quantity_text(t->options->cause));
    }
    return found > 0;
}

/* Columns of the block to the arrays of the quantities. */
static void spread(task *t, size_t rows)
{
    const enum quantity read[] = {QUANTITY_Q, QUANTITY_QD, t->options->cause};
    for (size_t k = 0; k < 3; k++) {
        const size_t size = t->c->size[read[k]];
        const int *place = t->place[read[k]];
        for (size_t r = 0; r < rows; r++) {
            const double *row = t->block + r * t->in.columns;
            double *target = t->value[read[k]] + r * size;
            for (size_t i = 0; i < size; i++) {
                target[i] = place[i] >= 0           ? row[place[i]]
                            : read[k] == QUANTITY_Q ? t->position[i]
                                                    : 0;
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

int dynamics_npy(const session *s, const coordinates *c, const dynamics_options *options)
{
    task t = {.s = s, .c = c, .options = options, .forces = options_forces(&options->common)};
    bool good = npy_open(&t.in, options->common.states);
    if (!good) {
        return EXIT_USAGE;
    }
    size_t size = c->size[options->effect];
    t.workspace = td_workspace_new_threads(s->model, 0);
    t.limits = limit_watch_new(s->model, t.workspace, c->tree);
    t.block = allocate(BLOCK_ROWS * t.in.columns, sizeof *t.block);
    t.effect = allocate(BLOCK_ROWS * size, sizeof *t.effect);
    t.statuses = allocate(BLOCK_ROWS, sizeof *t.statuses);
    t.position = allocate(c->size[QUANTITY_Q], sizeof *t.position);
    coordinates_default(c, t.position);
    if (t.workspace == NULL) {
        complain("out of memory");
        good = false;
    }
    good = good && loads_carry(s->loads, s->model, t.workspace) && place_columns(&t) &&
           npy_create(&t.out, options->common.output, NULL, size);
    if (good) {
        good = npy_finish(&t.out, run_all(&t));
    }
    limit_watch_tell_rows(&t.limits);
    limit_watch_free(&t.limits);
    npy_close(&t.in);
    td_workspace_free(t.workspace);
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        free(t.value[quantity]);
        free(t.place[quantity]);
    }
    free(t.block);
    free(t.effect);
    free(t.statuses);
    free(t.position);
    return good ? t.code : (int)EXIT_USAGE;
}
