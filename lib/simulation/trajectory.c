/* SPDX-License-Identifier: MIT */
/*
 * Trajectory objects: memory, values at a time, and duration.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/pose_motion.h"
#include "trajectory_inside.h"

static void trajectory_take(td_trajectory *t, td_stack *stack)
{
    t->begin = td_take(stack, double, t->pieces + 1);
    t->coefficient = td_take(stack, double, t->pieces * t->n * (t->degree + 1));
}

td_trajectory *td_trajectory_new(size_t n, size_t pieces, size_t degree)
{
    const size_t most = SIZE_MAX / 16 / sizeof(double);
    if (n > most / (degree + 1) || pieces + 1 > most / (n * (degree + 1)))
        return NULL;
    td_trajectory *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->n = n;
    t->pieces = pieces;
    t->degree = degree;
    if (td_take_twice(&t->stack, trajectory_take(t, &t->stack)))
        return t;
    td_trajectory_free(t);
    return NULL;
}

void td_trajectory_free(td_trajectory *t)
{
    if (!t)
        return;
    td_stack_end(&t->stack);
    free(t->arc);
    free(t);
}

/* ---- values ---------------------------------------------------------------------------------- */

size_t td_interval_at(size_t low, size_t high, const double *begin, double t)
{
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (begin[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Computes a polynomial and its first two derivatives by Horner's rule. */
static void polynomial(size_t degree, const double *c, double x, double out[3])
{
    double value = 0, first = 0, half_second = 0;
    for (size_t k = degree + 1; k-- > 0;) {
        half_second = half_second * x + first;
        first = first * x + value;
        value = value * x + c[k];
    }
    out[0] = value;
    out[1] = first;
    out[2] = 2 * half_second;
}

static void cycloid(const double *c, double x, double duration, double out[3])
{
    const double turn = 2 * acos(-1), s = x / duration;
    out[0] = c[0] + c[1] * (s - sin(turn * s) / turn);
    out[1] = c[1] * (1 - cos(turn * s)) / duration;
    out[2] = c[1] * turn * sin(turn * s) / (duration * duration);
}

/* A time within a trajectory. */
typedef struct moment {
    size_t piece;
    double since;    /* s, since the piece began */
    double duration; /* of the whole trajectory */
    bool moving;     /* false: rests before its start or after its end */
} moment;

static moment moment_at(const td_trajectory *trajectory, double t)
{
    const double begin = trajectory->begin[0], end = trajectory->begin[trajectory->pieces];
    const double at = fmin(fmax(t, begin), end);
    const size_t piece = td_interval_at(0, trajectory->pieces, trajectory->begin, at);
    return (moment){piece, at - trajectory->begin[piece], end - begin, t >= begin && t <= end};
}

/* Computes number j, or the angle of the arc that begins there, with two derivatives. */
static void number_at(const td_trajectory *t, const moment *m, size_t j, double out[3])
{
    if (t->cycloid)
        cycloid(td_piece(t, m->piece, j), m->since, m->duration, out);
    else
        polynomial(t->degree, td_piece(t, m->piece, j), m->since, out);
    for (int d = 1; d < 3 && !m->moving; d++)
        out[d] = 0;
}

static void arc_at(const td_arc *arc, const double angle[3], double out[4][3])
{
    const double c = cos(angle[0]), s = sin(angle[0]);
    for (int k = 0; k < 4; k++) {
        const double value = c * arc->a[k] + s * arc->b[k], along = c * arc->b[k] - s * arc->a[k];
        out[k][0] = value;
        out[k][1] = angle[1] * along;
        out[k][2] = angle[2] * along - angle[1] * angle[1] * value;
    }
}

/* Returns the arc that begins at number j or later; NULL without one. */
static const td_arc *next_arc(const td_trajectory *t, size_t j)
{
    size_t low = 0, high = t->arcs;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (t->arc[middle].at < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->arcs ? &t->arc[low] : NULL;
}

enum { MOST = 7 }; /* numbers of a joint */

/* Computes the numbers first to first + count − 1, which have all numbers of an arc or none. */
static void numbers_at(const td_trajectory *t, const moment *m, size_t first, size_t count,
                       double out[MOST][3])
{
    const td_arc *arc = next_arc(t, first);
    for (size_t k = 0; k < count;) {
        number_at(t, m, first + k, out[k]);
        if (arc && arc->at == first + k) {
            const double angle[3] = {out[k][0], out[k][1], out[k][2]};
            arc_at(arc, angle, out + k);
            arc = arc + 1 < t->arc + t->arcs ? arc + 1 : NULL;
            k += 4;
        } else {
            k++;
        }
    }
}

td_status td_trajectory_evaluate(const td_trajectory *trajectory, double t, double *y, double *yd,
                                 double *ydd)
{
    if (!trajectory)
        return TD_ERROR_ARGUMENT;
    if (isnan(t))
        return TD_ERROR_NOT_FINITE;
    const moment m = moment_at(trajectory, t);
    double *const to[3] = {y, yd, ydd};
    const td_arc *arc = trajectory->arc;
    for (size_t j = 0; j < trajectory->n;) {
        const bool turns = arc && arc < trajectory->arc + trajectory->arcs && arc->at == j;
        const size_t count = turns ? 4 : 1;
        double out[MOST][3];
        numbers_at(trajectory, &m, j, count, out);
        arc += turns;
        for (size_t k = 0; k < count; k++, j++)
            for (int d = 0; d < 3; d++)
                if (to[d])
                    to[d][j] = out[k][d];
    }
    return TD_OK;
}

/* ---- arcs ------------------------------------------------------------------------------------ */

/* Finds the great circle from one quaternion to the nearer sign of another. Returns the angle
   between them; NaN if one has no length. */
static double find_arc(const double from[4], const double to[4], td_arc *arc)
{
    double length[2] = {0, 0}, c = 0, s = 0;
    for (int k = 0; k < 4; k++) {
        length[0] = hypot(length[0], from[k]);
        length[1] = hypot(length[1], to[k]);
    }
    for (int k = 0; k < 4; k++) {
        arc->a[k] = from[k] / length[0];
        c += arc->a[k] * (to[k] / length[1]);
    }
    for (int k = 0; k < 4; k++) {
        const double end = c < 0 ? -to[k] / length[1] : to[k] / length[1];
        arc->b[k] = end - fabs(c) * arc->a[k];
        s = hypot(s, arc->b[k]);
    }
    for (int k = 0; k < 4 && s > 0; k++)
        arc->b[k] /= s;
    return atan2(s, fabs(c));
}

td_status td_trajectory_turn(td_trajectory *t, size_t at)
{
    if (!t || !t->straight || t->n < 4 || at > t->n - 4)
        return TD_ERROR_ARGUMENT;
    const td_arc *next = next_arc(t, at > 3 ? at - 3 : 0);
    if (next && next->at < at + 4)
        return TD_ERROR_ARGUMENT;
    const moment begin = moment_at(t, t->begin[0]), end = moment_at(t, t->begin[t->pieces]);
    double from[4], to[4], out[3];
    size_t widest = 0;
    for (size_t k = 0; k < 4; k++) {
        number_at(t, &begin, at + k, out);
        from[k] = out[0];
        number_at(t, &end, at + k, out);
        to[k] = out[0];
        widest = fabs(to[k] - from[k]) > fabs(to[widest] - from[widest]) ? k : widest;
    }
    td_arc arc = {.at = at};
    const double angle = find_arc(from, to, &arc), way = to[widest] - from[widest];
    if (isnan(angle))
        return TD_ERROR_QUATERNION;
    td_arc *arcs = realloc(t->arc, (t->arcs + 1) * sizeof *arcs);
    if (!arcs)
        return TD_ERROR_MEMORY;
    t->arc = arcs;
    size_t place = t->arcs++;
    for (; place > 0 && arcs[place - 1].at > at; place--)
        arcs[place] = arcs[place - 1];
    arcs[place] = arc;
    for (size_t piece = 0; piece < t->pieces; piece++) {
        double *of = td_piece(t, piece, at), *line = td_piece(t, piece, at + widest);
        for (size_t k = 0; k <= t->degree; k++)
            of[k] = way == 0 ? 0 : (line[k] - (k == 0 ? from[widest] : 0)) / way * angle;
    }
    return TD_OK;
}

/* ---- motion of a robot ----------------------------------------------------------------------- */

/* Writes the state of a joint with a quaternion from its numbers. */
static void write_pose(const td_joint_place *place, size_t quaternion, double out[MOST][3],
                       double *y, double *yd, double *ydd)
{
    double number[3][MOST], v[6], a[6];
    for (size_t k = 0; k < place->nq; k++)
        for (int d = 0; d < 3; d++)
            number[d][k] = out[k][d];
    if (quaternion > 0)
        td_pose_velocity(number[0], number[1], number[2], v, a);
    else
        td_orientation_velocity(number[0], number[1], number[2], v, a);
    const double *p = number[0] + quaternion;
    const double norm = hypot(hypot(p[0], p[1]), hypot(p[2], p[3]));
    for (size_t k = 0; k < place->nq && y; k++)
        y[k] = k < quaternion ? number[0][k] : number[0][k] / norm;
    for (size_t k = 0, n = 0; k < place->nv; k++) {
        if (place->dependents >> k & 1)
            continue;
        if (yd)
            yd[n] = v[k];
        if (ydd)
            ydd[n] = a[k];
        n++;
    }
}

td_status td_trajectory_state(const td_trajectory *trajectory, const td_model *model, double t,
                              double *y, double *yd, double *ydd)
{
    if (!trajectory || !model || trajectory->n != td_ny(model))
        return TD_ERROR_ARGUMENT;
    if (isnan(t))
        return TD_ERROR_NOT_FINITE;
    const moment m = moment_at(trajectory, t);
    for (size_t i = 0; i < td_independent_count(model); i++) {
        const size_t joint = td_independent_joint(model, i);
        const td_joint_place place = td_joint_place_at(model, joint);
        const size_t quaternion = td_joint_kind_of(td_joint_at(model, joint)->type)->quaternion;
        const td_arc *arc = next_arc(trajectory, place.y);
        if (arc && arc->at < place.y + place.ny &&
            (quaternion == TD_NONE || arc->at != place.y + quaternion))
            return TD_ERROR_ARGUMENT;
        double out[MOST][3], *to[3] = {y ? y + place.y : NULL, yd ? yd + place.yd : NULL,
                                       ydd ? ydd + place.yd : NULL};
        numbers_at(trajectory, &m, place.y, place.ny, out);
        if (quaternion != TD_NONE) {
            write_pose(&place, quaternion, out, to[0], to[1], to[2]);
            continue;
        }
        for (size_t k = 0; k < place.ny; k++)
            for (int d = 0; d < 3; d++)
                if (to[d])
                    to[d][k] = out[k][d];
    }
    return TD_OK;
}

/* ---- queries and scale ----------------------------------------------------------------------- */

size_t td_trajectory_size(const td_trajectory *t)
{
    return t ? t->n : 0;
}

double td_trajectory_begin(const td_trajectory *t)
{
    return t ? t->begin[0] : 0;
}

double td_trajectory_end(const td_trajectory *t)
{
    return t ? t->begin[t->pieces] : 0;
}

size_t td_trajectory_pieces(const td_trajectory *t)
{
    return t ? t->pieces : 0;
}

double td_trajectory_piece(const td_trajectory *t, size_t i)
{
    return t ? t->begin[i < t->pieces ? i : t->pieces] : 0;
}

td_status td_trajectory_scale(td_trajectory *t, double factor)
{
    if (!t || !(factor > 0) || !isfinite(factor))
        return TD_ERROR_ARGUMENT;
    for (size_t i = 1; i <= t->pieces; i++)
        t->begin[i] = t->begin[0] + factor * (t->begin[i] - t->begin[0]);
    for (size_t i = 0; i < t->pieces * t->n && !t->cycloid; i++) {
        double power = 1;
        for (size_t k = 0; k <= t->degree; k++, power /= factor)
            t->coefficient[i * (t->degree + 1) + k] *= power;
    }
    return TD_OK;
}
