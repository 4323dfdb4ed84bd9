/* SPDX-License-Identifier: MIT */
/*
 * Calibration finds numbers of a robot's file from recorded positions of points on its links, by
 * nonlinear least squares. The unknowns are changes p of parameters, which all rows share, and the
 * configuration y of each row. The sum to minimize is
 *
 *   Σ |x(y_i, p) − recorded_i|² / noise²  +  Σ (y_ij − measured_ij)² / joint_noise²
 *     +  Σ (p_k / prior_k)²
 *
 * A parameter may be any number from which a caller makes a model. Derivatives by p are central
 * differences between models, so parameters of mimic joints and loops need nothing special.
 */
#ifndef TD_CALIBRATION_PROBLEM_H
#define TD_CALIBRATION_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

#include "tandem/model.h"
#include "tandem/status.h"

/* A problem. Arrays belong to the caller. */
typedef struct td_calibration {
    size_t parameters;
    const double *prior; /* per parameter: standard deviation of its change before the fit, > 0 */
    const double *bound; /* per parameter: largest magnitude of its change, > 0 */
    size_t points;
    const size_t *link; /* per point: index of its link */
    size_t rows;
    const double *recorded; /* rows × points × 3: positions in the world (m); NaN: missing */
    double noise; /* standard deviation of a recorded coordinate (m); NaN: found from residuals */
    /* rows × nyd: positions that sensors of joints measured, by the index of the velocity; NaN: not
       measured; NULL: none */
    const double *measured;
    const size_t *position;    /* nyd: index in y of a position that may be measured */
    const double *joint_noise; /* nyd: their standard deviations (rad or m), > 0 */
    /* Makes the model with these changes (parameters), and writes the points in the coordinates of
       their links (points × 3, m). All models have the same links and coordinates. The caller of
       the function frees the model. */
    td_status (*build)(void *context, const double *change, td_model **model, double *point);
    void *context;
} td_calibration;

/* The solution. Arrays belong to the caller; n is the number of parameters. */
typedef struct td_calibration_result {
    double *change;    /* n; input: where the search begins, within the bounds */
    double *y;         /* rows × ny; input: where the search begins, with closed loops */
    double *residual;  /* rows × points × 3: computed minus recorded (m); NaN: missing */
    double *deviation; /* n: standard errors of the changes, with the priors */
    /* n, in descending order: the singular values of the derivatives of all residuals by the
       parameters, at the best y. The unit of residuals is the noise, and the unit of a parameter
       its prior. If a value is below 1, the points determine the combination of parameters less
       than the priors do. */
    double *singular;
    double *combination; /* n × n: row k has the changes, in priors, that belong to singular[k] */
    double noise;        /* as given or found (m); 0: the residuals vanish */
    double found;        /* standard deviation of a coordinate according to the residuals (m); NaN:
                            they have no redundancy */
    double freedom;      /* number of coordinates minus the number of unknowns they determine */
    size_t steps;        /* accepted ones */
    bool converged;
    size_t row; /* after an error: the row whose configuration failed; TD_NONE: none */
} td_calibration_result;

#endif
