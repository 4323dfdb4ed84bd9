/* SPDX-License-Identifier: MIT */
/*
 * A CSV table in memory, by columns, for pictures; see plot.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture/plot.h"
#include "table/csv_stream.h"
#include "text.h"

typedef struct reader {
    plot_table *t;
    const char *path;
} reader;

static void read_heading(plot_table *t, const csv_row *row)
{
    t->columns = row->count;
    t->name = allocate(row->count, sizeof *t->name);
    t->value = allocate(row->count, sizeof *t->value);
    t->numeric = allocate(row->count, sizeof *t->numeric);
    for (size_t i = 0; i < row->count; i++) {
        t->name[i] = text_format("%s", row->field[i]);
    }
}

static void grow(plot_table *t)
{
    if (t->rows < t->capacity) {
        return;
    }
    t->capacity = t->capacity > 0 ? 2 * t->capacity : 1024;
    for (size_t i = 0; i < t->columns; i++) {
        t->value[i] = reallocate(t->value[i], t->capacity, sizeof *t->value[i]);
    }
    t->event = reallocate(t->event, t->capacity, sizeof *t->event);
}

static bool take(void *context, const csv_row *row)
{
    reader *r = context;
    plot_table *t = r->t;
    if (row == NULL) {
        return true;
    }
    if (t->columns == 0) {
        read_heading(t, row);
        return true;
    }
    if (row->count != t->columns) {
        complain("%s:%zu: row %zu has %s, the heading %zu", r->path, row->line, t->rows + 1,
                 counted(row->count, "field").text, t->columns);
        return false;
    }
    grow(t);
    t->event[t->rows] = NULL;
    for (size_t i = 0; i < t->columns; i++) {
        double x = (double)NAN;
        const bool parsed = parse_number(row->field[i], &x);
        t->value[i][t->rows] = parsed ? x : (double)NAN;
        t->numeric[i] = t->numeric[i] || parsed;
        if (strcmp(t->name[i], "event") == 0 && row->field[i][0] != '\0') {
            t->event[t->rows] = text_format("%s", row->field[i]);
        }
    }
    t->rows++;
    return true;
}

bool plot_table_read(plot_table *t, const char *path)
{
    *t = (plot_table){0};
    reader r = {t, strcmp(path, "-") == 0 ? "<stdin>" : path};
    if (!csv_stream(path, take, &r)) {
        return false;
    }
    if (t->rows == 0) {
        complain("%s: the table has no %s", r.path, t->columns == 0 ? "heading" : "rows");
    }
    return t->rows > 0;
}

void plot_table_free(plot_table *t)
{
    for (size_t i = 0; i < t->columns; i++) {
        free(t->name[i]);
        free(t->value[i]);
    }
    for (size_t i = 0; i < t->rows; i++) {
        free(t->event[i]);
    }
    free(t->name);
    free(t->value);
    free(t->numeric);
    free(t->event);
}
