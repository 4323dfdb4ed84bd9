/* SPDX-License-Identifier: MIT */
/*
 * Converts a recording to functions of time, see recording.h. Velocities and accelerations without
 * columns are derivatives of a spline.
 */
#include <stdlib.h>
#include <string.h>

#include "commands/recording.h"
#include "text.h"

/* A spline of degree 5 needs six rows. */
enum { LEAST_ROWS = 6 };

/* Computes a coordinate's velocity and acceleration by a spline of degree 5 if none are recorded.
 */
static td_status differentiate(motion_table *t, size_t q, size_t qd)
{
    scoped double *x = allocate(t->rows, sizeof *x);
    td_trajectory *spline = NULL;
    const size_t ny = t->c->size[QUANTITY_Q], nyd = t->c->size[QUANTITY_QD];
    for (size_t i = 0; i < t->rows; i++) {
        x[i] = t->value[QUANTITY_Q][i * ny + q];
    }
    td_status status =
        td_trajectory_spline(t->rows, 1, t->time, x, 5, TD_SPLINE_NOT_A_KNOT, NULL, NULL, &spline);
    for (size_t i = 0; i < t->rows && status == TD_OK; i++) {
        status =
            td_trajectory_evaluate(spline, t->time[i], NULL, &t->value[QUANTITY_QD][i * nyd + qd],
                                   &t->value[QUANTITY_QDD][i * nyd + qd]);
    }
    td_trajectory_free(spline);
    t->has[QUANTITY_QD][qd] = t->has[QUANTITY_QDD][qd] = true;
    return status;
}

static td_status differentiate_all(motion_table *t)
{
    td_status status = TD_OK;
    for (size_t i = 0; i < t->c->joints && t->rows >= LEAST_ROWS; i++) {
        const size_t joint = (size_t)t->c->joint[i];
        const size_t q = coordinates_position(t->c, joint), qd = coordinates_velocity(t->c, joint);
        const size_t count = coordinates_count(t->c, QUANTITY_QD, joint);
        if (has_quaternion(t->c->model, joint)) {
            continue;
        }
        for (size_t k = 0; k < count && status == TD_OK; k++) {
            if (t->has[QUANTITY_Q][q + k] && !t->has[QUANTITY_QD][qd + k] &&
                !t->has[QUANTITY_QDD][qd + k]) {
                status = differentiate(t, q + k, qd + k);
            }
        }
    }
    return status;
}

/* Returns the channels as a table of states. */
static motion_table table_of(const recording *r)
{
    motion_table t = {.c = r->c, .name = r->name, .rows = r->rows, .has_time = true};
    t.time = allocate(r->rows, sizeof *t.time);
    t.line = allocate(r->rows, sizeof *t.line);
    memcpy(t.time, r->t, r->rows * sizeof *t.time);
    for (enum quantity quantity = QUANTITY_Q; quantity <= QUANTITY_QDD; quantity++) {
        const size_t size = r->c->size[quantity];
        t.value[quantity] = allocate(r->rows * size, sizeof(double));
        t.has[quantity] = allocate(size, sizeof(bool));
    }
    for (size_t k = 0; k < r->channels; k++) {
        const channel *c = &r->channel[k];
        if (c->follower) {
            continue;
        }
        const size_t size = r->c->size[c->quantity];
        t.has[c->quantity][c->index] = true;
        for (size_t i = 0; i < r->rows; i++) {
            t.value[c->quantity][i * size + c->index] = c->x[i];
        }
    }
    return t;
}

bool recorded_states(const recording *r, bool cubic, motion_curve *curve)
{
    motion_table table = table_of(r);
    const td_status status = cubic ? TD_OK : differentiate_all(&table);
    if (status != TD_OK) {
        complain("%s: %s", r->name, td_status_text(status));
    }
    const bool good = status == TD_OK && motion_curve_new(curve, &table);
    motion_table_free(&table);
    return good;
}

size_t recorded_velocity(const recording *r, const channel *c)
{
    if (c->quantity != QUANTITY_Q) {
        return c->index;
    }
    for (size_t i = 0; i < r->c->joints; i++) {
        const size_t joint = (size_t)r->c->joint[i];
        const size_t q = coordinates_position(r->c, joint);
        if (c->index >= q && c->index < q + coordinates_count(r->c, QUANTITY_Q, joint)) {
            return coordinates_velocity(r->c, joint) + c->index - q;
        }
    }
    return 0;
}

static bool has_column(const recording *r, const channel *like, enum quantity quantity)
{
    for (size_t k = 0; k < r->channels; k++) {
        const channel *c = &r->channel[k];
        if (!c->follower && c->quantity == quantity &&
            recorded_velocity(r, c) == recorded_velocity(r, like)) {
            return true;
        }
    }
    return false;
}

int recorded_order(const recording *r, const channel *c, enum quantity quantity)
{
    if (c->follower || quantity < c->quantity) {
        return -1;
    }
    /* a velocity comes from its own column if there is one, an acceleration from the column of the
       highest derivative */
    for (enum quantity nearer = c->quantity + 1; nearer <= quantity; nearer++) {
        if (has_column(r, c, nearer)) {
            return -1;
        }
    }
    return (int)quantity - (int)c->quantity;
}

int recorded_degree(const recording *r, const channel *c, bool cubic)
{
    const bool alone = c->quantity == QUANTITY_Q && !has_column(r, c, QUANTITY_QD) &&
                       !has_column(r, c, QUANTITY_QDD);
    return !cubic && alone && r->rows >= LEAST_ROWS ? 5 : 3;
}
