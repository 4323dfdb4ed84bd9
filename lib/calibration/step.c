/* SPDX-License-Identifier: MIT */
/*
 * Computes steps of a calibration; see fit.h. The configurations of the rows are eliminated one
 * after the other.
 */
#include "fit.h"

#include <math.h>
#include <string.h>

#include "arrow.h"
#include "models.h"
#include "tandem/configuration.h"

/* Returns the square of the longest of the first `own` columns. */
static double longest_column(const td_fit *f, size_t count)
{
    double longest = 0;
    for (size_t j = 0; j < f->own; j++) {
        double square = 0;
        for (size_t i = 0; i < count; i++) {
            const double a = f->A[i * td_fit_width(f) + j];
            square += a * a;
        }
        longest = fmax(longest, square);
    }
    return longest > 0 ? longest : 1;
}

/* Returns the number of unknowns that a triangular system with damping determines: the trace of
   J (JᵀJ + damping)⁻¹ Jᵀ = own − damping ‖R⁻¹‖². */
static double count_determined(const td_fit *f, const double *R, double damping)
{
    double sum = 0, *x = f->rate;
    for (size_t j = 0; j < f->own; j++) {
        for (size_t k = j + 1; k-- > 0;) {
            const double *row = R + k * td_fit_width(f);
            double rest = k == j;
            for (size_t i = k + 1; i <= j; i++)
                rest -= row[i] * x[i];
            x[k] = rest / row[k];
            sum += x[k] * x[k];
        }
    }
    return (double)f->own - damping * sum;
}

td_status td_fit_linearize(td_fit *f, double factor)
{
    const size_t width = td_fit_width(f);
    td_model_set set;
    td_status status = td_model_set_new(f->problem, f->result->change, &set);
    memset(f->R, 0, (f->n + 1) * (f->n + 1) * sizeof *f->R);
    f->unknowns = 0;
    for (size_t i = 0; i < f->problem->rows && status == TD_OK; i++) {
        double *kept = f->kept + i * f->own * width;
        size_t count;
        status = td_model_set_equations(f->problem, &set, f->noise, i, f->result->y + i * f->ny,
                                        f->A, &count);
        f->result->row = status == TD_OK ? TD_NONE : i;
        if (status != TD_OK)
            break;
        const double damping = fmax(factor, 1e-16) * longest_column(f, count);
        memset(f->A + count * width, 0, f->own * width * sizeof *f->A);
        for (size_t j = 0; j < f->own; j++)
            f->A[(count + j) * width + j] = sqrt(damping);
        td_arrow_eliminate(count + f->own, f->own, f->n, f->A);
        memcpy(kept, f->A, f->own * width * sizeof *kept);
        f->unknowns += count_determined(f, kept, damping);
        for (size_t k = f->own; k < count + f->own; k++) {
            memcpy(f->line, f->A + k * width + f->own, (f->n + 1) * sizeof *f->line);
            td_arrow_add(f->n, f->R, f->line);
        }
    }
    td_model_set_free(f->problem, &set);
    return status;
}

/* Fixes parameters at bounds beyond which the sum decreases. */
static void fix_parameters(td_fit *f)
{
    const size_t n = f->n;
    for (size_t k = 0; k < n; k++) {
        const double prior = f->problem->prior[k], change = f->result->change[k];
        double slope = -change / (prior * prior); /* half the negative derivative of the sum */
        for (size_t i = 0; i <= k; i++)
            slope += f->R[i * (n + 1) + k] * f->R[i * (n + 1) + n];
        f->fixed[k] = fabs(change) >= f->problem->bound[k] && slope * change > 0;
    }
}

/* Adds a line with one factor in column k and a right-hand side to the system T. */
static void add_single(td_fit *f, size_t k, double factor, double right)
{
    memset(f->line, 0, (f->n + 1) * sizeof *f->line);
    f->line[k] = factor;
    f->line[f->n] = right;
    td_arrow_add(f->n, f->T, f->line);
}

void td_fit_find_step(td_fit *f, double damping)
{
    const size_t n = f->n;
    memset(f->T, 0, (n + 1) * (n + 1) * sizeof *f->T);
    fix_parameters(f);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k <= n; k++)
            f->line[k] = k < n && f->fixed[k] ? 0 : f->R[i * (n + 1) + k];
        td_arrow_add(n, f->T, f->line);
    }
    for (size_t k = 0; k < n; k++) {
        const double prior = f->problem->prior[k];
        double square = 1 / (prior * prior);
        for (size_t i = 0; i <= k; i++)
            square += f->R[i * (n + 1) + k] * f->R[i * (n + 1) + k];
        add_single(f, k, 1 / prior, f->fixed[k] ? 0 : -f->result->change[k] / prior);
        add_single(f, k, sqrt(damping * square), 0);
    }
    td_arrow_solve(n, 0, f->T, NULL, f->step);
    for (size_t k = 0; k < n; k++) {
        const double bound = f->problem->bound[k], from = f->result->change[k];
        f->change[k] = f->fixed[k] ? from : fmax(-bound, fmin(bound, from + f->step[k]));
        f->step[k] = f->change[k] - from;
    }
}

void td_fit_move(td_fit *f, const td_model *model)
{
    for (size_t i = 0; i < f->problem->rows; i++) {
        const double *kept = f->kept + i * f->own * td_fit_width(f);
        td_arrow_solve(f->own, f->n, kept, f->step, f->rate);
        td_integrate(model, TD_COORDINATES_INDEPENDENT, f->result->y + i * f->ny, f->rate, 1,
                     f->y + i * f->ny);
    }
}
