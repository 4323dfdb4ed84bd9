/* SPDX-License-Identifier: MIT */
/*
 * tandem ik for a table of poses: computes a row of joints for each pose, see ik.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "commands/ik.h"
#include "output/coordinates_json.h"
#include "output/csv_output.h"
#include "text.h"

/* ---- output ---------------------------------------------------------------------------------- */

ik_writer ik_writer_new(const session *s, const coordinates *c, const ik_options *options,
                        const char *last)
{
    ik_writer w = {.s = s,
                   .c = c,
                   .options = options,
                   .table = table_writer_new(s, &options->common),
                   .last = last};
    table_writer_add(&w.table, "q", c->name[QUANTITY_Q], c->size[QUANTITY_Q]);
    w.table.name = reallocate(w.table.name, w.table.count + 1, sizeof *w.table.name);
    w.table.name[w.table.count++] = text_format("%s", last);
    return w;
}

/* Keeps all columns whose names differ from all result columns. */
static void keep_columns(ik_writer *w, const number_heading *heading)
{
    w->kept = allocate(heading->columns, sizeof *w->kept);
    for (size_t i = 0; i < heading->columns; i++) {
        w->kept[i] = true;
        for (size_t k = 0; k < w->table.count; k++) {
            w->kept[i] = w->kept[i] && strcmp(heading->column[i], w->table.name[k]) != 0;
        }
    }
    size_t size = 0;
    csv_keep(heading->columns, heading->text, w->kept, &w->kept_heading, &size);
    w->batch.kept_heading = w->kept_heading;
    w->batch.kept = &w->kept_text;
}

bool ik_writer_start(ik_writer *w, const number_heading *heading, int time)
{
    w->batch.rows = 1;
    w->batch.has_time = time >= 0;
    w->batch.time = &w->time;
    if (w->options->common.keep) {
        keep_columns(w, heading);
    }
    if (!w->options->common.json) {
        return table_writer_start(&w->table, &w->batch);
    }
    cJSON *root = coordinates_json_root(w->c);
    if (w->options->goals > 0) {
        cJSON *links = cJSON_AddArrayToObject(root, "links");
        for (size_t i = 0; i < w->options->goals; i++) {
            cJSON_AddItemToArray(links, json_text(w->options->goal[i].link));
        }
    }
    json_list_begin(root, "states");
    w->begun = true;
    return true;
}

static void write_json(ik_writer *w, const double *y, double last)
{
    const size_t size = w->c->size[QUANTITY_Q];
    cJSON *state = cJSON_CreateObject();
    if (w->batch.has_time) {
        cJSON_AddItemToObject(state, "t", json_number(w->time));
    }
    cJSON_AddItemToObject(
        state, "q", y != NULL ? json_named(w->c->name[QUANTITY_Q], y, size) : cJSON_CreateNull());
    cJSON_AddItemToObject(state, w->last,
                          strcmp(w->last, "reached") == 0 ? cJSON_CreateBool(last > 0)
                                                          : json_number(last));
    json_list_item(state, w->written == 0);
}

void ik_writer_take(ik_writer *w, const number_row *row, int time)
{
    w->time = time >= 0 ? row->value[time] : 0;
    if (w->kept != NULL) {
        csv_keep(row->fields->count, row->fields->field, w->kept, &w->kept_text, &w->kept_size);
    }
}

void ik_writer_row(ik_writer *w, const double *y, double last)
{
    if (w->options->common.json) {
        write_json(w, y, last);
    } else {
        table_writer_row(&w->table, &w->batch, 0, y, w->table.count - 1, &last);
    }
    w->written++;
}

void ik_writer_kept(ik_writer *w, double time, const char *kept, const double *y, double last)
{
    w->time = time;
    if (kept != NULL) {
        free(w->kept_text);
        w->kept_text = text_format("%s", kept);
        w->kept_size = strlen(kept) + 1;
    }
    ik_writer_row(w, y, last);
}

int ik_writer_end(ik_writer *w, bool good)
{
    if (w->begun) {
        json_list_end();
    }
    free(w->kept);
    free(w->kept_heading);
    free(w->kept_text);
    const int code = table_writer_end(&w->table, good);
    return code == EXIT_GOOD && w->missed > 0 ? EXIT_NEGATIVE : code;
}

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct solver {
    const session *s;
    ik_options *options;
    ik_writer out;
    ik_path path;
    td_ik *ik;
    int time;
    double *target, *seed, *y;
} solver;

static bool begin(void *context, const number_heading *heading)
{
    solver *v = context;
    if (!ik_columns(heading, v->s->model, v->options, &v->time)) {
        return false;
    }
    const td_status status = ik_goals_new(v->s, v->options, &v->ik);
    if (status != TD_OK) {
        session_complain(v->s, NULL, status);
        return false;
    }
    v->target = allocate(td_ik_target_count(v->ik), sizeof *v->target);
    return ik_writer_start(&v->out, heading, v->time);
}

/* Computes the positions of the row, starting from the last row that was reached. */
static td_status solve(solver *v, bool *reached)
{
    td_ik_result result = {.size_of = sizeof result};
    td_status status = td_ik_solve(v->ik, v->s->workspace, v->target, v->seed, v->y, NULL, &result);
    *reached = status == TD_OK && result.status == TD_IK_STATUS_REACHED;
    if (*reached) {
        memcpy(v->seed, v->y, v->out.c->size[QUANTITY_Q] * sizeof *v->y);
    }
    return status;
}

static bool take(void *context, const number_row *row)
{
    solver *v = context;
    if (row == NULL) {
        return flush_output() == 0;
    }
    const char *fault = NULL;
    const bool placed = ik_place(v->options, row->value, &fault);
    td_status status = TD_OK;
    bool reached = false;
    ik_writer_take(&v->out, row, v->time);
    ik_targets(v->options, v->target);
    if (placed && !v->options->path) {
        status = solve(v, &reached);
    }
    if ((!placed || status != TD_OK) && table_writer_fails(&v->out.table)) {
        scoped char *what = text_format("row %zu", row->row);
        if (!placed) {
            complain("%s: %s", what, fault);
        } else {
            session_complain(v->s, what, status);
        }
    }
    if (v->options->path) {
        ik_path_add(&v->path, &v->out, row->row, placed ? v->target : NULL,
                    td_ik_target_count(v->ik));
        return true;
    }
    v->out.missed += placed && status == TD_OK && !reached;
    const bool found = placed && status == TD_OK && isfinite(v->y[0]);
    ik_writer_row(&v->out, found ? v->y : NULL, reached ? 1 : 0);
    return true;
}

int ik_table(const session *s, const coordinates *c, const robot_state *x, ik_options *options)
{
    const size_t size = c->size[QUANTITY_Q];
    solver v = {.s = s,
                .options = options,
                .out = ik_writer_new(s, c, options, "reached"),
                .time = -1,
                .seed = allocate(size, sizeof(double)),
                .y = allocate(size, sizeof(double))};
    static const char *const plain[] = {"x", "y", "z", "qx", "qy", "qz", "qw"};
    const number_form form = {
        .plain = plain, .plain_count = 7, .heading = begin, .row = take, .context = &v};
    memcpy(v.seed, x->value[QUANTITY_Q], size * sizeof *v.seed);
    const bool good = number_table_read(options->common.states, &form);
    const int path = good && options->path && v.ik != NULL
                         ? ik_path_solve(&v.path, s, v.ik, v.seed, &v.out)
                         : (int)EXIT_GOOD;
    if (v.out.missed > 0) {
        complain("%s not reached", counted(v.out.missed, "row").text);
        ik_complain_ranges(s, options, NULL);
    }
    ik_path_free(&v.path);
    td_ik_free(v.ik);
    free(v.target);
    free(v.seed);
    free(v.y);
    const int code = ik_writer_end(&v.out, good && !exit_failed(path));
    return exit_failed(path) || code == EXIT_GOOD ? path : code;
}
