/* SPDX-License-Identifier: MIT */
/*
 * States from an array of NumPy, see state_table.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"
#include "robot/quaternions.h"
#include "robot/state_table.h"
#include "table/npy.h"
#include "text.h"

typedef struct reader {
    const coordinates *c;
    const state_form *form;
    npy_input in;
    int *place[QUANTITY_COUNT]; /* per coordinate: its column, −1 for none */
    int time;                   /* its column, −1 for none */
    bool *given[QUANTITY_COUNT];
    double *neutral; /* positions without a column */
    state_batch batch;
} reader;

/* Columns in the model's order. */
static bool place_all(reader *r)
{
    size_t next = 0, needed = 0;
    bool fits = r->in.columns == 0;
    for (size_t k = 0; k < r->form->count; k++) {
        enum quantity quantity = r->form->read[k];
        const size_t size = r->c->size[quantity];
        const bool there = next + size <= r->in.columns;
        for (size_t i = 0; i < size && there; i++) {
            r->place[quantity][i] = (int)(next + i);
            r->given[quantity][i] = true;
        }
        r->batch.given[quantity] = there && size > 0;
        next += size;
        needed = r->form->told >> quantity & 1 ? next : needed;
        fits = fits || (next == r->in.columns && next >= needed);
    }
    if (!fits || r->in.columns < needed) {
        complain("%s: %s a row, and the robot has %zu positions and %zu velocities", r->in.path,
                 counted(r->in.columns, "number").text, r->c->size[QUANTITY_Q],
                 r->c->size[QUANTITY_QD]);
        return false;
    }
    return true;
}

/* Columns by the names of the fields. */
static bool place_fields(reader *r)
{
    bool any = false;
    for (size_t i = 0; i < r->in.columns; i++) {
        const char *name = r->in.name[i], *colon = strchr(name, ':');
        if (strcmp(name, "t") == 0) {
            r->time = (int)i;
        }
        for (size_t k = 0; colon != NULL && k < r->form->count; k++) {
            enum quantity quantity = r->form->read[k];
            const size_t length = (size_t)(colon - name);
            if (strlen(quantity_text(quantity)) != length ||
                strncmp(quantity_text(quantity), name, length) != 0) {
                continue;
            }
            const int index = coordinates_find(r->c, quantity, colon + 1);
            if (index < 0) {
                char *reason = coordinates_explain(r->c, quantity, colon + 1, true);
                complain("%s: field '%s': %s", r->in.path, name, reason);
                free(reason);
                return false;
            }
            r->place[quantity][index] = (int)i;
            r->given[quantity][index] = true;
            r->batch.given[quantity] = any = true;
        }
    }
    if (!any) {
        complain("%s: has no field q:JOINT or the like", r->in.path);
    }
    return any;
}

/* A row of the file to the batch. */
static bool spread(reader *r, const double *row, size_t n)
{
    for (size_t k = 0; k < r->form->count; k++) {
        enum quantity quantity = r->form->read[k];
        const size_t size = r->c->size[quantity];
        double *target = r->batch.value[quantity] + n * size;
        for (size_t i = 0; i < size; i++) {
            const int at = r->place[quantity][i];
            target[i] = at >= 0 ? row[at] : quantity == QUANTITY_Q ? r->neutral[i] : 0;
            if (!r->form->gaps && !isfinite(target[i])) {
                complain("%s: row %zu: '%s:%s' is not a finite number", r->in.path,
                         r->batch.first_row + n, quantity_text(quantity), r->c->name[quantity][i]);
                return false;
            }
        }
    }
    r->batch.time[n] = r->time >= 0 ? row[r->time] : 0;
    r->batch.line[n] = r->batch.first_row + n;
    double norm;
    double *position = r->batch.value[QUANTITY_Q];
    const int joint =
        position != NULL ? normalize_quaternions(r->c, position + n * r->c->size[QUANTITY_Q], &norm)
                         : -1;
    if (joint >= 0 && !isnan(norm)) {
        complain("%s: row %zu: the quaternion of joint '%s' has norm %s, not 1", r->in.path,
                 r->batch.first_row + n, td_joint_at(r->c->model, (size_t)joint)->name,
                 number_clear(norm).text);
        return false;
    }
    return true;
}

static bool read_rows(reader *r, state_sink sink, void *context)
{
    double *block = allocate(BATCH_ROWS * r->in.columns, sizeof *block);
    bool good = sink(context, &r->batch);
    size_t rows;
    reading_begin(r->in.rows);
    while (good && (rows = npy_read(&r->in, block, BATCH_ROWS, &good)) > 0) {
        for (size_t n = 0; n < rows && good; n++) {
            good = spread(r, block + n * r->in.columns, n);
            r->batch.rows += good;
        }
        good = sink(context, &r->batch) && good;
        r->batch.first_row += r->batch.rows;
        reading_done(r->batch.first_row);
        reading_rows(r->batch.first_row - 1);
        r->batch.rows = 0;
    }
    reading_end();
    free(block);
    return good;
}

bool state_array_read(const coordinates *c, const state_form *form, const char *path,
                      state_sink sink, void *context)
{
    reader r = {.c = c, .form = form, .time = -1, .batch = {.first_row = 1}};
    if (!npy_open(&r.in, path)) {
        return false;
    }
    r.neutral = allocate(c->size[QUANTITY_Q], sizeof *r.neutral);
    r.batch.time = allocate(BATCH_ROWS, sizeof(double));
    r.batch.line = allocate(BATCH_ROWS, sizeof(size_t));
    for (size_t k = 0; k < form->count; k++) {
        enum quantity quantity = form->read[k];
        const size_t size = c->size[quantity];
        r.place[quantity] = allocate(size, sizeof(int));
        r.given[quantity] = allocate(size, sizeof(bool));
        r.batch.value[quantity] = allocate(BATCH_ROWS * size, sizeof(double));
        r.batch.has[quantity] = r.given[quantity];
        for (size_t i = 0; i < size; i++) {
            r.place[quantity][i] = -1;
        }
    }
    coordinates_default(c, r.neutral);
    bool good = r.in.name != NULL ? place_fields(&r) : place_all(&r);
    r.batch.has_time = r.time >= 0;
    if (good && r.given[QUANTITY_Q] != NULL) {
        complete_quaternions(c, r.given[QUANTITY_Q], r.neutral);
    }
    good = good && read_rows(&r, sink, context);
    npy_close(&r.in);
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        free(r.place[quantity]);
        free(r.given[quantity]);
        free(r.batch.value[quantity]);
    }
    free(r.neutral);
    free(r.batch.time);
    free(r.batch.line);
    return good;
}
