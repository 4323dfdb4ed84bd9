/* SPDX-License-Identifier: MIT */
/*
 * The explicit adaptive methods of Dormand and Prince (1980): a pair of orders 5 and 4, and one of
 * order 8, with coefficients in tables. The step size control follows Hairer, Nørsett and Wanner,
 * Solving Ordinary Differential Equations I, II.4: the step uses the higher order, and the
 * difference to the lower order estimates the error. The last stage is the rate at the new state,
 * which the next step reuses.
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "integrator_inside.h"

/* Computes the argument of a stage, from + h Σ weight k, and its rate. */
static td_status take_stage(td_integrator *i, int stage, double t, const double *from, double h,
                            double *argument)
{
    const double *weight = i->pair->weight[stage];
    for (size_t j = 0; j < i->ode.size; j++) {
        double sum = 0;
        for (int s = 0; s < stage; s++)
            sum += weight[s] * i->k[s][j];
        argument[j] = from[j] + h * sum;
    }
    return td_integrator_rate(i, t + i->pair->node[stage] * h, argument, i->k[stage]);
}

/* Returns |h Σ weight k| relative to the tolerance: at most 1 is accepted. */
static double difference(const td_integrator *i, double h, const double *weight)
{
    double largest = 0;
    for (size_t j = 0; j < i->ode.size; j++) {
        double sum = 0;
        for (int s = 0; s < i->pair->stages; s++)
            sum += weight[s] * i->k[s][j];
        const double size = fmax(fabs(i->x[j]), fabs(i->trial[j]));
        const double part = fabs(h * sum) / (i->options.atol + i->options.rtol * size);
        largest = part > largest || isnan(part) ? part : largest;
    }
    return largest;
}

/* Computes the trial state, its rate in the last stage, and the error relative to the tolerance.
   For order 8 the error is |e₅|²/√(|e₅|² + 0.01 |e₃|²), of order h⁸, since e₃ is of order h⁴ and e₅
   of order h⁶ (II.10). */
static td_status attempt(td_integrator *i, double h, double *error)
{
    const td_pair *pair = i->pair;
    for (int stage = 1; stage < pair->stages; stage++) {
        td_status status = take_stage(i, stage, i->t, i->x, h, i->trial);
        if (stage == pair->stages - 2) /* the later of two stages at the end of the step */
            memcpy(i->scratch, i->trial, i->ode.size * sizeof *i->trial);
        if (status != TD_OK)
            return status;
    }
    *error = difference(i, h, pair->error[0]);
    if (pair->estimates > 1 && *error != 0)
        *error *= *error / hypot(*error, 0.1 * difference(i, h, pair->error[1]));
    return isfinite(*error) ? TD_OK : TD_ERROR_NOT_FINITE;
}

td_status td_dormand_prince_extend(td_integrator *i, int stages)
{
    td_status status = TD_OK;
    for (int stage = i->pair->stages; stage < stages && status == TD_OK; stage++)
        status = take_stage(i, stage, i->begin, i->x_begin, i->t - i->begin, i->trial);
    return status;
}

static double norm(const td_integrator *i, const double *x)
{
    double largest = 0;
    for (size_t j = 0; j < i->ode.size; j++)
        largest = fmax(largest, fabs(x[j]) / (i->options.atol + i->options.rtol * fabs(i->x[j])));
    return largest;
}

/* Returns the length of a first step, from the sizes of x, its rate and the rate's change (also
   II.4). */
static double first_step(td_integrator *i, double until)
{
    const double size = norm(i, i->x), rate = norm(i, i->rate);
    double h = size < 1e-5 || rate < 1e-5 ? 1e-6 : 0.01 * size / rate;
    h = fmin(h, until - i->t);
    for (size_t j = 0; j < i->ode.size; j++)
        i->trial[j] = i->x[j] + h * i->rate[j];
    if (td_integrator_rate(i, i->t + h, i->trial, i->k[1]) != TD_OK)
        return 1e-3 * h; /* step control lengthens it */
    for (size_t j = 0; j < i->ode.size; j++)
        i->scratch[j] = (i->k[1][j] - i->rate[j]) / h;
    const double larger = fmax(norm(i, i->scratch), rate);
    const double by_change =
        larger <= 1e-15 ? fmax(1e-6, 1e-3 * h) : pow(0.01 / larger, i->pair->power);
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

/* Returns the factor for the length of the next step, from the errors of this step and the last. */
static double growth(const td_integrator *i, double error)
{
    const double beta = 0.04, alpha = i->pair->power - 0.75 * beta;
    const double factor = 0.9 * pow(i->last_error, beta) / pow(fmax(error, 1e-10), alpha);
    return fmin(5, fmax(0.2, factor));
}

/* Returns the shortest step. If rate fails, the motion ends this far before the failure, so that
   functions with other rounding do not fail there. */
double td_shortest_step(const td_integrator *i, td_status status)
{
    const double rounding = 16 * DBL_EPSILON * fmax(fabs(i->t), 1e-3);
    return status == TD_OK ? rounding : fmax(rounding, 1e-8 * i->failing);
}

/* Estimates the largest eigenvalue of the equations by the last two stages, both at the end of the
   step: |f(xₛ) − f(xₛ₋₁)| / |xₛ − xₛ₋₁|. It is accurate if stability limits the step (Hairer and
   Wanner, IV.2). */
static double fastest(const td_integrator *i)
{
    const int last = i->pair->stages - 1;
    double change = 0, way = 0;
    for (size_t j = 0; j < i->ode.size; j++) {
        const double unit = i->options.atol + i->options.rtol * fabs(i->trial[j]);
        const double rate = (i->k[last][j] - i->k[last - 1][j]) / unit;
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
            double next = h * (rejected ? fmin(1, growth(i, error)) : growth(i, error));
            i->next = last && !rejected ? fmax(next, i->next) : next;
            i->failing = h < i->failing ? i->failing : 0;
            i->last_error = fmax(error, 1e-4);
            if (td_switches(i))
                td_switch_after(i, h * fastest(i));
            memcpy(i->rate, i->k[i->pair->stages - 1], i->ode.size * sizeof *i->rate);
            td_integrator_accept(i, last ? until : i->t + h);
            return TD_OK;
        }
        i->counts.rejected++;
        if (status != TD_OK && i->failing == 0)
            i->failing = h;
        h *= status == TD_OK ? fmax(0.1, 0.9 / pow(error, i->pair->power)) : 0.25;
        if (h < td_shortest_step(i, status))
            return status == TD_OK ? TD_ERROR_STEP : status;
    }
}
