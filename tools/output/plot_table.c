/* SPDX-License-Identifier: MIT */
/*
 * A table in memory, by columns, for pictures; see plot.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input/number_table.h"
#include "output/plot.h"
#include "text.h"

static bool read_heading(void *context, const number_heading *heading)
{
    plot_table *t = context;
    t->columns = heading->columns;
    t->name = allocate(t->columns, sizeof *t->name);
    t->value = allocate(t->columns, sizeof *t->value);
    t->numeric = allocate(t->columns, sizeof *t->numeric);
    const int time = number_use_time(heading);
    for (size_t i = 0; i < t->columns; i++) {
        heading->used[i] = true;
        t->name[i] = text_format("%s", (int)i == time ? "t" : heading->text[i]);
    }
    return time >= -1;
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

static bool take(void *context, const number_row *row)
{
    plot_table *t = context;
    if (row == NULL) {
        return true;
    }
    grow(t);
    t->event[t->rows] = NULL;
    for (size_t i = 0; i < t->columns; i++) {
        t->value[i][t->rows] = row->value[i];
        t->numeric[i] = t->numeric[i] || !isnan(row->value[i]);
        if (t->event[t->rows] == NULL && strcmp(t->name[i], "event") == 0 && row->fields != NULL &&
            row->fields->field[i][0] != '\0') {
            t->event[t->rows] = text_format("%s", row->fields->field[i]);
        }
    }
    t->rows++;
    return true;
}

bool plot_table_read(plot_table *t, const char *path)
{
    *t = (plot_table){0};
    const number_form form = {
        .any_plain = true, .lenient = true, .heading = read_heading, .row = take, .context = t};
    if (!number_table_read(path, &form)) {
        return false;
    }
    if (t->rows == 0) {
        complain("%s: the table has no rows", table_input_name(path));
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
