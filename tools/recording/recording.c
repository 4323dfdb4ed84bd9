/* SPDX-License-Identifier: MIT */
/*
 * Recorded motion, see recording.h: reading the table.
 */
#include "recording/recording.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "robot/state_table.h"
#include "table/csv_stream.h"
#include "text.h"

typedef struct reader {
    recording *r;
    const recording_options *options;
    size_t columns; /* 0 before the heading */
    int time_column;
    double time_factor;
    size_t room; /* rows */
} reader;

void word_list_add(word_list *list, const char *word)
{
    list->word = reallocate(list->word, list->count + 1, sizeof *list->word);
    list->word[list->count++] = word;
}

static void make_room(reader *read)
{
    recording *r = read->r;
    if (r->rows < read->room) {
        return;
    }
    read->room = 2 * read->room + 1024;
    r->t = reallocate(r->t, read->room, sizeof *r->t);
    r->line = reallocate(r->line, read->room, sizeof *r->line);
    for (size_t k = 0; k < r->channels; k++) {
        r->channel[k].x = reallocate(r->channel[k].x, read->room, sizeof(double));
    }
}

/* A number, or NaN for what recordings write where there is none. */
static bool read_value(const char *text, double *x)
{
    static const char *const none[] = {"", "nan", "-nan", "na", "n/a", "null", "none", "-"};
    if (parse_number(text, x)) {
        return true;
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        if (strcasecmp(text, none[i]) == 0) {
            *x = (double)NAN;
            return true;
        }
    }
    return false;
}

static bool read_cell(const reader *read, const csv_row *row, size_t column, const char *name,
                      double factor, double *x)
{
    if (!read_value(row->field[column], x)) {
        complain("%s:%zu: column '%s': '%s' is not a finite number", read->r->name, row->line, name,
                 row->field[column]);
        return false;
    }
    *x *= factor;
    return true;
}

static bool take(void *context, const csv_row *row)
{
    reader *read = context;
    recording *r = read->r;
    if (row == NULL) {
        return true;
    }
    if (read->columns == 0) {
        read->columns = row->count;
        return recording_map(r, read->options, row->count, row->field, &read->time_column,
                             &read->time_factor);
    }
    if (row->count != read->columns) {
        complain("%s:%zu: %s, the heading has %zu", r->name, row->line,
                 counted(row->count, "field").text, read->columns);
        return false;
    }
    make_room(read);
    const size_t n = r->rows++;
    r->line[n] = row->line;
    r->t[n] = (double)n / read->options->sampled;
    bool good = read->time_column < 0 ||
                read_cell(read, row, (size_t)read->time_column, "t", read->time_factor, &r->t[n]);
    for (size_t k = 0; k < r->channels && good; k++) {
        const channel *c = &r->channel[k];
        good = read_cell(read, row, c->column, c->name, c->factor, &c->x[n]);
    }
    return good;
}

bool recording_read(recording *r, const coordinates *c, const recording_options *options)
{
    *r = (recording){.c = c, .name = state_table_name(options->path)};
    reader read = {.r = r, .options = options};
    bool good = csv_stream(options->path, take, &read);
    if (good && r->rows < 4) {
        complain("%s: a recording needs four rows, and this has %zu", r->name, r->rows);
        good = false;
    }
    return good && recording_repair(r, options);
}

void recording_free(recording *r)
{
    for (size_t k = 0; k < r->channels; k++) {
        free(r->channel[k].name);
        free(r->channel[k].x);
    }
    free(r->channel);
    free(r->t);
    free(r->line);
}
