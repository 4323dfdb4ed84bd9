/* SPDX-License-Identifier: MIT */
/*
 * Reads the table of a recorded motion; see recording.h.
 */
#include "input/recording.h"

#include <math.h>
#include <stdlib.h>

#include "input/state_columns.h"
#include "text.h"

typedef struct reader {
    recording *r;
    const recording_options *options;
    state_columns columns;
    double *neutral;
    int time;    /* the column of times, or -1 */
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
    for (size_t k = 0; k < r->all; k++) {
        r->channel[k].x = reallocate(r->channel[k].x, read->room, sizeof(double));
    }
}

static void add_channel(recording *r, const number_heading *heading, size_t i,
                        const state_column *column)
{
    r->channel[r->all++] = (channel){.name = text_format("%s", column->name),
                                     .column = i,
                                     .quantity = column->quantity,
                                     .follower = column->kind == COLUMN_FOLLOWER,
                                     .index = column->index,
                                     .factor = heading->factor[i]};
}

/* Lists the columns in use: joints first, then wrenches. */
static void list_channels(reader *read, const number_heading *heading)
{
    recording *r = read->r;
    const state_column *column = read->columns.column;
    r->channel = allocate(heading->columns, sizeof *r->channel);
    for (size_t i = 0; i < heading->columns; i++) {
        read->time = column[i].kind == COLUMN_TIME ? (int)i : read->time;
        if (column[i].kind == COLUMN_VALUE || column[i].kind == COLUMN_FOLLOWER) {
            add_channel(r, heading, i, &column[i]);
        }
    }
    r->channels = r->all;
    for (size_t i = 0; i < heading->columns; i++) {
        if (column[i].kind == COLUMN_WRENCH) {
            add_channel(r, heading, i, &column[i]);
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
        complain("%s: no column 't' or 'time'; name it with --map COLUMN=t, or give the rate with "
                 "--sampled HZ",
                 r->name);
    } else if (read->time >= 0 && !isnan(sampled)) {
        complain("%s: --sampled is for recordings without times (--map COLUMN= leaves them out)",
                 r->name);
    } else if (!any) {
        complain("%s: no column is a joint position; name one with --map COLUMN=JOINT", r->name);
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
    for (size_t k = 0; k < r->all; k++) {
        r->channel[k].x[n] = row->value[r->channel[k].column];
    }
    return true;
}

bool recording_read(recording *r, const coordinates *c, const recording_options *options)
{
    const state_form form = {.read = {QUANTITY_Q, QUANTITY_QD, QUANTITY_QDD},
                             .count = 3,
                             .followers = true,
                             .wrenches = true,
                             .feet = options->feet,
                             .foot_count = options->foot_count,
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
        complain("%s: a recording needs four rows, but this one has %zu", r->name, r->rows);
        good = false;
    }
    state_columns_free(&read.columns);
    free(read.neutral);
    return good && recording_repair(r, options);
}

void recording_forces(const recording *r, double t, size_t first, size_t count, double *values)
{
    size_t low = 0, high = r->rows - 1;
    while (r->all > r->channels && low + 1 < high) {
        const size_t middle = low + (high - low) / 2;
        *(r->t[middle] <= t ? &low : &high) = middle;
    }
    const double part = fmax(0, fmin(1, (t - r->t[low]) / (r->t[high] - r->t[low])));
    for (size_t k = r->channels; k < r->all; k++) {
        const size_t index = r->channel[k].index;
        const double *x = r->channel[k].x;
        if (index >= first && index - first < count) {
            values[index - first] += (1 - part) * x[low] + part * x[high];
        }
    }
}

void recording_free(recording *r)
{
    for (size_t k = 0; k < r->all; k++) {
        free(r->channel[k].name);
        free(r->channel[k].x);
    }
    free(r->channel);
    free(r->t);
    free(r->line);
}
