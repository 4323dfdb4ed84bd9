/* SPDX-License-Identifier: MIT */
/*
 * Reads recorded points for tandem calibrate, and computes where its search begins; see
 * calibrate.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "commands/calibrate.h"
#include "input/coordinates.h"
#include "input/table_input.h"
#include "text.h"

/* Finds the columns of measured positions: q:JOINT of joints with the given noise. */
static bool find_measured(row_list *r, const number_heading *heading)
{
    const column_words units = {.unit = r->options->common.columns.unit};
    coordinates c = coordinates_new(r->s->model, false);
    column_lookup lookup;
    bool good = true;
    column_lookup_new(&lookup, &units, heading->name);
    for (size_t k = 0; k < td_nyd(r->s->model) && good; k++) {
        r->column[k] = -1;
        if (r->position[k] == TD_NONE) {
            continue;
        }
        scoped char *name = text_format("q:%s", c.name[QUANTITY_Q][r->position[k]]);
        const unit_domain domain = coordinates_domain(&c, QUANTITY_Q, r->position[k]);
        r->column[k] = number_column(heading, name);
        if (r->column[k] >= 0) {
            const size_t column = (size_t)r->column[k];
            good = number_use(heading, column, domain);
            heading->factor[column] = column_factor(&lookup, heading->unit[column], domain, 0);
            r->joints++;
        }
    }
    column_lookup_free(&lookup);
    coordinates_free(&c);
    return good;
}

/* Finds the positions that may be measured, and their noise. */
static void prepare_measured(row_list *r)
{
    const size_t own = td_nyd(r->s->model);
    coordinates c = coordinates_new(r->s->model, false);
    r->position = allocate(own, sizeof *r->position);
    r->joint_noise = allocate(own, sizeof *r->joint_noise);
    r->column = allocate(own, sizeof *r->column);
    for (size_t k = 0; k < own; k++) {
        const size_t joint = coordinates_joint(&c, k);
        const size_t i = coordinates_position(&c, joint) + k - coordinates_velocity(&c, joint);
        const bool plain =
            td_joint_kind_of(td_joint_at(r->s->model, joint)->type)->quaternion == TD_NONE;
        const unit_domain domain = plain ? coordinates_domain(&c, QUANTITY_Q, i) : UNIT_NONE;
        r->joint_noise[k] = domain == UNIT_NONE ? (double)NAN : r->options->joint_noise.of[domain];
        r->position[k] = isnan(r->joint_noise[k]) ? TD_NONE : i;
    }
    coordinates_free(&c);
}

static bool begin(void *context, const number_heading *heading)
{
    row_list *r = context;
    if (!markers_find(&r->points, heading, &r->options->common.columns)) {
        return false;
    }
    r->time = number_use_time(heading);
    if (!find_measured(r, heading)) {
        return false;
    }
    number_tell_unused(heading, NULL);
    return r->time >= -1;
}

/* Appends the row that the solver has read and solved. */
static void add_row(row_list *r, const number_row *row)
{
    const size_t ny = td_ny(r->s->model), own = td_nyd(r->s->model), width = 3 * r->points.count;
    if (r->count == r->capacity) {
        r->capacity = 2 * r->capacity + 64;
        r->recorded = reallocate(r->recorded, r->capacity * width, sizeof *r->recorded);
        r->y = reallocate(r->y, r->capacity * ny, sizeof *r->y);
        r->measured = reallocate(r->measured, r->capacity * own, sizeof *r->measured);
        r->t = reallocate(r->t, r->capacity, sizeof *r->t);
        r->tables = reallocate(r->tables, r->capacity, sizeof *r->tables);
        r->number = reallocate(r->number, r->capacity, sizeof *r->number);
    }
    markers_spread(&r->points, r->solver.target, r->recorded + r->count * width);
    memcpy(r->y + r->count * ny, r->solver.y, ny * sizeof *r->y);
    for (size_t k = 0; k < own; k++) {
        r->measured[r->count * own + k] = r->column[k] < 0 ? (double)NAN : row->value[r->column[k]];
    }
    marker_noise_add(&r->noise, r->time < 0 ? (double)r->count : row->value[r->time],
                     r->solver.target, r->solver.left, 0);
    r->t[r->count] = r->time < 0 ? (double)NAN : row->value[r->time];
    r->tables[r->count] = r->table;
    r->number[r->count++] = row->row;
}

/* Copies measured positions to y. Around them no other branch is searched. */
static void start_at_measured(row_list *r, const number_row *row, double *y)
{
    for (size_t k = 0; k < td_nyd(r->s->model); k++) {
        if (r->column[k] >= 0 && isfinite(row->value[r->column[k]])) {
            y[r->position[k]] = row->value[r->column[k]];
            r->solver.usual = (double)INFINITY;
        }
    }
}

static bool take(void *context, const number_row *row)
{
    row_list *r = context;
    if (row == NULL) {
        return true;
    }
    double rms = (double)NAN;
    const size_t seen = marker_solver_read(&r->solver, row);
    start_at_measured(r, row, r->solver.seed);
    const td_status status = seen > 0 ? marker_solver_solve(&r->solver, seen, &rms) : TD_OK;
    r->empty += seen == 0;
    if (seen > 0 && status == TD_OK && isfinite(rms)) {
        start_at_measured(r, row, r->solver.y);
        add_row(r, row);
    } else if (seen > 0 && r->failed++ == 0) {
        scoped char *what = text_format("%s, row %zu", r->table, row->row);
        session_complain(r->s, what, status);
    }
    return true;
}

int row_list_read(row_list *r, const session *s, const calibrate_options *options)
{
    const number_form form = {.heading = begin, .row = take, .context = r};
    *r = (row_list){.s = s, .options = options, .time = -1};
    const bool named = markers_read(&r->points, s->model, options->points) &&
                       markers_map(&r->points, &options->common.columns.map);
    r->solver =
        marker_solver_new(s, &r->points, td_reference(s->model, TD_COORDINATES_INDEPENDENT));
    prepare_measured(r);
    r->noise = marker_noise_new(&r->points, options->noise);
    bool good = named;
    for (size_t i = 0; i < options->recorded.count && good; i++) {
        r->table = table_input_name(options->recorded.word[i]);
        good = number_table_read(options->recorded.word[i], &form);
    }
    if (!good) {
        return EXIT_FILE;
    }
    if (r->joints == 0 && (isfinite(options->joint_noise.of[UNIT_TURN]) ||
                           isfinite(options->joint_noise.of[UNIT_SLIDE]))) {
        complain("--joint-noise: no table has a column q:JOINT of an independent joint");
        return EXIT_USAGE;
    }
    if (r->empty > 0) {
        complain("%s without any point", counted(r->empty, "row").text);
    }
    if (r->failed > 0) {
        complain("%s without a solution, left out", counted(r->failed, "row").text);
    }
    if (r->count == 0) {
        complain("no row has a point");
        return EXIT_FILE;
    }
    return EXIT_GOOD;
}

void row_list_free(row_list *r)
{
    marker_noise_free(&r->noise);
    marker_solver_free(&r->solver);
    markers_free(&r->points);
    free(r->recorded);
    free(r->y);
    free(r->t);
    free(r->measured);
    free(r->position);
    free(r->joint_noise);
    free(r->column);
    free(r->tables);
    free(r->number);
}

char *row_text(const row_list *r, size_t row)
{
    scoped char *table = r->options->recorded.count > 1 ? text_format("%s, ", r->tables[row])
                                                        : text_format("%s", "");
    return isfinite(r->t[row]) ? text_format("%srow %zu (%s s)", table, r->number[row],
                                             number_brief(r->t[row]).text)
                               : text_format("%srow %zu", table, r->number[row]);
}
