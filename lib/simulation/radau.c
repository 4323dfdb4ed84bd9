/* SPDX-License-Identifier: MIT */
/*
 * Stiff equations by Radau IIA of five stages and order 9, with step control by an embedded
 * formula (Hairer and Wanner, Solving ODEs II, IV.8; Hairer and Wanner 1999, Stiff differential
 * equations solved by Radau methods). This file has the memory and one step. The equations of
 * the stages are in radau_newton.c, coefficients in radau_table.c.
 *
 * The error estimate has order s, the result order 2s − 1. As in the authors' programs, the
 * estimate is kept below 0.1 tol^((s + 1)/(2s)), so that the error of the result is about tol.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "radau_inside.h"

/* ---- memory ---------------------------------------------------------------------------------- */

td_radau *td_radau_take(size_t n, td_stack *stack)
{
    td_radau *place = td_take(stack, td_radau, 1), r = {0};
    r.J = td_take(stack, double, n *n);
    r.real = td_take(stack, double, n *n);
    r.pairs = td_take(stack, double, 2 * n);
    r.scale = td_take(stack, double, n);
    r.fast = td_take(stack, double, n);
    for (int k = 0; k < TD_RADAU_PAIRS; k++)
        r.pair[k] = td_take(stack, double, 2 * n * n);
    for (int k = 0; k < TD_RADAU_STAGES; k++) {
        r.z[k] = td_take(stack, double, n);
        r.kept[k] = td_take(stack, double, n);
        r.stage[k] = td_take(stack, double, n);
    }
    for (int k = 0; k <= TD_RADAU_PAIRS; k++)
        r.pivot[k] = td_take(stack, size_t, n);
    if (place) { /* second pass: memory is there */
        td_radau_table_make(&r.table, TD_RADAU_STAGES);
        *place = r;
    }
    return place;
}

void td_radau_restart(td_integrator *i)
{
    struct td_radau *r = i->radau;
    if (!r)
        return;
    for (size_t j = 0; j < i->ode.size; j++)
        r->fast[j] = sin(1 + (double)j);
    r->known = r->fresh = r->follows = false;
    r->factored = r->last_h = 0;
    r->last_error = 1e-2;
    r->contraction = 1;
}

/* ---- one step -------------------------------------------------------------------------------- */

static const double SAFE = 0.93, GROW = 8, SHRINK = 0.2;

static void set_tolerance(td_integrator *i, double h)
{
    struct td_radau *r = i->radau;
    const double tol = i->options.rtol > 0 ? i->options.rtol : i->options.atol;
    const double s = r->table.stages, power = 0.5 * (s + 1) / s, inner = 0.1 * pow(tol, power);
    for (size_t j = 0; j < i->ode.size; j++)
        r->scale[j] = inner / tol * (i->options.atol + i->options.rtol * fabs(i->x[j]));
    /* an error of velocity counts by its effect on the position within the step */
    for (size_t j = 0; j < i->ode.velocities; j++)
        r->scale[i->ode.positions + j] /= fmin(1, h);
    r->newton = fmax(10 * DBL_EPSILON / inner, fmin(0.03, pow(inner, 1 / power - 1)));
}

/* Returns the length of the next step after a step h with this error. Uses the last error alone,
   and the last two (Gustafsson). */
static double next_length(const struct td_radau *r, double h, double error, int iterations)
{
    const int most = 7 + 5 * (r->table.stages - 3) / 2;
    const double power = 1.0 / (r->table.stages + 1), least = fmax(error, 1e-10);
    const double safe = SAFE * fmin(1, (double)(1 + 2 * most) / (iterations + 2 * most));
    double by = fmin(GROW, fmax(SHRINK, safe / pow(least, power)));
    if (r->last_h > 0 && error < 1) {
        const double two = SAFE * h / r->last_h * pow(r->last_error / (least * least), power);
        by = fmin(by, fmax(SHRINK, two));
    }
    return h * by;
}

double td_radau_fastest(td_integrator *i)
{
    enum { ROUNDS = 3 };
    struct td_radau *r = i->radau;
    const size_t n = i->ode.size;
    double longest = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double before = 0, after = 0;
        for (size_t a = 0; a < n; a++) {
            i->scratch[a] = 0;
            for (size_t b = 0; b < n; b++)
                i->scratch[a] += r->J[a * n + b] * r->fast[b];
            before += r->fast[a] * r->fast[a] / (r->scale[a] * r->scale[a]);
            after += i->scratch[a] * i->scratch[a] / (r->scale[a] * r->scale[a]);
        }
        if (!(after > 0) || !(before > 0))
            return longest;
        longest = fmax(longest, sqrt(after / before));
        for (size_t a = 0; a < n; a++)
            r->fast[a] = i->scratch[a] / sqrt(after);
    }
    return longest;
}

/* Stores an accepted step. */
static void keep(td_integrator *i, double h, double error, double end)
{
    struct td_radau *r = i->radau;
    for (size_t j = 0; j < i->ode.size; j++)
        i->trial[j] = i->x[j] + r->z[r->table.stages - 1][j];
    for (int s = 0; s < TD_RADAU_STAGES; s++) {
        double *z = r->z[s];
        r->z[s] = r->kept[s];
        r->kept[s] = z;
    }
    td_integrator_accept(i, end);
    i->rate_known = false;
    i->dense_begin = i->begin;
    i->dense_end = i->t;
    i->counts.stiff++;
    r->last_h = h;
    r->last_error = fmax(error, 1e-2);
    r->follows = true;
    r->fresh = false;
    r->known = r->slowest <= 0.02;
}

td_status td_step_radau(td_integrator *i, double until)
{
    struct td_radau *r = i->radau;
    double h;
    td_status status = td_step_begin(i, until, &h);
    if (status != TD_OK)
        return status;
    for (bool rejected = false;; rejected = true) {
        const bool last = i->t + 1.01 * h >= until;
        double error = INFINITY, shorter = 0.5;
        if (last)
            h = until - i->t;
        int iterations = 0;
        set_tolerance(i, h);
        status = td_radau_prepare(i, h);
        if (status == TD_OK)
            iterations = td_radau_solve(i, h, &shorter, &status);
        if (iterations > 0)
            status = td_radau_error(i, h, rejected || r->last_h == 0, &error);
        if (error < 1) {
            double next = next_length(r, h, error, iterations);
            next = rejected ? fmin(h, next) : next;
            if (td_switches(i))
                td_switch_after(i, h * td_radau_fastest(i));
            keep(i, h, error, last ? until : i->t + h);
            if (r->known && next >= h && next <= 1.2 * h)
                next = h; /* keeps the existing factors */
            i->next = last && !rejected ? fmax(next, i->next) : next;
            i->failing = h < i->failing ? i->failing : 0;
            return TD_OK;
        }
        i->counts.rejected++;
        const bool failed = status != TD_OK && status != TD_ERROR_STEP;
        if (failed && i->failing == 0)
            i->failing = h;
        if (iterations > 0)
            h = next_length(r, h, error, iterations);
        else if (failed)
            h *= 0.25;
        else if (r->fresh || shorter != 0.5)
            h *= shorter;
        if (!r->fresh)
            r->known = false;
        r->contraction = 1;
        if (h < td_shortest_step(i, failed ? status : TD_OK))
            return failed ? status : TD_ERROR_STEP;
    }
}

void td_radau_at(const td_integrator *i, double t, double *x)
{
    const struct td_radau *r = i->radau;
    double value[TD_RADAU_STAGES];
    td_radau_lagrange(&r->table, (t - i->dense_begin) / (i->dense_end - i->dense_begin), value);
    memcpy(x, i->x_begin, i->ode.size * sizeof *x);
    for (int s = 0; s < r->table.stages; s++)
        for (size_t j = 0; j < i->ode.size; j++)
            x[j] += value[s] * r->kept[s][j];
}
