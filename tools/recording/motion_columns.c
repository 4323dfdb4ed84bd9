/* SPDX-License-Identifier: MIT */
/*
 * A table of states as columns, see motion_columns.h.
 */
#include "recording/motion_columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "robot/coordinates.h"
#include "robot/state_table.h"
#include "table/csv_output.h"
#include "table/npy.h"
#include "table/table_input.h"
#include "text.h"

typedef struct collecting {
    motion_columns *columns;
    const coordinates *c;
    const char *name; /* of the file */
    size_t room;      /* rows that there is room for */
} collecting;

static void add_heading(motion_columns *columns, char *heading)
{
    columns->heading = reallocate(columns->heading, columns->count + 1, sizeof *columns->heading);
    columns->heading[columns->count++] = heading;
}

/* The heading of the table; false, with a message, where no column is a position. */
static bool begin(const collecting *w, const state_batch *batch)
{
    motion_columns *columns = w->columns;
    if (batch->has_time) {
        add_heading(columns, text_format("t"));
    }
    for (enum quantity quantity = QUANTITY_Q; quantity <= QUANTITY_QDD; quantity++) {
        for (size_t i = 0; i < w->c->size[quantity]; i++) {
            if (batch->has[quantity][i]) {
                add_heading(columns,
                            text_format("%s:%s", quantity_text(quantity), w->c->name[quantity][i]));
            }
        }
    }
    for (size_t i = 0; i < batch->others; i++) {
        add_heading(columns, text_format("%s", batch->other_name[i]));
    }
    columns->value = allocate(columns->count, sizeof *columns->value);
    if (!batch->given[QUANTITY_Q]) {
        complain("%s: no column q: of a coordinate of this robot", w->name);
    }
    return batch->given[QUANTITY_Q];
}

static void make_room(collecting *w, size_t rows)
{
    if (rows <= w->room) {
        return;
    }
    w->room = 2 * rows;
    for (size_t k = 0; k < w->columns->count; k++) {
        w->columns->value[k] = reallocate(w->columns->value[k], w->room, sizeof(double));
    }
}

static bool add_row(const collecting *w, const state_batch *batch, size_t n)
{
    motion_columns *columns = w->columns;
    size_t k = 0;
    const size_t row = columns->rows++;
    if (batch->has_time) {
        double *t = columns->value[k++];
        t[row] = batch->time[n];
        if (row > 0 && !(t[row] > t[row - 1])) {
            complain("%s:%zu: times do not ascend", w->name, batch->line[n]);
            return false;
        }
    }
    for (enum quantity quantity = QUANTITY_Q; quantity <= QUANTITY_QDD; quantity++) {
        const size_t size = w->c->size[quantity];
        for (size_t i = 0; i < size; i++) {
            if (batch->has[quantity][i]) {
                columns->value[k++][row] = batch->value[quantity][n * size + i];
            }
        }
    }
    for (size_t i = 0; i < batch->others; i++) {
        columns->value[k++][row] = batch->other[n * batch->others + i];
    }
    return true;
}

static bool take(void *context, const state_batch *batch)
{
    collecting *w = context;
    bool good = w->columns->value != NULL || begin(w, batch);
    if (good) {
        make_room(w, w->columns->rows + batch->rows);
    }
    for (size_t n = 0; n < batch->rows && good; n++) {
        good = add_row(w, batch, n);
    }
    return good;
}

/* Whether the file is an array without names, which has y; others may have all of the tree's q.
   False, with a message, where it cannot be read. */
static bool find_plain(const char *path, bool *plain)
{
    table_input *in = strcmp(path, "-") != 0 ? table_input_open(path) : NULL;
    *plain = false;
    if (in == NULL) {
        return strcmp(path, "-") == 0;
    }
    npy_input array;
    const bool is_array = table_input_is_array(in) || npy_is_path(path);
    const bool good = !is_array || npy_open(&array, in, table_input_name(path));
    if (is_array && good) {
        *plain = array.column == NULL;
        npy_close(&array);
    }
    table_input_close(in);
    return good;
}

bool motion_columns_read(motion_columns *columns, const td_model *model, const char *path)
{
    static const state_form form = {
        .read = {QUANTITY_Q, QUANTITY_QD, QUANTITY_QDD}, .count = 3, .gaps = true, .others = true};
    bool plain;
    *columns = (motion_columns){.rows = 0};
    if (!find_plain(path, &plain)) {
        return false;
    }
    coordinates c = coordinates_new(model, !plain);
    collecting w = {.columns = columns, .c = &c, .name = table_input_name(path)};
    bool good = state_table_read(&c, &form, path, take, &w);
    if (good && columns->rows == 0) {
        complain("%s: the table has no rows", w.name);
        good = false;
    }
    if (!good) {
        motion_columns_free(columns);
    }
    coordinates_free(&c);
    return good;
}

void motion_columns_free(motion_columns *columns)
{
    for (size_t k = 0; k < columns->count; k++) {
        free(columns->heading[k]);
        free(columns->value != NULL ? columns->value[k] : NULL);
    }
    free(columns->heading);
    free(columns->value);
    *columns = (motion_columns){.rows = 0};
}

char *motion_columns_text(const motion_columns *columns)
{
    char *text = NULL;
    size_t size = 0;
    csv_line line = {false, open_memstream(&text, &size)};
    bool good = line.stream != NULL;
    for (size_t k = 0; k < columns->count && good; k++) {
        csv_cell(&line, columns->heading[k]);
    }
    for (size_t row = 0; row < columns->rows && good; row++) {
        csv_end(&line);
        for (size_t k = 0; k < columns->count; k++) {
            if (isnan(columns->value[k][row])) {
                csv_cell(&line, "");
            } else {
                csv_numbers(&line, &columns->value[k][row], 1);
            }
        }
    }
    if (good) {
        csv_end(&line);
        good = fclose(line.stream) == 0;
    }
    if (!good) {
        complain("out of memory");
        exit(EXIT_USAGE);
    }
    return text;
}
