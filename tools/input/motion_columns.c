/* SPDX-License-Identifier: MIT */
/*
 * Reads a table of states as columns; see motion_columns.h.
 */
#include "input/motion_columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input/coordinates.h"
#include "input/state_columns.h"
#include "output/csv_output.h"
#include "text.h"

typedef struct collecting {
    motion_columns *columns;
    const td_model *model;
    const char *name; /* of the file */
    coordinates c;
    state_columns states;
    bool begun;  /* the heading was read */
    size_t room; /* capacity in rows */
} collecting;

/* Returns the normalized heading of a column. */
static char *heading_text(const collecting *w, const number_heading *heading, size_t i)
{
    const state_column *column = &w->states.column[i];
    return column->kind == COLUMN_VALUE
               ? text_format("%s:%s", quantity_text(column->quantity),
                             w->c.name[column->quantity][column->index])
               : text_format("%s", column->kind == COLUMN_TIME ? "t" : heading->text[i]);
}

/* Processes the heading. Prints a message and returns false if it is invalid or has no position.
   An array without names has independent coordinates; other tables may have coordinates of the
   tree. */
static bool begin(void *context, const number_heading *heading)
{
    static const state_form form = {
        .read = {QUANTITY_Q, QUANTITY_QD, QUANTITY_QDD}, .count = 3, .gaps = true, .keep = true};
    collecting *w = context;
    motion_columns *columns = w->columns;
    w->c = coordinates_new(w->model, !heading->plain);
    w->states = state_columns_new(&w->c, w->name, &form);
    w->begun = true;
    scoped double *neutral = allocate(w->c.size[QUANTITY_Q], sizeof *neutral);
    const bool good = state_columns_read(&w->states, heading, neutral);
    if (!good) {
        return false;
    }
    columns->heading = allocate(heading->columns, sizeof *columns->heading);
    columns->value = allocate(heading->columns, sizeof *columns->value);
    for (size_t i = 0; i < heading->columns; i++) {
        heading->used[i] = heading->used[i] || heading->array;
        columns->heading[columns->count++] = heading_text(w, heading, i);
    }
    if (!w->states.any[QUANTITY_Q]) {
        complain("%s: no column q:JOINT names a coordinate of this robot", w->name);
    }
    return w->states.any[QUANTITY_Q];
}

static void make_room(collecting *w)
{
    if (w->columns->rows < w->room) {
        return;
    }
    w->room = 2 * w->room + 256;
    for (size_t k = 0; k < w->columns->count; k++) {
        w->columns->value[k] = reallocate(w->columns->value[k], w->room, sizeof(double));
    }
}

/* Returns the number in a cell, or NaN if it is missing. */
static double number_at(const collecting *w, const number_row *row, size_t k)
{
    double x;
    if (w->states.column[k].kind != COLUMN_UNUSED || row->fields == NULL) {
        return row->value[k];
    }
    return parse_number(row->fields->field[k], &x) ? x : (double)NAN;
}

static bool add_row(void *context, const number_row *row)
{
    collecting *w = context;
    motion_columns *columns = w->columns;
    if (row == NULL) {
        return true;
    }
    make_room(w);
    const size_t n = columns->rows++;
    for (size_t k = 0; k < columns->count; k++) {
        double *value = columns->value[k];
        value[n] = number_at(w, row, k);
        if (w->states.column[k].kind == COLUMN_TIME && n > 0 && !(value[n] > value[n - 1])) {
            complain("%s:%zu: times must increase", w->name, row->line);
            return false;
        }
    }
    return true;
}

bool motion_columns_read(motion_columns *columns, const td_model *model, const char *path)
{
    *columns = (motion_columns){.rows = 0};
    collecting w = {.columns = columns, .model = model, .name = table_input_name(path)};
    const number_form numbers = {
        .any_plain = true, .heading = begin, .row = add_row, .context = &w};
    bool good = number_table_read(path, &numbers);
    if (good && columns->rows == 0) {
        complain("%s: the table has no rows", w.name);
        good = false;
    }
    if (!good) {
        motion_columns_free(columns);
    }
    if (w.begun) {
        state_columns_free(&w.states);
        coordinates_free(&w.c);
    }
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
    text_stream text;
    text_open(&text);
    csv_line line = {false, text.stream};
    for (size_t k = 0; k < columns->count; k++) {
        csv_cell(&line, columns->heading[k]);
    }
    for (size_t row = 0; row < columns->rows; row++) {
        csv_end(&line);
        for (size_t k = 0; k < columns->count; k++) {
            if (isnan(columns->value[k][row])) {
                csv_cell(&line, "");
            } else {
                csv_numbers(&line, &columns->value[k][row], 1);
            }
        }
    }
    csv_end(&line);
    return text_close(&text);
}
