/* SPDX-License-Identifier: MIT */
/*
 * Reads tables of motion; see motion_table.h.
 */
#include "input/motion_table.h"

#include <stdlib.h>
#include <string.h>

#include "../lib/recording/turns.h"
#include "base/coordinates.h"
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

static void align_rows(motion_table *t)
{
    const size_t size = t->c->size[QUANTITY_Q];
    for (size_t i = 1; i < t->rows && t->value[QUANTITY_Q] != NULL; i++) {
        double *row = t->value[QUANTITY_Q] + i * size;
        td_align_quaternions(t->c->model, coordinates_for(t->c->tree), row - size, row);
    }
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
    if (good) {
        align_rows(table);
    } else {
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
static td_status differentiate(const motion_table *table, const double *column, size_t degree,
                               double *first, double *second)
{
    enum { CUBIC_ROWS = 4, QUINTIC_ROWS = 6 };
    size_t rows = table->rows;
    td_spline_kind kind = rows < CUBIC_ROWS ? TD_SPLINE_CLAMPED : TD_SPLINE_NOT_A_KNOT;
    td_trajectory *spline = NULL;
    td_status status = td_trajectory_spline(
        rows, 1, table->time, column, rows < QUINTIC_ROWS ? 3 : degree, kind, NULL, NULL, &spline);
    for (size_t i = 0; i < rows && status == TD_OK; i++) {
        status =
            td_trajectory_evaluate(spline, table->time[i], NULL, first != NULL ? &first[i] : NULL,
                                   second != NULL ? &second[i] : NULL);
    }
    td_trajectory_free(spline);
    return status;
}

/* Values, first and second derivatives of the curve at the rows: rows × n each. */
typedef struct knots {
    motion_curve *m;
    const motion_table *table;
    size_t degree;
    double *point[3];
    double *column[3]; /* rows each */
} knots;

static void put_columns(const knots *k, size_t j)
{
    for (size_t i = 0; i < k->table->rows; i++) {
        for (size_t d = 0; d < 3; d++) {
            k->point[d][i * k->m->n + j] = k->column[d][i];
        }
    }
}

/* Completes a coordinate whose rate is its velocity: number j of the curve. */
static td_status complete(const knots *k, size_t j, size_t q, size_t qd)
{
    const motion_table *table = k->table;
    double *const *column = k->column;
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
        status = differentiate(table, column[0], has_acceleration ? 3 : k->degree, column[1],
                               has_acceleration ? NULL : column[2]);
    } else if (!has_acceleration) {
        status = differentiate(table, column[1], 3, column[2], NULL);
    }
    put_columns(k, j);
    return status;
}

/* Replaces the derivatives of a joint with a quaternion, numbers first to first + count − 1 of the
   curve, by those that its columns of velocities and accelerations give. */
static td_status use_velocities(const knots *k, size_t joint, size_t first, size_t count)
{
    const motion_table *table = k->table;
    motion_curve *m = k->m;
    const coordinates *c = table->c;
    const td_coordinates space = coordinates_for(c->tree);
    const size_t qd = coordinates_velocity(c, joint);
    const size_t velocities = coordinates_count(c, QUANTITY_QD, joint), nv = c->size[QUANTITY_QD];
    const bool has[] = {table->has[QUANTITY_QD][qd], table->has[QUANTITY_QDD][qd]};
    scoped double *change = allocate(table->rows * velocities, sizeof *change);
    td_status status = TD_OK;
    for (size_t v = 0; v < velocities && has[0] && !has[1] && status == TD_OK; v++) {
        read_column(table, QUANTITY_QD, qd + v, k->column[0]);
        status = differentiate(table, k->column[0], 3, change + v * table->rows, NULL);
    }
    for (size_t i = 0; i < table->rows && status == TD_OK; i++) {
        for (size_t d = 0; d < 3; d++) {
            for (size_t j = first; j < first + count; j++) {
                m->number[d][m->q[j]] = k->point[d][i * m->n + j];
            }
        }
        td_rates_to_velocities(c->model, space, m->number[0], m->number[1], m->number[2],
                               m->velocity[0], m->velocity[1]);
        for (size_t v = 0; v < velocities; v++) {
            const size_t at = i * nv + qd + v;
            if (has[0]) {
                m->velocity[0][qd + v] = table->value[QUANTITY_QD][at];
                m->velocity[1][qd + v] = change[v * table->rows + i];
            }
            if (has[1]) {
                m->velocity[1][qd + v] = table->value[QUANTITY_QDD][at];
            }
        }
        td_velocities_to_rates(c->model, space, m->number[0], m->velocity[0], m->velocity[1],
                               m->number[1], m->number[2]);
        for (size_t d = 1; d < 3; d++) {
            for (size_t j = first; j < first + count; j++) {
                k->point[d][i * m->n + j] = m->number[d][m->q[j]];
            }
        }
    }
    return status;
}

/* Completes a joint with a quaternion. */
static td_status complete_pose(const knots *k, size_t joint, size_t first)
{
    const motion_table *table = k->table;
    const size_t q = coordinates_position(table->c, joint);
    const size_t qd = coordinates_velocity(table->c, joint);
    const size_t count = coordinates_count(table->c, QUANTITY_Q, joint);
    const bool more = table->has[QUANTITY_QD][qd] || table->has[QUANTITY_QDD][qd];
    td_status status = TD_OK;
    for (size_t i = 0; i < count && status == TD_OK; i++) {
        read_column(table, QUANTITY_Q, q + i, k->column[0]);
        status = differentiate(table, k->column[0], k->degree, k->column[1], k->column[2]);
        put_columns(k, first + i);
    }
    return status == TD_OK && more ? use_velocities(k, joint, first, count) : status;
}

/* Counts the columns of a joint's quantity. */
static size_t columns_of(const motion_table *table, enum quantity quantity, size_t joint)
{
    const size_t first = quantity == QUANTITY_Q ? coordinates_position(table->c, joint)
                                                : coordinates_velocity(table->c, joint);
    size_t found = 0;
    for (size_t k = 0; k < coordinates_count(table->c, quantity, joint); k++) {
        found += table->has[quantity][first + k] ? 1 : 0;
    }
    return found;
}

static void add_coordinate(motion_curve *m, size_t q)
{
    m->q[m->n++] = q;
}

static void add_velocity(motion_curve *m, size_t qd)
{
    m->qd[m->velocities++] = qd;
}

/* Lists all coordinates of a joint with a quaternion if it has a column. */
static bool list_pose(motion_curve *m, const motion_table *table, size_t joint)
{
    const coordinates *c = table->c;
    const char *name = td_joint_at(c->model, joint)->name;
    const size_t q = coordinates_position(c, joint), qd = coordinates_velocity(c, joint);
    const size_t all = coordinates_count(c, QUANTITY_QD, joint);
    const size_t velocities = columns_of(table, QUANTITY_QD, joint);
    const size_t accelerations = columns_of(table, QUANTITY_QDD, joint);
    if (columns_of(table, QUANTITY_Q, joint) == 0) {
        if (velocities + accelerations > 0) {
            complain("%s: '%s' has columns of %s, which need its positions, columns 'q:%s' and so "
                     "on",
                     m->name, name, velocities > 0 ? "velocities" : "accelerations",
                     c->name[QUANTITY_Q][q]);
        }
        return velocities + accelerations == 0;
    }
    if (velocities % all != 0 || accelerations % all != 0) {
        complain("%s: '%s' has columns of some %s but not of all %zu", m->name, name,
                 velocities % all != 0 ? "velocities" : "accelerations", all);
        return false;
    }
    for (size_t k = 0; k < coordinates_count(c, QUANTITY_Q, joint); k++) {
        add_coordinate(m, q + k);
    }
    for (size_t k = 0; k < all; k++) {
        add_velocity(m, qd + k);
    }
    return true;
}

/* Lists the coordinates of a joint that have a position. */
static bool list_plain(motion_curve *m, const motion_table *table, size_t joint)
{
    const coordinates *c = table->c;
    const size_t q = coordinates_position(c, joint), qd = coordinates_velocity(c, joint);
    for (size_t k = 0; k < coordinates_count(c, QUANTITY_Q, joint); k++) {
        bool position = table->has[QUANTITY_Q][q + k];
        if (!position && (table->has[QUANTITY_QD][qd + k] || table->has[QUANTITY_QDD][qd + k])) {
            complain("%s: column 'q:%s' is missing; its velocity or acceleration needs it", m->name,
                     c->name[QUANTITY_Q][q + k]);
            return false;
        }
        if (position) {
            add_coordinate(m, q + k);
            add_velocity(m, qd + k);
        }
    }
    return true;
}

/* Lists the coordinates of the curve. Prints a message and returns false if one cannot be
   interpolated. */
static bool list_coordinates(motion_curve *m, const motion_table *table)
{
    bool good = true;
    for (size_t i = 0; i < table->c->joints && good; i++) {
        const size_t joint = (size_t)table->c->joint[i];
        good = has_quaternion(table->c->model, joint) ? list_pose(m, table, joint)
                                                      : list_plain(m, table, joint);
    }
    if (good && m->n == 0) {
        complain("%s: a column q:JOINT is missing", m->name);
        good = false;
    }
    return good;
}

/* Builds the curve from values, velocities and accelerations at the rows. */
static td_status join(motion_curve *m, const motion_table *table, size_t degree)
{
    const coordinates *c = table->c;
    knots k = {.m = m, .table = table, .degree = degree};
    td_status status = TD_OK;
    for (size_t d = 0; d < 3; d++) {
        k.point[d] = allocate(table->rows * m->n, sizeof(double));
        k.column[d] = allocate(table->rows, sizeof(double));
    }
    for (size_t j = 0, v = 0; j < m->n && status == TD_OK;) {
        const size_t joint = coordinates_owner(c, QUANTITY_Q, m->q[j]);
        if (has_quaternion(c->model, joint)) {
            status = complete_pose(&k, joint, j);
            j += coordinates_count(c, QUANTITY_Q, joint);
            v += coordinates_count(c, QUANTITY_QD, joint);
        } else {
            status = complete(&k, j, m->q[j], m->qd[v]);
            j++;
            v++;
        }
    }
    if (status == TD_OK) {
        status = td_trajectory_hermite(table->rows, m->n, table->time, k.point[0], k.point[1],
                                       k.point[2], &m->curve);
    }
    for (size_t d = 0; d < 3; d++) {
        free(k.point[d]);
        free(k.column[d]);
    }
    return status;
}

bool motion_curve_new(motion_curve *m, const motion_table *table, size_t degree)
{
    const coordinates *c = table->c;
    const size_t most = c->size[QUANTITY_Q], velocities = c->size[QUANTITY_QD];
    *m = (motion_curve){.c = c, .name = table->name};
    m->q = allocate(most, sizeof *m->q);
    m->qd = allocate(velocities, sizeof *m->qd);
    m->all = allocate(3 * most, sizeof *m->all);
    for (size_t d = 0; d < 3; d++) {
        m->number[d] = allocate(most, sizeof(double));
    }
    for (size_t d = 0; d < 2; d++) {
        m->velocity[d] = allocate(velocities, sizeof(double));
    }
    td_neutral(c->model, coordinates_for(c->tree), m->number[0]);
    bool good = list_coordinates(m, table);
    if (good && table->rows < 2) {
        complain("%s: a motion needs two rows", m->name);
        good = false;
    }
    td_status status = good ? join(m, table, degree) : TD_OK;
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
    for (size_t d = 0; d < 3; d++) {
        free(m->number[d]);
    }
    free(m->velocity[0]);
    free(m->velocity[1]);
    free(m->all);
    free(m->q);
    free(m->qd);
}

void motion_curve_at(const motion_curve *m, double t, double *y, double *yd, double *ydd)
{
    if (m->n == 0) { /* the table moves no coordinate */
        return;
    }
    const td_coordinates space = coordinates_for(m->c->tree);
    double *const *numbers = m->number;
    td_trajectory_evaluate(m->curve, t, m->all, m->all + m->n, m->all + 2 * m->n);
    for (size_t j = 0; j < m->n; j++) {
        for (size_t d = 0; d < 3; d++) {
            numbers[d][m->q[j]] = m->all[d * m->n + j];
        }
    }
    td_rates_to_velocities(m->c->model, space, numbers[0], numbers[1], numbers[2], m->velocity[0],
                           m->velocity[1]);
    td_normalize(m->c->model, space, numbers[0]);
    for (size_t j = 0; j < m->n && y != NULL; j++) {
        y[m->q[j]] = numbers[0][m->q[j]];
    }
    for (size_t j = 0; j < m->velocities; j++) {
        const size_t qd = m->qd[j];
        if (yd != NULL) {
            yd[qd] = m->velocity[0][qd];
        }
        if (ydd != NULL) {
            ydd[qd] = m->velocity[1][qd];
        }
    }
}

bool motion_curve_has(const motion_curve *m, size_t velocity)
{
    for (size_t j = 0; j < m->velocities; j++) {
        if (m->qd[j] == velocity) {
            return true;
        }
    }
    return false;
}
