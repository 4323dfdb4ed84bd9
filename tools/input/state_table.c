/* SPDX-License-Identifier: MIT */
/*
 * Reads a table of states from CSV or a NumPy array; see state_table.h.
 */
#include "input/state_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input/quaternions.h"
#include "input/state_columns.h"
#include "output/csv_output.h"
#include "text.h"

typedef struct reader {
    const coordinates *c;
    state_sink sink;
    void *context;
    const state_form *form;
    state_columns columns;
    double *neutral; /* default positions of each row */
    char *kept_heading;
    size_t *kept_size; /* capacity of each text of batch.kept, in bytes */
    state_batch batch;
    size_t missed;     /* number of rows that ik did not reach */
    char *missed_text; /* lists the first of them */
} reader;

enum { TOLD_ROWS = 8 };

static bool begin(void *context, const number_heading *heading)
{
    reader *r = context;
    if (r->form->keep && heading->array) {
        complain("%s: --keep copies columns from CSV to CSV only", r->columns.name);
        return false;
    }
    if (!state_columns_read(&r->columns, heading, r->neutral)) {
        return false;
    }
    r->batch.has_time = r->columns.has_time;
    memcpy(r->batch.given, r->columns.any, sizeof r->batch.given);
    if (r->columns.has_wrench) {
        r->batch.wrench = allocate(r->batch.room * 6 * td_link_count(r->c->model), sizeof(double));
    }
    if (r->form->keep && !heading->array) {
        size_t size = 0;
        csv_keep(heading->columns, heading->text, r->columns.kept, &r->kept_heading, &size);
        r->batch.kept_heading = r->kept_heading;
    }
    return r->sink(r->context, &r->batch);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool flush(reader *r)
{
    bool good = r->batch.rows == 0 || r->sink(r->context, &r->batch);
    r->batch.first_row += r->batch.rows;
    r->batch.rows = 0;
    return good;
}

/* Copies the numbers of a row into the batch. Prints a message and returns false if they are not a
   valid state. */
static bool place_numbers(reader *r, const number_row *row)
{
    const size_t n = r->batch.rows, wrenches = 6 * td_link_count(r->c->model);
    double *position = r->batch.value[QUANTITY_Q];
    position = position != NULL ? position + n * r->c->size[QUANTITY_Q] : NULL;
    r->batch.line[n] = row->line;
    if (position != NULL) {
        memcpy(position, r->neutral, r->c->size[QUANTITY_Q] * sizeof *position);
    }
    for (size_t i = 0; i < r->columns.count; i++) {
        const state_column *column = &r->columns.column[i];
        const size_t width = r->c->size[column->quantity];
        if (column->kind == COLUMN_TIME) {
            r->batch.time[n] = row->value[i];
        } else if (column->kind == COLUMN_WRENCH) {
            r->batch.wrench[n * wrenches + column->index] = row->value[i];
        } else if (column->kind == COLUMN_VALUE) {
            r->batch.value[column->quantity][n * width + column->index] = row->value[i];
        }
    }
    double norm;
    const size_t joint = position != NULL ? normalize_quaternions(r->c, position, &norm) : TD_NONE;
    if (joint != TD_NONE && !isnan(norm)) {
        scoped char *place =
            row->fields != NULL ? text_format(":%zu", row->line) : text_format("%s", "");
        complain("%s%s: row %zu: the quaternion of joint '%s' has norm %s, not 1", r->columns.name,
                 place, row->row, td_joint_at(r->c->model, joint)->name, number_clear(norm).text);
        return false;
    }
    return true;
}

/* Counts rows that ik did not reach, and keeps the numbers of the first ones for the message. */
static void watch_reached(reader *r, const number_row *row)
{
    if (r->columns.reached == NULL) {
        return;
    }
    const size_t column = (size_t)(r->columns.reached - r->columns.column);
    double value = 1;
    if (row->fields == NULL) {
        value = row->value[column];
    } else if (column < row->fields->count && !parse_number(row->fields->field[column], &value)) {
        value = 1;
    }
    if (value != 0) {
        return;
    }
    if (r->missed++ < TOLD_ROWS) {
        char *longer = text_format("%s%s%zu", r->missed_text != NULL ? r->missed_text : "",
                                   r->missed_text != NULL ? ", " : "", row->row);
        free(r->missed_text);
        r->missed_text = longer;
    }
}

/* Returns whether ik reached all rows. Otherwise prints a message. */
static bool all_reached(const reader *r)
{
    if (r->missed > 0) {
        scoped char *more = r->missed > TOLD_ROWS
                                ? text_format(" and %zu more", r->missed - TOLD_ROWS)
                                : text_format("%s", "");
        complain("%s: row%s %s%s: column 'reached' is 0: the link did not reach its target%s",
                 r->columns.name, r->missed > 1 ? "s" : "", r->missed_text, more,
                 r->form->words != NULL ? " (--map reached= accepts the rows anyway)" : "");
    }
    return r->missed == 0;
}

static bool take(void *context, const number_row *row)
{
    reader *r = context;
    const size_t n = r->batch.rows;
    if (row == NULL) {
        return flush(r);
    }
    if (r->batch.kept_heading != NULL) {
        csv_keep(row->fields->count, row->fields->field, r->columns.kept, &r->batch.kept[n],
                 &r->kept_size[n]);
    }
    if (!place_numbers(r, row)) {
        return false;
    }
    watch_reached(r, row);
    r->batch.rows++;
    return r->batch.rows < r->batch.room || flush(r);
}

static void reader_free(reader *r)
{
    state_columns_free(&r->columns);
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        free(r->batch.value[quantity]);
    }
    for (size_t i = 0; i < r->batch.room; i++) {
        free(r->batch.kept[i]);
    }
    free(r->batch.kept);
    free(r->kept_size);
    free(r->kept_heading);
    free(r->batch.wrench);
    free(r->batch.time);
    free(r->batch.line);
    free(r->neutral);
    free(r->missed_text);
}

bool state_table_read(const coordinates *c, const state_form *form, const char *path,
                      state_sink sink, void *context)
{
    const size_t room = form->batch > 0 ? form->batch : BATCH_ROWS;
    reader r = {
        .c = c,
        .kept_size = allocate(room, sizeof(size_t)),
        .form = form,
        .sink = sink,
        .context = context,
        .neutral = allocate(c->size[QUANTITY_Q], sizeof(double)),
        .batch = {.first_row = 1,
                  .room = room,
                  .time = allocate(room, sizeof(double)),
                  .line = allocate(room, sizeof(size_t)),
                  .kept = allocate(room, sizeof(char *))},
    };
    r.columns = state_columns_new(c, table_input_name(path), form);
    for (size_t i = 0; i < form->count; i++) {
        enum quantity quantity = form->read[i];
        r.batch.has[quantity] = r.columns.given[quantity];
        r.batch.value[quantity] = allocate(room * c->size[quantity], sizeof(double));
    }
    coordinates_default(c, r.neutral);
    const number_form numbers = {
        .any_plain = true, .complete = !form->gaps, .heading = begin, .row = take, .context = &r};
    bool good = number_table_read(path, &numbers);
    if (!good && r.batch.rows > 0) { /* pass on the rows before the faulty one */
        flush(&r);
    }
    good = good && all_reached(&r);
    reader_free(&r);
    return good;
}
