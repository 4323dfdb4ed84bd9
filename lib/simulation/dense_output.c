/* SPDX-License-Identifier: MIT */
/*
 * The solution between the ends of a step, and the location of events in it. With θ from 0 to 1
 *
 *   x(θ) = c₀ + θ (c₁ + (1 − θ) (c₂ + θ (c₃ + (1 − θ) (c₄ + θ (c₅ + …)))))
 *
 * where c₀ to c₃ form the cubic with the states and rates of both ends. The explicit adaptive
 * methods add terms: the method of order 5 reaches order 4 (Hairer, Nørsett and Wanner, II.6), the
 * method of order 8 reaches order 7 by three more evaluations (II.10), or order 6 without them. The
 * latter is used if the rate cannot be evaluated: it fails, or the equations may have changed since
 * the step. Events are searched at the ends of parts of the step, and between them by a polynomial
 * of degree 4 through these values.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "integrator_inside.h"

/* Returns whether the last step was one of the explicit pair. */
static bool is_of_pair(const td_integrator *i)
{
    return i->active == i->pair->method;
}

/* Selects the polynomial of the last step. Evaluates further stages if that is allowed. */
static const td_polynomial *choose_polynomial(td_integrator *i, bool may_evaluate)
{
    static const td_polynomial cubic = {.terms = 0};
    const td_polynomial *full = &i->pair->full;
    if (!is_of_pair(i))
        return &cubic;
    const bool more = may_evaluate && full->terms > 0;
    return more && td_dormand_prince_extend(i, full->stages) == TD_OK ? full : &i->pair->plain;
}

td_status td_dense_prepare(td_integrator *i, bool may_evaluate)
{
    if (i->dense_known)
        return TD_OK;
    td_status status = td_integrator_current_rate(i);
    if (status != TD_OK)
        return status;
    const td_polynomial *p = choose_polynomial(i, may_evaluate);
    const double h = i->t - i->begin;
    for (size_t j = 0; j < i->ode.size; j++) {
        const double way = i->x[j] - i->x_begin[j], start = h * i->k[0][j] - way;
        i->dense[0][j] = i->x_begin[j];
        i->dense[1][j] = way;
        i->dense[2][j] = start;
        i->dense[3][j] = way - h * i->rate[j] - start;
        for (int term = 0; term < p->terms; term++) {
            double sum = 0;
            for (int s = 0; s < p->stages; s++)
                sum += p->weight[term][s] * i->k[s][j];
            i->dense[TD_CUBIC + term][j] = h * sum;
        }
    }
    i->dense_count = TD_CUBIC + p->terms;
    i->dense_begin = i->begin;
    i->dense_end = i->t;
    i->dense_known = true;
    return TD_OK;
}

void td_dense_at(const td_integrator *i, double t, double *x)
{
    const double theta = (t - i->dense_begin) / (i->dense_end - i->dense_begin), rest = 1 - theta;
    for (size_t j = 0; j < i->ode.size; j++) {
        double value = i->dense[i->dense_count - 1][j];
        for (int k = i->dense_count - 2; k >= 0; k--)
            value = i->dense[k][j] + (k % 2 ? rest : theta) * value;
        x[j] = value;
    }
}

static td_status polynomial(td_integrator *i, double t, double *x)
{
    if (i->active == TD_METHOD_RADAU) {
        td_radau_at(i, t, x);
        return TD_OK;
    }
    td_status status = td_dense_prepare(i, true);
    if (status == TD_OK)
        td_dense_at(i, t, x);
    return status;
}

td_status td_integrator_evaluate(td_integrator *i, double t, double *x)
{
    if (!i || !x)
        return TD_ERROR_ARGUMENT;
    const size_t bytes = i->ode.size * sizeof *x;
    td_status status = i->started && t >= i->begin && t <= i->t ? TD_OK : TD_ERROR_ARGUMENT;
    if (status == TD_OK && t == i->t) {
        memcpy(x, i->x, bytes);
        return TD_OK;
    }
    if (status == TD_OK && t == i->begin) {
        memcpy(x, i->x_begin, bytes);
        return TD_OK;
    }
    if (status == TD_OK)
        status = polynomial(i, t, x);
    if (status != TD_OK) {
        td_dense_spoil(i->ode.size, x);
        return status;
    }
    if (i->ode.project)
        i->ode.project(i->ode.context, t, x);
    return TD_OK;
}

/* ---- events ---------------------------------------------------------------------------------- */

static td_status values_at(td_integrator *i, double t, double *values)
{
    td_status status = td_integrator_evaluate(i, t, i->scratch);
    return status == TD_OK ? i->ode.event(i->ode.context, t, i->scratch, values) : status;
}

/* Returns the first event that has happened at a time with these values, −1 for none. */
static int first_happened(const td_integrator *i, const double *values)
{
    for (size_t e = 0; e < i->ode.events; e++)
        if (i->armed[e] && values[e] <= 0)
            return (int)e;
    return -1;
}

/* Narrows [a, b], with no event at a and one at b, to rounding. Uses regula falsi (Illinois) on
   the event's value, with bisection in every third step. i->value belongs to b. */
static td_status narrow(td_integrator *i, double a, double *b)
{
    int e = first_happened(i, i->value), side = 0;
    double fa = i->begin_value[e], fb = i->value[e];
    for (int n = 0; n < 200; n++) {
        const double width = *b - a;
        if (width <= 4 * DBL_EPSILON * fmax(fabs(*b), fabs(i->t - i->begin)))
            break;
        double t = n % 3 == 2 || !(fa > 0) ? NAN : a + width * fa / (fa - fb);
        if (!(t > a && t < *b))
            t = a + 0.5 * width;
        td_status status = values_at(i, t, i->probe);
        if (status != TD_OK)
            return status;
        const int now = first_happened(i, i->probe);
        if (now < 0) {
            a = t;
            fa = i->probe[e];
            fb *= side == 1 ? 0.5 : 1;
            side = 1;
        } else {
            *b = t;
            memcpy(i->value, i->probe, i->ode.events * sizeof *i->value);
            fa = now == e ? fa * (side == 2 ? 0.5 : 1) : NAN; /* a different event came first */
            e = now;
            fb = i->value[e];
            side = 2;
        }
    }
    return TD_OK;
}

/* Estimates the minimum of a value between samples `part` and part + 1 of count + 1 equidistant
   ones. Evaluates the polynomial through all samples (Newton's differences) on a finer grid,
   then fits a parabola through the lowest value and its neighbors. Returns infinity if there is
   no minimum in this part. *at is its position, in parts. */
static double dip_of(const double *values, size_t count, size_t part, double *at)
{
    enum { FINE = 8 };
    double d[TD_BLOCK + 1], p[FINE + 3];
    memcpy(d, values, (count + 1) * sizeof *d);
    for (size_t j = 1; j <= count; j++)
        for (size_t k = count; k >= j; k--)
            d[k] = (d[k] - d[k - 1]) / (double)j;
    int lowest = 1;
    for (int m = 0; m < FINE + 3; m++) { /* one more at each end */
        const double s = (double)part + (double)(m - 1) / FINE;
        p[m] = 0;
        for (size_t j = count + 1; j-- > 0;)
            p[m] = p[m] * (s - (double)j) + d[j];
        if (m > 0 && m <= FINE + 1 && p[m] < p[lowest])
            lowest = m;
    }
    const double slope = 0.5 * (p[lowest + 1] - p[lowest - 1]);
    const double bend = p[lowest + 1] - 2 * p[lowest] + p[lowest - 1];
    if (!(bend > 0))
        return INFINITY;
    const double s = (double)(lowest - 1) - slope / bend;
    *at = (double)part + s / FINE;
    return s >= 0 && s <= FINE ? p[lowest] - 0.5 * slope * slope / bend : INFINITY;
}

/* Finds the first part of the block in which a value is positive at both ends, but according to
   the polynomial not between them. Writes *part, and the position *at in parts. Only considers
   events whose smallest sample is at most SWING times the largest. */
static bool find_dip(const td_integrator *i, size_t count, size_t *part, double *at)
{
    static const double SWING = 0.61;
    const size_t events = i->ode.events;
    bool found = false;
    for (size_t e = 0; e < events; e++) {
        double values[TD_BLOCK + 1], low = INFINITY, high = -INFINITY;
        for (size_t k = 0; k <= count; k++) {
            values[k] = i->block[k * events + e];
            low = values[k] > 0 ? fmin(low, values[k]) : low;
            high = fmax(high, fabs(values[k]));
        }
        if (low > SWING * high)
            continue;
        for (size_t k = 0; k < count && (!found || k <= *part); k++) {
            double here;
            if (values[k] > 0 && values[k + 1] > 0 && dip_of(values, count, k, &here) <= 0 &&
                (!found || here < *at)) {
                found = true;
                *part = k;
                *at = here;
            }
        }
    }
    return found;
}

/* Returns whether the block of count parts from begin on has an event that ends within its part.
   Then *t is a time during the event, *a the start of its part, and the values at both are in
   i->value and i->begin_value. */
static td_status look_for_dip(td_integrator *i, double begin, double length, size_t count,
                              double *a, double *t, bool *found)
{
    const size_t events = i->ode.events;
    size_t part = 0;
    double at = 0;
    *found = false;
    if (!find_dip(i, count, &part, &at))
        return TD_OK;
    td_status status = values_at(i, fmin(begin + at * length, i->t), i->probe);
    for (size_t e = 0; e < events && status == TD_OK; e++)
        *found |= i->block[part * events + e] > 0 && i->probe[e] <= 0;
    if (!*found)
        return status;
    *a = begin + (double)part * length;
    *t = fmin(begin + at * length, i->t);
    for (size_t e = 0; e < events; e++) {
        i->armed[e] = i->armed_before[e];
        for (size_t k = 0; k <= part; k++)
            i->armed[e] |= i->block[k * events + e] > 0;
    }
    memcpy(i->begin_value, i->block + part * events, events * sizeof *i->value);
    memcpy(i->value, i->probe, events * sizeof *i->value);
    return TD_OK;
}

/* Searches a block of parts of the step, beginning with part `first`. *t becomes the time of an
   event, if there is one. i->begin_value has the values at the beginning on entry, and at the
   end on return. */
static td_status locate_in_block(td_integrator *i, size_t first, double *t)
{
    const size_t events = i->ode.events, bytes = events * sizeof *i->value;
    const double length = (i->t - i->begin) / (double)i->options.event_parts;
    const double begin = i->begin + (double)first * length;
    double a = begin, b = begin;
    bool event = false, dip = false;
    size_t count = 0;
    td_status status = TD_OK;
    memcpy(i->block, i->begin_value, bytes);
    memcpy(i->armed_before, i->armed, events * sizeof *i->armed);
    while (count < TD_BLOCK && first + count < i->options.event_parts && !event) {
        a = begin + (double)count * length;
        b = first + ++count == i->options.event_parts ? i->t : a + length;
        if (count > 1)
            memcpy(i->begin_value, i->value, bytes);
        for (size_t e = 0; e < events; e++)
            i->armed[e] |= i->begin_value[e] > 0;
        status = values_at(i, b, i->value);
        if (status != TD_OK)
            return status;
        memcpy(i->block + count * events, i->value, bytes);
        event = first_happened(i, i->value) >= 0;
    }
    status = look_for_dip(i, begin, length, count, &a, &b, &dip);
    if (status == TD_OK && (event || dip)) {
        status = narrow(i, a, &b);
        *t = b;
    } else {
        memcpy(i->begin_value, i->value, bytes);
    }
    return status;
}

td_status td_integrator_locate(td_integrator *i, double *t, unsigned char *happened)
{
    if (!i || !t || !happened || !i->started)
        return TD_ERROR_ARGUMENT;
    const size_t events = i->ode.events;
    *t = INFINITY;
    memset(happened, 0, events);
    if (events == 0 || i->t == i->begin)
        return TD_OK;
    td_status status = values_at(i, i->begin, i->begin_value);
    for (size_t part = 0; part < i->options.event_parts && status == TD_OK && isinf(*t);
         part += TD_BLOCK)
        status = locate_in_block(i, part, t);
    if (status != TD_OK)
        *t = INFINITY;
    for (size_t e = 0; e < events && isfinite(*t); e++) {
        happened[e] = i->armed[e] && i->value[e] <= 0;
        i->armed[e] &= !happened[e];
    }
    return status;
}

td_status td_integrator_cut(td_integrator *i, double t)
{
    if (!i)
        return TD_ERROR_ARGUMENT;
    td_status status = td_integrator_evaluate(i, t, i->scratch);
    if (status != TD_OK || t == i->t)
        return status;
    double *x = i->scratch;
    i->scratch = i->x;
    i->x = x;
    i->next = fmax(i->next, t - i->begin);
    i->t = i->origin = t;
    i->count = 0;
    i->rate_known = false;
    return TD_OK;
}

td_status td_integrator_jump(td_integrator *i, const double *x)
{
    if (!i || !x || !i->started)
        return TD_ERROR_ARGUMENT;
    if (!td_integrator_is_finite(i, x))
        return TD_ERROR_NOT_FINITE;
    td_status status = TD_OK;
    if (i->t > i->begin && i->active != TD_METHOD_RADAU)
        status = td_dense_prepare(i, false);
    if (status != TD_OK)
        return status;
    memmove(i->x, x, i->ode.size * sizeof *x);
    i->rate_known = false;
    i->origin = i->t;
    i->count = 0;
    i->last_error = 1e-4;
    if (i->wanted == i->pair->method)
        i->next = i->options.step; /* a smooth problem may have become stiff */
    td_radau_restart(i);
    memset(i->armed, 0, i->ode.events * sizeof *i->armed);
    return TD_OK;
}
