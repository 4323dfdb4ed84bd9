/* SPDX-License-Identifier: MIT */
/*
 * Writes the rows of tandem simulate as a table or JSON: the state, forces, energy, work, and
 * events since the previous row.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input/passive.h"
#include "output/coordinates_json.h"
#include "simulate.h"
#include "text.h"

/* ---- heading --------------------------------------------------------------------------------- */

static bool table_heading(row_writer *w)
{
    table_output *t = w->table;
    table_output_name(t, "t");
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_TAU; quantity++) {
        table_output_names(t, quantity_text(quantity), w->c->name[quantity], w->c->size[quantity]);
    }
    table_output_names(t, "tau", w->forces->name[QUANTITY_TAU], w->forces->size[QUANTITY_TAU]);
    table_output_name(t, "energy:total");
    table_output_name(t, "work");
    if (w->residuals != NULL) {
        table_output_name(t, "residual");
    }
    if (w->options->constraints) {
        table_output_names(t, "constraint", w->tree.name[QUANTITY_TAU], w->tree.size[QUANTITY_TAU]);
    }
    table_output_text(t, "event");
    return table_output_end(t);
}

/* Begins the JSON object, which stays open until the last row is written. */
static bool json_heading(const row_writer *w)
{
    cJSON *root = coordinates_json_root(w->c);
    forces_add_json(&w->options->common, root);
    scoped char *text = json_string(root, true);
    fprintf(w->table->file.stream, "%.*s,\"states\":[", (int)strlen(text) - 1, text);
    return true;
}

bool rows_begin(row_writer *w)
{
    double **const array[] = {&w->sample.y,  &w->sample.yd,  &w->sample.ydd,  &w->sample.q,
                              &w->sample.qd, &w->sample.qdd, &w->sample.tau_y};
    const td_model *model = w->s->model;
    const size_t size[] = {td_ny(model), td_nyd(model), td_nyd(model), td_nq(model),
                           td_nv(model), td_nv(model),  td_nyd(model)};
    w->sample = td_simulation_sample_default();
    w->limits = limit_watch_new(model, NULL, true);
    w->limits.slack = 1000; /* a joint resting at a stop is not beyond it */
    for (size_t i = 0; i < sizeof array / sizeof array[0]; i++) {
        *array[i] = allocate(size[i], sizeof(double));
    }
    if (w->options->residual) {
        w->residuals = allocate(td_constraint_count(model), sizeof(double));
    }
    if (w->options->constraints) {
        w->tree = coordinates_new(model, true);
        w->sample.tau_c = allocate(td_nv(model), sizeof(double));
    }
    return w->options->common.json ? json_heading(w) : table_heading(w);
}

void rows_free(row_writer *w)
{
    double *const array[] = {w->sample.y,  w->sample.yd,  w->sample.ydd,  w->sample.q,
                             w->sample.qd, w->sample.qdd, w->sample.tau_y};
    for (size_t i = 0; i < sizeof array / sizeof array[0]; i++) {
        free(array[i]);
    }
    free(w->residuals);
    limit_watch_free(&w->limits);
    if (w->options->constraints) {
        coordinates_free(&w->tree);
        free(w->sample.tau_c);
    }
    free(w->events);
}

/* ---- rows ------------------------------------------------------------------------------------ */

void rows_note_events(row_writer *w)
{
    for (size_t i = 0; i < td_simulation_event_count(w->simulation); i++) {
        td_simulation_event e = td_simulation_event_at(w->simulation, i);
        const char *name = e.loop != TD_NONE ? td_loop_at(w->s->model, e.loop)->name
                                             : td_joint_at(w->s->model, e.joint)->name;
        char *text = text_format("%s%s%s %s %s", w->events != NULL ? w->events : "",
                                 w->events != NULL ? "; " : "", number_clear(e.t).text, name,
                                 td_event_text(e.kind));
        free(w->events);
        w->events = text;
        w->event_count++;
    }
}

/* Selects the arrays of q, q̇ and q̈ in the coordinates of the columns. */
static void select_motion(const row_writer *w, const double *motion[3])
{
    const td_simulation_sample *x = &w->sample;
    motion[0] = w->c->tree ? x->q : x->y;
    motion[1] = w->c->tree ? x->qd : x->yd;
    motion[2] = w->c->tree ? x->qdd : x->ydd;
}

static void table_row_of(row_writer *w, double t, double energy, double residual)
{
    const double *motion[3];
    select_motion(w, motion);
    table_output_numbers(w->table, &t, 1);
    for (size_t d = 0; d < 3; d++) {
        table_output_numbers(w->table, motion[d], w->c->size[d]);
    }
    table_output_numbers(w->table, w->sample.tau_y, w->forces->size[QUANTITY_TAU]);
    table_output_numbers(w->table, &energy, 1);
    table_output_numbers(w->table, &w->sample.work, 1);
    table_output_numbers(w->table, &residual, w->residuals != NULL ? 1 : 0);
    table_output_numbers(w->table, w->sample.tau_c,
                         w->options->constraints ? w->tree.size[QUANTITY_TAU] : 0);
    table_output_text(w->table, w->events != NULL ? w->events : "");
    table_output_end(w->table);
}

static void json_row_of(row_writer *w, double t, double energy, double residual)
{
    const double *motion[3];
    cJSON *row = cJSON_CreateObject();
    select_motion(w, motion);
    cJSON_AddItemToObject(row, "t", json_number(t));
    for (enum quantity d = QUANTITY_Q; d < QUANTITY_TAU; d++) {
        coordinates_add_json(w->c, d, motion[d], row);
    }
    coordinates_add_json(w->forces, QUANTITY_TAU, w->sample.tau_y, row);
    cJSON_AddItemToObject(row, "energy", json_number(energy));
    cJSON_AddItemToObject(row, "work", json_number(w->sample.work));
    if (w->residuals != NULL) {
        cJSON_AddItemToObject(row, "residual", json_number(residual));
    }
    if (w->options->constraints) {
        cJSON_AddItemToObject(
            row, "constraint",
            json_named(w->tree.name[QUANTITY_TAU], w->sample.tau_c, w->tree.size[QUANTITY_TAU]));
    }
    cJSON_AddItemToObject(row, "event", json_text(w->events));
    scoped char *text = json_string(row, true);
    fprintf(w->table->file.stream, "%s\n%s", w->written > 0 ? "," : "", text);
}

/* Updates the largest drift of energy − work and the largest energy exchanged. The latter is the
   maximum of the kinetic energy and of the changes of potential energy and work. */
static void follow_balance(row_writer *w, double energy)
{
    const double now[3] = {w->sample.kinetic, w->sample.potential, w->sample.work};
    if (w->written == 0) {
        memcpy(w->first, now, sizeof now);
        w->first_balance = energy - w->sample.work;
    }
    w->exchanged = fmax(w->exchanged, now[0]);
    for (size_t i = 1; i < 3; i++) {
        w->exchanged = fmax(w->exchanged, fabs(now[i] - w->first[i]));
    }
    w->worst_balance = fmax(w->worst_balance, fabs(energy - w->sample.work - w->first_balance));
}

td_status rows_write(row_writer *w, double t)
{
    const td_model *model = w->s->model;
    td_status status = td_simulation_evaluate(w->simulation, t, &w->sample);
    double residual = 0;
    if (status == TD_OK && w->residuals != NULL) {
        status = td_constraint_residual(model, w->s->workspace, w->sample.q, w->residuals);
        residual = largest_of(w->residuals, td_constraint_count(model));
    }
    if (status != TD_OK) {
        return status;
    }
    double energy = w->sample.kinetic + w->sample.potential;
    follow_balance(w, energy);
    limit_watch_look(&w->limits, w->sample.q, t);
    (w->options->common.json ? json_row_of : table_row_of)(w, t, energy, residual);
    free(w->events);
    w->events = NULL;
    w->last = t;
    w->energy = energy;
    w->work = w->sample.work;
    w->written++;
    return TD_OK;
}

void rows_end(row_writer *w)
{
    if (w->options->common.json) {
        fputs("\n]}\n", w->table->file.stream);
    }
}
