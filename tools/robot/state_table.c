/* SPDX-License-Identifier: MIT */
/*
 * A table of states in CSV or an array of NumPy, see state_table.h.
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
    double *number;  /* of each column that is read; NaN: missing */
    size_t row;      /* number of the row being read, from 1 */
    char *kept_heading;
    size_t *kept_size; /* bytes of each of batch.kept */
    state_batch batch;
} reader;

/* row: the heading of a text; NULL: of an array. */
static bool begin(reader *r, const csv_row *row)
{
    r->number = allocate(r->columns.count, sizeof *r->number);
    r->batch.has_time = r->columns.has_time;
    memcpy(r->batch.given, r->columns.any, sizeof r->batch.given);
    if (r->columns.has_wrench) {
        r->batch.wrench = allocate(BATCH_ROWS * 6 * td_link_count(r->c->model), sizeof(double));
    }
    if (r->form->keep && row != NULL) {
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

/* Numbers of the columns into the batch; false, with a message, where they make no state. line: of
   the file, 0 for an array. */
static bool place_numbers(reader *r, size_t line)
{
    const size_t n = r->batch.rows, wrenches = 6 * td_link_count(r->c->model);
    double *position = r->batch.value[QUANTITY_Q];
    position = position != NULL ? position + n * r->c->size[QUANTITY_Q] : NULL;
    r->batch.line[n] = line > 0 ? line : r->row;
    if (position != NULL) {
        memcpy(position, r->neutral, r->c->size[QUANTITY_Q] * sizeof *position);
    }
    for (size_t i = 0; i < r->columns.count; i++) {
        const state_column *column = &r->columns.column[i];
        const size_t width = r->c->size[column->quantity];
        if (column->kind == COLUMN_TIME) {
            r->batch.time[n] = r->number[i] * column->factor;
        } else if (column->kind == COLUMN_WRENCH) {
            r->batch.wrench[n * wrenches + column->index] = r->number[i] * column->factor;
        } else if (column->kind == COLUMN_VALUE) {
            r->batch.value[column->quantity][n * width + column->index] =
                r->number[i] * column->factor;
        }
    }
    double norm;
    const int joint = position != NULL ? normalize_quaternions(r->c, position, &norm) : -1;
    if (joint >= 0 && !isnan(norm)) {
        char *place = line > 0 ? text_format(":%zu", line) : text_format("%s", "");
        complain("%s%s: row %zu: the quaternion of joint '%s' has norm %s, not 1", r->name, place,
                 r->row, td_joint_at(r->c->model, (size_t)joint)->name, number_clear(norm).text);
        free(place);
        return false;
    }
    return true;
}

/* A row of text. */
static bool read_fields(reader *r, const csv_row *row)
{
    const size_t n = r->batch.rows;
    if (row->count != r->columns.count) {
        complain("%s:%zu: row %zu has %s, the heading %zu", r->name, row->line, r->row,
                 counted(row->count, "field").text, r->columns.count);
        return false;
    }
    for (size_t i = 0; i < row->count; i++) {
        const state_column *column = &r->columns.column[i];
        if (column->kind == COLUMN_UNUSED || parse_number(row->field[i], &r->number[i])) {
            continue;
        }
        if (!r->form->gaps || !is_missing(row->field[i])) {
            complain("%s:%zu: row %zu, column '%s': '%s' is not a finite number", r->name,
                     row->line, r->row, column->name, row->field[i]);
            return false;
        }
        r->number[i] = (double)NAN;
    }
    if (r->form->keep) {
        csv_keep(row->count, row->field, r->columns.kept, &r->batch.kept[n], &r->kept_size[n]);
    }
    return place_numbers(r, row->line);
}

/* A row of an array. */
static bool read_numbers(reader *r, const double *x)
{
    for (size_t i = 0; i < r->columns.count; i++) {
        const state_column *column = &r->columns.column[i];
        r->number[i] = isfinite(x[i]) ? x[i] : (double)NAN;
        if (column->kind != COLUMN_UNUSED && !isfinite(x[i]) && !r->form->gaps) {
            complain("%s: row %zu, column '%s': not a finite number", r->name, r->row,
                     column->name);
            return false;
        }
    }
    return place_numbers(r, 0);
}

/* The row that was read belongs to the batch, where it is good. */
static bool end_row(reader *r, bool good)
{
    if (!good) {
        flush(r);
        return false;
    }
    r->batch.rows++;
    return r->batch.rows < BATCH_ROWS || flush(r);
}

static bool take_row(void *context, const csv_row *row)
{
    reader *r = context;
    if (row == NULL) {
        return flush(r);
    }
    if (r->columns.count == 0) {
        return state_columns_read(&r->columns, row, r->neutral) && begin(r, row);
    }
    r->row++;
    return end_row(r, read_fields(r, row));
}

static bool read_array(reader *r, const char *path)
{
    npy_input in;
    if (!npy_open(&in, path)) {
        return false;
    }
    bool good = state_columns_read_array(&r->columns, &in, r->neutral) && begin(r, NULL);
    double *block = allocate(BATCH_ROWS * in.columns, sizeof *block);
    size_t rows;
    reading_begin(in.rows);
    while (good && (rows = npy_read(&in, block, BATCH_ROWS, &good)) > 0) {
        for (size_t n = 0; n < rows && good; n++) {
            r->row++;
            good = end_row(r, read_numbers(r, block + n * in.columns));
        }
        reading_done(r->row);
    }
    reading_end();
    free(block);
    npy_close(&in);
    return good && flush(r);
}

static bool read_text(reader *r, const char *path)
{
    const bool good = csv_stream(path, take_row, r);
    if (good && r->columns.count == 0) {
        complain("%s: the table has no heading", r->name);
    }
    return good && r->columns.count > 0;
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
    free(r->number);
}

const char *state_table_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

bool state_table_read(const coordinates *c, const state_form *form, const char *path,
                      state_sink sink, void *context)
{
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
    const bool good = (npy_is_path(path) ? read_array : read_text)(&r, path);
    reader_free(&r);
    return good;
}
