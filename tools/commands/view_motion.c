/* SPDX-License-Identifier: MIT */
/*
 * The table of motion of tandem view, see view_motion.h. Headings are read as those of any table of
 * states, so that the page needs to know one form of them only.
 */
#include "commands/view_motion.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robot/coordinates.h"
#include "robot/state_columns.h"
#include "table/csv_output.h"
#include "table/number_table.h"
#include "text.h"

typedef struct rewriting {
    state_columns columns;
    double *neutral;
    csv_line line;
} rewriting;

static bool put_heading(void *context, const number_heading *heading)
{
    rewriting *r = context;
    if (!state_columns_read(&r->columns, heading, r->neutral)) {
        return false;
    }
    for (size_t i = 0; i < heading->columns; i++) {
        const state_column *column = &r->columns.column[i];
        heading->used[i] = heading->used[i] || heading->array;
        if (column->kind == COLUMN_VALUE) {
            csv_headings(&r->line, quantity_text(column->quantity),
                         &r->columns.c->name[column->quantity][column->index], 1);
        } else {
            csv_cell(&r->line, column->kind == COLUMN_TIME ? "t" : heading->text[i]);
        }
    }
    csv_end(&r->line);
    return true;
}

static bool put_row(void *context, const number_row *row)
{
    rewriting *r = context;
    for (size_t i = 0; row != NULL && i < r->columns.count; i++) {
        if (r->columns.column[i].kind == COLUMN_UNUSED && row->fields != NULL) {
            csv_cell(&r->line, row->fields->field[i]);
        } else if (isnan(row->value[i])) {
            csv_cell(&r->line, "");
        } else {
            csv_numbers(&r->line, &row->value[i], 1);
        }
    }
    if (row != NULL) {
        csv_end(&r->line);
    }
    return true;
}

char *view_motion_text(const td_model *model, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        complain("%s: %s", path, strerror(errno));
        return NULL;
    }
    coordinates c = coordinates_new(model, true);
    const state_form form = {
        .read = {QUANTITY_Q, QUANTITY_QD, QUANTITY_QDD}, .count = 3, .keep = true};
    rewriting r = {.columns = state_columns_new(&c, table_input_name(path), &form),
                   .neutral = allocate(c.size[QUANTITY_Q], sizeof(double)),
                   .line = {false, stream}};
    const number_form numbers = {
        .any_plain = true, .heading = put_heading, .row = put_row, .context = &r};
    bool good = number_table_read(path, &numbers);
    if (fclose(stream) != 0) {
        complain("%s: %s", path, strerror(errno));
        good = false;
    }
    if (!good) {
        free(text);
        text = NULL;
    }
    state_columns_free(&r.columns);
    coordinates_free(&c);
    free(r.neutral);
    return text;
}
