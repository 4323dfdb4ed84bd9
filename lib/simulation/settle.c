/* SPDX-License-Identifier: MIT */
/*
 * Events: the event functions, and the response to events, which decides what rests, sticks and
 * slips.
 *
 * After impacts (impacts.c), consider stops with v⁺ = 0 and joints at rest with friction f:
 *
 *   a = A λ + b,   stops: 0 ≤ λ ⊥ a ≥ 0,   friction: |λ| ≤ f, a = 0 or λ = −f sgn a.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "bounded.h"
#include "simulation_inside.h"

static const double ROUNDED = 1e-10; /* relative: two ways to compute a reaction differ by this */
/* relative: the same for deciding whether a joint leaves its stop */
static const double NOTHING = 1e-12;
static const double SHARED = 1e-7; /* relative to a joint's friction: accuracy of shared loads */

/* Reports an event if friction starts or stops to hold a joint. */
static void report_rest(td_simulation *s, td_row *row, double t, bool rests)
{
    if (rests != row->rests)
        td_rows_report(s, row, t, rests ? TD_EVENT_STICK : TD_EVENT_SLIP, 0);
    row->rests = rests;
}

/* ---- rows that hold -------------------------------------------------------------------------- */

/* Returns whether a row may hold: a touched stop that the joint does not leave, or friction of a
   joint at rest. An event of friction means that the joint came to rest, up to rounding of its
   velocity. */
static bool may_hold(const td_simulation *s, const td_row *row, bool happened)
{
    const double rate = row->rate;
    if (row->stop)
        return s->options.stops == TD_STOPS_IMPACT && td_row_is_touched(row) &&
               row->sign * rate <= TD_AT_REST;
    return fabs(rate) <= (happened ? 1e-6 : TD_AT_REST);
}

/* Sets the mode of a row that cannot hold. */
static void let_go(td_simulation *s, td_row *row, double t, bool happened)
{
    const td_row_mode before = row->mode;
    row->mode = TD_ROW_OFF;
    if (!row->stop) {
        row->sign = row->rate < 0 ? -1 : 1;
        report_rest(s, row, t, false);
        return;
    }
    if (s->options.stops == TD_STOPS_SPRING && (happened ? before == TD_ROW_OFF : row->gap < 0))
        row->mode = TD_ROW_PRESSED;
    if (before != TD_ROW_PRESSED && row->mode == TD_ROW_PRESSED)
        td_rows_report(s, row, t, row->sign > 0 ? TD_EVENT_LOWER_STOP : TD_EVENT_UPPER_STOP, 0);
    if (before != TD_ROW_OFF && row->mode == TD_ROW_OFF)
        td_rows_report(s, row, t, TD_EVENT_RELEASE, 0);
}

/* Sets the remaining velocities of the rows in active to zero. */
static td_status stop_active(td_simulation *s, double t, double *x, size_t count)
{
    td_reactions *k = &s->reactions;
    for (size_t i = 0; i < count; i++) {
        td_row *row = &s->rows[k->active[i]];
        row->passes = td_row_passes(s, count, i);
        k->b[i] = td_row_sign(row) * row->rate;
        k->lower[i] = row->passes ? 0 : -INFINITY;
        k->upper[i] = row->passes ? 0 : INFINITY;
    }
    if (!td_bounded_solve(count, k->A, k->b, k->lower, k->upper, k->lambda, &s->stack))
        return td_rows_contradiction(s, t, count);
    x[s->size - 1] += td_rows_kick(s, x, count);
    return td_rows_look_at(s, t, x);
}

/* Computes the accelerations A λ + b of the rows in active. Those that are only rounding become
   0. */
static void find_accelerations(const td_reactions *k, size_t count, double *a)
{
    for (size_t i = 0; i < count; i++) {
        double size = fabs(k->b[i]);
        a[i] = k->b[i];
        for (size_t j = 0; j < count; j++) {
            a[i] += k->A[i * count + j] * k->lambda[j];
            size = fmax(size, fabs(k->A[i * count + j] * k->lambda[j]));
        }
        a[i] = fabs(a[i]) <= 1e-9 * size ? 0 : a[i];
    }
}

/* Computes the forces along u without reactions: M ü and applied forces. */
static void find_sizes(const td_simulation *s)
{
    const td_reactions *k = &s->reactions;
    for (size_t i = 0; i < s->nyd; i++) {
        k->size[i] = fabs(s->tau_u[i]);
        for (size_t j = 0; j < s->nyd; j++)
            k->size[i] += fabs(k->full[i * s->nyd + j] * s->udd[j]);
    }
}

/* Returns the magnitude relative to which rounding of a reaction is measured, for row i in
   active. It includes these forces, and the force that accelerates the row by 1 rad/s² or m/s². */
static double size_of(const td_simulation *s, size_t count, size_t i)
{
    const td_reactions *k = &s->reactions;
    const double *J = k->J + i * s->nyd, own = k->A[i * count + i];
    double sum = 0, squares = 0;
    for (size_t j = 0; j < s->nyd; j++) {
        sum += fabs(J[j]) * k->size[j];
        squares += J[j] * J[j];
    }
    return (squares > 0 ? sum / squares : 0) + (own > 0 ? 1 / own : 0);
}

/* Returns whether row i in active is linearly dependent on other rows that hold, so that they
   share a load. */
static bool shares(td_simulation *s, size_t count, size_t i)
{
    td_reactions *k = &s->reactions;
    for (size_t j = 0; j < count; j++) {
        const bool holds = j != i && s->rows[k->active[j]].mode == TD_ROW_HOLDS;
        k->lower[j] = holds ? -INFINITY : 0;
        k->upper[j] = holds ? INFINITY : 0;
        k->b[j] = -k->A[i * count + j];
    }
    if (!td_bounded_solve(count, k->A, k->b, k->lower, k->upper, k->share, &s->stack))
        return false;
    double left = k->A[i * count + i];
    for (size_t j = 0; j < count; j++)
        left -= k->A[i * count + j] * k->share[j];
    return fabs(left) <= 1e-9 * k->A[i * count + i];
}

/* Sets the slack of a row that holds. An event of a row that continues to hold was caused by
   rounding larger than estimated; the larger slack ends such events. */
static void take_slack(td_row *row, double slack, bool event)
{
    static const double MORE = 4;
    row->slack = row->held ? fmax(slack, (event ? MORE : 1) * row->slack) : slack;
}

/* Sets the modes of the rows in active from their reactions λ and accelerations. A joint that
   was at rest at its stop stays there if its acceleration is only rounding, whatever the sign of
   λ. */
static void decide(td_simulation *s, double t, const unsigned char *happened, size_t count)
{
    const td_reactions *k = &s->reactions;
    for (size_t i = 0; i < count; i++) {
        td_row *row = &s->rows[k->active[i]];
        const double lambda = k->lambda[i];
        const bool event = happened && happened[k->active[i]];
        if (!row->stop) {
            row->mode = fabs(lambda) < row->friction * (1 - SHARED) ? TD_ROW_HOLDS : TD_ROW_OFF;
            if (row->mode == TD_ROW_OFF)
                row->sign = lambda < 0 ? 1 : -1; /* friction opposes the motion that begins */
            continue;
        }
        const double size = size_of(s, count, i);
        const bool moves = fabs(k->rest[i]) > NOTHING * size * k->A[i * count + i];
        const bool holds = lambda > 0 || (row->held && !event && !moves);
        row->mode = holds ? TD_ROW_HOLDS : TD_ROW_OFF;
        take_slack(row, ROUNDED * fmax(size, fabs(lambda)), event);
        if (holds != row->held)
            td_rows_report(s, row, t, holds ? TD_EVENT_REST : TD_EVENT_RELEASE, 0);
    }
}

/* Determines which of the rows in active rest and stick. */
static td_status hold(td_simulation *s, double t, double *x, const unsigned char *happened,
                      size_t count)
{
    td_reactions *k = &s->reactions;
    td_status status = td_rows_matrix(s, count);
    if (status == TD_OK)
        status = stop_active(s, t, x, count);
    if (status == TD_OK)
        status = td_simulation_accelerate(s, t, x, NULL); /* all rows are undecided here */
    if (status == TD_OK)
        status = td_rows_acceleration(s, count);
    if (status != TD_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        const td_row *row = &s->rows[k->active[i]];
        k->lower[i] = row->stop ? 0 : -row->friction;
        k->upper[i] = !row->stop ? row->friction : row->passes ? 0 : INFINITY;
    }
    if (!td_bounded_solve(count, k->A, k->b, k->lower, k->upper, k->lambda, &s->stack))
        return td_rows_contradiction(s, t, count);
    find_accelerations(k, count, k->rest);
    find_sizes(s);
    decide(s, t, happened, count);
    const bool apart = td_rows_are_apart(s, count);
    for (size_t i = 0; i < count; i++) {
        td_row *row = &s->rows[k->active[i]];
        const bool holds = row->mode == TD_ROW_HOLDS;
        if (holds && row->yd != TD_NONE && !s->other)
            x[s->np + row->yd] = 0; /* true up to rounding */
        if (row->stop)
            continue;
        const bool shared = !apart && shares(s, count, i);
        take_slack(row, (shared ? SHARED : ROUNDED) * row->friction,
                   happened && happened[k->active[i]]);
        report_rest(s, row, t, holds || (shared && k->rest[i] == 0));
    }
    return TD_OK;
}

/* Returns how far a row is from its next event; negative beyond it. */
static double margin_of(const td_row *row)
{
    const double distance = row->stop ? row->gap : row->sign * row->rate;
    switch (row->mode) {
    case TD_ROW_OFF:
        return distance;
    case TD_ROW_PRESSED:
        return -distance;
    default:
        return row->stop ? row->reaction : row->friction - fabs(row->reaction);
    }
}

/* Evaluates reactions of rows that hold, and gaps and rates, for the rows' margins at a state. */
static td_status find_margins(td_simulation *s, double t, const double *x)
{
    bool holds = false;
    for (size_t i = 0; i < s->row_count; i++)
        holds |= s->rows[i].mode == TD_ROW_HOLDS;
    const td_status status = td_simulation_look(s, t, x);
    if (status != TD_OK)
        return status;
    return holds ? td_simulation_accelerate(s, t, x, NULL) : td_rows_look(s);
}

/* Returns how far a margin must be below zero for an event. A bouncing joint gains energy over
   this distance in each flight, so the distance is only rounding. A joint that leaves its stop
   slowly must not be thrown back by it. */
static double slack_of(const td_simulation *s, const td_row *row)
{
    static const double LITTLE = 1e-12;
    if (row->mode == TD_ROW_HOLDS)
        return row->slack;
    const bool rests = td_row_is_touched(row) && row->sign * row->rate <= TD_AT_REST;
    const bool moves = row->stop && row->mode == TD_ROW_OFF && !rests;
    return moves ? td_row_rounding(s, row) : LITTLE;
}

/* Sets the thresholds of events. An event is a positive value. The threshold is slightly beyond
   the row's present value. So bounces that end within a step are not missed, nor reactions with
   more rounding than their threshold. */
static void arm(td_simulation *s, double t)
{
    for (size_t i = 0; i < s->row_count; i++) {
        td_row *row = &s->rows[i];
        row->offset = fmax(0, -margin_of(row)) * (1 + 4 * DBL_EPSILON) + slack_of(s, row);
        if (td_row_is_touched(row))
            row->left = t;
    }
}

/* Moves joints that are slightly beyond a touched stop onto it, if the stop's coordinate is in u.
   Joints that are farther beyond a stop are left there: the simulation began with them there. */
static td_status put_on_stops(td_simulation *s, double t, double *x)
{
    bool moved = false;
    for (size_t i = 0; i < s->row_count; i++) {
        const td_row *row = &s->rows[i];
        if (!row->stop || s->u_of_q[row->q] < 0 || !(row->gap < 0 && row->gap >= -TD_NEAR))
            continue;
        x[s->u_of_q[row->q]] = row->at;
        moved = true;
    }
    return moved ? td_rows_look_at(s, t, x) : TD_OK;
}

td_status td_simulation_settle(td_simulation *s, double t, double *x, const unsigned char *happened)
{
    td_status status = td_rows_look_at(s, t, x);
    if (status == TD_OK && s->options.stops == TD_STOPS_IMPACT)
        status = put_on_stops(s, t, x);
    if (status == TD_OK && s->options.stops == TD_STOPS_IMPACT)
        status = td_rows_impact(s, t, x);
    if (status != TD_OK)
        return status;
    size_t count = 0;
    for (size_t i = 0; i < s->row_count; i++) {
        td_row *row = &s->rows[i];
        const bool event = happened && happened[i];
        row->held = row->mode == TD_ROW_HOLDS;
        if (may_hold(s, row, event)) {
            s->reactions.active[count++] = i;
            row->mode = TD_ROW_UNDECIDED;
        } else {
            let_go(s, row, t, event);
        }
    }
    if (count > 0)
        status = hold(s, t, x, happened, count);
    if (status == TD_OK)
        status = find_margins(s, t, x);
    if (status == TD_OK)
        arm(s, t);
    return status;
}

/* ---- events ---------------------------------------------------------------------------------- */

td_status td_rows_values(void *simulation, double t, const double *x, double *values)
{
    td_simulation *s = simulation;
    const td_status status = find_margins(s, t, x);
    for (size_t i = 0; i < s->row_count && status == TD_OK; i++)
        values[i] = margin_of(&s->rows[i]) + s->rows[i].offset;
    return status;
}
