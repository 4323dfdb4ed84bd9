/* SPDX-License-Identifier: MIT */
/*
 * Models with changed parameters, and the equations of one row from them.
 */
#ifndef TD_CALIBRATION_MODELS_H
#define TD_CALIBRATION_MODELS_H

#include "problem.h"
#include "tandem/workspace.h"

/* A model with changed parameters. */
typedef struct td_changed_model {
    td_model *model;
    td_workspace *workspace;
    double *point; /* points × 3 */
    double *poses; /* links × 12 */
} td_changed_model;

/* Makes a model with these changes. Callers free it in all cases. */
td_status td_changed_model_new(const td_calibration *problem, const double *change,
                               td_changed_model *changed);
void td_changed_model_free(td_changed_model *changed);

/* Computes the positions of all points at y (points × 3, m). */
td_status td_changed_points(const td_calibration *problem, td_changed_model *changed,
                            const double *y, double *position);

/* The models for derivatives at one set of changes: the model itself, and for each parameter two
   more with a step forward and backward. */
typedef struct td_model_set {
    td_changed_model at;
    td_changed_model *beside; /* 2 per parameter; NULL: no derivatives */
    double *position;         /* points × 3, scratch */
    double *jacobian;         /* 6 × nyd, scratch */
} td_model_set;

/* Callers free the set in all cases. */
td_status td_model_set_new(const td_calibration *problem, const double *change, td_model_set *set);
void td_model_set_free(const td_calibration *problem, td_model_set *set);

/* Computes the equations of a row of the table at y: A [δy, δp]ᵀ = b in units of the noise. [A b]
   has one line for each recorded coordinate and each measured position, and nyd + parameters + 1
   columns. Returns the number of lines in *count. */
td_status td_model_set_equations(const td_calibration *problem, td_model_set *set, double noise,
                                 size_t row, const double *y, double *A, size_t *count);

#endif
