/* SPDX-License-Identifier: MIT */
/*
 * tandem complete: computes all joints from measured ones.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input/coordinates.h"
#include "input/state_table.h"
#include "input/table_input.h"
#include "input/value.h"
#include "output/coordinates_json.h"
#include "output/limit_watch.h"
#include "output/table_writer.h"
#include "run.h"
#include "text.h"

typedef struct complete_options {
    tool_options common;
    double tolerance;
    const value_unit *unit; /* of the tolerance; NULL: none */
} complete_options;

static void read_tolerance(const command_option *o, char *text, command_line *line)
{
    complete_options *options = line->options;
    (void)o;
    if (!value_parse(text, &options->tolerance, &options->unit) || !(options->tolerance > 0) ||
        (options->unit != NULL && options->unit->order != 0)) {
        option_error(line,
                     "--tolerance must be a number above zero, optionally in %s or in %s, not '%s'",
                     unit_words_of(UNIT_TURN, 0), unit_words_of(UNIT_SLIDE, 0), text);
    }
}

static const command_option command_rows[] = {
    {"tolerance", "VALUE", "Accept this error of measured joints (default 1e-3 rad or m)",
     read_tolerance, .at = 0},
    {0},
};
static const option_argument arguments[] = {
    {"MEASURED", offsetof(complete_options, common.states),
     "the table MEASURED is missing ('-' is standard input)", .takes = NULL},
    {0},
};
const option_set options_of_complete = {
    .rows = command_rows,
    .usage = "FILE MEASURED",
    .arguments = arguments,
    .about =
        "Compute the positions and velocities of all joints from measured joints, which may be "
        "dependent ones. MEASURED is a CSV table ('-' is standard input) with columns q:JOINT, and "
        "optionally qd:JOINT, for any joints that determine the others. The result has columns for "
        "all "
        "joints of the tree. Redundant measurements must agree within the tolerance; rows that do "
        "not "
        "are filled with NaN.\vExample:\n  tandem complete robot.urdf encoders.csv -o joints.csv",
    .parts = {&model_set, &table_set}};

typedef struct measuring {
    const session *s;
    const tool_options *options;
    double tolerance;
    const value_unit *unit;    /* of the tolerance; NULL: none */
    coordinates c;             /* of the tree */
    td_completion *completion; /* NULL before the heading */
    size_t count;              /* number of measured joints */
    size_t *q, *qd;            /* indices into q and q̇; nv: velocity is not measured */
    double *position, *velocity, *out;
    bool moving; /* velocities are measured */
    table_writer table;
    limit_watch limits;
    size_t written; /* states written as JSON */
    bool started;
} measuring;

/* ---- measured joints ------------------------------------------------------------------------- */

/* Returns the index of the velocity of a position. In poses, the entries are paired by order, with
   ω before v. Returns nv for the last entry of a quaternion. */
static size_t velocity_beside(const measuring *m, size_t q)
{
    const size_t joint = coordinates_owner(&m->c, QUANTITY_Q, q);
    const td_joint_place place = td_joint_place_at(m->s->model, joint);
    const td_joint_kind *kind = td_joint_kind_of(td_joint_at(m->s->model, joint)->type);
    const size_t k = q - place.q;
    if (kind->quaternion == TD_NONE) {
        return place.qd + k;
    }
    const size_t v = k < kind->quaternion ? 3 + k : k - kind->quaternion;
    return k == kind->quaternion + 3 ? m->c.size[QUANTITY_QD] : place.qd + v;
}

/* Rejects a tolerance with a unit that does not fit the measured position. */
static void check_unit(const measuring *m, size_t q)
{
    const char *fault = coordinates_unit_fault(&m->c, QUANTITY_Q, q, m->unit);
    if (fault != NULL) {
        refuse_usage("--tolerance: %s", fault);
    }
}

static bool read_heading(measuring *m, const state_batch *b)
{
    const size_t nq = m->c.size[QUANTITY_Q], nv = m->c.size[QUANTITY_QD];
    m->moving = b->given[QUANTITY_QD];
    for (size_t i = 0; i < nq; i++) {
        if (b->has[QUANTITY_Q][i]) {
            m->q[m->count] = i;
            m->qd[m->count++] = velocity_beside(m, i);
            check_unit(m, i);
        }
    }
    for (size_t i = 0; i < m->count && m->moving; i++) {
        if (m->qd[i] < nv && !b->has[QUANTITY_QD][m->qd[i]]) {
            complain("%s: no column 'qd:%s': give velocities for all measured joints or for none",
                     table_input_name(m->options->states), m->c.name[QUANTITY_QD][m->qd[i]]);
            return false;
        }
    }
    return true;
}

/* Prints "joint 'a', 'b' would have to be measured as well" and returns false. */
static bool refuse_missing(const measuring *m)
{
    char *list = text_format("%s", "");
    size_t joint;
    for (size_t i = 0; (joint = td_completion_missing(m->completion, i)) != TD_NONE; i++) {
        char *longer =
            text_format("%s%s'%s'", list, i > 0 ? ", " : "", td_joint_at(m->s->model, joint)->name);
        free(list);
        list = longer;
    }
    const bool none = *list == '\0';
    if (!none) {
        complain("%s: %s: %s must be measured as well", table_input_name(m->options->states),
                 td_status_text(TD_ERROR_UNDETERMINED), list);
    }
    free(list);
    return none;
}

static bool begin(measuring *m, const state_batch *b)
{
    if (!read_heading(m, b)) {
        return false;
    }
    scoped const char **names = allocate(m->count + 1, sizeof *names);
    for (size_t i = 0; i < m->count; i++) {
        names[i] = m->c.name[QUANTITY_Q][m->q[i]];
    }
    const td_status status =
        td_completion_new(m->s->model, names, m->count, m->tolerance, &m->completion);
    if (status != TD_OK) {
        complain("%s: %s", table_input_name(m->options->states),
                 status == TD_ERROR_ARGUMENT ? "measure all columns of a pose, or none"
                                             : td_status_text(status));
        return false;
    }
    if (!refuse_missing(m)) {
        return false;
    }
    if (!m->options->json) {
        return table_writer_start(&m->table, b);
    }
    json_list_begin(coordinates_json_root(&m->c), "states");
    m->started = true;
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void write_json(measuring *m, const state_batch *b, size_t i)
{
    cJSON *state = cJSON_CreateObject();
    const double *out = m->out;
    if (b->has_time) {
        cJSON_AddItemToObject(state, "t", json_number(b->time[i]));
    }
    for (enum quantity quantity = QUANTITY_Q; quantity <= QUANTITY_QD; quantity++) {
        coordinates_add_json(&m->c, quantity, out, state);
        out += m->c.size[quantity];
    }
    json_list_item(state, m->written++ == 0);
}

static void tell_failure(measuring *m, size_t row, td_status status, double residual)
{
    if (!table_writer_fails(&m->table)) {
        return;
    }
    if (status == TD_ERROR_MEASURED) {
        complain("row %zu: %s: the nearest configuration is off by %s, more than --tolerance %s",
                 row, td_status_text(status), number_brief(residual).text,
                 number_brief(m->tolerance).text);
    } else {
        complain("row %zu: %s", row, td_status_text(status));
    }
}

static void write_row(measuring *m, const state_batch *b, size_t i)
{
    const size_t nq = m->c.size[QUANTITY_Q], nv = m->c.size[QUANTITY_QD];
    const double *q = b->value[QUANTITY_Q] + i * nq, *qd = b->value[QUANTITY_QD] + i * nv;
    for (size_t k = 0; k < m->count; k++) {
        m->position[k] = q[m->q[k]];
        m->velocity[k] = m->qd[k] < nv ? qd[m->qd[k]] : 0;
    }
    double residual;
    const td_status status = td_complete(m->completion, m->position, m->moving ? m->velocity : NULL,
                                         m->out, m->out + nq, &residual);
    const size_t row = b->first_row + i;
    if (status == TD_OK) {
        limit_watch_look(&m->limits, m->out, (double)row);
    } else {
        tell_failure(m, row, status, residual);
    }
    if (m->options->json) {
        write_json(m, b, i);
    } else {
        table_writer_row(&m->table, b, i, m->out, m->table.count, NULL);
    }
}

static bool take(void *context, const state_batch *b)
{
    measuring *m = context;
    if (m->completion == NULL && !begin(m, b)) {
        return false;
    }
    for (size_t i = 0; i < b->rows; i++) {
        write_row(m, b, i);
    }
    return flush_output() == 0;
}

static int run(const session *s, void *context)
{
    const complete_options *own = context;
    const tool_options *options = &own->common;
    const size_t nq = td_nq(s->model), nv = td_nv(s->model);
    measuring m = {.s = s,
                   .options = options,
                   .tolerance = own->tolerance,
                   .unit = own->unit,
                   .c = coordinates_new(s->model, true),
                   .q = allocate(nq, sizeof *m.q),
                   .qd = allocate(nq, sizeof *m.qd),
                   .position = allocate(nq, sizeof(double)),
                   .velocity = allocate(nq, sizeof(double)),
                   .out = allocate(nq + nv, sizeof(double)),
                   .table = table_writer_new(s, options),
                   .limits = limit_watch_new(s->model, s->workspace, true)};
    table_writer_add(&m.table, "q", m.c.name[QUANTITY_Q], nq);
    table_writer_add(&m.table, "qd", m.c.name[QUANTITY_QD], nv);
    state_form read = {.read = {QUANTITY_Q, QUANTITY_QD}, .count = 2};
    table_writer_form(&m.table, &read);
    const bool good = state_table_read(&m.c, &read, options->states, take, &m);
    if (m.started) {
        json_list_end();
    }
    limit_watch_tell_rows(&m.limits);
    limit_watch_free(&m.limits);
    td_completion_free(m.completion);
    free(m.q);
    free(m.qd);
    free(m.position);
    free(m.velocity);
    free(m.out);
    coordinates_free(&m.c);
    return table_writer_end(&m.table, good);
}

int command_complete(int argc, char **argv)
{
    complete_options options = {.common = {.takes_states = true}, .tolerance = 1e-3};
    return run_session_needing(NEEDS_CONSTRAINTS, &options_of_complete, argc, argv, &options, run);
}
