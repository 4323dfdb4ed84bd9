/* SPDX-License-Identifier: MIT */
/*
 * Reads tables of motion; see motion_table.h.
 */
#include "input/motion_table.h"

#include <stdlib.h>
#include <string.h>

#include "../lib/recording/turns.h"
#include "input/table_input.h"
#include "text.h"

/* ---- table ----------------------------------------------------------------------------------- */

typedef struct collector {
    motion_table *table;
    const state_form *form;
    bool timed;
    size_t room;     /* rows */
    size_t wrenches; /* numbers per row; 0 without wrenches */
} collector;

static void make_room(collector *r, size_t rows)
{
    motion_table *t = r->table;
    if (rows <= r->room) {
        return;
    }
    r->room = 2 * rows;
    t->time = reallocate(t->time, r->room, sizeof *t->time);
    t->line = reallocate(t->line, r->room, sizeof *t->line);
    for (size_t i = 0; i < r->form->count; i++) {
        enum quantity quantity = r->form->read[i];
        t->value[quantity] = reallocate(t->value[quantity], r->room * t->c->size[quantity],
                                        sizeof *t->value[quantity]);
    }
    if (r->wrenches > 0) {
        t->wrench = reallocate(t->wrench, r->room * r->wrenches, sizeof *t->wrench);
    }
}

/* Reads the heading from the first batch. */
static bool take_heading(collector *r, const state_batch *b)
{
    motion_table *t = r->table;
    t->has_time = b->has_time;
    r->wrenches = b->wrench != NULL ? 6 * td_link_count(t->c->model) : 0;
    if (r->timed && !b->has_time) {
        complain("%s: column 't' is missing", t->name);
        return false;
    }
    for (size_t i = 0; i < r->form->count; i++) {
        enum quantity quantity = r->form->read[i];
        size_t size = t->c->size[quantity];
        t->has[quantity] = allocate(size, sizeof(bool));
        memcpy(t->has[quantity], b->has[quantity], size * sizeof(bool));
    }
    return true;
}

static bool take_batch(void *context, const state_batch *b)
{
    collector *r = context;
    motion_table *t = r->table;
    if (t->has[r->form->read[0]] == NULL && !take_heading(r, b)) {
        return false;
    }
    make_room(r, t->rows + b->rows);
    for (size_t i = 0; i < b->rows; i++, t->rows++) {
        size_t n = t->rows;
        t->time[n] = b->time[i];
        t->line[n] = b->line[i];
        if (t->has_time && n > 0 && t->time[n] <= t->time[n - 1]) {
            complain("%s:%zu: time %s is not after %s of line %zu", t->name, t->line[n],
                     number_exact(t->time[n]).text, number_exact(t->time[n - 1]).text,
                     t->line[n - 1]);
            return false;
        }
        for (size_t k = 0; k < r->form->count; k++) {
            enum quantity quantity = r->form->read[k];
            size_t size = t->c->size[quantity];
            memcpy(t->value[quantity] + n * size, b->value[quantity] + i * size,
                   size * sizeof(double));
        }
        if (r->wrenches > 0) {
            memcpy(t->wrench + n * r->wrenches, b->wrench + i * r->wrenches,
                   r->wrenches * sizeof(double));
        }
    }
    return true;
}

bool motion_table_read(motion_table *table, const coordinates *c, const state_form *form,
                       bool timed, const char *path)
{
    *table = (motion_table){.c = c, .name = table_input_name(path)};
    collector r = {table, form, timed, 0, 0};
    bool good = state_table_read(c, form, path, take_batch, &r);
    if (good && table->rows == 0) {
        complain("%s: the table has no rows", table->name);
        good = false;
    }
    if (!good) {
        motion_table_free(table);
        *table = (motion_table){0};
    }
    return good;
}

void motion_table_free(motion_table *table)
{
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        free(table->value[quantity]);
        free(table->has[quantity]);
    }
    free(table->wrench);
    free(table->time);
    free(table->line);
}

static void read_column(const motion_table *table, enum quantity quantity, size_t index,
                        double *column)
{
    for (size_t i = 0; i < table->rows; i++) {
        column[i] = table->value[quantity][i * table->c->size[quantity] + index];
    }
}

static void tell_turns(const motion_table *table, size_t q)
{
    enum { LEAST = 8, SELDOM = 4 };
    td_turns found = {0};
    scoped double *x = allocate(table->rows, sizeof *x);
    read_column(table, QUANTITY_Q, q, x);
    const bool good =
        table->rows >= LEAST && td_unwrap(table->rows, table->time, x, &found) == TD_OK;
    if (good && found.sure > 0 && SELDOM * found.sure < table->rows) {
        complain("%s:%zu: column 'q:%s' jumps by about a turn, and is followed as it is ('tandem "
                 "recording' removes such jumps)",
                 table->name, table->line[found.first_sure], table->c->name[QUANTITY_Q][q]);
    }
}

void motion_table_tell_turns(const motion_table *table)
{
    for (size_t q = 0; q < table->c->size[QUANTITY_Q]; q++) {
        if (table->has[QUANTITY_Q][q] && coordinates_domain(table->c, QUANTITY_Q, q) == UNIT_TURN) {
            tell_turns(table, q);
        }
    }
}

/* ---- curve ----------------------------------------------------------------------------------- */

/* Computes the derivatives, at the rows, of the spline through a column. second may be NULL. */
static td_status differentiate(const motion_table *table, const double *column, double *first,
                               double *second)
{
    size_t rows = table->rows;
    td_spline_kind kind = rows < 4 ? TD_SPLINE_CLAMPED : TD_SPLINE_NOT_A_KNOT;
    td_trajectory *spline = NULL;
    td_status status =
        td_trajectory_spline(rows, 1, table->time, column, 3, kind, NULL, NULL, &spline);
    for (size_t i = 0; i < rows && status == TD_OK; i++) {
        status =
            td_trajectory_evaluate(spline, table->time[i], NULL, first != NULL ? &first[i] : NULL,
                                   second != NULL ? &second[i] : NULL);
    }
    td_trajectory_free(spline);
    return status;
}

/* Writes position, velocity and acceleration of a coordinate into columns of length rows. Computes
   missing ones by splines. */
static td_status complete(const motion_table *table, size_t q, size_t qd, double *const column[3])
{
    bool has_velocity = table->has[QUANTITY_QD][qd];
    bool has_acceleration = table->has[QUANTITY_QDD][qd];
    td_status status = TD_OK;
    read_column(table, QUANTITY_Q, q, column[0]);
    if (has_velocity) {
        read_column(table, QUANTITY_QD, qd, column[1]);
    }
    if (has_acceleration) {
        read_column(table, QUANTITY_QDD, qd, column[2]);
    }
    if (!has_velocity) {
        status = differentiate(table, column[0], column[1], has_acceleration ? NULL : column[2]);
    } else if (!has_acceleration) {
        status = differentiate(table, column[1], column[2], NULL);
    }
    return status;
}

/* Lists the coordinates that have a position. Prints a message and returns false if one cannot be
   interpolated. */
static bool list_coordinates(motion_curve *m, const motion_table *table)
{
    const coordinates *c = table->c;
    bool good = true;
    for (size_t i = 0; i < c->joints && good; i++) {
        size_t joint = (size_t)c->joint[i];
        const td_joint *record = td_joint_at(c->model, joint);
        size_t q = coordinates_position(c, joint);
        size_t qd = coordinates_velocity(c, joint);
        size_t count = coordinates_count(c, QUANTITY_Q, joint);
        for (size_t k = 0; k < count && good; k++) {
            bool position = table->has[QUANTITY_Q][q + k];
            bool more = k < coordinates_count(c, QUANTITY_QD, joint) &&
                        (table->has[QUANTITY_QD][qd + k] || table->has[QUANTITY_QDD][qd + k]);
            if (has_quaternion(c->model, joint) && (position || more)) {
                complain("%s: '%s' is a %s joint, whose motion cannot be given by a table", m->name,
                         record->name, joint_type_text(record));
                good = false;
            } else if (more && !position) {
                complain("%s: column 'q:%s' is missing; its velocity or acceleration needs it",
                         m->name, c->name[QUANTITY_Q][q + k]);
                good = false;
            } else if (position) {
                m->q[m->n] = q + k;
                m->qd[m->n++] = qd + k;
            }
        }
    }
    if (good && m->n == 0) {
        complain("%s: a column q:JOINT is missing", m->name);
        good = false;
    }
    return good;
}

/* Builds the curve from values, velocities and accelerations at the rows, each rows × n. */
static td_status join(motion_curve *m, const motion_table *table)
{
    size_t rows = table->rows;
    double *points[3];
    double *column[3];
    td_status status = TD_OK;
    for (size_t d = 0; d < 3; d++) {
        points[d] = allocate(rows * m->n, sizeof(double));
        column[d] = allocate(rows, sizeof(double));
    }
    for (size_t j = 0; j < m->n && status == TD_OK; j++) {
        status = complete(table, m->q[j], m->qd[j], column);
        for (size_t i = 0; i < rows; i++) {
            for (size_t d = 0; d < 3; d++) {
                points[d][i * m->n + j] = column[d][i];
            }
        }
    }
    if (status == TD_OK) {
        status = td_trajectory_hermite(rows, m->n, table->time, points[0], points[1], points[2],
                                       &m->curve);
    }
    for (size_t d = 0; d < 3; d++) {
        free(points[d]);
        free(column[d]);
    }
    return status;
}

bool motion_curve_new(motion_curve *m, const motion_table *table)
{
    size_t most = table->c->size[QUANTITY_Q];
    *m = (motion_curve){.c = table->c, .name = table->name};
    m->q = allocate(most, sizeof *m->q);
    m->qd = allocate(most, sizeof *m->qd);
    m->room = allocate(3 * most, sizeof *m->room);
    bool good = list_coordinates(m, table);
    if (good && table->rows < 2) {
        complain("%s: a motion needs two rows", m->name);
        good = false;
    }
    td_status status = good ? join(m, table) : TD_OK;
    if (status != TD_OK) {
        complain("%s: %s", m->name, td_status_text(status));
        good = false;
    }
    if (!good) {
        motion_curve_free(m);
        *m = (motion_curve){0};
    }
    return good;
}

void motion_curve_free(motion_curve *m)
{
    td_trajectory_free(m->curve);
    free(m->q);
    free(m->qd);
    free(m->room);
}

void motion_curve_at(const motion_curve *m, double t, double *y, double *yd, double *ydd)
{
    double *at = m->room;
    if (m->n == 0) { /* the table moves no coordinate */
        return;
    }
    td_trajectory_evaluate(m->curve, t, at, at + m->n, at + 2 * m->n);
    for (size_t j = 0; j < m->n; j++) {
        if (y != NULL) {
            y[m->q[j]] = at[j];
        }
        if (yd != NULL) {
            yd[m->qd[j]] = at[m->n + j];
        }
        if (ydd != NULL) {
            ydd[m->qd[j]] = at[2 * m->n + j];
        }
    }
}

bool motion_curve_has(const motion_curve *m, size_t velocity)
{
    for (size_t j = 0; j < m->n; j++) {
        if (m->qd[j] == velocity) {
            return true;
        }
    }
    return false;
}
