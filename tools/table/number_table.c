/* SPDX-License-Identifier: MIT */
/*
 * Tables of numbers, see number_table.h.
 */
#include "table/number_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"
#include "table/npy.h"
#include "table/unused.h"
#include "text.h"

enum { BLOCK_ROWS = 256 };

typedef struct reader {
    const number_form *form;
    number_heading heading;
    double *value;
    size_t row;
} reader;

/* ---- heading --------------------------------------------------------------------------------- */

/* Takes the names over. */
static bool begin(reader *r, size_t columns, char *const *names, const csv_row *fields)
{
    number_heading *h = &r->heading;
    h->columns = columns;
    h->column = allocate(columns, sizeof *h->column);
    h->unit = allocate(columns, sizeof *h->unit);
    h->used = allocate(columns, sizeof *h->used);
    h->factor = allocate(columns, sizeof *h->factor);
    h->fields = fields;
    r->value = allocate(columns, sizeof *r->value);
    for (size_t i = 0; i < columns; i++) {
        size_t length;
        h->unit[i] = unit_of_heading(names[i], &length);
        h->column[i] = text_format("%.*s", (int)length, names[i]);
        h->factor[i] = 1;
    }
    return r->form->heading(r->form->context, h);
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
        complain("%s: column '%s' is asked for twice", heading->name, name);
        return false;
    }
    for (size_t i = 0; i < heading->columns; i++) {
        if (i != column && strcmp(heading->column[i], name) == 0) {
            complain("%s: column '%s' occurs twice", heading->name, name);
            return false;
        }
    }
    if (u != NULL && (u->domain != domain || u->order != 0)) {
        char *words = domain == UNIT_NONE ? text_format("has no unit") : unit_words_of(domain, 0);
        complain("%s: column '%s' %s%s, not in %s", heading->name, name,
                 domain == UNIT_NONE ? "" : "is in ", words, u->word);
        free(words);
        return false;
    }
    heading->used[column] = true;
    heading->factor[column] = u != NULL ? u->size : 1;
    return true;
}

int number_use_time(const number_heading *heading)
{
    int column = number_column(heading, "t");
    for (size_t i = 0; i < heading->columns && column < 0; i++) {
        column = is_time_heading(heading->column[i]) ? (int)i : -1;
    }
    return column >= 0 && !number_use(heading, (size_t)column, UNIT_TIME) ? -2 : column;
}

void number_tell_unused(const number_heading *heading, bool (*known)(const char *name))
{
    char **names = allocate(heading->columns, sizeof *names);
    size_t unused = 0;
    for (size_t i = 0; i < heading->columns; i++) {
        if (!heading->used[i] && !known(heading->column[i])) {
            names[unused++] = heading->column[i];
        }
    }
    tell_unused(heading->name, names, unused);
    free(names);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool pass(reader *r, size_t line, const csv_row *fields)
{
    const number_row row = {r->row, line, r->value, fields};
    return r->form->row(r->form->context, &row);
}

static bool take(void *context, const csv_row *row)
{
    reader *r = context;
    const number_heading *h = &r->heading;
    if (row == NULL) {
        return r->form->row(r->form->context, NULL);
    }
    if (h->column == NULL) {
        return begin(r, row->count, row->field, row);
    }
    r->row++;
    reading_rows(r->row);
    if (row->count != h->columns) {
        complain("%s:%zu: row %zu has %s, the heading %zu", h->name, row->line, r->row,
                 counted(row->count, "field").text, h->columns);
        return false;
    }
    for (size_t i = 0; i < row->count; i++) {
        r->value[i] = (double)NAN;
        if (h->used[i] && parse_number(row->field[i], &r->value[i])) {
            r->value[i] *= h->factor[i];
        } else if (h->used[i] && !is_missing(row->field[i])) {
            complain("%s:%zu: row %zu, column '%s': '%s' is not a finite number", h->name,
                     row->line, r->row, h->column[i], row->field[i]);
            return false;
        }
    }
    return pass(r, row->line, row);
}

static bool read_array(reader *r, const char *path)
{
    npy_input in;
    if (!npy_open(&in, path)) {
        return false;
    }
    const bool named = in.name != NULL, fits = named || in.columns <= r->form->plain_count;
    bool good = fits && begin(r, in.columns, named ? in.name : (char *const *)r->form->plain, NULL);
    if (!fits) {
        complain("%s: has %s; an array without names has at most %zu here", path,
                 counted(in.columns, "column").text, r->form->plain_count);
    }
    double *block = allocate(BLOCK_ROWS * in.columns, sizeof *block);
    size_t rows;
    while (good && (rows = npy_read(&in, block, BLOCK_ROWS, &good)) > 0) {
        for (size_t n = 0; n < rows && good; n++) {
            for (size_t i = 0; i < in.columns; i++) {
                const double x = block[n * in.columns + i];
                r->value[i] =
                    isfinite(x) && r->heading.used[i] ? x * r->heading.factor[i] : (double)NAN;
            }
            r->row++;
            good = pass(r, r->row, NULL);
        }
        reading_rows(r->row);
    }
    free(block);
    npy_close(&in);
    return good;
}

bool number_table_read(const char *path, const number_form *form)
{
    const bool standard = strcmp(path, "-") == 0;
    reader r = {.form = form, .heading = {.name = standard ? "<stdin>" : path}};
    bool good = npy_is_path(path) ? read_array(&r, path) : csv_stream(path, take, &r);
    if (good && r.heading.column == NULL) {
        complain("%s: the table has no heading", r.heading.name);
        good = false;
    }
    for (size_t i = 0; i < r.heading.columns; i++) {
        free(r.heading.column[i]);
    }
    free(r.heading.column);
    free(r.heading.unit);
    free(r.heading.used);
    free(r.heading.factor);
    free(r.value);
    return good;
}
