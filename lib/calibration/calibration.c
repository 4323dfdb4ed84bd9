/* SPDX-License-Identifier: MIT */
/*
 * Solves calibrations; see calibration.h.
 */
#include "calibration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/jacobi.h"
#include "fit.h"
#include "models.h"

enum { MOST_STEPS = 100, MOST_ROUNDS = 20 };

/* ---- memory ---------------------------------------------------------------------------------- */

static td_status fit_new(td_fit *f, const td_calibration *problem, td_calibration_result *result)
{
    td_changed_model start;
    *f = (td_fit){.problem = problem, .result = result, .n = problem->parameters};
    td_status status = td_changed_model_new(problem, result->change, &start);
    if (status == TD_OK) {
        f->ny = td_ny(start.model);
        f->own = td_nyd(start.model);
    }
    td_changed_model_free(&start);
    const size_t n = f->n, width = td_fit_width(f), rows = problem->rows;
    const struct {
        double **array;
        size_t count;
    } part[] = {{&f->A, (3 * problem->points + 2 * f->own) * width},
                {&f->kept, rows * f->own * width},
                {&f->R, (n + 1) * (n + 1)},
                {&f->T, (n + 1) * (n + 1)},
                {&f->line, n + 1},
                {&f->step, n},
                {&f->rate, f->own},
                {&f->change, n},
                {&f->y, rows * f->ny},
                {&f->residual, rows * problem->points * 3}};
    size_t total = 1;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        total += part[i].count;
    f->block = calloc(total, sizeof *f->block);
    f->fixed = calloc(n + 1, sizeof *f->fixed);
    double *next = f->block;
    for (size_t i = 0; i < sizeof part / sizeof *part && next; i++) {
        *part[i].array = next;
        next += part[i].count;
    }
    return status != TD_OK || (f->block && f->fixed) ? status : TD_ERROR_MEMORY;
}

static void fit_free(td_fit *f)
{
    free(f->block);
    free(f->fixed);
}

/* ---- the sum of squares ---------------------------------------------------------------------- */

/* Computes residuals at the given changes and configurations. After an error, result->row is the
   row. */
static td_status find_residuals(td_fit *f, const double *change, const double *y, double *residual)
{
    const size_t size = 3 * f->problem->points;
    td_changed_model at;
    td_status status = td_changed_model_new(f->problem, change, &at);
    if (status == TD_OK && td_ny(at.model) != f->ny)
        status = TD_ERROR_ARGUMENT;
    for (size_t i = 0; i < f->problem->rows && status == TD_OK; i++) {
        double *out = residual + i * size;
        status = td_changed_points(f->problem, &at, y + i * f->ny, out);
        for (size_t k = 0; k < size && status == TD_OK; k++)
            out[k] -= f->problem->recorded[i * size + k];
        f->result->row = status == TD_OK ? TD_NONE : i;
    }
    td_changed_model_free(&at);
    return status;
}

/* Returns the sum of squared residuals (m²), and their number. */
static double sum_squares(const td_fit *f, const double *residual, size_t *count)
{
    double sum = 0;
    *count = 0;
    for (size_t i = 0; i < 3 * f->problem->points * f->problem->rows; i++) {
        if (isfinite(f->problem->recorded[i])) {
            sum += residual[i] * residual[i];
            ++*count;
        }
    }
    return sum;
}

/* Returns the sum of squared errors of measured positions in units of their noise, and their
   number. */
static double sum_measured(const td_fit *f, const double *y, size_t *count)
{
    const td_calibration *problem = f->problem;
    double sum = 0;
    *count = 0;
    for (size_t i = 0; i < problem->rows * f->own && problem->measured; i++) {
        if (isfinite(problem->measured[i])) {
            const double *at = y + i / f->own * f->ny;
            const double x = (at[problem->position[i % f->own]] - problem->measured[i]) /
                             problem->joint_noise[i % f->own];
            sum += x * x;
            ++*count;
        }
    }
    return sum;
}

/* Returns the sum that the fit minimizes. */
static double objective(const td_fit *f, const double *change, const double *y,
                        const double *residual)
{
    size_t count;
    double sum =
        sum_squares(f, residual, &count) / (f->noise * f->noise) + sum_measured(f, y, &count);
    for (size_t k = 0; k < f->n; k++) {
        const double x = change[k] / f->problem->prior[k];
        sum += x * x;
    }
    return sum;
}

/* ---- the fit --------------------------------------------------------------------------------- */

/* Returns whether a trial with this status may be repeated with a shorter step. */
static bool is_too_far(td_status status)
{
    return status != TD_OK && status != TD_ERROR_MEMORY;
}

static void accept_trial(td_fit *f)
{
    td_calibration_result *result = f->result;
    memcpy(result->change, f->change, f->n * sizeof *f->change);
    memcpy(result->y, f->y, f->problem->rows * f->ny * sizeof *f->y);
    memcpy(result->residual, f->residual,
           3 * f->problem->points * f->problem->rows * sizeof *f->residual);
    result->steps++;
}

/* Minimizes the sum for the noise in use, from residuals at the start. */
static td_status descend(td_fit *f, const td_model *model)
{
    /* The sum counts in squares of the noise, so this change is far below every standard error. */
    static const double negligible = 1e-9;
    double damping = 1e-3, sum = objective(f, f->result->change, f->result->y, f->result->residual);
    f->result->converged = false;
    for (int i = 0; i < MOST_STEPS && !f->result->converged; i++) {
        td_status status = td_fit_linearize(f, damping);
        if (status != TD_OK)
            return status;
        td_fit_find_step(f, damping);
        td_fit_move(f, model);
        status = find_residuals(f, f->change, f->y, f->residual);
        if (status == TD_ERROR_MEMORY)
            return status;
        const double next =
            is_too_far(status) ? (double)INFINITY : objective(f, f->change, f->y, f->residual);
        f->result->converged = damping < 1e3 && fabs(next - sum) <= negligible * (1 + 1e-3 * sum);
        if (next <= sum) {
            accept_trial(f);
            sum = next;
            damping = fmax(damping / 10, 1e-20);
        } else {
            damping *= 10;
        }
    }
    f->result->row = TD_NONE;
    return TD_OK;
}

/* Minimizes the sum. If the noise is far below the residuals at the start (m), the minimum lies in
   a narrow curved valley, which takes many short steps; the minima for larger noise lead there. */
static td_status descend_through_noise(td_fit *f, const td_model *model, double start)
{
    const double noise = f->noise;
    td_status status = descend(f, model);
    if (f->result->converged)
        return status;
    for (f->noise = start; f->noise > noise && status == TD_OK; f->noise /= 10)
        status = descend(f, model);
    f->noise = noise;
    return status == TD_OK ? descend(f, model) : status;
}

/* Computes singular values, standard errors and the noise at the solution. */
static td_status analyze(td_fit *f)
{
    td_calibration_result *result = f->result;
    const size_t n = f->n;
    const td_status status = td_fit_linearize(f, 0);
    if (status != TD_OK)
        return status;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++)
            f->T[k * n + i] = i <= k ? f->R[i * (n + 1) + k] * f->problem->prior[k] : 0;
    if (n > 0)
        td_jacobi_svd((int)n, (int)n, f->T, result->singular, result->combination);
    size_t count, measured;
    const double sum = sum_squares(f, result->residual, &count);
    const double error = sum_measured(f, result->y, &measured) * f->noise * f->noise;
    result->freedom = (double)(count + measured) - f->unknowns;
    for (size_t j = 0; j < n; j++) {
        const double square = result->singular[j] * result->singular[j];
        result->freedom -= square / (1 + square);
    }
    for (size_t k = 0; k < n; k++) {
        double variance = 0;
        for (size_t j = 0; j < n; j++) {
            const double s = result->singular[j], v = result->combination[j * n + k];
            variance += v * v / (1 + s * s);
        }
        result->deviation[k] = f->problem->prior[k] * sqrt(variance);
    }
    result->found = result->freedom > 0.5 ? sqrt((sum + error) / result->freedom) : (double)NAN;
    return TD_OK;
}

/* Repeats the fit until the noise that it uses is the noise of its residuals. */
static td_status fit_with_noise(td_fit *f, const td_model *model)
{
    const td_calibration *problem = f->problem;
    double least = 1e-300; /* rounding: 1e-9 of the largest coordinate */
    for (size_t i = 0; i < 3 * problem->points * problem->rows; i++)
        if (isfinite(problem->recorded[i]))
            least = fmax(least, 1e-9 * fabs(problem->recorded[i]));
    size_t count;
    const double sum = sum_squares(f, f->result->residual, &count);
    const bool given = isfinite(problem->noise);
    const double start = fmax(sqrt(sum / (double)(count > 0 ? count : 1)), least);
    f->noise = given ? problem->noise : start;
    td_status status = TD_OK;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        status = descend_through_noise(f, model, start);
        status = status == TD_OK ? analyze(f) : status;
        f->result->noise = f->noise;
        const double next = fmax(f->result->found, least);
        if (status != TD_OK || given || isnan(f->result->found) || fabs(next / f->noise - 1) < 0.01)
            break;
        f->noise = next;
    }
    return status;
}

td_status td_calibrate(const td_calibration *problem, td_calibration_result *result)
{
    td_fit f;
    td_changed_model at = {.model = NULL};
    result->row = TD_NONE;
    result->steps = 0;
    td_status status = fit_new(&f, problem, result);
    if (status == TD_OK)
        status = td_changed_model_new(problem, result->change, &at);
    if (status == TD_OK)
        status = find_residuals(&f, result->change, result->y, result->residual);
    if (status == TD_OK)
        status = fit_with_noise(&f, at.model);
    td_changed_model_free(&at);
    fit_free(&f);
    return status;
}
