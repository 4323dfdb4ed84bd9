/* SPDX-License-Identifier: MIT */
/*
 * A table of states in CSV, see state_table.h.
 */
#include "robot/state_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"
#include "robot/quaternions.h"
#include "robot/state_columns.h"
#include "table/csv_output.h"
#include "table/csv_stream.h"
#include "table/npy.h"
#include "text.h"

typedef struct reader {
    const coordinates *c;
    const char *name; /* of the file, for messages */
    state_sink sink;
    void *context;
    const state_form *form;
    state_columns columns;
    double *neutral; /* positions of a row before its columns are read */
    size_t row;      /* number of the row being read, from 1 */
    char *kept_heading;
    size_t *kept_size; /* bytes of each of batch.kept */
    state_batch batch;
} reader;

static bool read_heading(reader *r, const csv_row *row)
{
    if (!state_columns_read(&r->columns, row, r->neutral)) {
        return false;
    }
    r->batch.has_time = r->columns.has_time;
    memcpy(r->batch.given, r->columns.any, sizeof r->batch.given);
    if (r->columns.has_wrench) {
        r->batch.wrench = allocate(BATCH_ROWS * 6 * td_link_count(r->c->model), sizeof(double));
    }
    if (r->form->keep) {
        size_t size = 0;
        csv_keep(row->count, row->field, r->columns.kept, &r->kept_heading, &size);
        r->batch.kept_heading = r->kept_heading;
    }
    return r->sink(r->context, &r->batch);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool flush(reader *r)
{
    bool good = r->batch.rows == 0 || r->sink(r->context, &r->batch);
    r->batch.first_row += r->batch.rows;
    reading_rows(r->batch.first_row - 1);
    r->batch.rows = 0;
    return good;
}

/* One row into the batch; false, with a message, where it is wrong. */
static bool read_fields(reader *r, const csv_row *row)
{
    size_t n = r->batch.rows;
    const size_t numbers = 6 * td_link_count(r->c->model);
    double *position = r->batch.value[QUANTITY_Q];
    position = position != NULL ? position + n * r->c->size[QUANTITY_Q] : NULL;
    if (row->count != r->columns.count) {
        complain("%s:%zu: row %zu has %s, the heading %zu", r->name, row->line, r->row,
                 counted(row->count, "field").text, r->columns.count);
        return false;
    }
    r->batch.line[n] = row->line;
    if (position != NULL) {
        memcpy(position, r->neutral, r->c->size[QUANTITY_Q] * sizeof *position);
    }
    for (size_t i = 0; i < row->count; i++) {
        const state_column *column = &r->columns.column[i];
        size_t width = r->c->size[column->quantity];
        if (column->kind == COLUMN_UNUSED) {
            continue;
        }
        double *target = column->kind == COLUMN_TIME ? &r->batch.time[n]
                         : column->kind == COLUMN_WRENCH
                             ? &r->batch.wrench[n * numbers + column->index]
                             : &r->batch.value[column->quantity][n * width + column->index];
        if (parse_number(row->field[i], target)) {
            *target *= column->factor;
        } else if (r->form->gaps && is_missing(row->field[i])) {
            *target = (double)NAN;
        } else {
            complain("%s:%zu: row %zu, column '%s': '%s' is not a finite number", r->name,
                     row->line, r->row, column->name, row->field[i]);
            return false;
        }
    }
    double norm;
    int joint = position != NULL ? normalize_quaternions(r->c, position, &norm) : -1;
    if (r->form->keep) {
        csv_keep(row->count, row->field, r->columns.kept, &r->batch.kept[n], &r->kept_size[n]);
    }
    if (joint >= 0 && !isnan(norm)) {
        complain("%s:%zu: row %zu: the quaternion of joint '%s' has norm %s, not 1", r->name,
                 row->line, r->row, td_joint_at(r->c->model, (size_t)joint)->name,
                 number_clear(norm).text);
        return false;
    }
    return true;
}

static bool take_row(void *context, const csv_row *row)
{
    reader *r = context;
    if (row == NULL) {
        return flush(r);
    }
    if (r->columns.count == 0) {
        return read_heading(r, row);
    }
    r->row++;
    if (!read_fields(r, row)) {
        flush(r);
        return false;
    }
    r->batch.rows++;
    return r->batch.rows < BATCH_ROWS || flush(r);
}

static void reader_free(reader *r)
{
    state_columns_free(&r->columns);
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        free(r->batch.value[quantity]);
    }
    for (size_t i = 0; i < BATCH_ROWS; i++) {
        free(r->batch.kept[i]);
    }
    free(r->batch.kept);
    free(r->kept_size);
    free(r->kept_heading);
    free(r->batch.wrench);
    free(r->batch.time);
    free(r->batch.line);
    free(r->neutral);
}

const char *state_table_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

bool state_table_read(const coordinates *c, const state_form *form, const char *path,
                      state_sink sink, void *context)
{
    if (npy_is_path(path)) {
        return state_array_read(c, form, path, sink, context);
    }
    reader r = {
        .c = c,
        .kept_size = allocate(BATCH_ROWS, sizeof(size_t)),
        .form = form,
        .name = state_table_name(path),
        .sink = sink,
        .context = context,
        .neutral = allocate(c->size[QUANTITY_Q], sizeof(double)),
        .batch = {.first_row = 1,
                  .time = allocate(BATCH_ROWS, sizeof(double)),
                  .line = allocate(BATCH_ROWS, sizeof(size_t)),
                  .kept = allocate(BATCH_ROWS, sizeof(char *))},
    };
    r.columns = state_columns_new(c, r.name, form);
    for (size_t i = 0; i < form->count; i++) {
        enum quantity quantity = form->read[i];
        r.batch.has[quantity] = r.columns.given[quantity];
        r.batch.value[quantity] = allocate(BATCH_ROWS * c->size[quantity], sizeof(double));
    }
    coordinates_default(c, r.neutral);
    bool good = csv_stream(path, take_row, &r);
    if (good && r.columns.count == 0) {
        complain("%s: the table has no heading", r.name);
        good = false;
    }
    reader_free(&r);
    return good;
}
