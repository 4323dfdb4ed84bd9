/* SPDX-License-Identifier: MIT */
/*
 * The table of motion of tandem view, see view_motion.h. Headings are read as those of any table of
 * states, so that the page needs to know one form of them only.
 */
#include "commands/view_motion.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robot/coordinates.h"
#include "robot/state_columns.h"
#include "robot/state_table.h"
#include "table/csv_output.h"
#include "table/csv_stream.h"
#include "text.h"

typedef struct rewriting {
    state_columns columns;
    double *neutral;
    csv_line line;
    size_t row;
} rewriting;

static bool put_heading(rewriting *r, const csv_row *row)
{
    if (!state_columns_read(&r->columns, row, r->neutral)) {
        return false;
    }
    for (size_t i = 0; i < row->count; i++) {
        const state_column *column = &r->columns.column[i];
        if (column->kind == COLUMN_VALUE) {
            csv_headings(&r->line, quantity_text(column->quantity),
                         &r->columns.c->name[column->quantity][column->index], 1);
        } else {
            csv_cell(&r->line, column->kind == COLUMN_TIME ? "t" : row->field[i]);
        }
    }
    csv_end(&r->line);
    return true;
}

static bool put_row(rewriting *r, const csv_row *row)
{
    r->row++;
    if (row->count != r->columns.count) {
        complain("%s:%zu: row %zu has %s, the heading %zu", r->columns.name, row->line, r->row,
                 counted(row->count, "field").text, r->columns.count);
        return false;
    }
    for (size_t i = 0; i < row->count; i++) {
        const state_column *column = &r->columns.column[i];
        double x;
        if (column->kind == COLUMN_UNUSED || is_missing(row->field[i])) {
            csv_cell(&r->line, row->field[i]);
        } else if (parse_number(row->field[i], &x)) {
            x *= column->factor;
            csv_numbers(&r->line, &x, 1);
        } else {
            complain("%s:%zu: row %zu, column '%s': '%s' is not a finite number", r->columns.name,
                     row->line, r->row, column->name, row->field[i]);
            return false;
        }
    }
    csv_end(&r->line);
    return true;
}

static bool take(void *context, const csv_row *row)
{
    rewriting *r = context;
    return row == NULL || (r->columns.count == 0 ? put_heading : put_row)(r, row);
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
    rewriting r = {.columns = state_columns_new(&c, state_table_name(path), &form),
                   .neutral = allocate(c.size[QUANTITY_Q], sizeof(double)),
                   .line = {false, stream}};
    bool good = csv_stream(path, take, &r);
    if (good && r.columns.count == 0) {
        complain("%s: the table has no heading", r.columns.name);
        good = false;
    }
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
