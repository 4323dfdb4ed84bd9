/* SPDX-License-Identifier: MIT */
/*
 * Recorded motion, see recording.h: reading the table.
 */
#include "recording/recording.h"

#include <math.h>
#include <stdlib.h>

#include "robot/state_columns.h"
#include "text.h"

typedef struct reader {
    recording *r;
    const recording_options *options;
    state_columns columns;
    double *neutral;
    int time;    /* the column of times; -1: none */
    size_t room; /* rows */
} reader;

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

/* The columns that are used. */
static void list_channels(reader *read, const number_heading *heading)
{
    recording *r = read->r;
    r->channel = allocate(heading->columns, sizeof *r->channel);
    for (size_t i = 0; i < heading->columns; i++) {
        const state_column *column = &read->columns.column[i];
        read->time = column->kind == COLUMN_TIME ? (int)i : read->time;
        if (column->kind == COLUMN_VALUE || column->kind == COLUMN_FOLLOWER) {
            r->channel[r->channels++] = (channel){.name = text_format("%s", column->name),
                                                  .column = i,
                                                  .quantity = column->quantity,
                                                  .follower = column->kind == COLUMN_FOLLOWER,
                                                  .index = column->index,
                                                  .factor = heading->factor[i]};
        }
    }
}

static bool begin(void *context, const number_heading *heading)
{
    reader *read = context;
    recording *r = read->r;
    const double sampled = read->options->sampled;
    if (!state_columns_read(&read->columns, heading, read->neutral)) {
        return false;
    }
    list_channels(read, heading);
    bool any = false;
    for (size_t k = 0; k < r->channels; k++) {
        any = any || !r->channel[k].follower;
    }
    if (read->time < 0 && isnan(sampled)) {
        complain("%s: there is no column 't' or 'time': --map COLUMN=t names it, --sampled HZ "
                 "stands for it",
                 r->name);
    } else if (read->time >= 0 && !isnan(sampled)) {
        complain("%s: --sampled is for recordings without times (--map COLUMN= leaves them out)",
                 r->name);
    } else if (!any) {
        complain("%s: no column is a joint's position: --map COLUMN=JOINT names one", r->name);
    }
    return any && (read->time < 0) == !isnan(sampled);
}

static bool take(void *context, const number_row *row)
{
    reader *read = context;
    recording *r = read->r;
    if (row == NULL) {
        return true;
    }
    make_room(read);
    const size_t n = r->rows++;
    r->line[n] = row->line;
    r->t[n] = read->time >= 0 ? row->value[read->time] : (double)n / read->options->sampled;
    for (size_t k = 0; k < r->channels; k++) {
        r->channel[k].x[n] = row->value[r->channel[k].column];
    }
    return true;
}

bool recording_read(recording *r, const coordinates *c, const recording_options *options)
{
    const state_form form = {.read = {QUANTITY_Q, QUANTITY_QD, QUANTITY_QDD},
                             .count = 3,
                             .followers = true,
                             .words = options->words};
    *r = (recording){.c = c, .name = table_input_name(options->path)};
    reader read = {.r = r,
                   .options = options,
                   .columns = state_columns_new(c, r->name, &form),
                   .neutral = allocate(c->size[QUANTITY_Q], sizeof(double)),
                   .time = -1};
    const number_form numbers = {
        .any_plain = true, .heading = begin, .row = take, .context = &read};
    bool good = number_table_read(options->path, &numbers);
    if (good && r->rows < 4) {
        complain("%s: a recording needs four rows, and this has %zu", r->name, r->rows);
        good = false;
    }
    state_columns_free(&read.columns);
    free(read.neutral);
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
