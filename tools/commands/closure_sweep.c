/* SPDX-License-Identifier: MIT */
/*
 * Computes sweeps of γ, see closure_sweep.h. Rows are computed outward from the row nearest to y,
 * each from the previous one that closed. They are printed in order.
 */
#include "commands/closure_sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "commands/closure_report.h"
#include "input/loops.h"
#include "input/position_units.h"
#include "output/coordinates_json.h"
#include "output/csv_output.h"
#include "text.h"

typedef struct sweep_row {
    td_status status;
    size_t loop;                /* the loop that did not close, or TD_NONE */
    double residual;            /* of this loop, or of all loops */
    double smallest, condition; /* NaN if no loop is iterated */
    double *q;
} sweep_row;

typedef struct sweep {
    const session *s;
    const coordinates *independent;
    coordinates tree;
    size_t swept;    /* index in y */
    size_t in_q;     /* index in q */
    bool *dependent; /* entries of q that are left empty if loops do not close */
    double *y;
    double start, end;
    size_t count;
    sweep_row *row;
} sweep;

/* ---- the range ------------------------------------------------------------------------------- */

/* Finds the coordinate. Prints a message and returns false if it cannot be swept. */
static bool find_swept(sweep *w, const char *name)
{
    const td_model *model = w->s->model;
    int found = coordinates_find(w->independent, QUANTITY_Q, name);
    if (found < 0) {
        scoped char *reason = coordinates_explain(w->independent, QUANTITY_Q, name, false);
        complain("--sweep %s: %s", name, reason);
        return false;
    }
    w->swept = (size_t)found;
    w->in_q = (size_t)coordinates_find(&w->tree, QUANTITY_Q, name);
    for (size_t i = 0; i < w->independent->joints; i++) {
        size_t joint = (size_t)w->independent->joint[i];
        size_t first = coordinates_position(w->independent, joint);
        const td_joint *record = td_joint_at(model, joint);
        if (has_quaternion(model, joint) && w->swept >= first &&
            w->swept < first + td_joint_place_at(model, joint).nq) {
            complain("--sweep %s: a coordinate of a %s joint cannot be swept", name,
                     joint_type_text(record));
            return false;
        }
    }
    return true;
}

/* Reads an end in SI units. Prints a message and returns false if the unit does not fit. */
static bool read_end(const sweep *w, const char *option, const sweep_end *given,
                     column_lookup *units, double *end)
{
    const value_unit *u = given->unit;
    *end = given->at;
    scoped char *fault = coordinates_unit_fault(w->independent, QUANTITY_Q, w->swept, u);
    const bool good = fault == NULL;
    if (!good) {
        complain("%s: %s", option, fault);
    }
    return good &&
           (u != NULL || apply_general_unit(w->independent, units, QUANTITY_Q, w->swept, end));
}

static bool read_ends(sweep *w, const sweep_options *options, const column_words *words)
{
    column_lookup units;
    column_lookup_new(&units, words, "the state");
    const bool good = read_end(w, "--first", &options->start, &units, &w->start) &&
                      read_end(w, "--last", &options->end, &units, &w->end);
    column_lookup_free(&units);
    return good;
}

/* Completes the range with the joint's limits, or with a full turn. Prints a message and returns
   false if the range is empty. */
static bool find_range(sweep *w, const sweep_options *options, const column_words *words)
{
    const td_model *model = w->s->model;
    const double full_turn = 2 * acos(-1.0);
    if (!read_ends(w, options, words)) {
        return false;
    }
    td_effective_limit limit =
        td_effective_limit_at(model, coordinates_owner(w->independent, QUANTITY_Q, w->swept));
    bool angle = coordinates_domain(w->independent, QUANTITY_Q, w->swept) == UNIT_TURN;
    double free_end = angle ? full_turn / 2 : (double)NAN;
    w->start = isnan(w->start) ? (isfinite(limit.lower) ? limit.lower : -free_end) : w->start;
    w->end = isnan(w->end) ? (isfinite(limit.upper) ? limit.upper : free_end) : w->end;
    if (isnan(w->start) || isnan(w->end)) {
        complain("--sweep %s: the joint has no limits; give --first and --last", options->joint);
        return false;
    }
    if (w->start == w->end) {
        complain("--sweep %s: the range from %s to %s is empty", options->joint,
                 number_clear(w->start).text, number_clear(w->end).text);
        return false;
    }
    return true;
}

static double value_at(const sweep *w, size_t i)
{
    double part = (double)i / (double)(w->count - 1);
    return i + 1 == w->count ? w->end : w->start + (w->end - w->start) * part;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void mark_dependent(sweep *w)
{
    const td_model *model = w->s->model;
    for (size_t i = 0; i < w->tree.joints; i++) {
        td_joint_place place = td_joint_place_at(model, (size_t)w->tree.joint[i]);
        for (size_t k = 0; k < place.nq; k++) { /* quaternions as a whole */
            bool part = place.nq == place.nv && (place.dependents >> k & 1) != 0;
            w->dependent[place.q + k] = place.dependent || part;
        }
    }
}

/* Copies y to its entries of q. */
static void spread_independent(const sweep *w, double *q)
{
    for (size_t i = 0; i < w->independent->joints; i++) {
        td_joint_place place = td_joint_place_at(w->s->model, (size_t)w->independent->joint[i]);
        for (size_t n = 0; n < place.ny; n++) {
            q[place.q + joint_component(place, QUANTITY_Q, false, n)] = w->y[place.y + n];
        }
    }
}

static void compute_row(sweep *w, size_t i)
{
    sweep_row *row = &w->row[i];
    closure_state state;
    w->y[w->swept] = value_at(w, i);
    td_status status = closure_state_at(w->s, w->y, &state);
    bool closed = status == TD_OK && has_solved_loops(w->s->model);
    *row = (sweep_row){.status = status, .loop = TD_NONE, .smallest = NAN, .condition = NAN};
    row->loop = td_failed_loop(w->s->workspace, &row->residual);
    if (status == TD_OK) {
        row->residual = 0;
        for (size_t k = 0; k < td_loop_count(w->s->model); k++) {
            row->residual = fmax(row->residual, state.residual[k]);
        }
    }
    if (closed) {
        row->smallest = state.report.smallest;
        row->condition = closure_condition(&state.report);
        /* the next row starts only here: another start might lead to another branch */
        td_closure_start(w->s->model, w->s->workspace, state.q);
    }
    spread_independent(w, state.q);
    row->q = state.q;
    state.q = NULL;
    closure_state_free(&state);
}

/* Computes rows from y outward, first up, then down. If y is outside the range, starts at the
   nearer end. */
static void compute(sweep *w, const double *start)
{
    double at = (w->y[w->swept] - w->start) / (w->end - w->start) * (double)(w->count - 1);
    double last = (double)(w->count - 1);
    size_t first = (size_t)ceil(fmin(fmax(at, 0), last + 1));
    for (size_t i = first; i < w->count; i++) {
        compute_row(w, i);
    }
    td_closure_start(w->s->model, w->s->workspace, start);
    for (size_t i = first; i-- > 0;) {
        compute_row(w, i);
    }
}

/* ---- output ---------------------------------------------------------------------------------- */

static const char *row_text(td_status status)
{
    switch (status) {
    case TD_OK:
        return "ok";
    case TD_ERROR_ASSEMBLY:
        return "assembly";
    case TD_ERROR_CLOSURE_SINGULAR:
        return "singular";
    case TD_ERROR_BRANCH:
        return "branch";
    default:
        return "error";
    }
}

static void csv_number_or_nothing(csv_line *line, double x)
{
    csv_cell(line, isnan(x) ? "" : number_exact(x).text);
}

static void print_csv(const sweep *w)
{
    const char *const *names = w->tree.name[QUANTITY_Q];
    size_t nq = w->tree.size[QUANTITY_Q];
    csv_line line = {false, NULL};
    csv_headings(&line, "q", names + w->in_q, 1);
    for (size_t k = 0; k < nq; k++) {
        csv_headings(&line, "q", names + k, k == w->in_q ? 0 : 1);
    }
    csv_cell(&line, "status");
    csv_cell(&line, "residual");
    csv_cell(&line, "smallest");
    csv_cell(&line, "condition");
    csv_end(&line);
    for (size_t i = 0; i < w->count; i++) {
        const sweep_row *row = &w->row[i];
        csv_numbers(&line, &row->q[w->in_q], 1);
        for (size_t k = 0; k < nq; k++) {
            if (row->status != TD_OK && w->dependent[k]) {
                csv_cell(&line, "");
            } else {
                csv_numbers(&line, &row->q[k], k == w->in_q ? 0 : 1);
            }
        }
        csv_cell(&line, row_text(row->status));
        csv_number_or_nothing(&line, row->residual);
        csv_number_or_nothing(&line, row->smallest);
        csv_number_or_nothing(&line, row->condition);
        csv_end(&line);
    }
}

static void print_json(const sweep *w)
{
    cJSON *root = coordinates_json_root(&w->tree);
    cJSON_AddItemToObject(root, "sweep", json_text(w->tree.name[QUANTITY_Q][w->in_q]));
    cJSON *states = cJSON_AddArrayToObject(root, "states");
    for (size_t i = 0; i < w->count; i++) {
        sweep_row *row = &w->row[i];
        cJSON *item = cJSON_CreateObject();
        for (size_t k = 0; row->status != TD_OK && k < w->tree.size[QUANTITY_Q]; k++) {
            row->q[k] = w->dependent[k] ? (double)NAN : row->q[k];
        }
        coordinates_add_json(&w->tree, QUANTITY_Q, row->q, item);
        cJSON_AddItemToObject(item, "status", json_text(row_text(row->status)));
        cJSON_AddItemToObject(item, "residual", json_number(row->residual));
        cJSON_AddItemToObject(item, "smallest", json_number(row->smallest));
        cJSON_AddItemToObject(item, "condition", json_number(row->condition));
        cJSON_AddItemToArray(states, item);
    }
    json_print(root, true);
}

/* Reports how many rows have no closure, and the loop. Returns whether there are such rows. */
static bool report_gaps(const sweep *w)
{
    size_t open = 0;
    size_t loop = TD_NONE;
    for (size_t i = 0; i < w->count; i++) {
        bool failed = w->row[i].status != TD_OK;
        loop = failed && open == 0 ? w->row[i].loop : loop;
        open += failed;
    }
    if (open > 0) {
        complain(
            "%zu of %s %s no closure on this branch%s%s%s", open, counted(w->count, "row").text,
            open == 1 ? "has" : "have", loop != TD_NONE ? ": loop '" : "",
            loop != TD_NONE ? td_loop_at(w->s->model, loop)->name : "", loop != TD_NONE ? "'" : "");
    }
    return open > 0;
}

int closure_sweep(const session *s, const coordinates *independent, const double *y,
                  const sweep_options *options, const tool_options *common)
{
    sweep w = {.s = s, .independent = independent, .tree = coordinates_new(s->model, true)};
    w.y = allocate(td_ny(s->model), sizeof *w.y);
    w.dependent = allocate(td_nq(s->model), sizeof *w.dependent);
    memcpy(w.y, y, td_ny(s->model) * sizeof *y);
    int code = EXIT_USAGE;
    closure_state start = {.q = NULL};
    if (find_swept(&w, options->joint) && find_range(&w, options, &common->columns)) {
        td_status status = closure_state_at(s, y, &start);
        if (status != TD_OK) {
            code = session_complain(s, "at the start of the sweep", status);
        } else {
            w.count = (options->steps > 0 ? options->steps : (size_t)SWEEP_STEPS) + 1;
            w.row = allocate(w.count, sizeof *w.row);
            mark_dependent(&w);
            td_closure_start(s->model, s->workspace, start.q);
            compute(&w, start.q);
            (common->json ? print_json : print_csv)(&w);
            code = report_gaps(&w) ? EXIT_NEGATIVE : EXIT_GOOD;
        }
    }
    for (size_t i = 0; i < w.count; i++) {
        free(w.row[i].q);
    }
    closure_state_free(&start);
    free(w.row);
    free(w.y);
    free(w.dependent);
    coordinates_free(&w.tree);
    return code;
}
