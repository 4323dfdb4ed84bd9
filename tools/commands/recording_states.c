/* SPDX-License-Identifier: MIT */
/*
 * Converts a recording to functions of time, see recording.h. Velocities and accelerations without
 * columns are derivatives of a spline.
 */
#include <stdlib.h>
#include <string.h>

#include "commands/recording.h"
#include "input/quaternions.h"
#include "text.h"

/* Returns the channels as a table of states. rest: positions of joints without a column. */
static motion_table table_of(const recording *r, const double *rest)
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
    const size_t ny = r->c->size[QUANTITY_Q];
    for (size_t k = 0; k < r->channels; k++) {
        const channel *c = &r->channel[k];
        t.has[c->quantity][c->index] = t.has[c->quantity][c->index] || !c->follower;
    }
    scoped double *position = allocate(ny, sizeof *position);
    memcpy(position, rest, ny * sizeof *position);
    complete_quaternions(r->c, t.has[QUANTITY_Q], position);
    for (size_t i = 0; i < r->rows; i++) {
        memcpy(t.value[QUANTITY_Q] + i * ny, position, ny * sizeof *position);
    }
    for (size_t k = 0; k < r->channels; k++) {
        const channel *c = &r->channel[k];
        if (c->follower) {
            continue;
        }
        const size_t size = r->c->size[c->quantity];
        for (size_t i = 0; i < r->rows; i++) {
            t.value[c->quantity][i * size + c->index] = c->x[i];
        }
    }
    for (size_t i = 0; i < r->rows; i++) {
        td_normalize(r->c->model, TD_COORDINATES_INDEPENDENT, t.value[QUANTITY_Q] + i * ny);
    }
    return t;
}

bool recorded_states(const recording *r, bool cubic, const double *rest, motion_curve *curve)
{
    motion_table table = table_of(r, rest);
    const bool good = motion_curve_new(curve, &table, cubic ? 3 : 5);
    motion_table_free(&table);
    return good;
}

size_t recorded_velocity(const recording *r, const channel *c)
{
    const size_t joint = recording_joint(r, c);
    return c->quantity != QUANTITY_Q
               ? c->index
               : coordinates_velocity(r->c, joint) + c->index - coordinates_position(r->c, joint);
}

/* Returns whether another column has a quantity of the same coordinate, or, if it belongs to a
   joint with a quaternion, of the same joint. */
static bool has_column(const recording *r, const channel *like, enum quantity quantity)
{
    const size_t joint = recording_joint(r, like);
    for (size_t k = 0; k < r->channels; k++) {
        const channel *c = &r->channel[k];
        if (!c->follower && c->quantity == quantity && recording_joint(r, c) == joint &&
            (has_quaternion(r->c->model, joint) ||
             recorded_velocity(r, c) == recorded_velocity(r, like))) {
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

/* A spline of degree 5 needs six rows. */
enum { LEAST_ROWS = 6 };

int recorded_degree(const recording *r, const channel *c, bool cubic)
{
    const bool alone = c->quantity == QUANTITY_Q && !has_column(r, c, QUANTITY_QD) &&
                       !has_column(r, c, QUANTITY_QDD);
    return !cubic && alone && r->rows >= LEAST_ROWS ? 5 : 3;
}
