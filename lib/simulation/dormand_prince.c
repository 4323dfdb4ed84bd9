/* SPDX-License-Identifier: MIT */
/*
 * The pair of orders 5 and 4 of Dormand and Prince (1980), with the step size control of Hairer,
 * Nørsett and Wanner, Solving Ordinary Differential Equations I, II.4: the result of order 5 is
 * taken, its difference to that of order 4 estimates the error of the latter. The last stage is the
 * rate at the new state, with which the next step begins.
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "integrator_inside.h"

static const double node[TD_STAGES] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};

static const double weight[TD_STAGES][TD_STAGES - 1] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};

/* order 5 less order 4 */
static const double error_weight[TD_STAGES] = {
    71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40,
};

/* the trial, its rate in the last stage, and the error against the tolerance: 1 is what is
   allowed */
static td_status attempt(td_integrator *i, double h, double *error)
{
    for (int stage = 1; stage < TD_STAGES; stage++) {
        for (size_t j = 0; j < i->ode.size; j++) {
            double sum = 0;
            for (int s = 0; s < stage; s++)
                sum += weight[stage][s] * i->k[s][j];
            i->trial[j] = i->x[j] + h * sum;
        }
        if (stage == TD_STAGES - 2) /* the last one of the two at the end of the step */
            memcpy(i->scratch, i->trial, i->ode.size * sizeof *i->trial);
        td_status status = td_integrator_rate(i, i->t + node[stage] * h, i->trial, i->k[stage]);
        if (status != TD_OK)
            return status;
    }
    *error = 0;
    for (size_t j = 0; j < i->ode.size; j++) {
        double sum = 0;
        for (int s = 0; s < TD_STAGES; s++)
            sum += error_weight[s] * i->k[s][j];
        const double size = fmax(fabs(i->x[j]), fabs(i->trial[j]));
        const double part = fabs(h * sum) / (i->options.atol + i->options.rtol * size);
        *error = part > *error || isnan(part) ? part : *error;
    }
    return isfinite(*error) ? TD_OK : TD_ERROR_NOT_FINITE;
}

static double norm(const td_integrator *i, const double *x)
{
    double largest = 0;
    for (size_t j = 0; j < i->ode.size; j++)
        largest = fmax(largest, fabs(x[j]) / (i->options.atol + i->options.rtol * fabs(i->x[j])));
    return largest;
}

/* A first step from the sizes of x, its rate and the rate's change (the same, II.4). */
static double first_step(td_integrator *i, double until)
{
    const double size = norm(i, i->x), rate = norm(i, i->rate);
    double h = size < 1e-5 || rate < 1e-5 ? 1e-6 : 0.01 * size / rate;
    h = fmin(h, until - i->t);
    for (size_t j = 0; j < i->ode.size; j++)
        i->trial[j] = i->x[j] + h * i->rate[j];
    if (td_integrator_rate(i, i->t + h, i->trial, i->k[1]) != TD_OK)
        return 1e-3 * h; /* the control lengthens it */
    for (size_t j = 0; j < i->ode.size; j++)
        i->scratch[j] = (i->k[1][j] - i->rate[j]) / h;
    const double larger = fmax(norm(i, i->scratch), rate);
    const double by_change = larger <= 1e-15 ? fmax(1e-6, 1e-3 * h) : pow(0.01 / larger, 0.2);
    return fmin(100 * h, by_change);
}

td_status td_step_begin(td_integrator *i, double until, double *h)
{
    td_status status = td_integrator_current_rate(i);
    if (status != TD_OK)
        return status;
    if (i->next == 0)
        i->next = first_step(i, until);
    *h = i->options.longest > 0 ? fmin(i->next, i->options.longest) : i->next;
    return TD_OK;
}

/* How much longer the next step may be, from the errors of this and the last one. */
static double growth(double error, double last_error)
{
    const double beta = 0.04, alpha = 0.2 - 0.75 * beta;
    const double factor = 0.9 * pow(last_error, beta) / pow(fmax(error, 1e-10), alpha);
    return fmin(5, fmax(0.2, factor));
}

/* Where rate fails, the motion ends so far before that, that the state there is told from those
   that fail, by functions that round otherwise. */
double td_shortest_step(const td_integrator *i, td_status status)
{
    const double rounding = 16 * DBL_EPSILON * fmax(fabs(i->t), 1e-3);
    return status == TD_OK ? rounding : fmax(rounding, 1e-9 * i->failing);
}

/* How fast the rate changes from the one to the other of the last two stages, both at the end of
   the step: |f(x₇) − f(x₆)| / |x₇ − x₆|, about the fastest rate of the equations where that is what
   keeps the step short (Hairer and Wanner, IV.2). */
static double fastest(const td_integrator *i)
{
    double change = 0, way = 0;
    for (size_t j = 0; j < i->ode.size; j++) {
        const double unit = i->options.atol + i->options.rtol * fabs(i->trial[j]);
        const double rate = (i->k[6][j] - i->k[5][j]) / unit;
        const double between = (i->trial[j] - i->scratch[j]) / unit;
        change += rate * rate;
        way += between * between;
    }
    return way > 0 ? sqrt(change / way) : 0;
}

td_status td_step_dormand_prince(td_integrator *i, double until)
{
    double h, error = 0;
    td_status status = td_step_begin(i, until, &h);
    if (status != TD_OK)
        return status;
    memcpy(i->k[0], i->rate, i->ode.size * sizeof *i->rate);
    for (bool rejected = false;; rejected = true) {
        const bool last = i->t + 1.01 * h >= until;
        if (last)
            h = until - i->t;
        status = attempt(i, h, &error);
        if (status == TD_OK && error <= 1) {
            double next = h * (rejected ? fmin(1, growth(error, i->last_error))
                                        : growth(error, i->last_error));
            i->next = last && !rejected ? fmax(next, i->next) : next;
            i->failing = h < i->failing ? i->failing : 0;
            i->last_error = fmax(error, 1e-4);
            if (td_switches(i))
                td_switch_after(i, h * fastest(i));
            memcpy(i->rate, i->k[6], i->ode.size * sizeof *i->rate);
            td_integrator_accept(i, last ? until : i->t + h);
            return TD_OK;
        }
        i->counts.rejected++;
        if (status != TD_OK && i->failing == 0)
            i->failing = h;
        h *= status == TD_OK ? fmax(0.1, 0.9 / pow(error, 0.2)) : 0.25;
        if (h < td_shortest_step(i, status))
            return status == TD_OK ? TD_ERROR_STEP : status;
    }
}
