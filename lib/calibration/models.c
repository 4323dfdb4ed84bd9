/* SPDX-License-Identifier: MIT */
/*
 * Computes residuals and their derivatives; see models.h.
 */
#include "models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tandem/kinematics.h"

/* The step of central differences, in priors. With a prior of 0.1 rad or 10 mm, truncation is about
   1e-9 of a derivative, and rounding 1e-11. */
static const double step = 1e-3;

/* ---- one model ------------------------------------------------------------------------------- */

td_status td_changed_model_new(const td_calibration *problem, const double *change,
                               td_changed_model *changed)
{
    *changed = (td_changed_model){.point = calloc(3 * problem->points + 1, sizeof(double))};
    if (!changed->point)
        return TD_ERROR_MEMORY;
    td_status status = problem->build(problem->context, change, &changed->model, changed->point);
    if (status != TD_OK)
        return status;
    td_workspace_options options = td_workspace_options_default();
    options.matrices = false;
    changed->poses = calloc(12 * td_link_count(changed->model), sizeof(double));
    return changed->poses ? td_workspace_new(changed->model, &options, &changed->workspace)
                          : TD_ERROR_MEMORY;
}

void td_changed_model_free(td_changed_model *changed)
{
    td_workspace_free(changed->workspace);
    td_model_free(changed->model);
    free(changed->point);
    free(changed->poses);
    *changed = (td_changed_model){.model = NULL};
}

td_status td_changed_points(const td_calibration *problem, td_changed_model *changed,
                            const double *y, double *position)
{
    const td_status status = td_link_poses(changed->model, changed->workspace, y, changed->poses);
    for (size_t i = 0; i < problem->points && status == TD_OK; i++) {
        const double *pose = changed->poses + 12 * problem->link[i];
        for (size_t k = 0; k < 3; k++) {
            const double *row = pose + 4 * k, *x = changed->point + 3 * i;
            position[3 * i + k] = row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + row[3];
        }
    }
    return status;
}

/* ---- models for derivatives ------------------------------------------------------------------ */

static bool same_coordinates(const td_model *a, const td_model *b)
{
    return td_ny(a) == td_ny(b) && td_nyd(a) == td_nyd(b) && td_link_count(a) == td_link_count(b);
}

td_status td_model_set_new(const td_calibration *problem, const double *change, td_model_set *set)
{
    const size_t n = problem->parameters;
    *set = (td_model_set){.position = calloc(3 * problem->points + 1, sizeof(double)),
                          .beside = calloc(2 * n + 1, sizeof *set->beside)};
    double *moved = calloc(n + 1, sizeof *moved);
    td_status status = set->position && set->beside && moved
                           ? td_changed_model_new(problem, change, &set->at)
                           : TD_ERROR_MEMORY;
    if (status == TD_OK) {
        set->jacobian = calloc(6 * td_nyd(set->at.model) + 1, sizeof(double));
        status = set->jacobian ? TD_OK : TD_ERROR_MEMORY;
    }
    for (size_t k = 0; k < 2 * n && status == TD_OK; k++) {
        memcpy(moved, change, n * sizeof *moved);
        moved[k / 2] += (k % 2 ? -step : step) * problem->prior[k / 2];
        status = td_changed_model_new(problem, moved, &set->beside[k]);
        if (status == TD_OK && !same_coordinates(set->at.model, set->beside[k].model))
            status = TD_ERROR_ARGUMENT;
    }
    free(moved);
    return status;
}

void td_model_set_free(const td_calibration *problem, td_model_set *set)
{
    for (size_t k = 0; set->beside && k < 2 * problem->parameters; k++)
        td_changed_model_free(&set->beside[k]);
    td_changed_model_free(&set->at);
    free(set->beside);
    free(set->position);
    free(set->jacobian);
    *set = (td_model_set){.beside = NULL};
}

/* ---- equations of a row ---------------------------------------------------------------------- */

/* Adds factor · x of the recorded coordinates to a column of A. */
static void add_column(const td_calibration *problem, const double *recorded, const double *x,
                       double factor, double *column, size_t width)
{
    size_t row = 0;
    for (size_t i = 0; i < 3 * problem->points; i++)
        if (isfinite(recorded[i]))
            column[row++ * width] += factor * x[i];
}

/* Writes the columns of y. */
static td_status add_jacobians(const td_calibration *problem, td_model_set *set, double noise,
                               const double *recorded, const double *y, double *A)
{
    const size_t n = td_nyd(set->at.model), width = n + problem->parameters + 1;
    td_status status = TD_OK;
    size_t row = 0;
    for (size_t i = 0; i < problem->points && status == TD_OK; i++) {
        const double *x = recorded + 3 * i;
        if (!isfinite(x[0]) && !isfinite(x[1]) && !isfinite(x[2]))
            continue;
        status = td_link_jacobian(set->at.model, set->at.workspace, problem->link[i],
                                  set->at.point + 3 * i, y, TD_FRAME_ALIGNED, set->jacobian);
        for (size_t k = 0; k < 3; k++) {
            if (!isfinite(x[k]))
                continue;
            for (size_t j = 0; j < n && status == TD_OK; j++)
                A[row * width + j] = set->jacobian[(3 + k) * n + j] / noise;
            row++;
        }
    }
    return status;
}

/* Writes the lines of measured positions. Returns their number. */
static size_t add_measured(const td_calibration *problem, size_t row, size_t own, const double *y,
                           double *A)
{
    const size_t width = own + problem->parameters + 1;
    size_t count = 0;
    for (size_t k = 0; k < own && problem->measured; k++) {
        const double x = problem->measured[row * own + k];
        if (isfinite(x)) {
            double *line = A + count++ * width;
            memset(line, 0, width * sizeof *line);
            line[k] = 1 / problem->joint_noise[k];
            line[width - 1] = (x - y[problem->position[k]]) / problem->joint_noise[k];
        }
    }
    return count;
}

td_status td_model_set_equations(const td_calibration *problem, td_model_set *set, double noise,
                                 size_t row, const double *y, double *A, size_t *count)
{
    const size_t own = td_nyd(set->at.model), width = own + problem->parameters + 1;
    const double *recorded = problem->recorded + row * 3 * problem->points;
    *count = 0;
    for (size_t i = 0; i < 3 * problem->points; i++)
        *count += isfinite(recorded[i]) ? 1 : 0;
    memset(A, 0, *count * width * sizeof *A);
    td_status status = td_changed_points(problem, &set->at, y, set->position);
    if (status == TD_OK) {
        add_column(problem, recorded, recorded, 1 / noise, A + width - 1, width);
        add_column(problem, recorded, set->position, -1 / noise, A + width - 1, width);
        status = add_jacobians(problem, set, noise, recorded, y, A);
    }
    for (size_t k = 0; k < 2 * problem->parameters && status == TD_OK; k++) {
        const double factor = (k % 2 ? -1 : 1) / (2 * step * problem->prior[k / 2] * noise);
        status = td_changed_points(problem, &set->beside[k], y, set->position);
        if (status == TD_OK)
            add_column(problem, recorded, set->position, factor, A + own + k / 2, width);
    }
    *count += add_measured(problem, row, own, y, A + *count * width);
    return status;
}
