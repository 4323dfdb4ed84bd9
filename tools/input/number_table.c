/* SPDX-License-Identifier: MIT */
/*
 * Reads tables of numbers; see number_table.h.
 */
#include "input/number_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input/clock.h"
#include "input/joint_messages.h"
#include "input/npy.h"
#include "input/unused.h"
#include "output/progress.h"
#include "text.h"

enum { BLOCK_ROWS = 256, BLOCK_NUMBERS = 1 << 16 };

typedef struct reader {
    const number_form *form;
    number_heading heading;
    joint_messages messages; /* of ROS, which rows are made of */
    int time;
    table_clock clock;
    double *value;
    size_t row;
} reader;

/* ---- heading --------------------------------------------------------------------------------- */

/* Returns the unit in a name such as "time_ms", or NULL, and sets *length to the length of the name
   without it. */
static const value_unit *unit_of_clock(const char *name, size_t *length)
{
    const char *line = strrchr(name, '_');
    const value_unit *u = line != NULL ? unit_find(line + 1) : NULL;
    scoped char *base = u != NULL ? text_format("%.*s", (int)(line - name), name) : NULL;
    const bool found = base != NULL && u->domain == UNIT_TIME && clock_rank(base) > 0;
    *length = found ? strlen(base) : strlen(name);
    return found ? u : NULL;
}

static bool begin(reader *r, size_t columns, char *const *names)
{
    number_heading *h = &r->heading;
    r->time = -1;
    h->columns = columns;
    h->text = allocate(columns, sizeof *h->text);
    h->column = allocate(columns, sizeof *h->column);
    h->unit = allocate(columns, sizeof *h->unit);
    h->used = allocate(columns, sizeof *h->used);
    h->factor = allocate(columns, sizeof *h->factor);
    h->time = &r->time;
    r->value = allocate(columns, sizeof *r->value);
    for (size_t i = 0; i < columns; i++) {
        size_t length;
        h->text[i] = names != NULL ? text_format("%s", names[i]) : text_format("%zu", i);
        h->unit[i] = unit_of_heading(h->text[i], &length);
        h->unit[i] = h->unit[i] != NULL ? h->unit[i] : unit_of_clock(h->text[i], &length);
        h->column[i] = text_format("%.*s", (int)length, h->text[i]);
        h->factor[i] = 1;
    }
    const bool good = r->form->heading(r->form->context, h);
    if (r->time >= 0) { /* the clock applies the unit, or derives it from the first time */
        const double unit = h->factor[r->time];
        r->clock = (table_clock){.table = h->name, .column = h->text[r->time], .unit = unit};
        h->factor[r->time] = 1;
    }
    return good;
}

int number_column(const number_heading *heading, const char *name)
{
    for (size_t i = 0; i < heading->columns; i++) {
        if (strcmp(heading->column[i], name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

bool number_use(const number_heading *heading, size_t column, unit_domain domain)
{
    const value_unit *u = heading->unit[column];
    const char *name = heading->column[column];
    if (heading->used[column]) {
        complain("%s: column '%s' is requested twice", heading->name, name);
        return false;
    }
    for (size_t i = 0; i < heading->columns; i++) {
        if (i != column && strcmp(heading->column[i], name) == 0) {
            complain("%s: column '%s' occurs twice", heading->name, name);
            return false;
        }
    }
    if (u != NULL && (u->domain != domain || u->order != 0)) {
        scoped char *words =
            domain == UNIT_NONE ? text_format("has no unit") : unit_words_of(domain, 0);
        complain("%s: column '%s' %s%s, not in %s", heading->name, name,
                 domain == UNIT_NONE ? "" : "is in ", words, u->word);
        return false;
    }
    heading->used[column] = true;
    heading->factor[column] = u != NULL ? u->size : 1;
    return true;
}

void number_use_clock(const number_heading *heading, size_t column, const value_unit *unit)
{
    heading->used[column] = true;
    heading->factor[column] = unit != NULL ? unit->size : 0;
    *heading->time = (int)column;
}

int number_find_time(const number_heading *h, const bool *skipped)
{
    int found = -1, other = -1, best = 0; /* other: another column with the best rank */
    for (size_t i = 0; i < h->columns; i++) {
        const int rank = skipped == NULL || !skipped[i] ? clock_rank(h->column[i]) : 0;
        if (rank > best) {
            found = (int)i;
            other = -1;
            best = rank;
        } else if (rank > 0 && rank == best && other < 0) {
            other = (int)i;
        }
    }
    if (other >= 0) {
        complain("%s: columns '%s' and '%s' could both be the times", h->name, h->text[found],
                 h->text[other]);
        return -2;
    }
    if (found >= 0 && h->unit[found] != NULL && h->unit[found]->domain != UNIT_TIME) {
        complain("%s: column '%s': %s is not a unit of time", h->name, h->text[found],
                 h->unit[found]->word);
        return -2;
    }
    return found;
}

int number_use_time(const number_heading *heading)
{
    const int column = number_find_time(heading, NULL);
    if (column >= 0) {
        number_use_clock(heading, (size_t)column, heading->unit[column]);
    }
    return column;
}

void number_tell_unused(const number_heading *heading, bool (*known)(const char *name))
{
    scoped char **names = allocate(heading->columns, sizeof *names);
    size_t unused = 0;
    for (size_t i = 0; i < heading->columns; i++) {
        if (!heading->used[i] && (known == NULL || !known(heading->column[i]))) {
            names[unused++] = heading->column[i];
        }
    }
    tell_unused(heading->name, "not used", names, unused);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool pass(reader *r, size_t line, const csv_row *fields)
{
    const number_row row = {r->row, line, r->value, fields};
    return r->form->row(r->form->context, &row);
}

/* Reports an invalid number with its line and column. Returns false. */
static bool refuse(const reader *r, size_t line, size_t column, const char *text)
{
    const number_heading *h = &r->heading;
    scoped char *place = h->array ? text_format("%s", "") : text_format(":%zu", line);
    complain("%s%s: row %zu, column '%s': %s%s%s", h->name, place, r->row, h->text[column],
             text != NULL ? "'" : "", text != NULL ? text : "not a finite number",
             text == NULL             ? ""
             : (int)column == r->time ? "' is not a time"
                                      : "' is not a finite number");
    return false;
}

/* Reads a cell of a column that is used. */
static bool read_cell(reader *r, const csv_row *row, size_t i)
{
    const char *text = row->field[i];
    double *x = &r->value[i];
    if ((int)i == r->time ? clock_read(&r->clock, text, x) : parse_number(text, x)) {
        *x *= r->heading.factor[i];
        return true;
    }
    *x = (double)NAN;
    return r->form->lenient || (is_missing(text) && !r->form->complete) ||
           refuse(r, row->line, i, text);
}

static bool take_row(void *context, const csv_row *row)
{
    reader *r = context;
    const number_heading *h = &r->heading;
    if (row == NULL) {
        return r->form->row(r->form->context, NULL);
    }
    if (h->column == NULL) {
        return begin(r, row->count, row->field);
    }
    r->row++;
    reading_rows(r->row);
    if (row->count != h->columns) {
        complain("%s:%zu: row %zu has %s, but the heading has %zu", h->name, row->line, r->row,
                 counted(row->count, "field").text, h->columns);
        return false;
    }
    for (size_t i = 0; i < row->count; i++) {
        r->value[i] = (double)NAN;
        if (h->used[i] && !read_cell(r, row, i)) {
            return false;
        }
    }
    return pass(r, row->line, row);
}

/* Takes a row of CSV, which is a message of ROS if the first one is. */
static bool take(void *context, const csv_row *row)
{
    reader *r = context;
    if (row != NULL && r->heading.column == NULL && joint_row_fits(row)) {
        r->heading.messages = true;
    }
    return row != NULL && r->heading.messages ? joint_messages_add_row(&r->messages, row)
                                              : take_row(r, row);
}

/* Reads CSV or YAML. */
static bool read_text(reader *r, table_input *in)
{
    const int yaml = table_input_begins(in, joint_yaml_begins);
    r->messages = (joint_messages){.file = r->heading.name, .handler = take_row, .context = r};
    r->heading.messages = yaml > 0;
    const bool good = yaml >= 0 && (yaml > 0 ? joint_yaml_read(in, &r->messages)
                                             : csv_stream(in, r->heading.name, take, r));
    joint_messages_free(&r->messages);
    return good;
}

static bool take_numbers(reader *r, const double *x)
{
    const number_heading *h = &r->heading;
    r->row++;
    for (size_t i = 0; i < h->columns; i++) {
        const bool known = h->used[i] && isfinite(x[i]);
        r->value[i] = !known              ? (double)NAN
                      : (int)i == r->time ? clock_number(&r->clock, x[i])
                                          : x[i] * h->factor[i];
        if (r->form->complete && h->used[i] && !known) {
            return refuse(r, r->row, i, NULL);
        }
    }
    return pass(r, r->row, NULL);
}

static bool read_array(reader *r, table_input *in)
{
    const number_form *form = r->form;
    npy_input array;
    if (!npy_open(&array, in, r->heading.name)) {
        return false;
    }
    const bool named = array.column != NULL;
    const bool fits = named || form->any_plain || array.columns <= form->plain_count;
    char *const *names = named ? array.column : form->any_plain ? NULL : (char *const *)form->plain;
    r->heading.array = true;
    r->heading.plain = !named;
    if (!fits) {
        complain("%s: has %s; an array without names may have at most %zu here", r->heading.name,
                 counted(array.columns, "column").text, form->plain_count);
    }
    size_t most = BLOCK_NUMBERS / array.columns; /* at least one row */
    most = most == 0 ? 1 : most < BLOCK_ROWS ? most : BLOCK_ROWS;
    scoped double *block = allocate(most * array.columns, sizeof *block);
    bool good = fits;
    reading_begin(array.rows);
    /* read the first rows before allocating per column: a short file may claim a million columns */
    size_t rows = good ? npy_read(&array, block, most, &good) : 0;
    good = good && begin(r, array.columns, names);
    while (good && rows > 0) {
        for (size_t n = 0; n < rows && good; n++) {
            good = take_numbers(r, block + n * array.columns);
        }
        reading_done(r->row);
        reading_rows(r->row);
        rows = good ? npy_read(&array, block, most, &good) : 0;
    }
    reading_end();
    npy_close(&array);
    return good && form->row(form->context, NULL);
}

bool number_table_read(const char *path, const number_form *form)
{
    reader r = {.form = form, .heading = {.name = table_input_name(path)}};
    table_input *in = table_input_open(path);
    bool good = in != NULL;
    if (good && (table_input_is_array(in) || npy_is_path(path))) {
        good = read_array(&r, in);
    } else if (good) {
        good = read_text(&r, in);
    }
    table_input_close(in);
    if (good && r.heading.column == NULL) {
        complain("%s: the table has no %s", r.heading.name,
                 r.heading.messages ? "message" : "heading");
        good = false;
    }
    for (size_t i = 0; i < r.heading.columns; i++) {
        free(r.heading.text[i]);
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): heading.column is NULL only without
           columns */
        free(r.heading.column[i]);
    }
    free(r.heading.text);
    free(r.heading.column);
    free(r.heading.unit);
    free(r.heading.used);
    free(r.heading.factor);
    free(r.value);
    return good;
}
